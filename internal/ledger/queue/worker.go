package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// task is a job: the blocks to judge and store.
type task struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`

	lost bool // this attempt's job belongs to another worker
}

// Kind names the jobs in River's table.
func (task) Kind() string { return "blocks" }

// InsertOpts lets the rest of a job go first, since the ledger cannot be sealed without it.
func (task) InsertOpts() river.InsertOpts {
	return river.InsertOpts{MaxAttempts: maxAttempts, Priority: 2}
}

const (
	maxAttempts = 7 * 24 * 60 // a week of attempts, one a minute
	maxErrors   = 10          // stored errors of a job
	maxDoubled  = 6           // doublings of a job's time: 64 times, 10 min 40 s
)

// pause returns how long to wait after a failed attempt, counted from 1.
func pause(attempt int) time.Duration {
	return min(time.Second<<min(attempt-1, 10), time.Minute)
}

// worker processes jobs for River.
type worker struct {
	river.WorkerDefaults[task]
	Options
	book   *ledger.Book
	judge  Judge
	stored atomic.Bool // since the last sealing
}

// doubled returns how often the job's time was doubled.
func doubled(j *river.Job[task]) int {
	var m struct{ Doubled int }
	json.Unmarshal(j.Metadata, &m) // River has parsed it
	return min(m.Doubled, maxDoubled)
}

// within returns the job's time.
func (w *worker) within(j *river.Job[task]) time.Duration { return w.Limit << doubled(j) }

// Timeout returns when River considers the worker dead. A live one ends its job earlier, see Work.
func (w *worker) Timeout(j *river.Job[task]) time.Duration { return w.within(j) * 3 / 2 }

// NextRetry returns the time of the next attempt. A worker that lost its job does not disturb the present one: River
// reports its error for the job, and the present worker ends it before anyone may take it.
func (w *worker) NextRetry(j *river.Job[task]) time.Time {
	wait := pause(j.Attempt)
	if j.Args.lost {
		wait = 2 * w.Timeout(j)
	}
	return time.Now().Add(wait)
}

// errLost reports that a job belongs to another worker, errStored is what River hears of a stored job.
var (
	errLost   = errors.New("the job took too long and was given to another worker")
	errStored = errors.New("the database lost the end of the job")
)

// Work processes a job. It always returns an error, because River may not end a job: it would do so after the
// transaction, by the job's state only. If a standby that lacks the transaction has taken over, the blocks would be lost.
// The error has no effect on a job that the transaction completed, and otherwise repeats it.
func (w *worker) Work(ctx context.Context, j *river.Job[task]) error {
	ended := w.Began()
	err := w.work(ctx, j)
	ended(outcomeOf(err))
	if err == nil {
		w.stored.Store(true)
		return errStored
	}
	noting, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	lost := pgx.BeginFunc(noting, ledger.Pool(w.book), func(tx pgx.Tx) error { return hold(noting, tx, j) })
	var slow slowError
	switch {
	case errors.Is(lost, errLost):
		j.Args.lost, err = true, lost
	case errors.Is(err, errStopped):
		return context.Canceled // River puts the job back as if it had not been started
	case errors.As(err, &slow):
		river.MetadataSet(ctx, "doubled", doubled(j)+1) // cannot fail inside a job
	}
	text := errors.New(message(err, w.Secrets))
	if w.Permanent(err) {
		return river.JobCancel(text)
	}
	return text
}

// work returns errStopped if the worker stopped before anything was judged.
func (w *worker) work(ctx context.Context, j *river.Job[task]) (err error) {
	defer recovered(&err)
	within := w.within(j)
	// What was judged is stored although the worker stops, within the limit of other jobs.
	storing, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(w.Limit, cancel) })()
	missing, err := w.book.Missing(storing, chain.Heights{First: j.Args.First, Last: j.Args.Last})
	switch {
	case err != nil:
		return err
	case len(missing) == 0:
		return pgx.BeginFunc(storing, ledger.Pool(w.book), func(tx pgx.Tx) error { return complete(storing, tx, j) })
	}
	entries, why := w.judging(ctx, missing, within/2)
	switch {
	case why == nil:
		return w.store(storing, j, entries, complete)
	case len(entries) == 0 && errors.Is(why, errTime):
		return slowError(fmt.Sprintf("no result for block %d within %v", missing[0].First, within/2))
	case len(entries) == 0:
		return why
	case errors.Is(why, errTime), errors.Is(why, errStopped):
		return w.store(storing, j, entries, func(ctx context.Context, tx pgx.Tx, j *river.Job[task]) error {
			rest := task{First: entries[len(entries)-1].Height() + 1, Last: j.Args.Last}
			_, err := river.ClientFromContext[pgx.Tx](ctx).InsertTx(ctx, tx, rest, &river.InsertOpts{Priority: 1, Metadata: j.Metadata})
			if err != nil {
				return err
			}
			return complete(ctx, tx, j)
		})
	}
	return cmp.Or(w.store(storing, j, entries, hold), why)
}

// slowError reports that the time of a job was too short.
type slowError string

func (e slowError) Error() string { return string(e) }

// hold blocks takeovers of a job until the transaction ends, if the job still belongs to this attempt. It does whatever
// the state is, unless the job is completed: reports of earlier attempts, and of a rescuer whose victim is alive, change
// the state only. Of the errors, of which River keeps one of each attempt, it leaves the last ones.
func hold(ctx context.Context, tx pgx.Tx, j *river.Job[task]) error {
	held, err := tx.Exec(ctx, `UPDATE river_job SET state = 'running', finalized_at = NULL, errors = errors[cardinality(errors) - $3:]
		WHERE id = $1 AND attempted_at = $2 AND state <> 'completed'`, j.ID, j.AttemptedAt, maxErrors-2)
	if err == nil && held.RowsAffected() == 0 {
		err = errLost
	}
	return err
}

// complete marks a job as done if it still belongs to this attempt.
func complete(ctx context.Context, tx pgx.Tx, j *river.Job[task]) error {
	if err := hold(ctx, tx, j); err != nil {
		return err
	}
	_, err := river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, j)
	return err
}

// store stores entries and updates their job in the same transaction. If it takes too long, it returns a slowError.
func (w *worker) store(ctx context.Context, j *river.Job[task], entries []*ledger.Entry, also func(context.Context, pgx.Tx, *river.Job[task]) error) error {
	began := time.Now()
	err := ledger.WriteJob(ctx, w.book, entries, func(ctx context.Context, tx pgx.Tx) error {
		// If this machine vanishes now, the server must not wait long for the end.
		if _, err := tx.Exec(ctx, "SET LOCAL idle_in_transaction_session_timeout = '10s'"); err != nil {
			return err
		}
		return also(ctx, tx, j)
	})
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = slowError(fmt.Sprintf("storing %d blocks from %d on took longer than %v", len(entries), entries[0].Height(), time.Since(began).Round(time.Millisecond)))
	}
	return err
}

// Judge reads, prices and proves the blocks of a span, in order and without gaps. It ends after its first
// error, or when its context ends.
type Judge func(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error]

// Why judging stopped early.
var (
	errTime    = errors.New("the time limit of the job is reached")
	errStopped = errors.New("the worker is stopping")
)

// judging returns the entries judged within a time, and why they are incomplete: errTime, errStopped, or an error. It
// does not wait for a judge that ignores its context.
func (w *worker) judging(ctx context.Context, spans []chain.Heights, within time.Duration) ([]*ledger.Entry, error) {
	stopping := ctx
	ctx, end := context.WithTimeout(ctx, within)
	defer end()
	judged := make(chan *ledger.Entry)
	ended := make(chan error, 1)
	go func() { ended <- w.feed(ctx, spans, judged) }()
	var entries []*ledger.Entry
	for {
		var err error
		select {
		case e := <-judged:
			entries = append(entries, e)
			continue
		case err = <-ended:
		case <-ctx.Done():
			err = ctx.Err()
		}
		switch {
		case err != nil && stopping.Err() != nil:
			err = errStopped
		case err != nil && ctx.Err() != nil:
			err = errTime
		}
		return entries, err
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
