package bookkeeping

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger/queue"
)

const ledgerManual = `Look at a ledger, prove that nothing in it was altered, copy it, and cut it.

A ledger has, of each block, its transactions with their fees and what proves
them, and every movement of every account's native balance; sums by quarter of
an hour, day, account and contract; and a digest of each block, chained into
seals. The book_... views are for psql, sqlite3, Metabase or Excel: every
amount of wei is exact, as text. (The SUM of SQLite is not: it is a float. Take
the totals.)`

const ledgerExamples = `  fees ledger status
  fees ledger verify
  fees ledger verify --gateway ./gateway          against an archive
  fees ledger backup fees-2026-01.db
  fees ledger detach --before 2026-02 -o january.db
  fees ledger status --ledger postgres://db.intern/fees --format json`

func newLedger(stdout, stderr io.Writer) *cobra.Command {
	parent := &cobra.Command{
		Use:     "ledger",
		Short:   "Look at a ledger, prove it, copy it, cut it",
		Long:    ledgerManual,
		Example: ledgerExamples,
		Args:    cli.NoneOf("unknown command %q; fees ledger --help lists them"),
		RunE:    cli.ShowHelp,
	}
	parent.AddCommand(newLedgerStatus(stdout), newLedgerVerify(stdout, stderr), newLedgerBackup(stdout, stderr), newLedgerDetach(stdout, stderr), newLedgerUpgrade(stdout))
	return parent
}

const statusManual = `Show how far a ledger is: of which chain it is, which heights it has and which
are missing, what is sealed, how many blocks are proved and by which trusted
block, its jobs and those that failed, and the totals of the sealed blocks.`

func newLedgerStatus(stdout io.Writer) *cobra.Command {
	var flags struct {
		cli.LedgerFlags
		cli.Output
	}
	flags.Output = cli.Output{Stdout: stdout}
	c := &cobra.Command{
		Use:     "status",
		Short:   "Show how far a ledger is",
		Long:    statusManual,
		Example: "  fees ledger status\n  fees ledger status --ledger fees.db --format json",
		Args:    cli.NoneOf("status takes no argument, and has %q: --ledger names the ledger"),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := flags.Output.Check(); err != nil {
				return err
			}
			d, err := flags.Open(c.Context(), "")
			if err != nil {
				return err
			}
			defer d.Close()
			return showStatus(c.Context(), d, &flags.Output)
		},
	}
	flags.LedgerFlags.Add(c)
	flags.Output.Add(c, "table", "json")
	return c
}

// showStatus shows what a ledger says of itself.
func showStatus(ctx context.Context, d *app.Desk, out *cli.Output) error {
	status, err := d.Status(ctx)
	if err != nil {
		return err
	}
	symbol, err := d.Symbol(ctx)
	if err != nil {
		return err
	}
	return out.Write(func(w io.Writer) error {
		if out.Format == "json" {
			return statusRecord(&status).WriteJSON(w)
		}
		return writeStatus(w, &status, symbol, out.Width())
	})
}

// statusRecord is what a ledger says of itself, for programs.
func statusRecord(status *app.Status) cli.Record {
	s := &status.Status
	gaps := make([]string, 0, len(s.Gaps))
	for _, g := range s.Gaps {
		gaps = append(gaps, g.String())
	}
	var stored, below any
	if span, ok := s.Stored.Get(); ok {
		stored = span.String()
	}
	if span, ok := s.Below.Get(); ok {
		below = span.String()
	}
	t := &s.Totals
	r := cli.Record{
		{"network", s.Network}, {"genesis", s.Genesis}, {"first", s.First},
		{"stored", stored}, {"blocks", s.Blocks}, {"not_final", s.NotFinal}, {"below", below}, {"gaps", gaps}, {"last_time", s.LastTime},
		{"sealed", s.Sealed}, {"seal", s.Seal}, {"evidence", s.Evidence},
		{"findings", s.Findings}, {"unanswered", s.Unanswered}, {"first_unanswered", s.FirstUnanswered}, {"unclassified_events", s.Unread},
		{"evm", t.EVM}, {"native", t.Native}, {"evm_failed", t.EVMFailed}, {"native_failed", t.NativeFailed}, {"outcome_unknown", t.OutcomeUnknown},
		{"inherents", t.Inherents}, {"undetermined", t.Undetermined},
		{"fee", t.Fee}, {"evm_fee", t.EVMFee}, {"native_fee", t.NativeFee}, {"priority_fee", t.PriorityFee}, {"tip", t.Tip},
		{"uncharged", t.Uncharged}, {"unaccounted", t.Unaccounted}, {"charged", status.Charged},
		{"burned", status.Burned}, {"treasury", status.Treasury}, {"author", status.Author},
	}
	if jobs, ok := status.Jobs.Get(); ok {
		r = append(r, jobFields(jobs)...)
	}
	return r
}

// jobFields are how the jobs of a shared ledger stand.
func jobFields(s queue.Summary) cli.Record {
	return cli.Record{
		{"jobs_waiting", s.Waiting}, {"jobs_running", s.Running}, {"jobs_retrying", s.Retrying}, {"jobs_failed", s.Failed}, {"jobs_done", s.Done},
		{"job_failures", failureRecords(s.Failures)},
	}
}

// failureRecords are the last errors of jobs.
func failureRecords(failures []queue.Failure) []cli.Record {
	records := make([]cli.Record, 0, len(failures))
	for _, f := range failures {
		var next any
		if !f.Next.IsZero() {
			next = f.Next.Format(time.RFC3339)
		}
		records = append(records, cli.Record{
			{"blocks", f.Span.String()}, {"attempt", f.Attempt}, {"at", f.At.Format(time.RFC3339)}, {"next", next}, {"error", f.Error},
		})
	}
	return records
}

const backupManual = `Copy a ledger as it is at this moment into a new file, whoever writes it
meanwhile. The copy is a ledger of its own, with the same digests and seals. A
ledger in PostgreSQL becomes a file too; pg_dump copies its schema as a whole.
Its sealed blocks, which do not change, are copied without a long snapshot.`

func newLedgerBackup(stdout, stderr io.Writer) *cobra.Command {
	var flags cli.LedgerFlags
	var quiet bool
	c := &cobra.Command{
		Use:     "backup FILE",
		Short:   "Copy a ledger that may be written meanwhile",
		Long:    backupManual,
		Example: "  fees ledger backup fees-2026-01.db\n  fees ledger backup copy.db --ledger postgres://db.intern/fees",
		Args:    cli.OneArg("the file to copy to"),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := flags.Open(c.Context(), "")
			if err != nil {
				return err
			}
			defer d.Close()
			p := cli.NewProgress(stderr, "blocks", quiet)
			err = d.Backup(c.Context(), args[0], p.Asked())
			p.End()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(stdout, "%s is a copy of %s\n", args[0], d.Place)
			return err
		},
	}
	flags.Add(c)
	c.Flags().BoolVar(&quiet, "quiet", false, "no progress on standard error")
	return c
}
