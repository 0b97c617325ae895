package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// The rank of a percentile is rounded up.
func TestRanks(t *testing.T) {
	for percent, want := range map[uint64]uint64{10: 2, 11: 3, 50: 10, 52: 10, 53: 11, 90: 18, 95: 19, 100: 19} {
		require.Equal(t, want, rankOf(percent, 19), percent)
	}
	require.EqualValues(t, 1, rankOf(10, 1))
	require.Equal(t, uint64(1<<63/5), rankOf(20, 1<<63-3), "nothing overflows")
}

// Percentiles equal those of sorted lists, however few prices fit into memory.
func TestPercentiles(t *testing.T) {
	kept := maxPrices
	t.Cleanup(func() { maxPrices = kept })
	for _, maxPrices = range []int{1, 7, 1000, 1_000_000} {
		random := rand.New(rand.NewPCG(1, 2))
		var p gasPrices
		lists := make([][]chain.GasPrice, 6)
		for range 3000 {
			group := random.IntN(5) // the last has none
			price := chain.NewGasPrice(random.Uint64N(1 << (1 + random.IntN(60))))
			if random.IntN(50) == 0 {
				var err error
				price, err = chain.ParseGasPrice(fmt.Sprintf("%d%d", random.Uint64(), random.Uint64()))
				require.NoError(t, err)
			}
			lists[group] = append(lists[group], price)
			require.NoError(t, p.add(group, price))
		}
		ranked, err := p.ranked()
		require.NoError(t, err)
		require.Len(t, ranked, 5)
		for group, list := range lists[:5] {
			slices.SortFunc(list, chain.GasPrice.Cmp)
			for i, percent := range []int{10, 50, 90} {
				require.Equal(t, chain.Some(list[(len(list)*percent+99)/100-1]), ranked[group][i], "%d held, group %d", maxPrices, group)
			}
		}
		require.NoError(t, p.close())
	}
	var none gasPrices
	ranked, err := none.ranked()
	require.NoError(t, err)
	require.Empty(t, ranked)
	require.NoError(t, none.close())
}
