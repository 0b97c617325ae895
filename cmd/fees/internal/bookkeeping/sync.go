package bookkeeping

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

const syncManual = `Fill the ledger with the blocks of a range, A..B with both included or A:+N:
read each block, price it, prove its fees by the chain's own records, and store
all of it, with every movement of every account's native balance. --from and
--to name the ends as heights or as days, both included; --month and --year name
days, too. Without a range, it goes from where the ledger ends to the newest
final block.

Days, months and years come with a margin of blocks: the same days in every time
zone, from UTC+14 to UTC-12, so that reports of them in any --timezone find all
that they need; and one block more at each end, which proves that none is
missing. Where the chain begins or ends within the margin, what is there is
taken. No figure changes by it: a report asks for its own period. The blocks
between these and the ledger come too, for a ledger has no gap. Exact heights
have no margin.

What is in the ledger is not read again: a sync that was stopped goes on where
it was, and a second one changes nothing. Ctrl-C ends it cleanly. The blocks of
a ledger are of one chain, and it grows at both ends: blocks below its first
one are stored from the top down, 5,000 at a time, and sealed before the others.
It is then the ledger that one is that was begun there: the seals of days and
months that were whole stay, and so do packages of fees close.

Only final blocks are stored. With --unfinalized, those that are not yet come
too: they are not sealed, the next sync reads them again, and where the chain
has replaced one, they are taken out. A final block that does not follow the
one before ends the sync with an explanation. What does not hold in the range is
stored and counted at the end, and makes the exit code 1.

A ledger is a file, or a schema of a PostgreSQL database (--ledger
postgres://..., the password in PGPASSWORD or PGPASSFILE), which any number of
people can read. One program writes it at a time; with --enqueue, the range
becomes jobs for any number of fees worker on as many machines.

The hash and the sender of every EVM transaction are recomputed from its
signature, as by fees verify and fees follow, and from a node the signer of
every native one; --signatures=false leaves that out, and is faster.`

const syncExamples = `  fees sync 3..27 --gateway demo --ledger demo.db   25 blocks into demo.db
  fees sync --month 2026-01                         a month, in every time zone
  fees sync --year 2026 --dry-run                   what a year would take
  fees sync --from 2026-01-01 --to 2026-01-31 --timezone Europe/Berlin
  fees sync                                         on to the newest final block
  fees sync 1:+48 --dry-run                         what that would take
  fees sync 1..24 --gateway ./gateway --ledger january.db
  fees sync --from 2026-01-01 --enqueue --ledger postgres://db.intern/fees`

// syncFlags are the flags of fees sync.
type syncFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	cli.QuietFlag
	wanted     app.WantedInput
	signatures bool
	dryRun     bool
	enqueue    bool
}

func newSync() *cobra.Command {
	var f syncFlags
	return cli.New(&cobra.Command{
		Use: "sync [A..B|A:+N]", Short: "Fill the ledger with the blocks of a range", Long: syncManual, Example: syncExamples,
		Args: cobra.MaximumNArgs(1), RunE: f.fill,
	}, cli.Resumes, f.SourceFlags.Add, f.LedgerFlags.Add, f.Concurrent, f.add, f.AddQuiet)
}

func (f *syncFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.wanted.Month, "month", "", "the blocks of a month, such as 2026-01")
	c.Flags().StringVar(&f.wanted.Year, "year", "", "the blocks of a year, such as 2026")
	c.Flags().StringVar(&f.wanted.From, "from", "", "the first block: a height, or a day such as 2026-01-01")
	c.Flags().StringVar(&f.wanted.To, "to", "", "the last block: a height, or a day, the whole of it (default: the newest final block)")
	c.Flags().StringVar(&f.wanted.Timezone, "timezone", "UTC", "whose days they are, such as Europe/Berlin: the margin covers every other zone, too")
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only say how many blocks, requests, hours and bytes it would take")
	c.Flags().BoolVar(&f.enqueue, "enqueue", false, "make jobs of the range for fees worker, instead of storing it")
}

func (f *syncFlags) fill(c *cobra.Command, args []string) error {
	ctx, stdout := c.Context(), c.OutOrStdout()
	if len(args) == 1 {
		f.wanted.Blocks = args[0]
	}
	options := app.FillOptions{Concurrency: f.Concurrency, Signatures: f.signatures, Progress: f.Progress(c, "blocks").Asked()}
	wanted, err := f.wanted.Parse()
	if err != nil {
		return err
	}
	if options.Reader, err = f.Reader(); err != nil {
		return err
	}
	place, err := f.LedgerPlace()
	if err != nil {
		return err
	}
	switch {
	case f.dryRun:
		forecast, err := app.ForecastSync(ctx, place, wanted, options)
		if err != nil {
			return err
		}
		return writeForecast(stdout, forecast)
	case f.enqueue:
		e, err := app.Enqueue(ctx, place, wanted, options)
		if err != nil {
			return err
		}
		return cli.Say(stdout, "%s: blocks %v%s: %d are missing; %d new jobs, for fees worker", e.Place, e.Blocks, named(e.Name), e.Missing, e.Jobs)
	}
	filled, err := app.Sync(ctx, place, wanted, options)
	if err != nil {
		return err
	}
	return writeFilled(stdout, c, filled)
}

// named is what the blocks are, behind them; nothing where their heights say it.
func named(days string) string {
	if days == "" {
		return ""
	}
	return ", for " + days
}

// writeForecast says what it would take to fill a ledger.
func writeForecast(w io.Writer, f *app.Forecast) error {
	if f.Missing == 0 {
		_, err := fmt.Fprintf(w, "blocks %v%s: all of them are there\n", f.Blocks, named(f.Name))
		return err
	}
	_, err := fmt.Fprintf(w, `blocks %v%s: %d are missing
requests   about %d
time       about %v, by %d of the blocks
disk       about %s
`, f.Blocks, named(f.Name), f.Missing, f.Requests, f.Time, f.Measured, byteSize(f.Bytes))
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
func writeFilled(w io.Writer, c *cobra.Command, f *app.Filled) error {
	s := &f.Status
	seal := "nothing is sealed"
	last, ok := s.Seal.Get()
	if height, sealed := s.Sealed.Get(); ok && sealed {
		seal = fmt.Sprintf("sealed up to block %d, seal %v", height, last)
	}
	if err := cli.Say(w, "%s: blocks %v%s: %d stored, %d were there; %s", f.Place, f.Blocks, named(f.Name), f.Stored, f.Blocks.Blocks()-f.Stored, seal); err != nil {
		return err
	}
	if below, ok := s.Below.Get(); ok && len(s.Gaps) > 0 {
		line := cli.SyncLine(c, chain.Some(chain.Heights{First: s.Gaps[0].First, Last: s.First - 1}))
		if _, err := fmt.Fprintf(w, "%s: blocks %v are below the ledger, and a gap is between them and block %d, with which it begins: this fills it: %s\n", f.Place, below, s.First, line); err != nil {
			return err
		}
	}
	if first, ok := s.FirstUnanswered.Get(); ok {
		if _, err := fmt.Fprintf(w, "%s: %s %s not answered, which %s asks again; the first: %v\n", f.Place, console.Counted(s.Unanswered, "question"), console.Verb(s.Unanswered, "was", "were"), cli.CompareLine(c), first); err != nil {
			return err
		}
	}
	if f.Findings.Total == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "%s: %s\n", f.Place, findingsText(c, f.Findings)); err != nil {
		return err
	}
	return cli.ErrFinding
}
