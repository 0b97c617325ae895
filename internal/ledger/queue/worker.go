package queue

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// noting is the time limit for recording how a job ended.
const noting = 5 * time.Second

// worker processes one job at a time in each of its Options.Jobs goroutines.
type worker struct {
	Options
	name     string
	book     *ledger.Book
	judge    Judge
	stopping context.Context // done when running jobs must stop
	wake     chan<- struct{} // signals that blocks were stored
	portion  portion
}

// run processes jobs until the worker stops.
func (w *worker) run(ctx context.Context) {
	for w.stopping.Err() == nil {
		j, err := take(ctx, w.book.Pool(), w.name, w.Limit)
		if err == nil && j != nil {
			w.do(ctx, j)
			continue
		}
		if err != nil && w.stopping.Err() == nil {
			w.Logger.WarnContext(ctx, "taking a job failed", "error", message(err, w.Secrets))
		}
		select {
		case <-w.stopping.Done():
		case <-time.After(look):
		}
	}
}

// do processes a job.
func (w *worker) do(ctx context.Context, j *job) error {
	ended := w.Began()
	err := w.work(ctx, j)
	ended(outcomeOf(err))
	if err == nil || errors.Is(err, errStopped) {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	if err != nil {
		w.leave(ctx, j, err)
	}
	return err
}

// leave records the end of a job that is not done. If the database cannot be reached, the job becomes due when its
// time is over.
func (w *worker) leave(ctx context.Context, j *job, why error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer cancel()
	var err error
	if errors.Is(why, errStopped) {
		err = j.putBack(ctx, w.book.Pool())
	} else {
		var slow *slowError
		err = j.fail(ctx, w.book.Pool(), message(why, w.Secrets), errors.As(why, &slow) && slow.blocks == 1, w.Permanent(why))
	}
	if err != nil && !errors.Is(err, errGiven) {
		w.Logger.WarnContext(ctx, "the outcome of a job was not stored", "job", j.id, "error", message(err, w.Secrets))
	}
}

// work returns errStopped if the worker stopped before anything was judged.
func (w *worker) work(ctx context.Context, j *job) (err error) {
	defer recovered(&err)
	within := j.within(w.Limit)
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	missing, err := w.book.Missing(ctx, j.blocks)
	switch {
	case err != nil:
		return err
	case len(missing) == 0:
		return j.complete(ctx, w.book.Pool())
	}
	entries, why := w.judging(ctx, missing, within/2)
	switch {
	case why == nil:
		return w.store(ctx, j, entries, j.complete)
	case len(entries) == 0 && errors.Is(why, errTime):
		return &slowError{fmt.Sprintf("no result for block %d within %v", missing[0].First, within/2), 1}
	case len(entries) == 0:
		return why
	case errors.Is(why, errTime), errors.Is(why, errEnough), errors.Is(why, errStopped):
		next := entries[len(entries)-1].Height() + 1
		return w.store(ctx, j, entries, func(ctx context.Context, db execer) error { return j.split(ctx, db, next) })
	}
	if err := w.store(ctx, j, entries, j.hold); err != nil {
		return err
	}
	return why
}

// slowError reports that the time of a job was too short for a number of blocks.
type slowError struct {
	message string
	blocks  int
}

func (e *slowError) Error() string { return e.message }

// store stores entries and updates their job in the same transaction. If it takes too long, it returns a slowError,
// and this worker's next batch is smaller.
func (w *worker) store(ctx context.Context, j *job, entries []*ledger.Entry, also func(context.Context, execer) error) error {
	began := time.Now()
	err := w.book.WriteJob(ctx, entries, func(ctx context.Context, tx pgx.Tx) error {
		// If this machine vanishes now, the server must not wait long for the end.
		if _, err := tx.Exec(ctx, "SET LOCAL idle_in_transaction_session_timeout = '10s'"); err != nil {
			return err
		}
		return also(ctx, tx)
	})
	if took := time.Since(began); err == nil {
		w.portion.stored(len(entries), took, j.within(w.Limit)/2)
	} else if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		w.portion.failed(len(entries))
		err = &slowError{fmt.Sprintf("storing %d blocks from %d on took longer than %v", len(entries), entries[0].Height(), took.Round(time.Millisecond)), len(entries)}
	}
	return err
}

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

// portion limits how many blocks a worker stores in one transaction. The limit is halved when storing takes too
// long, and doubled when it is quick.
type portion struct {
	mu    sync.Mutex
	limit int // 0: no limit
}

func (p *portion) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit == 0 {
		return math.MaxInt
	}
	return p.limit
}

// failed halves the limit after blocks could not be stored in time.
func (p *portion) failed(blocks int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if half := max(blocks/2, 1); p.limit == 0 || half < p.limit {
		p.limit = half
	}
}

// stored doubles the limit if storing that many blocks took less than a quarter of the time.
func (p *portion) stored(blocks int, took, of time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if blocks == p.limit && took < of/4 {
		p.limit *= 2
	}
}
