package queue

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/feeledger/fees/internal/ledger"
)

// ErrNoPostgreSQL reports that a ledger cannot be shared.
var ErrNoPostgreSQL = errors.New("jobs need a PostgreSQL ledger")

// poolOf returns the connections of a ledger, or [ErrNoPostgreSQL].
func poolOf(book *ledger.Book) (*pgxpool.Pool, error) {
	if pool := ledger.Pool(book); pool != nil {
		return pool, nil
	}
	return nil, ErrNoPostgreSQL
}

const (
	look    = 500 * time.Millisecond // polling interval for jobs
	sealing = 5 * time.Second        // sealing interval, unless blocks were stored
	outage  = 5 * time.Minute        // how long the database may be away before a worker ends

	maxPause = 15 * time.Second // exceeds the time between two attempts to reach a database that is away
)

// Options configure a worker.
type Options struct {
	// Jobs is the number of concurrent jobs; 0 means 4.
	Jobs int
	// Limit is the time for one job; 0 means 10 s. It must be the same for all workers. Half is for judging. A job
	// whose time is too short for a single block, or to store its blocks, gets twice the time at its next attempt, up to
	// 64 times.
	//
	// A worker counts as dead after one and a half times Limit (15 s), and River looks for such every 30 s. Clocks that
	// differ by less than 5 s are harmless; otherwise, jobs are done twice. Locks of a dead worker's unfinished
	// transaction are released after at most three and a half times Limit (35 s).
	Limit time.Duration
	// UntilDone ends the work when no job is left.
	UntilDone bool
	// Permanent reports errors that a retry cannot fix. Nil means none.
	Permanent func(error) bool
	// Began is called when this worker starts a job; the function it returns receives the outcome. May be nil.
	Began func() (ended func(Outcome))
	// Secrets are removed from stored errors. Passwords, paths and queries of addresses always are.
	Secrets []string
	// Logger receives problems outside jobs. Nil disables logging.
	Logger *slog.Logger
}

// Outcome is how a worker's job ended.
type Outcome string

// The outcomes. A job is put back when this worker is stopping. A job stored in part, with a new job for the rest,
// is done.
const (
	Done    Outcome = "done"
	Failed  Outcome = "failed"
	PutBack Outcome = "put_back"
)

// outcomeOf returns the outcome for a job's error.
func outcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, errStopped):
		return PutBack
	}
	return Failed
}

// stalled is how long the server waits in the middle of a message for the rest: six times the time for storing at
// a job's first attempt.
func (o Options) stalled() time.Duration { return 3 * o.Limit }

// othersSealing is longer than it takes to end the transaction of a program that vanished while sealing: 10 s by
// the server or, in the middle of a message, by endStalled.
func (o Options) othersSealing() time.Duration {
	return max(10*time.Second, o.stalled()+o.looking()) + 5*time.Second
}

// looking is how often a worker looks for stalled connections.
func (o Options) looking() time.Duration { return max(o.Limit/2, look) }

func (o Options) withDefaults() Options {
	o.Jobs, o.Limit, o.Logger = cmp.Or(o.Jobs, 4), cmp.Or(o.Limit, 10*time.Second), cmp.Or(o.Logger, silent)
	if o.Permanent == nil {
		o.Permanent = func(error) bool { return false }
	}
	if o.Began == nil {
		o.Began = func() func(Outcome) { return func(Outcome) {} }
	}
	return o
}

// Work processes jobs until its context ends or, with Options.UntilDone, until no job is left. When the context
// ends, judged blocks are stored and the rest is left to others, within Options.Limit. Jobs that failed for good do
// not make Work fail; Jobs lists them. Work fails if the ledger cannot be sealed for good, or if the database is
// away for 5 minutes. It creates River's tables if they are missing.
func Work(ctx context.Context, book *ledger.Book, judge Judge, o Options) error {
	if _, err := poolOf(book); err != nil {
		return err
	}
	if o.Jobs < 0 || o.Limit < 0 {
		return fmt.Errorf("work: %d jobs within %v each: neither may be negative", o.Jobs, o.Limit)
	}
	w := &worker{Options: o.withDefaults(), book: book, judge: judge}
	client, err := w.start(ctx)
	if err != nil {
		return fmt.Errorf("work: %w", err)
	}
	beside, left := context.WithCancel(context.WithoutCancel(ctx))
	var enders sync.WaitGroup
	enders.Go(func() { w.endStalled(beside) })
	defer enders.Wait()
	defer left()
	err = w.attend(ctx)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*w.Limit) // running jobs end within one
	defer cancel()
	client.StopAndCancel(ending) // jobs that it cannot end become due again
	if err == nil {
		err = w.sealLast(ctx)
	}
	return err
}

