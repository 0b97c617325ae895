package bookkeeping

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
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

func newLedger() *cobra.Command {
	return cli.NewParent(&cobra.Command{Use: "ledger", Short: "Look at a ledger, prove it, copy it, cut it", Long: ledgerManual, Example: ledgerExamples},
		"unknown command %q; fees ledger --help lists them",
		newLedgerStatus(), newLedgerVerify(), newLedgerBackup(), newLedgerDetach(), newLedgerUpgrade())
}

const statusManual = `Show how far a ledger is: of which chain it is, which heights it has and which
are missing, what is sealed, how many blocks are proved and by which trusted
block, its jobs and those that failed, and the totals of the sealed blocks.`

// statusFlags are the flags of fees ledger status.
type statusFlags struct {
	cli.LedgerFlags
	cli.Output
}

func newLedgerStatus() *cobra.Command {
	var f statusFlags
	return cli.New(&cobra.Command{
		Use: "status", Short: "Show how far a ledger is", Long: statusManual, RunE: f.show,
		Example: "  fees ledger status\n  fees ledger status --ledger fees.db --format json",
		Args:    cli.NoneOf("status takes no argument, and has %q: --ledger names the ledger"),
	}, f.LedgerFlags.Add, f.Forms("table", "json"))
}

func (f *statusFlags) show(c *cobra.Command, _ []string) error {
	return f.Ask(c, "", func(d *app.Desk) error {
		status, err := d.Status(c.Context())
		if err != nil {
			return err
		}
		symbol, err := d.Symbol(c.Context())
		if err != nil {
			return err
		}
		return f.Show(cli.Answer{JSON: statusRecord(&status), Text: func(p *console.Page) { writeStatus(p, &status, symbol) }})
	})
}

// statusRecord is what a ledger says of itself, for programs.
func statusRecord(status *app.Status) cli.Record {
	s := &status.Status
	t := &s.Totals
	r := cli.Record{
		{"network", s.Network}, {"genesis", s.Genesis}, {"first", s.First},
		{"stored", spanText(s.Stored)}, {"blocks", s.Blocks}, {"not_final", s.NotFinal}, {"below", spanText(s.Below)}, {"gaps", texts(s.Gaps)}, {"last_time", s.LastTime},
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

// texts are spans as they are written.
func texts(spans []chain.Heights) []string {
	list := make([]string, len(spans))
	for i, span := range spans {
		list[i] = span.String()
	}
	return list
}

// spanText is a span as it is written, nil for none.
func spanText(o chain.Optional[chain.Heights]) any {
	if span, ok := o.Get(); ok {
		return span.String()
	}
	return nil
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

// backupFlags are the flags of fees ledger backup.
type backupFlags struct {
	cli.LedgerFlags
	cli.QuietFlag
}

func newLedgerBackup() *cobra.Command {
	var f backupFlags
	return cli.New(&cobra.Command{
		Use: "backup FILE", Short: "Copy a ledger that may be written meanwhile", Long: backupManual, RunE: f.backup,
		Example: "  fees ledger backup fees-2026-01.db\n  fees ledger backup copy.db --ledger postgres://db.intern/fees",
		Args:    cli.OneArg("the file to copy to"),
	}, f.LedgerFlags.Add, f.AddQuiet)
}

func (f *backupFlags) backup(c *cobra.Command, args []string) error {
	return f.Ask(c, "", func(d *app.Desk) error {
		err := d.Backup(c.Context(), args[0], f.Progress(c, "blocks").Asked())
		if err == nil {
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s is a copy of %s\n", args[0], d.Place)
		}
		return err
	})
}
