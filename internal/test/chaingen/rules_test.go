package chaingen

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/network"
)

// The repeated figures and formulas give the same results as network's, for both runtimes.
func TestFormulasAreTheNetworks(t *testing.T) {
	n, ok := network.BuiltIn().Named("moonbeam")
	require.True(t, ok)
	r, moonbeam := random(1), Moonbeam()
	maxRefTime, targetRefTime := moonbeam.NormalRefTime, moonbeam.NormalRefTime/4
	for _, runtime := range []uint32{FirstRuntime, SecondRuntime} {
		rules, err := n.Rules(runtime)
		require.NoError(t, err)
		require.Equal(t, chain.NewGasPrice(moonbeam.BaseFeeConstant), rules.BaseFee.Constant)
		require.Equal(t, chain.NewMultiplier(leastMultiplier), rules.BaseFee.MinMultiplier)
		update, known := rules.Update.Get()
		require.True(t, known)
		formula, known := rules.NativeFee.Get()
		require.True(t, known)
		for range 2000 {
			multiplier := r.between(one, 12*one)
			for _, refTime := range []uint64{0, r.below(targetRefTime), targetRefTime - 1, targetRefTime, r.between(targetRefTime, maxRefTime), maxRefTime + 1} {
				want, err := update.Next(chain.NewMultiplier(multiplier), chain.Weight{RefTime: chain.NewRefTime(refTime)})
				require.NoError(t, err)
				require.Equal(t, want, chain.NewMultiplier(nextMultiplier(multiplier, refTime, maxRefTime)), "%d, %d", multiplier, refTime)
			}
			refTime, length := r.between(nativeWeight, 900_000_000), r.below(1000)
			want, err := formula.Fee(chain.Normal, chain.Weight{RefTime: chain.NewRefTime(refTime)}, length, chain.NewMultiplier(multiplier), chain.Wei{})
			require.NoError(t, err)
			require.Equal(t, want, chain.NewWei(nativeFee(refTime, length, multiplier)))
		}
	}
}

func TestUsualIsOfAThousand(t *testing.T) {
	sum := uint64(0)
	for _, n := range usual {
		sum += n
	}
	require.EqualValues(t, len(kinds), sum)
}

// A block's transactions never exceed its weight limit.
func TestHeaviestBlockFits(t *testing.T) {
	heaviest, moonbeam := uint64(0), Moonbeam()
	r := random(2)
	for range 100_000 {
		x := transaction{random: r}
		x.draw(rush, moonbeam.WeightPerGas)
		heaviest = max(heaviest, x.refTime)
		r.next()
	}
	require.Greater(t, heaviest, 1_090_000*moonbeam.WeightPerGas) // the heaviest, or nearly
	require.LessOrEqual(t, maxTransactions*heaviest, moonbeam.NormalRefTime)
}

// The number of cached pages is bounded, however far apart the heights are.
func TestMemoryIsBounded(t *testing.T) {
	if !tier.Nightly() {
		t.Skip("it is about size: .ci/nightly runs it")
	}
	c := New(Options{Seed: 1})
	for page := range uint64(3 * keptPages) {
		c.storedMultiplier(page * pageSize)
	}
	require.Len(t, c.pages, keptPages)
	require.Len(t, c.order, keptPages)
	require.Len(t, c.checkpoints, 3*keptPages)
	again := New(Options{Seed: 1})
	require.Equal(t, again.storedMultiplier(5), c.storedMultiplier(5), "a page that was dropped is worked out again")
}

// Hot accounts are in many blocks, and there are very many cold ones.
func TestAccounts(t *testing.T) {
	c := New(Options{Seed: 1})
	r := random(4)
	drawn := map[uint64]int{}
	const draws = 100_000
	for range draws {
		drawn[c.someone(&r, 1_000_000).id]++
	}
	hot, cold := 0, 0
	for id, n := range drawn {
		switch {
		case id < hotAccounts:
			hot += n
		case id >= firstCold:
			cold++
		}
	}
	require.InDelta(t, 0.55*draws, hot, 0.01*draws)
	require.InDelta(t, 0.08*draws, cold, 0.01*draws)
	require.Greater(t, drawn[0], 20*drawn[hotAccounts-1])
}