// start starts River's client, which takes jobs for the worker until it is stopped.
func (w *worker) start(ctx context.Context) (*river.Client[pgx.Tx], error) {
	if err := prepare(ctx, ledger.Pool(w.book)); err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	client, err := river.NewClient(riverpgxv5.New(ledger.Pool(w.book)), &river.Config{
		ID:                          fmt.Sprintf("%.60s/%d/%.8s", host, os.Getpid(), rand.Text()),
		Logger:                      silent,
		Workers:                     workers,
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: w.Jobs}},
		PollOnly:                    true, // saves a connection
		FetchPollInterval:           look,
		FetchCooldown:               10 * time.Millisecond,
		JobTimeout:                  w.Limit * 3 / 2,
		RescueStuckJobsAfter:        w.Limit * 3 / 2,
		CancelledJobRetentionPeriod: 7 * 24 * time.Hour,
	})
	if err == nil {
		err = client.Start(context.WithoutCancel(ctx))
	}
	return client, err
}

// endStalled terminates, at intervals until its context ends, the transactions of workers that vanished or froze
// while sending.
func (w *worker) endStalled(ctx context.Context) {
	ticker := time.NewTicker(w.looking())
	defer ticker.Stop()
	for {
		ended, err := w.book.EndStalled(ctx, w.stalled())
		if err == nil && ended > 0 {
			w.Logger.WarnContext(ctx, "terminated stalled connections of other workers", "connections", ended)
		} else if err != nil && ctx.Err() == nil {
			w.Logger.WarnContext(ctx, "stalled connections of other workers were not terminated", "error", message(err, w.Secrets))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// attend seals stored blocks until all jobs are done or the work is cancelled. A failed sealing is repeated unless its
// error is permanent.
func (w *worker) attend(ctx context.Context) error {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	sealed, away := time.Now(), absence{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if w.stored.Swap(false) || time.Since(sealed) > sealing {
			if _, err := w.book.Seal(ctx); err != nil && ctx.Err() == nil {
				if w.Permanent(err) {
					return fmt.Errorf("seal: %w", err)
				}
				w.Logger.WarnContext(ctx, "sealing failed", "error", message(err, w.Secrets))
			}
			sealed = time.Now()
		}
		left, err := w.anyLeft(ctx)
		switch {
		case err == nil && !left && w.UntilDone:
			return nil
		case away.lasts(time.Now(), err) && ctx.Err() == nil:
			return fmt.Errorf("the database is not responding: %w", err)
		}
	}
}

// absence is how long the database has been away.
type absence struct {
	total time.Duration
	asked time.Time
}

// lasts counts the time since the last attempt, by the outcome of the next one, and reports whether the database has been
// away for too long. A process that was frozen made no attempt meanwhile, so that long pauses count little.
func (a *absence) lasts(now time.Time, err error) bool {
	if err == nil {
		a.total = 0
	} else if !a.asked.IsZero() {
		a.total += min(now.Sub(a.asked), maxPause)
	}
	a.asked = now
	return a.total > outage
}

func (w *worker) anyLeft(ctx context.Context) (left bool, err error) {
	ctx, end := context.WithTimeout(ctx, 10*time.Second)
	defer end()
	err = ledger.Pool(w.book).QueryRow(ctx, "SELECT EXISTS (SELECT FROM river_job WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled'))").Scan(&left)
	return left, err
}

// sealLast seals after the work is over, and repeats that unless its error is permanent. If the work was cancelled, it is
// limited to a few seconds: the next worker continues.
func (w *worker) sealLast(ctx context.Context) error {
	last := ctx
	if ctx.Err() != nil {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), sealing)
		defer cancel()
		last = limited
	}
	for away := (absence{}); ; {
		err := sealRest(last, w.book, w.othersSealing())
		if err == nil || last.Err() != nil {
			break
		}
		if w.Permanent(err) || away.lasts(time.Now(), err) {
			return fmt.Errorf("seal: %w", err)
		}
		select {
		case <-last.Done():
		case <-time.After(look):
		}
	}
	if w.UntilDone {
		return context.Cause(ctx)
	}
	return nil
}

// sealRest seals what is left. Its own sealing takes as long as needed. While another program seals, it keeps trying
// until everything is sealed or that program's time is over: it may have died with the lock, or may not have
// seen the last stored blocks.
func sealRest(ctx context.Context, book *ledger.Book, others time.Duration) error {
	for waited := time.Now(); ; {
		sealed, err := book.Seal(ctx)
		if err != nil {
			return err
		}
		if sealed > 0 {
			waited = time.Now()
		}
		if left, err := book.Unsealed(ctx); err == nil && !left || time.Since(waited) > others {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
}
