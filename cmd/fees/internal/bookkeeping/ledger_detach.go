package bookkeeping

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
)

const detachManual = `Take the blocks before a month of UTC out of a ledger, and into a new file: a
ledger of its own, with their rows, sums, seals and proofs. The file is verified
and compared with the seals before anything is removed. After that the ledger
begins with the first block of the month, as if it had been begun there: the
seals of its days and months stay as they are, and a report of an earlier time
says that the ledger lacks it. Name the file with --ledger to ask about that.

A later month must have begun, so that what goes is whole. No other program may
write the ledger meanwhile; it can be read. Whoever is stopped runs the same
again, with the same file: it goes on where it was.

PostgreSQL gives the disk of whole partitions back at once. A file stays as
large, and new blocks use the room: fees ledger backup makes a copy without it.`

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
		Use: "detach --before MONTH -o FILE", Short: "Take the blocks before a month out, into a file", Long: detachManual, Example: detachExamples,
		Args: cli.NoneOf("detach takes no argument, and has %q: -o names the file"), RunE: f.detach,
	}, f.LedgerFlags.Add, f.add, f.AddQuiet)
}

func (f *detachFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.before, "before", "", "the first month that stays, such as 2025-01")
	c.Flags().StringVarP(&f.to, "output", "o", "", "the file for what goes")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would go, and do nothing")
}

func (f *detachFlags) detach(c *cobra.Command, _ []string) error {
	stdout := c.OutOrStdout()
	place, err := f.LedgerPlace()
	switch {
	case err != nil:
		return err
	case f.before == "":
		return errors.New("--before: name the first month that stays, such as 2025-01")
	case f.dryRun:
		d, err := app.Detachable(c.Context(), place, f.before)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "blocks %v (%d) of %s would go, and %s would begin with block %d\n", d.Span, d.Span.Blocks(), monthsOf(d), d.Place, d.Begins)
		if bytes, ok := d.Bytes.Get(); ok {
			fmt.Fprintf(stdout, "whole partitions of %d bytes would be dropped\n", bytes)
		}
		return nil
	case f.to == "":
		return errors.New("-o: name the file for the blocks that go")
	}
	progress := func(what string) app.Progress { return f.Progress(c, what).Asked() }
	d, err := app.Detach(c.Context(), app.DetachOptions{
		Place: place, Before: f.before, File: f.to, Copied: progress("blocks copied"), Verified: progress("blocks verified"), Removed: progress("blocks removed"),
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "blocks %v (%d) are in %s, and %s begins with block %d\n", d.Span, d.Span.Blocks(), f.to, d.Place, d.Begins)
	if err == nil && d.File {
		_, err = fmt.Fprintf(stdout, "%s is as large as before, and new blocks use the room; fees ledger backup makes a copy without it\n", d.Place)
	}
	return err
}

// monthsOf are those of which blocks would go, for people.
func monthsOf(d *app.Detachment) string {
	first, last := d.Months[0], d.Months[len(d.Months)-1]
	if first == last {
		return first.String()
	}
	return fmt.Sprintf("%v to %v", first, last)
}
