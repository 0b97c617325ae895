package network_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/vectors"
	"github.com/feeledger/fees/network"
)

func TestDestinationVectors(t *testing.T) {
	names := vectors.Names{
		Inputs: "network runtime",
		Wanted: "evm_base evm_priority native_base native_tip evm_whole priority_minted",
	}
	vectors.Run(t, "destinations.txt", names, func(t *testing.T, v *vectors.Values) {
		d, known := rulesFor(t, v).Destinations.Get()
		require.True(t, known, v.Place())
		v.Equal("evm_base", d.EVMBase)
		v.Equal("evm_priority", d.EVMPriority)
		v.Equal("native_base", d.NativeBase)
		v.Equal("native_tip", d.NativeTip)
		v.EqualBool("evm_whole", d.EVMWhole)
		v.EqualBool("priority_minted", d.PriorityMinted)
		require.NotEmpty(t, d.Source, v.Place())
	})
}

func TestSplitVectors(t *testing.T) {
	names := vectors.Names{Inputs: "share proportion amount", Wanted: "burned treasury author error"}
	vectors.Run(t, "fee-split.txt", names, func(t *testing.T, v *vectors.Values) {
		proportion := chain.Optional[chain.Perbill]{}
		if v.Input("proportion") != "unknown" {
			p, err := chain.NewPerbill(v.Number("proportion").Uint64())
			require.NoError(t, err)
			proportion = chain.Some(p)
		}
		parts, err := network.Share(v.Input("share")).Split(wei(t, v.Number("amount")), proportion)
		if v.Wants("error") {
			if v.Wanted("error") == "missing" {
				require.ErrorIs(t, err, chain.ErrMissing)
				require.ErrorContains(t, err, "FeesTreasuryProportion")
			} else {
				require.EqualError(t, err, `no share "half"`)
			}
			require.Zero(t, parts)
			return
		}
		require.NoError(t, err, v.Place())
		v.Equal("burned", parts.Burned)
		v.Equal("treasury", parts.Treasury)
		v.Equal("author", parts.Author)
	})
}

// The parts of an amount are all of it, and the treasury's is the one that
// rounding leaves.
func TestSplitLosesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for range 20_000 {
		amount := random(r, 128)
		p := new(big.Int).SetUint64(r.Uint64N(1_000_000_001))
		proportion, err := chain.NewPerbill(p.Uint64())
		require.NoError(t, err)
		parts, err := network.TreasuryParameter.Split(wei(t, amount), chain.Some(proportion))
		require.NoError(t, err)
		burned := scaled(amount, new(big.Int).Sub(billion, p), billion)
		require.Equal(t, burned.String(), parts.Burned.String(), "%v by %v", amount, p)
		require.Equal(t, new(big.Int).Sub(amount, burned).String(), parts.Treasury.String(), "%v by %v", amount, p)
		require.True(t, parts.Author.IsZero())

		fixed, err := network.Share("treasury_20").Split(wei(t, amount), chain.Some(proportion))
		require.NoError(t, err)
		require.Equal(t, scaled(amount, big.NewInt(8), big.NewInt(10)).String(), fixed.Burned.String(), "80 %% of %v", amount)
	}
}
