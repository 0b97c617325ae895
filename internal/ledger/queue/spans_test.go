package queue

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/feeledger/fees/chain"
	"github.com/stretchr/testify/require"
)

// Compares spans with sets of heights.
func TestWithout(t *testing.T) {
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
	for range 5000 {
		spans, others := some(), some()
		left := without(spans, others)
		want := heights(spans)
		for h := range heights(others) {
			delete(want, h)
		}
		require.Equal(t, want, heights(left), "%v without %v", spans, others)
		for i, s := range left {
			require.LessOrEqual(t, s.First, s.Last)
			require.True(t, i == 0 || left[i-1].Last < s.First)
		}
	}
}

func TestSpansUpToTheLastHeight(t *testing.T) {
	all := chain.Heights{First: 0, Last: math.MaxUint64}
	require.Equal(t, []chain.Heights{all}, union([]chain.Heights{{First: 5, Last: math.MaxUint64}, {First: 0, Last: 7}}))
	require.Empty(t, without([]chain.Heights{{First: 3, Last: math.MaxUint64}}, []chain.Heights{all}))
	require.Equal(t, []chain.Heights{{First: 0, Last: 4}, {First: math.MaxUint64, Last: math.MaxUint64}},
		without([]chain.Heights{all}, []chain.Heights{{First: 5, Last: math.MaxUint64 - 1}}))
	parts, err := cut([]chain.Heights{{First: math.MaxUint64 - 4, Last: math.MaxUint64}}, 3)
	require.NoError(t, err)
	require.Equal(t, []chain.Heights{{First: math.MaxUint64 - 4, Last: math.MaxUint64 - 2}, {First: math.MaxUint64 - 1, Last: math.MaxUint64}}, parts)
}
