package queue_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// Compares the jobs that are added beside open ones with sets of heights.
func TestEnqueueBesideOpenJobs(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	random := rand.New(rand.NewPCG(1, 2))
	heights := func(spans []chain.Heights) map[uint64]bool {
		set := map[uint64]bool{}
		for _, s := range spans {
			for h := s.First; h <= s.Last; h++ {
				set[h] = true
			}
		}
		return set
	}
	some := func() (spans []chain.Heights) {
		for range random.IntN(6) {
			first := random.Uint64N(30)
			spans = append(spans, chain.Heights{First: first, Last: first + random.Uint64N(8)})
		}
		return spans
	}
	add := func(spans []chain.Heights, size uint64) {
		_, err := queue.Enqueue(context.Background(), s.Book, spans, size)
		require.NoError(t, err)
	}
	for range 200 {
		spans, others, size := some(), some(), 1+random.Uint64N(9)
		add(others, 1+random.Uint64N(9))
		open := s.spans()
		add(spans, size)
		want := heights(spans)
		for h := range heights(others) {
			want[h] = true
		}
		have := s.spans()
		require.Equal(t, want, heights(have), "%v beside %v", spans, others)
		for i, x := range have {
			require.LessOrEqual(t, x.First, x.Last)
			require.True(t, i == 0 || have[i-1].Last < x.First, "%v beside %v", spans, others)
			require.True(t, x.Blocks() <= size || heights(open)[x.First])
		}
		require.True(t, slices.IsSorted(column[uint64](s, "SELECT args->'first' FROM river_job ORDER BY id")[len(open):]), "they are taken in order of height")
		s.exec("DELETE FROM river_job")
	}
}

// The last height that a ledger can store is the end of the last job, and is not added twice.
func TestEnqueueUpToTheLastHeight(t *testing.T) {
	s := newShared(t, postgrestest.Start(t))
	const last = math.MaxInt64 - 1
	for _, want := range []int{2, 0} {
		added, err := queue.Enqueue(context.Background(), s.Book, []chain.Heights{{First: last - 4, Last: last}}, 3)
		require.NoError(t, err)
		require.Equal(t, want, added)
		require.Equal(t, []chain.Heights{{First: last - 4, Last: last - 2}, {First: last - 1, Last: last}}, s.spans())
	}
	added, err := queue.Enqueue(context.Background(), s.Book, []chain.Heights{{First: last - 7, Last: last}}, math.MaxUint64)
	require.NoError(t, err)
	require.Equal(t, 1, added)
	require.Equal(t, chain.Heights{First: last - 7, Last: last - 5}, s.spans()[0])
}
