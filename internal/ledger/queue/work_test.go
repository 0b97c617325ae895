package queue_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestWork(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	require.Equal(t, 11, s.enqueue(101, 10))
	for _, there := range []chain.Heights{{First: 1, Last: 1}, {First: 15, Last: 16}, {First: 101, Last: 101}} { // are not judged again
		require.NoError(t, ledger.WriteJob(context.Background(), s.Book, entries(t, there), func(context.Context, pgx.Tx) error { return nil }))
	}
	var judged atomic.Int64
	judge := but(slow(0), 15, func(context.Context) error { judged.Add(1); return nil })
	s.work(judge, queue.Options{})
	s.requireDone(101)
	require.Zero(t, judged.Load())
	require.Equal(t, uint64(11), s.jobs().Done)
}

// However little Seal does at a time.
func TestEverythingIsSealed(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(600, 300)
	s.work(slow(0), queue.Options{})
	s.requireDone(600)
}

// A worker's own sealing is not limited by the time for waiting for others: on a slow machine a ledger was left unsealed
// without notice.
func TestTheLastSealingIsNotCut(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	require.NoError(t, ledger.WriteJob(context.Background(), s.Book, entries(t, chain.Heights{First: 1, Last: 30}), func(context.Context, pgx.Tx) error { return nil }))
	require.NoError(t, queue.SealRest(context.Background(), s.Book, 1))
	require.Equal(t, chain.Some[uint64](30), s.status().Sealed)
}

func TestWorkWithoutJobsIsDone(t *testing.T) {
	t.Parallel()
	newShared(t, postgrestest.Start(t)).work(slow(0), queue.Options{})
}

func TestJobsNeedPostgreSQL(t *testing.T) {
	t.Parallel()
	file := &ledger.Book{}
	require.ErrorIs(t, queue.Work(context.Background(), file, slow(0), queue.Options{}), queue.ErrNoPostgreSQL)
	_, err := queue.Enqueue(context.Background(), file, []chain.Heights{{First: 1, Last: 2}}, 1)
	require.ErrorIs(t, err, queue.ErrNoPostgreSQL)
	_, err = queue.Jobs(context.Background(), file)
	require.ErrorIs(t, err, queue.ErrNoPostgreSQL)
}

func TestWorkRefusesOptions(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	for _, o := range []queue.Options{{Jobs: -1}, {Limit: -1}} {
		require.ErrorContains(t, queue.Work(context.Background(), s.Book, slow(0), o), "negative")
	}
}

// A job that takes longer than its time is split, not failed.
func TestAJobThatTakesLongGoesOnInAnother(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	require.Equal(t, 1, s.enqueue(60, 60))
	s.work(slow(160*time.Millisecond), queue.Options{Limit: 8 * time.Second})
	s.requireDone(60)
	require.GreaterOrEqual(t, s.jobs().Done, uint64(3)) // 60 × 160 ms, 4 s at a time
	require.Equal(t, 1, one[int](s, "SELECT max(attempt) FROM river_job"))
}

func TestAFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(30, 10)
	var failures atomic.Int64
	judge := but(slow(0), 15, func(context.Context) error {
		if failures.Add(1) <= 2 {
			return errors.New("the gateway at https://key:sesame@gateway.example/v1/sesame?key=sesame is down")
		}
		return nil
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- queue.Work(ctx, s.Book, judge, queue.Options{}) }()

	var jobs queue.Summary
	s.eventually("no job waits to be tried again", func() bool { jobs = s.jobs(); return jobs.Retrying == 1 })
	require.Len(t, jobs.Failures, 1)
	failure := jobs.Failures[0]
	require.Equal(t, chain.Heights{First: 11, Last: 20}, failure.Span)
	require.Equal(t, "the gateway at https://gateway.example is down", failure.Error)
	require.Contains(t, []int{1, 2}, failure.Attempt)
	soonest := failure.At.Add(time.Duration(failure.Attempt) * time.Second) // 1 s, then 2 s
	require.False(t, failure.Next.Before(soonest))
	require.WithinDuration(t, soonest, failure.Next, seconds(10))
	require.NotZero(t, one[int](s, "SELECT count(*) FROM blocks WHERE height BETWEEN 11 AND 14"), "what was judged before is stored")

	s.eventually("not all jobs are done", func() bool { return s.jobs().Done == 3 })
	cancel()
	require.NoError(t, <-done)
	s.requireDone(30)
	require.Equal(t, int64(3), failures.Load())
	require.Zero(t, one[int](s, "SELECT count(*) FROM river_job AS j WHERE j::text LIKE '%sesame%'"))
}

func TestAPermanentErrorIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(30, 10)
	other := errors.New("a ledger of another chain")
	judge := but(slow(0), 11, func(context.Context) error { return other })
	s.work(judge, queue.Options{Permanent: func(err error) bool { return errors.Is(err, other) }})
	jobs := s.jobs()
	require.Equal(t, uint64(1), jobs.Failed)
	require.Equal(t, uint64(2), jobs.Done)
	require.Len(t, jobs.Failures, 1)
	require.Equal(t, "a ledger of another chain", jobs.Failures[0].Error)
	require.Equal(t, 1, jobs.Failures[0].Attempt)
	require.True(t, jobs.Failures[0].Next.IsZero())

	require.Equal(t, 3, s.enqueue(30, 10), "what failed for good can be enqueued again")
}

