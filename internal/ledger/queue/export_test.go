package queue

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"github.com/feeledger/fees/internal/ledger"
)

// Attempt is a worker's attempt at a job.
type Attempt struct {
	Job  int64
	Span ledger.Span
	At   time.Time // when it was given out
}

// WorkWatched works jobs as Work does, until its context ends, but seals nothing. Watch does the
// work of each attempt, and sees what came of it.
func WorkWatched(ctx context.Context, book *ledger.Book, judge Judge, o Options, watch func(context.Context, Attempt, func(context.Context) error) error) error {
	o = o.withDefaults()
	if err := migrate(ctx, book.Pool()); err != nil {
		return err
	}
	w := &worker{Options: o, book: book, judge: judge, stopping: ctx, wake: make(chan struct{}, 1)}
	client, err := newClient(book.Pool(), o, &watched{worker: w, watch: watch})
	if err != nil {
		return err
	}
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	<-ctx.Done()
	return end(ctx, client, o.Limit)
}

// SealLast seals as a worker does when its work is over, and waits only so long for others.
func SealLast(ctx context.Context, book *ledger.Book, others time.Duration) error {
	return sealer{book, Options{}, others}.last(ctx)
}

type watched struct {
	*worker
	watch func(context.Context, Attempt, func(context.Context) error) error
}

func (w *watched) Work(ctx context.Context, j *river.Job[job]) error {
	return w.watch(ctx, Attempt{j.ID, j.Args.span(), *j.AttemptedAt}, func(ctx context.Context) error { return w.worker.Work(ctx, j) })
}
