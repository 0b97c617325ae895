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
	"github.com/feeledger/fees/internal/sys/plain"
)

const workerManual = `Process the jobs that fees sync --enqueue created, together with any number of
other workers: read the blocks of a job, price and verify them, and store them
in the PostgreSQL ledger. A job and its blocks are one database transaction. A
worker can be stopped or killed at any time: nothing is lost or stored twice,
and another worker takes over its job within a minute.

A failed job, for example because the gateway is down, is retried after 1, 2, 4
seconds and so on, up to once a minute, for a week; fees ledger status shows
its error. A database that rejects changes for a moment is retried. Failed
checks are reported on standard error and stored.

Ctrl-C stops it safely. With --until-done it ends when no job is left.

` + cli.MetricsManual + `
/readyz returns 200 while the ledger is open and the database responds.`

const workerExamples = `  fees worker --ledger postgres://db.internal/fees
  fees worker --ledger postgres://db.internal/fees --until-done --jobs 8`

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
		Use: "worker", Short: "Process the jobs that fees sync --enqueue created", Long: workerManual, Example: workerExamples, RunE: f.work,
		Args: cli.NoneOf("fees worker takes no argument, got %q; name the range with fees sync --enqueue"),
	}, f.AddFinal, f.LedgerFlags.Add, f.MetricsFlags.Add, f.Concurrent, f.add, f.AddQuiet)
}

func (f *workerFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.jobs, "jobs", 2, "process this many jobs at once")
	c.Flags().BoolVar(&f.untilDone, "until-done", false, "end when no job is left")
	c.Flags().BoolVar(&f.signatures, "signatures", true, "recover signers, and hashes of EVM transactions, from signatures")
}

// maxJobs is more than any machine can process at once.
const maxJobs = 64

func (f *workerFlags) work(c *cobra.Command, _ []string) error {
	if f.jobs < 1 || f.jobs > maxJobs {
		return errors.New("--jobs must be from 1 to 64")
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
	var progress app.Progress // only set where progress is shown: it counts the jobs of all workers
	if p := f.Progress(c, "jobs"); !p.IsSilent() {
		progress = p.Asked()
	}
	return app.Work(c.Context(), place, app.WorkOptions{
		FillOptions: app.FillOptions{
			Reader: reader, Source: f.Remembered(), Concurrency: f.Concurrency, Signatures: f.signatures, Progress: progress,
			Judged: func(r *evidence.Report) { writeFindings(stderr, r) }, Opened: counts.Opened,
		},
		Began: counts.Began, Jobs: f.jobs, UntilDone: f.untilDone, Secrets: []string{os.Getenv("FEES_API_KEY"), os.Getenv("PGPASSWORD")},
		Waiting: func(err error) {
			counts.Waits(err)
			fmt.Fprintf(stderr, "fees: waiting: %s\n", plain.Line(err.Error()))
		},
	})
}
