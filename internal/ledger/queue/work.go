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
	"github.com/jackc/pgx/v5/pgxpool"
)

// ErrNoPostgreSQL says that a ledger cannot be shared.
var ErrNoPostgreSQL = errors.New("jobs need a ledger on PostgreSQL")

const (
	look    = 500 * time.Millisecond // at what is left to do
	sealing = 5 * time.Second        // at the latest
	outage  = 5 * time.Minute        // of the database, after which a worker ends
)

// Options are how a worker works.
type Options struct {
	// Jobs is how many it works at the same time, 0 for 4.
	Jobs int
	// Limit is the time for one job, 0 for 10 s; the same for all workers. Half of it
	// is for judging, the other half for storing. A job that needs more for one block has
	// twice as much at its next attempt, up to 64 times.
	//
	// A job whose worker died is taken up by another after one and a half of it, 15 s, by the
	// server's clock. What a worker that died was storing is free after three and a half of it,
	// 35 s: no later.
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
	// Logger gets what goes wrong beside the jobs. Nil: nothing is logged.
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
	if err := prepare(ctx, pool); err != nil {
		return err
	}
	o = o.withDefaults()
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	hard, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	wake := make(chan struct{}, 1)
	w := &worker{Options: o, name: name(), book: book, judge: judge, stopping: stopping, wake: wake}
	var workers sync.WaitGroup
	for range o.Jobs {
		workers.Go(func() { w.run(hard) })
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
	err := wait(stopping, pool, o)
	stop()
	sealers.Wait()
	defer time.AfterFunc(o.Limit, cut).Stop() // the jobs under way end by themselves, but for what hangs
	workers.Wait()
	if err := errors.Join(sealed, err); err != nil {
		return err
	}
	return s.last(ctx)
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

// name is a worker's: its machine, its process, and a part of chance for machines of the same name.
func name() string {
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
	err = pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM jobs WHERE ended IS NULL)").Scan(&left)
	return left, err
}
