package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/archive"
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/proof"
	"github.com/feeledger/fees/queue"
	"github.com/feeledger/fees/source"
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

Ctrl-C ends it cleanly. With --until-done it ends when no job is left.`

const workerExamples = `  fees worker --ledger postgres://db.intern/fees
  fees worker --ledger postgres://db.intern/fees --until-done --jobs 8`

// workerFlags are the flags of fees worker.
type workerFlags struct {
	sourceFlags
	ledgerFlags
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
		Args:    noneOf("worker takes no argument, and has %q: fees sync --enqueue names the range"),
		RunE: func(c *cobra.Command, _ []string) error {
			return work(c.Context(), flags, stderr)
		},
	}
	flags.sourceFlags.addFinal(c)
	flags.ledgerFlags.add(c)
	flags.addConcurrency(c)
	c.Flags().IntVar(&flags.jobs, "jobs", 2, "work this many jobs at once")
	c.Flags().BoolVar(&flags.untilDone, "until-done", false, "end when no job is left")
	c.Flags().BoolVar(&flags.signatures, "signatures", false, "recompute the hash and the sender of every EVM transaction")
	c.Flags().BoolVar(&flags.quiet, "quiet", false, "no progress on standard error")
	return c
}

// mostJobs is more than any machine works at once.
const mostJobs = 64

func work(ctx context.Context, flags workerFlags, stderr io.Writer) error {
	if err := flags.checkConcurrency(); err != nil {
		return err
	}
	if flags.jobs < 1 || flags.jobs > mostJobs {
		return errors.New("--jobs: want a number from 1 to 64")
	}
	reader, err := flags.reader()
	if err != nil {
		return err
	}
	said := ""
	for failures := 0; ; failures++ {
		err := workOnce(ctx, &flags, reader, stderr)
		if !ledger.Passes(err) || permanent(err) || ctx.Err() != nil {
			return err
		}
		if text := err.Error(); text != said {
			fmt.Fprintf(stderr, "fees: waiting: %s\n", console.Printable(text))
			said = text
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(time.Second<<min(failures, 10), 15*time.Second)):
		}
	}
}

// workOnce works until the work is done, or the database refuses something.
func workOnce(ctx context.Context, flags *workerFlags, reader *source.Reader, stderr io.Writer) error {
	book, place, err := flags.openBook(ctx, ledger.OpenShared)
	if err != nil {
		return err
	}
	defer book.Close()
	s, err := book.Status(ctx)
	if err != nil {
		return ofLedger(place, err)
	}
	id, err := identify(ctx, reader, s.First)
	if err != nil {
		return err
	}
	if err := book.Begin(ctx, id, s.First); err != nil {
		return ofLedger(place, err)
	}
	var saying sync.Mutex // the jobs are worked at the same time
	told := func(r *evidence.Report) {
		saying.Lock()
		defer saying.Unlock()
		tellFindings(stderr, r)
	}
	f := filler{book: book, place: place, judged: told, prover: proof.Prover{
		Reader: reader, Concurrency: flags.concurrency, Options: evidence.Options{Signatures: flags.signatures},
	}}
	defer showJobs(ctx, book, newProgress(stderr, "jobs", flags.quiet))()
	return ofLedger(place, queue.Work(ctx, book, f.judge, queue.Options{
		Jobs: flags.jobs, UntilDone: flags.untilDone, Permanent: permanent,
		Idle:    func(ctx context.Context) error { return book.BuildLookups(ctx, func(string) {}) },
		Secrets: []string{os.Getenv("FEES_API_KEY"), os.Getenv("PGPASSWORD")},
	}))
}

// permanent tells of which errors no retry helps.
func permanent(err error) bool {
	var fork *ledger.ForkError
	var differs *ledger.DiffersError
	return errors.Is(err, ledger.ErrOtherChain) || errors.Is(err, ledger.ErrDamaged) || errors.Is(err, archive.ErrLacks) ||
		errors.Is(err, archive.ErrDamaged) || errors.As(err, &fork) || errors.As(err, &differs) || errors.Is(err, chain.ErrOverflow)
}

// showJobs shows how many jobs of all workers are done, every few seconds until it
// is ended.
func showJobs(ctx context.Context, book *ledger.Book, p *progress) (end func()) {
	if p.out == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	var showing sync.WaitGroup
	showing.Go(func() {
		for ctx.Err() == nil {
			if s, err := queue.Jobs(ctx, book.Pool()); err == nil {
				p.show(s.Done, s.Done+s.Left())
			}
			select {
			case <-ctx.Done():
			case <-time.After(2 * time.Second):
			}
		}
	})
	return func() {
		stop()
		showing.Wait()
		p.end()
	}
}
