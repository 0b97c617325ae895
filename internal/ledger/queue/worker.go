package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

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
