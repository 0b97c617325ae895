package bookkeeping

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

const syncManual = `Fill the ledger with a range of blocks. For each block, sync prices the
transactions, verifies the fees, and stores them with all native movements. A
range is A..B (inclusive) or A:+N (N blocks, starting at A). --from and --to
are heights or days, both inclusive. --month and --year cover whole days.
Without a range, sync continues after the ledger's last block, or fills a gap
below it first, up to the newest final block.

For days, months and years, sync also reads a margin of blocks, so reports are
complete in any time zone. One extra block at each end shows that no block is
missing. The margin is shorter near the start or end of the chain, and never
changes a figure. Blocks between the range and the ledger are stored too, since
a ledger has no gaps. Heights get no margin.

Stored blocks are not read again: a stopped sync continues where it stopped,
and a second one changes nothing. Ctrl-C stops it safely. A ledger holds one
chain and grows at both ends. Blocks below the first one are stored from the
top down, 5,000 at a time, and sealed in order. The result is the same as a
ledger that started there: the seals of complete days and months stay valid,
and so do packages of fees close.

Only blocks that the source reports as final are sealed. --unfinalized also
stores newer ones, unsealed; the next sync reads them again and removes those
that the chain replaced. If the source does not say whether a block is final,
it is stored unsealed, and the exit code is 1. If a final block does not follow
its predecessor, sync stops with an error. Failed checks are stored, counted at
the end, and make the exit code 1.

A ledger is a file, or a schema of a PostgreSQL database (--ledger
postgres://...). The password belongs in PGPASSWORD, in PGPASSFILE, or in the
URL in FEES_LEDGER. Any number of programs can read a ledger while one writes.
--enqueue instead creates jobs, which any number of fees worker processes on
any number of machines write together.

sync recovers each EVM transaction's hash and sender from its signature. If the
gateway is a node, it also recovers native signers. --signatures=false skips
this and is faster.`

const syncExamples = `  fees sync 3..27 --gateway demo --ledger demo.db  store 25 blocks in demo.db
  fees sync --month 2026-01                        a month, for any time zone
  fees sync --year 2026 --dry-run                  estimate a year
  fees sync --from 2026-01-01 --to 2026-01-31 --timezone Europe/Berlin
  fees sync                                        continue to the newest block
  fees sync 1:+48 --dry-run                        estimate the effort
  fees sync 1..24 --gateway ./gateway --ledger january.db
  fees sync --from 2026-01-01 --enqueue --ledger postgres://db.internal/fees`

// syncFlags are the flags of fees sync.
type syncFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	cli.QuietFlag
	wanted     app.PeriodInput
	signatures bool
	dryRun     bool
	enqueue    bool
}

func newSync() *cobra.Command {
	var f syncFlags
	return cli.New(&cobra.Command{
		Use: "sync " + cli.PeriodUse, Short: "Fill the ledger with the blocks of a range", Long: syncManual, Example: syncExamples,
		Args: cli.Args(0, 1, "at most one range"), RunE: f.fill,
	}, cli.Resumes, f.SourceFlags.Add, f.LedgerFlags.Add, f.Concurrent, f.add, f.AddQuiet)
}

func (f *syncFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.wanted.Month, "month", "", "the blocks of a month, such as 2026-01")
	c.Flags().StringVar(&f.wanted.Year, "year", "", "the blocks of a year, such as 2026")
	c.Flags().StringVar(&f.wanted.From, "from", "", "the first block: a height, or a day such as 2026-01-01")
	c.Flags().StringVar(&f.wanted.To, "to", "", "the last block: a height, or a day (default: the newest final block)")
	c.Flags().StringVar(&f.wanted.Timezone, "timezone", "UTC", "the time zone of days, such as Europe/Berlin; the margin covers all others")
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover signers, and hashes of EVM transactions, from signatures")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only estimate blocks, requests, time and disk")
	c.Flags().BoolVar(&f.enqueue, "enqueue", false, "create jobs for fees worker instead of storing blocks")
}

