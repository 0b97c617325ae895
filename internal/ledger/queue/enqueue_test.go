package queue_test

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// spans returns the spans of the waiting jobs.
func (s shared) spans() (spans []chain.Heights) {
	firsts := column[uint64](s, "SELECT args->'first' FROM river_job WHERE state = 'available' ORDER BY 1")
	lasts := column[uint64](s, "SELECT args->'last' FROM river_job WHERE state = 'available' ORDER BY 1")
	for i := range firsts {
		spans = append(spans, chain.Heights{First: firsts[i], Last: lasts[i]})
	}
	return spans
}

func TestEnqueue(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	add := func(size uint64, spans ...chain.Heights) int {
		jobs, err := queue.Enqueue(context.Background(), s.Book, spans, size)
		require.NoError(t, err)
		return jobs
	}
	require.Zero(t, add(10))
	require.Equal(t, 3, add(10, chain.Heights{First: 1, Last: 25}))
	require.Equal(t, []chain.Heights{{First: 1, Last: 10}, {First: 11, Last: 20}, {First: 21, Last: 25}}, s.spans())
	require.Equal(t, uint64(3), s.jobs().Waiting)

	require.Zero(t, add(10, chain.Heights{First: 1, Last: 25}), "the same")
	require.Zero(t, add(7, chain.Heights{First: 3, Last: 24}), "a part of it, cut otherwise")
	require.Equal(t, 1, add(10, chain.Heights{First: 20, Last: 30}), "what is new of it")
	require.Equal(t, chain.Heights{First: 26, Last: 30}, s.spans()[3])
	require.Equal(t, 1, add(10, chain.Heights{First: 35, Last: 37}, chain.Heights{First: 33, Last: 36}), "in any order, with overlaps")
	require.Equal(t, chain.Heights{First: 33, Last: 37}, s.spans()[4])
	require.Equal(t, 3, add(100, chain.Heights{First: 0, Last: 40}), "around existing jobs")
	require.Equal(t, []chain.Heights{{First: 0, Last: 0}, {First: 31, Last: 32}, {First: 38, Last: 40}},
		[]chain.Heights{s.spans()[0], s.spans()[5], s.spans()[7]})

	// An open job in any state covers exactly its blocks.
	for state, added := range map[string]int{
		"state = 'running'": 0, "state = 'retryable'": 0, "state = 'completed', finalized_at = now()": 1, "state = 'discarded', finalized_at = now()": 1,
	} {
		s.exec("DELETE FROM river_job")
		require.Equal(t, 1, add(10, chain.Heights{First: 1, Last: 10}))
		s.exec("UPDATE river_job SET " + state)
		require.Equal(t, added, add(10, chain.Heights{First: 1, Last: 10}), state)
	}
}

func TestEnqueueAtTheSameTime(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	var total int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			jobs, err := queue.Enqueue(context.Background(), s.Book, []chain.Heights{{First: 1, Last: 5000}}, 2)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			total += jobs
		})
	}
	all.Wait()
	require.Equal(t, 2500, total)
	require.Equal(t, uint64(2500), s.jobs().Waiting)
}

func TestEnqueueRefuses(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	for name, test := range map[string]struct {
		span  chain.Heights
		size  uint64
		error string
	}{
		"jobs of nothing": {chain.Heights{First: 1, Last: 2}, 0, "step size cannot equal zero"},
		"a reverse span":  {chain.Heights{First: 2, Last: 1}, 1, "range lower bound must be less than or equal to range upper bound"},
		"too many jobs":   {chain.Heights{First: 1, Last: 1_000_001}, 1, "more than 1000000 jobs"},
		"all heights":     {chain.Heights{First: 0, Last: math.MaxInt64 - 1}, 1000, "more than 1000000 jobs"},
		"too high":        {chain.Heights{First: 5, Last: math.MaxInt64}, math.MaxUint64, "bigint out of range"},
	} {
		_, err := queue.Enqueue(context.Background(), s.Book, []chain.Heights{test.span}, test.size)
		require.ErrorContains(t, err, test.error, name)
	}
	require.Zero(t, s.jobs().Left())
	jobs, err := queue.Enqueue(context.Background(), s.Book, []chain.Heights{{First: 5, Last: math.MaxInt64 - 1}}, math.MaxUint64)
	require.NoError(t, err)
	require.Equal(t, 1, jobs)
}
