//go:build unix

package queue_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/feeledger/fees/internal/postgrestest"
	"github.com/feeledger/fees/queue"
	"github.com/stretchr/testify/require"
)

// Three processes share a range, and at a random moment one with jobs under way is
// gone: killed, or frozen, as with its machine, and back when all is done without it.
// River's leader looks for the dead, so once it is the leader.
func TestAWorkerIsGone(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until its jobs are taken up")
	}
	for name, test := range map[string]struct {
		signal  syscall.Signal
		leaders int // among those who are gone
	}{
		"the leader killed": {syscall.SIGKILL, 1},
		"another killed":    {syscall.SIGKILL, 0},
		"the leader frozen": {syscall.SIGSTOP, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, postgrestest.Start(t))
			require.Equal(t, 100, s.enqueue(2000, 20))
			processes := []*process{s.process(), s.process(), s.process()}
			const leads = "SELECT count(*) FROM river_leader WHERE leader_id LIKE $1"
			s.eventually("nobody leads", func() bool { return one[int](s, leads, "%") == 1 })
			time.Sleep(rand.N(seconds(1)))

			const its = " river_job WHERE state = 'running' AND attempted_by[cardinality(attempted_by)] LIKE $1"
			var gone *process
			var left []int64
			s.eventually("nobody has jobs under way", func() bool {
				for _, p := range processes {
					if one[int](s, leads, p.is()) != test.leaders || one[int](s, "SELECT count(*) FROM"+its, p.is()) == 0 {
						continue
					}
					s.frozen(p)
					if left = column[int64](s, "SELECT id FROM"+its, p.is()); len(left) > 0 && one[int](s, leads, p.is()) == test.leaders {
						gone = p
						return p.Process.Signal(test.signal) == nil
					}
					require.NoError(t, p.Process.Signal(syscall.SIGCONT)) // it was between two jobs
				}
				return false
			})
			since := one[time.Time](s, "SELECT clock_timestamp()")

			for _, p := range processes {
				if p != gone {
					s.ends(p)
				}
			}
			s.requireDone(2000)
			if test.signal == syscall.SIGSTOP {
				require.NoError(t, gone.Process.Signal(syscall.SIGCONT))
				s.ends(gone)
				s.requireDone(2000)
			}

			for _, id := range left { // on a machine that is too slow, River may have taken it from the second one too
				require.GreaterOrEqual(t, one[int](s, "SELECT attempt FROM river_job WHERE id = $1", id), 2, "nobody took it up")
			}
			takenUp := one[time.Time](s, "SELECT max(attempted_at) FROM river_job WHERE id = ANY($1)", left).Sub(since)
			t.Logf("%d jobs taken up after %.1f s", len(left), takenUp.Seconds())
			require.Less(t, takenUp, seconds(90), "51 s are the most on a machine that has the time")
		})
	}
}

// A job that River gave to another while its worker was alive after all.
func TestAJobThatWasGivenToAnotherWritesNothing(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(10, 10)
	var times atomic.Int64
	judge := but(slow(0), 10, func(context.Context) error {
		if times.Add(1) == 1 {
			s.exec("UPDATE river_job SET state = 'available'")
			s.eventually("nobody takes it up", func() bool { return one[bool](s, "SELECT state = 'completed' FROM river_job") })
		}
		return nil
	})
	s.work(judge, queue.Options{Jobs: 2, Limit: 2 * patience})
	require.Equal(t, int64(2), times.Load())
	s.requireDone(10)
}

// A job that River took for dead, but that nobody took up, is done by its worker.
func TestAJobThatWasTakenForDead(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(10, 10)
	var times atomic.Int64
	judge := but(slow(0), 5, func(context.Context) error {
		times.Add(1)
		s.exec("UPDATE river_job SET state = 'retryable', scheduled_at = now() + interval '1 hour'")
		return nil
	})
	s.work(judge, queue.Options{})
	s.requireDone(10)
	require.Equal(t, int64(1), times.Load())
}

// The worker that lost a job tells River that it failed only when the one that has it
// now is done with it.
func TestAWorkerThatLostAJobStepsAside(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(10, 10)
	var times atomic.Int64
	judge := but(slow(0), 1, func(ctx context.Context) error {
		if times.Add(1) == 1 {
			s.exec("UPDATE river_job SET state = 'available'")
			for times.Load() < 2 && ctx.Err() == nil {
				time.Sleep(seconds(0.01))
			}
			return errors.New("failed while another works on it")
		}
		time.Sleep(seconds(2))
		return nil
	})
	s.work(judge, queue.Options{Limit: patience})
	s.requireDone(10)
	require.Equal(t, int64(2), times.Load())
	require.Equal(t, 2, one[int](s, "SELECT attempt FROM river_job"))
	require.True(t, one[bool](s, "SELECT errors IS NULL FROM river_job"))
}

func TestTheDatabaseDiesUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until jobs that were under way are taken up")
	}
	t.Parallel()
	server := postgrestest.StartOwn(t)
	s := newShared(t, server)
	s.enqueue(1000, 10)
	done := make(chan error)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	go func() {
		done <- queue.Work(ctx, s.Book, slow(2*time.Millisecond), queue.Options{UntilDone: true, Limit: 4 * time.Second})
	}()
	s.eventually("it does not come to work", func() bool { return s.jobs().Done > 10 })
	for range 2 {
		server.Kill()
		time.Sleep(seconds(1))
		server.Restart()
		time.Sleep(rand.N(seconds(1)))
	}
	restarted := time.Now()
	require.NoError(t, <-done)
	t.Logf("done %.1f s after the last restart", time.Since(restarted).Seconds())
	s.requireDone(1000)
}
