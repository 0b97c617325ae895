package bookkeeping

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const detachManual = `Move the blocks before a month (UTC) out of a ledger and into a new file: a
complete ledger with their rows, totals, seals and proofs. The file is verified
and compared with the seals before anything is removed. After that, the ledger
starts with the first block of the month. The seals of days and months do not
change. The seal of the whole ledger then covers the remaining blocks. A report
on an earlier period needs --ledger with the new file.

At least one block of a later month must exist, so that the detached months are
complete. No other program may write the ledger meanwhile; reading is fine. If
the command is stopped, run it again with the same file to continue.

PostgreSQL frees the disk space of whole partitions at once. A file keeps its
size and reuses the space; fees ledger backup makes a smaller copy.`

const detachExamples = `  fees ledger detach --before 2026-02 --dry-run
  fees ledger detach --before 2026-02 -o january.db
  fees report --by month --ledger january.db`

// detachFlags are the flags of fees ledger detach.
type detachFlags struct {
	cli.LedgerFlags
	cli.QuietFlag
	before, to string
	dryRun     bool
}

func newLedgerDetach() *cobra.Command {
	var f detachFlags
	return cli.New(&cobra.Command{
		Use: "detach --before MONTH -o FILE", Short: "Move the blocks before a month into a file", Long: detachManual, Example: detachExamples,
		Args: cli.NoneOf("fees ledger detach takes no argument, got %q; name the file with -o"), RunE: f.detach,
	}, f.LedgerFlags.Add, f.add, cli.NamesPath("output"), f.AddQuiet)
}

func (f *detachFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.before, "before", "", "the first month to keep, such as 2025-01")
	c.Flags().StringVarP(&f.to, "output", "o", "", "the file for the detached blocks")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would be detached, and change nothing")
}

func (f *detachFlags) detach(c *cobra.Command, _ []string) error {
	stdout := c.OutOrStdout()
	place, err := f.LedgerPlace()
	switch {
	case err != nil:
		return err
	case f.before == "":
		return errors.New("--before is missing; name the first month to keep, such as --before 2025-01")
	case f.dryRun:
		d, err := app.Detachable(c.Context(), place, f.before)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "would move blocks %v (%d) of %s; %s would start at block %d\n", d.Span, d.Span.Blocks(), monthsOf(d), d.Place, d.Begins)
		if bytes, ok := d.Bytes.Get(); ok {
			fmt.Fprintf(stdout, "would drop whole partitions of %d bytes\n", bytes)
		}
		return nil
	case f.to == "":
		return errors.New("-o is missing; name the file for the detached blocks")
	}
	progress := func(what string) app.Progress { return f.Progress(c, what).Asked() }
	d, err := app.Detach(c.Context(), app.DetachOptions{
		Place: place, Before: f.before, File: f.to, Copied: progress("blocks copied"), Verified: progress("blocks verified"), Removed: progress("blocks removed"),
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "moved blocks %v (%d) to %s; %s starts at block %d\n", d.Span, d.Span.Blocks(), f.to, d.Place, d.Begins)
	if err == nil && d.File {
		_, err = fmt.Fprintf(stdout, "%s keeps its size and reuses the space; fees ledger backup makes a smaller copy\n", d.Place)
	}
	return err
}

// monthsOf returns the months to detach, as text.
func monthsOf(d *app.Detachment) string {
	first, last := d.Months[0], d.Months[len(d.Months)-1]
	if first == last {
		return first.String()
	}
	return fmt.Sprintf("%v to %v", first, last)
}
