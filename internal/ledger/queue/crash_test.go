//go:build unix

package queue_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/stretchr/testify/require"
)

// Three processes share a range. At random moments one with running jobs disappears: killed, or frozen like its machine,
// and resumed when everything is done.
func TestAWorkerIsGone(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until its jobs are taken up")
	}
	t.Parallel()
	for name, stop := range map[string]func(*process){"killed": (*process).kill, "frozen": (*process).freeze} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShared(t, postgrestest.Start(t))
			require.Equal(t, 100, s.enqueue(2000, 20))
			processes := []*process{s.process(), s.process(), s.process()}
			s.eventually("nothing is done", func() bool { return s.jobs().Done > 0 })
			time.Sleep(rand.N(seconds(1)))

			var gone *process
			var left []int64
			s.eventually("no jobs are running", func() bool {
				for _, p := range processes {
					if left = s.stopped(p, stop); len(left) > 0 {
						gone = p
						return true
					}
				}
				return false
			})
			at := time.Now()
			for _, p := range processes {
				if p != gone {
					s.ends(p)
				}
			}
			t.Logf("%s: its %d jobs were done by others after %.1f s", name, len(left), time.Since(at).Seconds())
			s.requireDone(2000)
			if gone.ProcessState == nil {
				gone.thaw()
				s.ends(gone)
				s.requireDone(2000)
			}
			for _, id := range left { // on a machine that is too slow, the second one may count as dead too
				require.GreaterOrEqual(t, one[int](s, "SELECT attempt FROM river_job WHERE id = $1", id), 2, "not taken over")
			}
		})
	}
}

// A job that was given to another worker while the first was still alive.
func TestAJobThatWasGivenToAnotherWritesNothing(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(10, 10)
	var times atomic.Int64
	judge := but(slow(0), 10, func(context.Context) error {
		if times.Add(1) == 1 {
			s.giveAway(1)
			s.eventually("not taken over", func() bool { return s.jobs().Done > 0 })
		}
		return nil
	})
	s.work(judge, queue.Options{Jobs: 2, Limit: 2 * patience})
	require.Equal(t, int64(2), times.Load())
	s.requireDone(10)
}

// A job whose worker counts as dead, but that was not taken over, is done by its worker.
func TestAJobThatWasTakenForDead(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(10, 10)
	var times atomic.Int64
	judge := but(slow(0), 5, func(context.Context) error {
		times.Add(1)
		s.giveAway(1)
		return nil
	})
	s.work(judge, queue.Options{Jobs: 1})
	s.requireDone(10)
	require.Equal(t, int64(1), times.Load())
}

// Reports of a worker that lost a job do not affect the new worker.
func TestAWorkerThatLostAJobSaysNothing(t *testing.T) {
	t.Parallel()
	s := newShared(t, postgrestest.Start(t))
	s.enqueue(10, 10)
	var times atomic.Int64
	judge := but(slow(0), 1, func(ctx context.Context) error {
		if times.Add(1) == 1 {
			s.giveAway(1)
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
	require.Equal(t, "the job took too long and was given to another worker", s.lastError(1))
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
	go func() {
		done <- queue.Work(ctx, s.Book, slow(2*time.Millisecond), queue.Options{UntilDone: true, Limit: limit})
	}()
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	reader.Go(func() { // the sealed part only grows
		for seen := uint64(0); ctx.Err() == nil; time.Sleep(seconds(0.02)) {
			if status, err := s.Status(ctx); err == nil {
				if height, _ := status.Sealed.Get(); height < seen {
					t.Errorf("sealed up to %d, then to %d", seen, height)
				} else {
					seen = height
				}
			}
		}
	})
	s.eventually("it does not come to work", func() bool { jobs, err := queue.Jobs(ctx, s.Book); return err == nil && jobs.Done > 10 })
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
