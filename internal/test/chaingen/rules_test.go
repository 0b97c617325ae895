package chaingen

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
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
			want, err := formula.Fee(rule.NativeInput{Class: chain.Normal, Weight: chain.Weight{RefTime: chain.NewRefTime(refTime)}, Length: length, Multiplier: chain.NewMultiplier(multiplier), Tip: chain.Wei{}})
			require.NoError(t, err)
			require.Equal(t, want, chain.NewWei(nativeFee(refTime, length, multiplier)))
		}
	}
}