func TestAJudgeThatHangs(t *testing.T) {
	t.Parallel()
	for name, hang := range map[string]func(context.Context, <-chan struct{}){
		"and listens":         func(ctx context.Context, _ <-chan struct{}) { <-ctx.Done() },
		"and does not listen": func(_ context.Context, ever <-chan struct{}) { <-ever },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShared(t, postgrestest.Start(t))
			s.enqueue(20, 10)
			ever := make(chan struct{})
			defer close(ever)
			var times atomic.Int64
			judge := but(slow(0), 1, func(ctx context.Context) error {
				if times.Add(1) == 1 {
					hang(ctx, ever)
				}
				return ctx.Err()
			})
			started := time.Now()
			s.work(judge, queue.Options{Limit: 4 * time.Second})
			s.requireDone(20)
			require.GreaterOrEqual(t, times.Load(), int64(2))
			// A busy machine may not come to the judge within the first attempt's 2 s; the time then doubles.
			require.Regexp(t, `^no result for block 1 within \d+s$`, s.lastError(1))
			t.Logf("done after %.1f s", time.Since(started).Seconds())
		})
	}
}

func TestAJudgeThatPanics(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(10, 10)
	var times atomic.Int64
	judge := but(slow(0), 5, func(context.Context) error {
		if times.Add(1) == 1 {
			panic("password=sesame")
		}
		return nil
	})
	s.work(judge, queue.Options{})
	s.requireDone(10)
	require.Equal(t, "panic: password=***", s.lastError(1))
}

func TestAJudgeThatDoesNotJudgeWhatWasAsked(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spans []chain.Heights
		error string
	}{
		"a gap":         {[]chain.Heights{{First: 1, Last: 3}, {First: 5, Last: 10}}, "expected the result for block 4"},
		"an end":        {[]chain.Heights{{First: 1, Last: 9}}, "no result for block 10"},
		"too much":      {[]chain.Heights{{First: 1, Last: 11}}, "expected the result for block 11"},
		"another start": {[]chain.Heights{{First: 2, Last: 10}}, "expected the result for block 1,"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShared(t, postgrestest.Start(t))
			s.enqueue(10, 10)
			judge := func(ctx context.Context, _ chain.Heights) iter.Seq2[*ledger.Entry, error] {
				return func(yield func(*ledger.Entry, error) bool) {
					for _, span := range test.spans {
						for e, err := range slow(0)(ctx, span) {
							if !yield(e, err) {
								return
							}
						}
					}
				}
			}
			s.work(judge, queue.Options{Permanent: func(error) bool { return true }})
			require.Contains(t, s.jobs().Failures[0].Error, test.error)
		})
	}
}

// When its context ends, a worker stores what it has and leaves the rest to others.
func TestWorkStopsCleanly(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(400, 400)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	var begun atomic.Bool
	judge := but(slow(10*time.Millisecond), 20, func(context.Context) error { begun.Store(true); return nil })
	go func() { done <- queue.Work(ctx, s.Book, judge, queue.Options{}) }()
	s.eventually("it does not come to block 20", begun.Load)
	cancel()
	require.NoError(t, <-done)

	stored := s.status().Blocks
	require.GreaterOrEqual(t, stored, uint64(19))
	require.Less(t, stored, uint64(400), "it judged the rest before it stopped")
	require.Equal(t, chain.Some(stored), s.status().Sealed)
	s.requireSound()
	jobs := s.jobs()
	require.Equal(t, queue.Summary{Waiting: 1, Done: 1}, queue.Summary{Waiting: jobs.Waiting, Running: jobs.Running, Retrying: jobs.Retrying, Failed: jobs.Failed, Done: jobs.Done})
	require.Empty(t, jobs.Failures)
	require.Equal(t, stored+1, one[uint64](s, "SELECT args->'first' FROM river_job WHERE finalized_at IS NULL"))

	s.work(slow(0), queue.Options{})
	s.requireDone(400)
}

// Nothing was judged yet: the job is returned as if it had not been started.
func TestWorkStopsBeforeAnythingWasJudged(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(10, 10)
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	judge := but(slow(0), 1, func(ctx context.Context) error { cancel(enough); <-ctx.Done(); return ctx.Err() })
	require.ErrorIs(t, queue.Work(ctx, s.Book, judge, queue.Options{UntilDone: true}), enough)
	jobs := s.jobs()
	require.Equal(t, uint64(1), jobs.Waiting)
	require.Empty(t, jobs.Failures)
	require.Zero(t, one[int](s, "SELECT attempt FROM river_job"))
	s.work(slow(0), queue.Options{})
	s.requireDone(10)
}

// Judging or storing takes longer than the limit: the job, and the rest of it, get more time at the next attempt.
func TestBlocksThatTakeLong(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		last  uint64
		judge time.Duration
		store string // SQL: seconds that a block takes
		error string
	}{
		"one to be judged":  {3, 3 * time.Second, "0", `^no result for block 1 within `},
		"one to be stored":  {3, 0, "CASE WHEN NEW.height = 2 THEN 5 ELSE 0 END", `^storing \d+ blocks from \d+ on took longer than `},
		"many to be stored": {60, 0, "0.1", `^storing \d+ blocks from 1 on took longer than `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, postgrestest.Start(t))
			require.Equal(t, 1, s.enqueue(test.last, test.last))
			s.exec(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$
				BEGIN PERFORM pg_sleep(` + test.store + `); RETURN NEW; END $$`)
			s.exec("CREATE TRIGGER slow BEFORE INSERT ON blocks FOR EACH ROW EXECUTE FUNCTION slow()")
			s.work(slow(test.judge), queue.Options{Jobs: 1, Limit: 4 * time.Second})
			s.exec("DROP TRIGGER slow ON blocks")
			s.requireDone(test.last)
			require.Regexp(t, test.error, one[string](s, "SELECT errors[1]->>'error' FROM river_job WHERE errors IS NOT NULL ORDER BY id LIMIT 1"))
			require.Positive(t, one[int](s, "SELECT max((metadata->>'doubled')::int) FROM river_job")) // 1, or more on a slow machine
		})
	}
}
