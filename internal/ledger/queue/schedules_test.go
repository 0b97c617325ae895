package queue_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
	"github.com/feeledger/fees/source/prove"
)

const (
	scheduledJobs = 8
	scheduledSize = 4 // blocks
)

// schedule determines by a seed what happens to each attempt at a job. An attempt may fail, and its worker may count as dead
// while it is alive: then it returns when another has started the job, with data read before the blocks were final.
type schedule struct {
	shared
	seed uint64

	mu       sync.Mutex
	attempts map[uint64]int // started attempts by job
}

func (s *schedule) begins(job uint64) (attempt int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts[job]++
	return s.attempts[job]
}

func (s *schedule) begun(job uint64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.attempts[job]
}

func (s *schedule) judge(ctx context.Context, span chain.Heights) iter.Seq2[*ledger.Entry, error] {
	job := (span.First - 1) / scheduledSize
	attempt := s.begins(job)
	d := rand.New(rand.NewPCG(s.seed, job<<8|uint64(attempt)))
	switch n := d.IntN(100); {
	case attempt > 4:
		return judged(ctx, span)
	case n < 40:
		return s.late(ctx, span, job, attempt)
	case n < 70:
		return func(yield func(*ledger.Entry, error) bool) {
			time.Sleep(time.Duration(d.IntN(200)) * time.Millisecond)
			yield(nil, errors.New("the gateway is away"))
		}
	}
	return judged(ctx, span)
}

// late is the result of a worker that counted as dead.
func (s *schedule) late(ctx context.Context, span chain.Heights, job uint64, attempt int) iter.Seq2[*ledger.Entry, error] {
	return func(yield func(*ledger.Entry, error) bool) {
		list, err := readBefore(ctx, span)
		if err != nil {
			yield(nil, err)
			return
		}
		s.giveAway(job*scheduledSize + 1)
		for began := time.Now(); s.begun(job) == attempt && time.Since(began) < patience && ctx.Err() == nil; {
			time.Sleep(seconds(0.01))
		}
		for _, e := range list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// readBefore are the entries of a span from before its blocks were final.
func readBefore(ctx context.Context, span chain.Heights) (list []*ledger.Entry, err error) {
	prover := prove.Prover{Reader: &source.Reader{Source: early{made.Source()}, Tables: network.BuiltIn(), Unfinalized: true}}
	before, err := prove.Before(ctx, prover.Reader, span.First)
	if err != nil {
		return nil, err
	}
	for x, err := range prover.Range(ctx, span, before) {
		if err != nil {
			return nil, err
		}
		e, err := ledger.NewEntry(x.Block, x.Report)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// early is a source whose blocks are not final yet.
type early struct{ chaingen.Source }

func (s early) Block(ctx context.Context, height uint64) (*chain.Block, error) {
	b, err := s.Source.Block(ctx, height)
	if err == nil {
		b.Finalized = chain.Some(false)
	}
	return b, err
}

// TestSchedules requires the ledger of an undisturbed run from every schedule: FEES_SCHEDULES of them, from FEES_SCHEDULE
// on.
func TestSchedules(t *testing.T) {
	server := postgrestest.Start(t)
	first := tier.Count[uint64](t, "FEES_SCHEDULE", 1, 1)
	for seed := first; seed < first+tier.Count[uint64](t, "FEES_SCHEDULES", 2, 2); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := &schedule{shared: newShared(t, server), seed: seed, attempts: map[uint64]int{}}
			s.enqueue(scheduledJobs*scheduledSize, scheduledSize)
			s.work(s.judge, queue.Options{Jobs: 2 * scheduledJobs}) // each job may have a late worker and another
			status := s.status()
			again := fmt.Sprintf("FEES_SCHEDULE=%d FEES_SCHEDULES=1 go test ./internal/ledger/queue -run TestSchedules", seed)
			require.Equal(t, chain.Some(uint64(scheduledJobs*scheduledSize)), status.Sealed, again)
			require.Equal(t, chain.Some(quietSeal(t, scheduledJobs*scheduledSize)), status.Seal, again)
			s.requireSound()
		})
	}
}
