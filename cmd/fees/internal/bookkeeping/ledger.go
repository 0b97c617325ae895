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

const ledgerManual = `Show a ledger's status, check that nothing was altered, back it up, or detach
months.

For each block a ledger stores the transactions with their fees and evidence,
and every movement of every native balance. It keeps totals by quarter of an
hour, day, account and contract, and a digest of each block, chained into
seals.

The book_... views are for psql, sqlite3, Metabase or Excel. Amounts in wei are
exact, as text. Do not use SQLite's SUM on them, which is a float; read the
totals instead.`

const ledgerExamples = `  fees ledger status
  fees ledger verify
  fees ledger verify --gateway ./gateway          compare with an archive
  fees ledger backup fees-2026-01.db
  fees ledger detach --before 2026-02 -o january.db
  fees ledger status --ledger postgres://db.internal/fees --format json`

func newLedger() *cobra.Command {
	return cli.NewParent(&cobra.Command{Use: "ledger", Short: "Show, verify, back up or split a ledger", Long: ledgerManual, Example: ledgerExamples},
		"unknown command %q; fees ledger --help lists the commands",
		newLedgerStatus(), newLedgerVerify(), newLedgerTrail(), newLedgerBackup(), newLedgerDetach(), newLedgerUpgrade())
}

const statusManual = `Show a ledger's chain, its heights and gaps, what is sealed, how many blocks
are proved and by which checkpoint, its jobs with their errors, and the totals
of the sealed blocks. If the audit trail was altered, the exit code is 4; what
else was altered is found by fees ledger verify.`

// statusFlags are the flags of fees ledger status and fees ledger trail.
type statusFlags struct {
	cli.LedgerFlags
	cli.Output
}

func newLedgerStatus() *cobra.Command {
	var f statusFlags
	return cli.New(&cobra.Command{
		Use: "status", Short: "Show a ledger's chain, blocks and totals", Long: statusManual, RunE: f.show,
		Example: "  fees ledger status\n  fees ledger status --ledger fees.db --format json",
		Args:    cli.NoneOf("fees ledger status takes no argument, got %q; name the ledger with --ledger"),
	}, f.LedgerFlags.Add, f.Forms("table", "json"))
}

func (f *statusFlags) show(c *cobra.Command, _ []string) error {
	return f.Ask(c, func(d *app.Ledger) error {
		status, err := d.Status(c.Context())
		if err != nil {
			return err
		}
		token, err := d.Token(c.Context())
		if err != nil {
			return err
		}
		if err := f.Show(cli.Answer{JSON: statusRecord(&status), Text: func(p *console.Page) { writeStatus(p, &status, token) }}); err != nil {
			return err
		}
		return status.Altered
	})
}

// statusRecord returns a ledger's status as JSON.
func statusRecord(status *app.Status) cli.Record {
	s := &status.Status
	t := &s.Totals
	r := cli.Record{
		{"network", s.Network}, {"genesis", s.Genesis}, {"first", s.First},
		{"stored", spanText(s.Stored)}, {"blocks", s.Blocks}, {"not_final", s.NotFinal}, {"below", spanText(s.Below)}, {"gaps", texts(s.Gaps)}, {"last_time", s.LastTime},
		{"sealed", s.Sealed}, {"seal", s.Seal}, {"trail", status.Trail}, {"evidence", s.Evidence},
		{"findings", s.Findings}, {"unanswered", s.Unanswered}, {"first_unanswered", s.FirstUnanswered}, {"unclassified_events", s.Unread},
		{"evm", t.EVM}, {"native", t.Native}, {"evm_failed", t.EVMFailed}, {"native_failed", t.NativeFailed}, {"outcome_unknown", t.OutcomeUnknown},
		{"inherents", t.Inherents}, {"undetermined", t.Undetermined},
		{"fee", t.Fee}, {"evm_fee", t.EVMFee}, {"native_fee", t.NativeFee}, {"priority_fee", status.PriorityFee}, {"tip", status.Tip},
		{"uncharged", t.Uncharged}, {"unaccounted", t.Unaccounted}, {"charged", status.Charged},
		{"burned", status.Burned}, {"treasury", status.Treasury}, {"author", status.Author},
	}
	if len(status.AssetFees) > 0 {
		r = append(r, cli.Record{{"asset_fees", status.AssetFees}}...)
	}
	if jobs, ok := status.Jobs.Get(); ok {
		r = append(r, jobFields(jobs)...)
	}
	return r
}

// texts returns ranges as text.
func texts(spans []chain.Heights) []string {
	list := make([]string, len(spans))
	for i, span := range spans {
		list[i] = span.String()
	}
	return list
}

// spanText returns a range as text, nil if there is none.
func spanText(o chain.Optional[chain.Heights]) any {
	if span, ok := o.Get(); ok {
		return span.String()
	}
	return nil
}

// jobFields returns the job counts and failures of a shared ledger.
func jobFields(s queue.Summary) cli.Record {
	return cli.Record{
		{"jobs_waiting", s.Waiting}, {"jobs_running", s.Running}, {"jobs_retrying", s.Retrying}, {"jobs_failed", s.Failed}, {"jobs_done", s.Done},
		{"job_failures", failureRecords(s.Failures)},
	}
}

// failureRecords returns the latest errors of jobs.
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

const backupManual = `Copy a ledger, as of now, into a new file. Other programs may write the ledger
meanwhile. The copy is a complete ledger with the same digests and seals.

A PostgreSQL ledger also becomes a file; use pg_dump to copy its schema. Sealed
blocks never change, so they are copied without a long snapshot.`

// backupFlags are the flags of fees ledger backup.
type backupFlags struct {
	cli.LedgerFlags
	cli.QuietFlag
}

func newLedgerBackup() *cobra.Command {
	var f backupFlags
	return cli.New(&cobra.Command{
		Use: "backup FILE", Short: "Copy a ledger into a file", Long: backupManual, RunE: f.backup,
		Example: "  fees ledger backup fees-2026-01.db\n  fees ledger backup copy.db --ledger postgres://db.internal/fees",
		Args:    cli.OneArg("the file to create"),
	}, f.LedgerFlags.Add, f.AddQuiet)
}

func (f *backupFlags) backup(c *cobra.Command, args []string) error {
	if err := cli.CheckPath("fees ledger backup", args[0]); err != nil {
		return err
	}
	return f.Ask(c, func(d *app.Ledger) error {
		err := d.Backup(c.Context(), args[0], f.Progress(c, "blocks").Asked())
		if err == nil {
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s: copied to %s\n", d.Place, args[0])
		}
		return err
	})
}
