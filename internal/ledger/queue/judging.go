package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Judge reads, prices and proves the blocks of a span, in order and without gaps. It ends after its first
// error, or when its context ends.
type Judge func(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error]

// Why judging stopped early.
var (
	errTime    = errors.New("the time limit of the job is reached")
	errEnough  = errors.New("the batch is full")
	errStopped = errors.New("the worker is stopping")
)

// judging returns the entries judged within a time, and why they are incomplete: errTime, errEnough, errStopped,
// or an error. It does not wait for a judge that ignores its context.
func (w *worker) judging(ctx context.Context, spans []chain.Heights, within time.Duration) ([]*ledger.Entry, error) {
	ctx, end := context.WithTimeoutCause(ctx, within, errTime)
	defer end()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(w.stopping, func() { stop(errStopped) })()

	judged := make(chan *ledger.Entry)
	ended := make(chan error, 1)
	go func() { ended <- w.feed(ctx, spans, judged) }()
	var entries []*ledger.Entry
	last, limit := spans[len(spans)-1].Last, w.portion.size()
	for {
		select {
		case e := <-judged:
			if entries = append(entries, e); len(entries) >= limit && e.Height() != last {
				return entries, errEnough
			}
		case err := <-ended:
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return entries, err
		case <-ctx.Done():
			return entries, context.Cause(ctx)
		}
	}
}

// feed sends the entries of all blocks of the spans.
func (w *worker) feed(ctx context.Context, spans []chain.Heights, judged chan<- *ledger.Entry) (err error) {
	defer recovered(&err)
	for _, span := range spans {
		next := span.First
		for e, err := range w.judge(ctx, span) {
			if err != nil {
				return err
			}
			if e == nil || e.Height() != next || e.Height() > span.Last {
				return fmt.Errorf("expected the result for block %d, got another block", next)
			}
			select {
			case judged <- e:
				next++
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if next != span.Last+1 {
			return fmt.Errorf("no result for block %d", next)
		}
	}
	return nil
}
