package queue

import (
	"context"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Attempt is a worker's attempt at a job.
type Attempt struct {
	Job  int64
	Span chain.Heights
	At   time.Time // when it was given out
}

// WorkWatched processes jobs like Work, until its context ends, but seals nothing. watch runs each attempt and sees its
// result.
func WorkWatched(ctx context.Context, book *ledger.Book, judge Judge, o Options, watch func(context.Context, Attempt, func(context.Context) error)) error {
	o = o.withDefaults()
	if err := prepare(ctx, book.Pool()); err != nil {
		return err
	}
	w := &worker{Options: o, name: name(), book: book, judge: judge, stopping: ctx, wake: make(chan struct{}, 1)}
	hard := context.WithoutCancel(ctx)
	var all sync.WaitGroup
	for range o.Jobs {
		all.Go(func() {
			for ctx.Err() == nil {
				j, err := take(hard, book.Pool(), w.name, o.Limit)
				if err != nil || j == nil {
					time.Sleep(look / 10)
					continue
				}
				watch(hard, Attempt{j.id, j.blocks, j.taken}, func(ctx context.Context) error { return w.do(ctx, j) })
			}
		})
	}
	all.Wait()
	return nil
}

// SealLast seals like a worker that has finished, with a limit for waiting for others.
func SealLast(ctx context.Context, book *ledger.Book, others time.Duration) error {
	return sealer{book, Options{}, others}.last(ctx)
}
