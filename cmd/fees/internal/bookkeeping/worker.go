package bookkeeping

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	jobs       int
	untilDone  bool
	signatures bool
	quiet      bool
}

func newWorker(stderr io.Writer) *cobra.Command {
	var flags workerFlags
	c := &cobra.Command{
		Use:     "worker",
		Short:   "Work the jobs that fees sync --enqueue made",
		Long:    workerManual,
		Example: workerExamples,
		Args:    cli.NoneOf("worker takes no argument, and has %q: fees sync --enqueue names the range"),
		RunE: func(c *cobra.Command, _ []string) error {
			return work(c.Context(), flags, stderr)
		},
	}
	flags.SourceFlags.AddFinal(c)
	flags.LedgerFlags.Add(c)
	flags.MetricsFlags.Add(c)
	flags.AddConcurrency(c)
	c.Flags().IntVar(&flags.jobs, "jobs", 2, "work this many jobs at once")
	c.Flags().BoolVar(&flags.untilDone, "until-done", false, "end when no job is left")
	c.Flags().BoolVar(&flags.signatures, "signatures", true, "recover the signer of every transaction, and the hash of EVM ones")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

// maxJobs is more than any machine works at once.
const maxJobs = 64

func work(ctx context.Context, flags workerFlags, stderr io.Writer) error {
	if err := flags.CheckConcurrency(); err != nil {
		return err
	}
	if flags.jobs < 1 || flags.jobs > maxJobs {
		return errors.New("--jobs: want a number from 1 to 64")
	}
	all := metrics.New(cli.Version())
	counts := all.Work()
	flags.Observer = all.Source()
	reader, err := flags.Reader()
	if err != nil {
		return err
	}
	place, err := flags.LedgerPlace()
	if err != nil {
		return err
	}
	end, err := flags.MetricsFlags.Serve(ctx, all, counts.Ready, stderr)
	if err != nil {
		return err
	}
	defer end()
	var progress app.Progress // counts the jobs of all workers; not read where no progress is shown
	if p := cli.NewProgress(stderr, "jobs", flags.quiet); !p.IsSilent() {
		progress = p.Asked()
	}
	return app.Work(ctx, place, app.WorkOptions{
		FillOptions: app.FillOptions{
			Reader: reader, Concurrency: flags.Concurrency, Signatures: flags.signatures, Progress: progress,
			Judged: func(r *evidence.Report) { tellFindings(stderr, r) }, Opened: counts.Opened,
		},
		Began: counts.Began, Jobs: flags.jobs, UntilDone: flags.untilDone, Secrets: []string{os.Getenv("FEES_API_KEY"), os.Getenv("PGPASSWORD")},
		Waiting: func(err error) {
			counts.Waits()
			fmt.Fprintf(stderr, "fees: waiting: %s\n", console.Printable(err.Error()))
		},
	})
}
