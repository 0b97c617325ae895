package queue

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

// ErrNoPostgreSQL says that a ledger cannot be shared.
var ErrNoPostgreSQL = errors.New("jobs need a ledger on PostgreSQL")

const (
	look    = 500 * time.Millisecond // at what is left to do
	sealing = 5 * time.Second        // at the latest
	outage  = 5 * time.Minute        // of the database, after which a worker ends
	week    = 7 * 24 * time.Hour
)

// Options are how a worker works.
type Options struct {
	// Jobs is how many it works at the same time, 0 for 4.
	Jobs int
	// Limit is the time for one job, 0 for 10 s; the same for all workers. Half of it
	// is for judging, the other half for storing. A job that needs more for one block has
	// twice as much at its next attempt, up to 64 times.
	//
	// A job whose worker died is taken up by another after one and a half of it and, at
	// the worst, 36 s more, in all 51 s: 30 s until River's leader looks for the dead,
	// 5 s until it hands out, 1 s until a worker asks. If the leader was the one that
	// died there is another after at most 22 s, who looks at once: no later. If it
	// stops in between it is 7 s later, if it dies in between 22 s. What a worker that
	// died was storing is free after three and a half of it, 35 s: no later.
	//
	// The leader looks at its own clock. One that is fast gives a job away too early,
	// one that is slow too late; nothing is stored twice for that.
	Limit time.Duration
	// UntilDone ends the work when no job is left to do.
	UntilDone bool
	// Permanent tells of which errors no retry helps. Nil: of none.
	Permanent func(error) bool
	// Began is told of each job that this worker begins, and what it gives is told how the job
	// ended. Nil: nobody is told.
	Began func() (ended func(Outcome))
	// Secrets are never stored with an error. Passwords in addresses, their paths and
	// queries never are.
	Secrets []string
	// Logger gets what River logs. Nil: nothing is logged.
	Logger *slog.Logger
}

// Outcome is how a job of a worker ended.
type Outcome string

// The outcomes. A job that is put back is worked by others, for this worker ends; one of which
// a part was stored, and a job made of the rest, is done.
const (
	Done    Outcome = "done"
	Failed  Outcome = "failed"
	PutBack Outcome = "put_back"
)

// outcomeOf is that of a job's error.
func outcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, errStopped):
		return PutBack
	}
	return Failed
}

// stalled is how long the server waits in the midst of a message for the rest of it: six
// times as long as storing may take at a job's first attempt.
func (o Options) stalled() time.Duration { return 3 * o.Limit }

// othersSealing is more than it takes until the transaction of one that vanished while
// it sealed is ended: 10 s by the server, or, in the midst of a message, by endStalled.
func (o Options) othersSealing() time.Duration {
	return max(10*time.Second, o.stalled()+o.looking()) + 5*time.Second
}

// looking is how often a worker looks for what stalled.
func (o Options) looking() time.Duration { return max(o.Limit/2, look) }

func (o Options) withDefaults() Options {
	if o.Jobs == 0 {
		o.Jobs = 4
	}
	if o.Limit == 0 {
		o.Limit = 10 * time.Second
	}
	if o.Permanent == nil {
		o.Permanent = func(error) bool { return false }
	}
	if o.Began == nil {
		o.Began = func() func(Outcome) { return func(Outcome) {} }
	}
	if o.Logger == nil {
		o.Logger = silent
	}
	return o
}

// Work works jobs until its context ends or, with Options.UntilDone, until no job is
// left. When the context ends, what was judged is stored and what was not is left to
// others, within Options.Limit. Jobs that failed for good do not make it fail: Jobs
// tells of them. It fails when the ledger cannot be sealed for good, or when the
// database is away for 5 minutes.
func Work(ctx context.Context, book *ledger.Book, judge Judge, o Options) error {
	pool := book.Pool()
	if pool == nil {
		return ErrNoPostgreSQL
	}
	if o.Jobs < 0 || o.Limit < 0 {
		return fmt.Errorf("work: %d jobs within %v each: have a negative number", o.Jobs, o.Limit)
	}
	if err := migrate(ctx, pool); err != nil {
		return err
	}
	o = o.withDefaults()
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	wake := make(chan struct{}, 1)
	client, err := newClient(pool, o, &worker{Options: o, book: book, judge: judge, stopping: stopping, wake: wake})
	if err != nil {
		return err
	}
	// River would break the jobs off in its own way.
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("work: %w", err)
	}
	beside, left := context.WithCancel(context.WithoutCancel(ctx))
	var enders sync.WaitGroup
	enders.Go(func() { endStalled(beside, book, o) })
	defer enders.Wait()
	defer left()
	s := sealer{book, o, o.othersSealing()}
	var sealed error
	var sealers sync.WaitGroup
	sealers.Go(func() {
		if sealed = s.run(stopping, wake); sealed != nil {
			stop()
		}
	})
	err = wait(stopping, pool, o)
	stop()
	sealers.Wait()
	err = errors.Join(sealed, err, end(ctx, client, o.Limit))
	if err != nil {
		return err
	}
	return s.last(ctx)
}

func newClient(pool *pgxpool.Pool, o Options, w river.Worker[job]) (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, w)
	return river.NewClient(riverpgxv5.New(pool), &river.Config{
		ID:                          identity(),
		JobTimeout:                  o.Limit,
		RescueStuckJobsAfter:        o.Limit + o.Limit/2,
		FetchPollInterval:           look,
		PollOnly:                    true,
		CancelledJobRetentionPeriod: week,
		DiscardedJobRetentionPeriod: week,
		Logger:                      o.Logger,
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: o.Jobs}},
		Workers:                     workers,
	})
}

// endStalled ends at intervals, until its context ends, the transactions of workers that
// are gone, or frozen, since they began to send something.
func endStalled(ctx context.Context, book *ledger.Book, o Options) {
	ticker := time.NewTicker(o.looking())
	defer ticker.Stop()
	for {
		ended, err := book.EndStalled(ctx, o.stalled())
		if err == nil && ended > 0 {
			o.Logger.WarnContext(ctx, "connections of workers that are gone were ended", "connections", ended)
		} else if err != nil && ctx.Err() == nil {
			o.Logger.WarnContext(ctx, "connections of workers that are gone stay", "error", message(err, o.Secrets))
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// identity names a worker in River's tables: its machine, its process, and a part of
// chance for machines of the same name.
func identity() string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%.60s/%d/%.8s", host, os.Getpid(), rand.Text())
}

// wait returns when the work is done or is to end.
func wait(ctx context.Context, pool *pgxpool.Pool, o Options) error {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	answered := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		left, err := anyLeft(ctx, pool)
		switch {
		case err == nil && !left && o.UntilDone:
			return nil
		case err == nil:
			answered = time.Now()
		case ctx.Err() == nil && time.Since(answered) > outage:
			return fmt.Errorf("the database is away: %w", err)
		}
	}
}

func anyLeft(ctx context.Context, pool *pgxpool.Pool) (left bool, err error) {
	ctx, end := context.WithTimeout(ctx, 10*time.Second)
	defer end()
	err = pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM river_job WHERE kind = $1 AND state = ANY($2::text[]::river_job_state[]))",
		kind, open).Scan(&left)
	return left, err
}

// end lets the jobs under way end, which they do by themselves, within a limit.
func end(ctx context.Context, client *river.Client[pgx.Tx], limit time.Duration) error {
	ctx = context.WithoutCancel(ctx)
	soft, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if client.Stop(soft) == nil {
		return nil
	}
	hard, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := client.StopAndCancel(hard); err != nil {
		return fmt.Errorf("jobs were left under way: %w", err)
	}
	return nil
}