func (f *syncFlags) fill(c *cobra.Command, args []string) error {
	ctx, stdout := c.Context(), c.OutOrStdout()
	for _, text := range args {
		f.wanted.Set(text)
	}
	options := app.FillOptions{Source: f.Remembered(), Concurrency: f.Concurrency, Signatures: f.signatures, Progress: f.Progress(c, "blocks").Asked()}
	wanted, err := f.wanted.ParseWanted()
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
		return cli.Say(stdout, "%s: blocks %v%s: %d missing; created %d jobs for fees worker", e.Place, e.Blocks, named(e.Name), e.Missing, e.Jobs)
	}
	filled, err := app.Sync(ctx, place, wanted, options)
	if err != nil {
		return err
	}
	if err := writeFilled(stdout, c, filled); err != nil {
		return err
	}
	if filled.Stored == 0 && f.wanted.IsEmpty() {
		return cli.Say(stdout, "%s: the source has no newer final block", filled.Place)
	}
	return nil
}

// named returns the name of a period as a suffix, "" if heights name it.
func named(days string) string {
	if days == "" {
		return ""
	}
	return ", for " + days
}

// writeForecast writes the estimated effort of filling a ledger.
func writeForecast(w io.Writer, f *app.Forecast) error {
	if f.Missing == 0 {
		_, err := fmt.Fprintf(w, "blocks %v%s: all are stored already\n", f.Blocks, named(f.Name))
		return err
	}
	_, err := fmt.Fprintf(w, `blocks %v%s: %d missing
requests   about %d
time       about %v, measured on %d blocks
disk       about %s
`, f.Blocks, named(f.Name), f.Missing, f.Requests, f.Time, f.Measured, byteSize(f.Bytes))
	return err
}

// byteSize formats a number of bytes.
func byteSize(n uint64) string {
	for _, unit := range []string{"bytes", "KB", "MB", "GB"} {
		if n < 10_000 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%d TB", n)
}

// writeFilled writes what a sync stored, and the failed checks.
func writeFilled(w io.Writer, c *cobra.Command, f *app.Filled) error {
	s := &f.Status
	seal := "nothing is sealed"
	last, ok := s.Seal.Get()
	if height, sealed := s.Sealed.Get(); ok && sealed {
		seal = fmt.Sprintf("sealed up to block %d, seal %v", height, last)
	}
	if err := cli.Say(w, "%s: blocks %v%s: %d stored, %d already there; %s", f.Place, f.Blocks, named(f.Name), f.Stored, f.Blocks.Blocks()-f.Stored, seal); err != nil {
		return err
	}
	switch {
	case f.FinalityUnknown > 0:
		if err := cli.Say(w, "%s: %s %s not sealed, because the source does not report whether %s final. Run it again with a --gateway that does, or accept them with --unfinalized.",
			f.Place, console.Counted(f.FinalityUnknown, "block"), console.Verb(f.FinalityUnknown, "is", "are"), console.Verb(f.FinalityUnknown, "it is", "they are")); err != nil {
			return err
		}
	case len(f.Lacks) > 0:
		if err := cli.Say(w, "%s: still incomplete, missing %s. The source has no more final blocks of it. Name another source with --gateway, wait for more blocks, or add --partial to reports.", f.Place, strings.Join(f.Lacks, ", and ")); err != nil {
			return err
		}
	}
	if len(f.Gaps) > 0 {
		if _, err := fmt.Fprintf(w, "%s: blocks %s are missing, and nothing above them is sealed. Fill them with: %s\n", f.Place, strings.Join(texts(f.Gaps), ", "), cli.MoreSyncLine(c)); err != nil {
			return err
		}
	}
	if below, ok := s.Below.Get(); ok && len(s.Gaps) > 0 {
		line := cli.SyncLine(c, chain.Some(chain.Heights{First: s.Gaps[0].First, Last: s.First - 1}))
		if _, err := fmt.Fprintf(w, "%s: there is a gap between blocks %v and the ledger's first block %d. Fill it with: %s\n", f.Place, below, s.First, line); err != nil {
			return err
		}
	}
	if first, ok := s.FirstUnanswered.Get(); ok {
		if _, err := fmt.Fprintf(w, "%s: %s %s not answered (first: %v). Repeat with: %s\n", f.Place, console.Counted(s.Unanswered, "request"), console.Verb(s.Unanswered, "was", "were"), first, cli.CompareLine(c)); err != nil {
			return err
		}
	}
	if f.Findings.Total > 0 {
		if _, err := fmt.Fprintf(w, "%s: %s\n", f.Place, findingsText(c, f.Findings)); err != nil {
			return err
		}
	}
	return cli.Found(nil, f.Findings.Total > 0 || f.FinalityUnknown > 0)
}
