package queue_test

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// spans are those of the jobs that are waiting.
func (s shared) spans() (spans []ledger.Span) {
	firsts := column[uint64](s, "SELECT (args ->> 'first')::bigint FROM river_job WHERE state = 'available' ORDER BY 1")
	lasts := column[uint64](s, "SELECT (args ->> 'last')::bigint FROM river_job WHERE state = 'available' ORDER BY 1")
	for i := range firsts {
		spans = append(spans, ledger.Span{First: firsts[i], Last: lasts[i]})
	}
	return spans
}

func TestEnqueue(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	add := func(size uint64, spans ...ledger.Span) int {
		jobs, err := queue.Enqueue(context.Background(), s.Pool(), spans, size)
		require.NoError(t, err)
		return jobs
	}
	require.Zero(t, add(10))
	require.Equal(t, 3, add(10, ledger.Span{First: 1, Last: 25}))
	require.Equal(t, []ledger.Span{{First: 1, Last: 10}, {First: 11, Last: 20}, {First: 21, Last: 25}}, s.spans())
	require.Equal(t, uint64(3), s.jobs().Waiting)

	require.Zero(t, add(10, ledger.Span{First: 1, Last: 25}), "the same")
	require.Zero(t, add(7, ledger.Span{First: 3, Last: 24}), "a part of it, cut otherwise")
	require.Equal(t, 1, add(10, ledger.Span{First: 20, Last: 30}), "what is new of it")
	require.Equal(t, ledger.Span{First: 26, Last: 30}, s.spans()[3])
	require.Equal(t, 1, add(10, ledger.Span{First: 35, Last: 37}, ledger.Span{First: 33, Last: 36}), "in any order, with overlaps")
	require.Equal(t, ledger.Span{First: 33, Last: 37}, s.spans()[4])
	require.Equal(t, 3, add(100, ledger.Span{First: 0, Last: 40}), "around what is there")
	require.Equal(t, []ledger.Span{{First: 0, Last: 0}, {First: 31, Last: 32}, {First: 38, Last: 40}},
		[]ledger.Span{s.spans()[0], s.spans()[5], s.spans()[7]})

	// A job of any state that is not over stands for its blocks, and no other.
	for state, added := range map[string]int{"running": 0, "retryable": 0, "scheduled": 0, "completed": 1, "cancelled": 1, "discarded": 1} {
		s.exec("DELETE FROM river_job WHERE (args ->> 'first')::int <> 1")
		s.exec("UPDATE river_job SET state = $1::text::river_job_state, finalized_at = CASE WHEN $2 THEN now() END", state, added == 1)
		require.Equal(t, added, add(10, ledger.Span{First: 1, Last: 10}), state)
		s.exec("DELETE FROM river_job WHERE state = 'available' ")
	}
}

func TestEnqueueAtTheSameTime(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	var total int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 6 { // the tables are made once, too
		all.Go(func() {
			jobs, err := queue.Enqueue(context.Background(), s.Pool(), []ledger.Span{{First: 1, Last: 5000}}, 2)
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
		span  ledger.Span
		size  uint64
		error string
	}{
		"jobs of nothing": {ledger.Span{First: 1, Last: 2}, 0, "at least 1 block"},
		"a reverse span":  {ledger.Span{First: 2, Last: 1}, 1, "the first is after the last"},
		"too many jobs":   {ledger.Span{First: 1, Last: 1_000_001}, 1, "more than 1000000 jobs"},
		"all heights":     {ledger.Span{First: 0, Last: math.MaxUint64}, 1000, "more than 1000000 jobs"},
	} {
		_, err := queue.Enqueue(context.Background(), s.Pool(), []ledger.Span{test.span}, test.size)
		require.ErrorContains(t, err, test.error, name)
	}
	require.Zero(t, s.jobs().Left())
	jobs, err := queue.Enqueue(context.Background(), s.Pool(), []ledger.Span{{First: 5, Last: math.MaxUint64}}, math.MaxUint64)
	require.NoError(t, err)
	require.Equal(t, 1, jobs)
}
