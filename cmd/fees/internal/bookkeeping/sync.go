package bookkeeping

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/desk"
)

const syncManual = `Fill the ledger with the blocks of a range, A..B with both included or A:+N:
read each block, price it, prove its fees by the chain's own records, and store
all of it, with every movement of every account's native balance. --from and
--to name the ends as heights or as days (UTC, both included). With days, one
block more at each end, which proves that none is missing. Without a range, it
goes from where the ledger ends to the newest final block.

What is in the ledger is not read again: a sync that was stopped goes on where
it was, and a second one changes nothing. Ctrl-C ends it cleanly. The blocks of
a ledger are of one chain, and it grows upward from the height that it began
with.

Only final blocks are stored. With --unfinalized, those that are not yet come
too: they are not sealed, the next sync reads them again, and where the chain
has replaced one, they are taken out. A final block that does not follow the
one before ends the sync with an explanation. What does not hold in the range is
stored and counted at the end, and makes the exit code 1.

A ledger is a file, or a schema of a PostgreSQL database (--ledger
postgres://..., the password in PGPASSWORD or PGPASSFILE), which any number of
people can read. One program writes it at a time; with --enqueue, the range
becomes jobs for any number of fees worker on as many machines.

--signatures recomputes the hash and the sender of every EVM transaction, which
takes most of the time where it is asked for; fees verify does it at any time.`

const syncExamples = `  fees sync 0..27 --gateway demo                    28 blocks into fees.db
  fees sync --from 2026-01-01 --to 2026-01-31       a month
  fees sync                                         on to the newest final block
  fees sync 4000000:+1000000 --dry-run              what that would take
  fees sync 100..199 --gateway ./march --ledger march.db
  fees sync --from 2026-01-01 --enqueue --ledger postgres://db.intern/fees`

// syncFlags are the flags of fees sync.
type syncFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	from, to   string
	signatures bool
	dryRun     bool
	enqueue    bool
	quiet      bool
}

func newSync(stdout, stderr io.Writer) *cobra.Command {
	var flags syncFlags
	c := &cobra.Command{
		Use:     "sync [A..B|A:+N]",
		Short:   "Fill the ledger with the blocks of a range",
		Long:    syncManual,
		Example: syncExamples,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return syncLedger(c.Context(), args, flags, stdout, stderr)
		},
	}
	flags.SourceFlags.Add(c)
	flags.LedgerFlags.Add(c)
	flags.AddConcurrency(c)
	c.Flags().StringVar(&flags.from, "from", "", "the first block: a height, or a day such as 2026-01-01 (UTC)")
	c.Flags().StringVar(&flags.to, "to", "", "the last block: a height, or a day (UTC), the whole of it (default: the newest final block)")
	c.Flags().BoolVar(&flags.signatures, "signatures", false, "recompute the hash and the sender of every EVM transaction")
	c.Flags().BoolVar(&flags.dryRun, "dry-run", false, "only say how many blocks, requests, hours and bytes it would take")
	c.Flags().BoolVar(&flags.enqueue, "enqueue", false, "make jobs of the range for fees worker, instead of storing it")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

func syncLedger(ctx context.Context, args []string, flags syncFlags, stdout, stderr io.Writer) error {
	if err := flags.CheckConcurrency(); err != nil {
		return err
	}
	input := desk.WantedInput{From: flags.from, To: flags.to}
	if len(args) == 1 {
		input.Blocks = args[0]
	}
	wanted, err := input.Parse()
	if err != nil {
		return err
	}
	reader, err := flags.Reader()
	if err != nil {
		return err
	}
	place, err := flags.LedgerPlace()
	if err != nil {
		return err
	}
	p := cli.NewProgress(stderr, "blocks", flags.quiet)
	defer p.End()
	options := desk.FillOptions{Reader: reader, Concurrency: flags.Concurrency, Signatures: flags.signatures, Progress: p.Asked()}
	switch {
	case flags.dryRun:
		f, err := desk.ForecastSync(ctx, place, wanted, options)
		if err != nil {
			return err
		}
		return writeForecast(stdout, f)
	case flags.enqueue:
		e, err := desk.Enqueue(ctx, place, wanted, options)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(stdout, "%s: blocks %v: %d are missing; %d new jobs, for fees worker\n", e.Place, e.Blocks, e.Missing, e.Jobs)
		return err
	}
	filled, err := desk.Sync(ctx, place, wanted, options)
	if err != nil {
		return err
	}
	return writeFilled(stdout, filled)
}

// writeForecast says what it would take to fill a ledger.
func writeForecast(w io.Writer, f *desk.Forecast) error {
	if f.Missing == 0 {
		_, err := fmt.Fprintf(w, "blocks %v: all of them are there\n", f.Blocks)
		return err
	}
	_, err := fmt.Fprintf(w, `blocks %v: %d are missing
requests   about %d
time       about %v, by %d of the blocks
disk       about %s
`, f.Blocks, f.Missing, f.Requests, f.Time, f.Measured, byteSize(f.Bytes))
	return err
}

// byteSize is a number of bytes for people.
func byteSize(n uint64) string {
	for _, unit := range []string{"bytes", "KB", "MB", "GB"} {
		if n < 10_000 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%d TB", n)
}

// writeFilled says what is there now, and what of it does not hold.
func writeFilled(w io.Writer, f *desk.Filled) error {
	s := &f.Status
	seal := "nothing is sealed"
	last, ok := s.Seal.Get()
	if height, sealed := s.Sealed.Get(); ok && sealed {
		seal = fmt.Sprintf("sealed up to block %d, seal %v", height, last)
	}
	if _, err := fmt.Fprintf(w, "%s: blocks %v: %d stored, %d were there; %s\n", f.Place, f.Blocks, f.Stored, f.Blocks.Blocks()-f.Stored, seal); err != nil {
		return err
	}
	if first, ok := s.FirstUnanswered.Get(); ok {
		if _, err := fmt.Fprintf(w, "%s: %d questions were not answered, which fees ledger verify --gateway asks again; the first: %v\n", f.Place, s.Unanswered, first); err != nil {
			return err
		}
	}
	if f.Findings.Total == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "%s: %s\n", f.Place, findingsText(f.Findings)); err != nil {
		return err
	}
	return cli.ErrFinding
}
