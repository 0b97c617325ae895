package bookkeeping

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/app/metrics"
	"github.com/feeledger/fees/internal/console"
)

const workerManual = `Work the jobs that fees sync --enqueue made, on this machine, beside any number
of others: read the blocks of a job, price and prove them, and store them in
the ledger, which is in PostgreSQL. Each job and its blocks are one
transaction. A worker may be stopped or killed at any moment: nothing is lost
and nothing doubled, and its job is taken up by another within a minute.

A job that fails, because the gateway is away for instance, is tried again
after a second, two, four, up to a minute, for a week; fees ledger status shows
its error. A database that takes no changes for a moment is waited for. What
does not hold in a block is said on standard error, and stored.

Ctrl-C ends it cleanly. With --until-done it ends when no job is left.

` + cli.MetricsManual + `
/readyz is 200 while the ledger is open, and the database is not waited for.`

const workerExamples = `  fees worker --ledger postgres://db.intern/fees
  fees worker --ledger postgres://db.intern/fees --until-done --jobs 8`

// workerFlags are the flags of fees worker.
type workerFlags struct {
	cli.SourceFlags
	cli.LedgerFlags
	cli.MetricsFlags
	cli.QuietFlag
	jobs       int
	untilDone  bool
	signatures bool
}

func newWorker() *cobra.Command {
	var f workerFlags
	return cli.New(&cobra.Command{
		Use: "worker", Short: "Work the jobs that fees sync --enqueue made", Long: workerManual, Example: workerExamples, RunE: f.work,
		Args: cli.NoneOf("worker takes no argument, and has %q: fees sync --enqueue names the range"),
	}, f.AddFinal, f.LedgerFlags.Add, f.MetricsFlags.Add, f.Concurrent, f.add, f.AddQuiet)
}

func (f *workerFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.jobs, "jobs", 2, "work this many jobs at once")
	c.Flags().BoolVar(&f.untilDone, "until-done", false, "end when no job is left")
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones")
}

// maxJobs is more than any machine works at once.
const maxJobs = 64

func (f *workerFlags) work(c *cobra.Command, _ []string) error {
	if f.jobs < 1 || f.jobs > maxJobs {
		return errors.New("--jobs: want a number from 1 to 64")
	}
	stderr := c.ErrOrStderr()
	all := metrics.New(cli.Version())
	counts := all.Work()
	f.Observer = all.Source()
	reader, err := f.Reader()
	if err != nil {
		return err
	}
	place, err := f.LedgerPlace()
	if err != nil {
		return err
	}
	end, err := f.MetricsFlags.Serve(c.Context(), all, counts.Ready, stderr)
	if err != nil {
		return err
	}
	defer end()
	var progress app.Progress // counts the jobs of all workers; not read where no progress is shown
	if p := f.Progress(c, "jobs"); !p.IsSilent() {
		progress = p.Asked()
	}
	return app.Work(c.Context(), place, app.WorkOptions{
		FillOptions: app.FillOptions{
			Reader: reader, Concurrency: f.Concurrency, Signatures: f.signatures, Progress: progress,
			Judged: func(r *evidence.Report) { tellFindings(stderr, r) }, Opened: counts.Opened,
		},
		Began: counts.Began, Jobs: f.jobs, UntilDone: f.untilDone, Secrets: []string{os.Getenv("FEES_API_KEY"), os.Getenv("PGPASSWORD")},
		Waiting: func(err error) {
			counts.Waits()
			fmt.Fprintf(stderr, "fees: waiting: %s\n", console.Printable(err.Error()))
		},
	})
}
