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

// Judge reads, prices and proves the blocks of a span, in order and without gaps.
// It ends after its first error, and when its context does.
type Judge func(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error]

// Why judging was broken off.
var (
	errTime    = errors.New("the time for one job is over")
	errEnough  = errors.New("these are as many blocks as can be stored at once")
	errStopped = errors.New("the worker stops")
)

// judging gives what was judged within a time, and why it is not everything: errTime,
// errEnough, errStopped, or what went wrong. It does not wait for a judge that does not
// listen.
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
	last, most := spans[len(spans)-1].Last, w.portion.size()
	for {
		select {
		case e := <-judged:
			if entries = append(entries, e); len(entries) >= most && e.Height() != last {
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

// feed sends the entries of every block of the spans.
func (w *worker) feed(ctx context.Context, spans []chain.Heights, judged chan<- *ledger.Entry) (err error) {
	defer recovered(&err)
	for _, span := range spans {
		next := span.First
		for e, err := range w.judge(ctx, span) {
			if err != nil {
				return err
			}
			if e == nil || e.Height() != next || e.Height() > span.Last {
				return fmt.Errorf("block %d was to be judged, and another was", next)
			}
			select {
			case judged <- e:
				next++
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if next != span.Last+1 {
			return fmt.Errorf("block %d was not judged", next)
		}
	}
	return nil
}
