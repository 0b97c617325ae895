package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// mostErrors is how many errors of a job are kept: a week's would make every
// further one slow.
const mostErrors = 10

// noting is how long it may take to note something with a job.
const noting = 5 * time.Second

// worker works one job at a time, for each of Options.Jobs.
type worker struct {
	river.WorkerDefaults[job]
	Options
	book     *ledger.Book
	judge    Judge
	stopping context.Context // ends when the jobs under way are to be broken off
	wake     chan<- struct{} // something was stored: seal it
	portion  portion
}

// Timeout is the time that River gives a job, and after which it may be taken for dead.
func (w *worker) Timeout(j *river.Job[job]) time.Duration { return j.Args.within(w.Limit) }

// NextRetry is when a job that failed is tried again. One whose worker died has waited
// long enough.
func (w *worker) NextRetry(j *river.Job[job]) time.Time {
	if time.Since(*j.AttemptedAt) > w.Timeout(j) {
		return time.Now().Add(pause(1))
	}
	return time.Now().Add(pause(j.Attempt))
}

// Work does a job.
func (w *worker) Work(ctx context.Context, j *river.Job[job]) error {
	ended := w.Began()
	err := w.work(ctx, j)
	ended(outcomeOf(err))
	if err == nil || errors.Is(err, errStopped) {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
	if err == nil {
		return nil
	}
	w.stepAside(ctx, j)
	if errors.Is(err, errStopped) {
		return river.JobSnooze(0) // at once, by another, and no attempt of this job
	}
	w.note(ctx, j, err)
	clean := errors.New(message(err, w.Secrets))
	if w.Permanent(err) {
		return river.JobCancel(clean)
	}
	return clean
}

// work gives errStopped if the worker stopped before anything was judged.
func (w *worker) work(ctx context.Context, j *river.Job[job]) (err error) {
	defer recovered(&err)
	missing, err := w.book.Missing(ctx, j.Args.span())
	if err != nil || len(missing) == 0 {
		return err
	}
	within := w.Timeout(j) / 2
	entries, why := w.judging(ctx, missing, within)
	brokenOff := errors.Is(why, errTime) || errors.Is(why, errEnough) || errors.Is(why, errStopped)
	switch {
	case why == nil:
		return w.store(ctx, j, entries, func(ctx context.Context, tx pgx.Tx) error { return w.complete(ctx, tx, j) })
	case len(entries) == 0 && errors.Is(why, errTime):
		return &slowError{fmt.Sprintf("block %d was not judged within %v", missing[0].First, within), 1}
	case len(entries) == 0:
		return why
	}
	next := entries[len(entries)-1].Height() + 1
	also := func(ctx context.Context, tx pgx.Tx) error { return hold(ctx, tx, j) }
	if brokenOff {
		also = func(ctx context.Context, tx pgx.Tx) error { return w.split(ctx, tx, j, next) }
		why = nil
	}
	if err := w.store(ctx, j, entries, also); err != nil {
		return err
	}
	return why
}

// slowError says that the time of a job was not enough for so many of its blocks.
type slowError struct {
	message string
	blocks  int
}

func (e *slowError) Error() string { return e.message }

// store stores entries, and does something with their job in the same transaction. What
// takes too long is a slowError, and the next one of this worker is smaller.
func (w *worker) store(ctx context.Context, j *river.Job[job], entries []*ledger.Entry, also func(context.Context, pgx.Tx) error) error {
	began := time.Now()
	err := w.book.WriteJob(ctx, entries, also)
	if took := time.Since(began); err == nil {
		w.portion.stored(len(entries), took, w.Timeout(j)/2)
	} else if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		w.portion.failed(len(entries))
		err = &slowError{fmt.Sprintf("%d blocks from %d on were not stored within %v", len(entries), entries[0].Height(), took.Round(time.Millisecond)), len(entries)}
	}
	return err
}

// hold makes sure in a transaction that nobody took the job up since this worker did,
// and that nobody does until the transaction ends.
func hold(ctx context.Context, tx pgx.Tx, j *river.Job[job]) error {
	// Should this machine vanish now, the server must not wait long for the end.
	if _, err := tx.Exec(ctx, "SET LOCAL idle_in_transaction_session_timeout = '10s'"); err != nil {
		return err
	}
	// If River takes the worker for dead already, it was wrong.
	done, err := tx.Exec(ctx, "UPDATE river_job SET state = 'running' WHERE id = $1 AND attempted_at = $2 AND finalized_at IS NULL",
		j.ID, j.AttemptedAt)
	if err == nil && done.RowsAffected() == 0 {
		err = errors.New("the job took too long and was given to another worker")
	}
	return err
}

// stepAside waits until nobody else works on the job: what River is told about a job
// that failed, it takes to be about whoever works on it.
func (w *worker) stepAside(ctx context.Context, j *river.Job[job]) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*w.Timeout(j)) // the job's own time may be over
	defer cancel()
	defer context.AfterFunc(w.stopping, cancel)()
	for {
		var others bool
		err := w.book.Pool().QueryRow(ctx, "SELECT state = 'running' AND attempted_at <> $2 FROM river_job WHERE id = $1", j.ID, j.AttemptedAt).Scan(&others)
		if err != nil || !others {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(look):
		}
	}
}

func (w *worker) complete(ctx context.Context, tx pgx.Tx, j *river.Job[job]) error {
	if err := hold(ctx, tx, j); err != nil {
		return err
	}
	_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j)
	return err
}

// split completes a job, and makes another one of what is left from a height on.
func (w *worker) split(ctx context.Context, tx pgx.Tx, j *river.Job[job], next uint64) error {
	if err := w.complete(ctx, tx, j); err != nil {
		return err
	}
	_, err := river.ClientFromContext[pgx.Tx](ctx).InsertTx(ctx, tx, job{next, j.Args.Last, j.Args.Doubled}, options(priorityOfRest))
	return err
}

// note keeps with a job what its next attempt needs to know of this one, whose time may
// be over: that one block takes longer. It also removes the oldest errors. It does not
// matter if it cannot.
func (w *worker) note(ctx context.Context, j *river.Job[job], failed error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noting)
	defer cancel()
	doubled := j.Args.Doubled
	var slow *slowError
	if errors.As(failed, &slow) && slow.blocks == 1 && doubled < mostDoubled {
		doubled++
	}
	_, err := w.book.Pool().Exec(ctx, `UPDATE river_job SET
		args = CASE WHEN $3 > 0 THEN jsonb_set(args, '{doubled}', to_jsonb($3::int)) ELSE args END,
		errors = CASE WHEN cardinality(errors) >= $2 THEN errors[cardinality(errors) - $2::int + 2:] ELSE errors END
		WHERE id = $1`, j.ID, mostErrors, doubled)
	if err != nil {
		w.Logger.WarnContext(ctx, "what a job learned is lost", "job", j.ID, "error", message(err, w.Secrets))
	}
}
