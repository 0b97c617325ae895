package chaingen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
)

// decoded returns the block at a height, read from its text.
func decoded(t testing.TB, c *chaingen.Chain, height uint64) *chain.Block {
	t.Helper()
	b, err := sidecar.DecodeBlock(string(c.Block(height)))
	require.NoError(t, err)
	require.Equal(t, height, b.Number)
	return b
}

// stored returns the multiplier after the block at a height.
func stored(t testing.TB, c *chaingen.Chain, height uint64) chain.Optional[chain.StoredMultiplier] {
	t.Helper()
	m, err := sidecar.DecodeMultiplier(string(c.Multiplier(height)))
	require.NoError(t, err)
	require.Equal(t, chain.Some(c.Hash(height)), m.AtHash)
	return chain.Some(chain.StoredMultiplierOf(m))
}

var networks = network.BuiltIn()

// rulesOf returns the built-in rules for the runtime that executed a block.
func rulesOf(t testing.TB, c *chaingen.Chain, height uint64) network.Rules {
	t.Helper()
	r, err := sidecar.DecodeRuntime(string(c.Runtime(max(height, 1) - 1)))
	require.NoError(t, err)
	n, ok := networks.Named(r.Value.SpecName)
	require.True(t, ok)
	rules, err := n.Rules(r.Value.SpecVersion)
	require.NoError(t, err)
	return rules
}

// proveBlocks verifies the blocks from first to last, individually and in sequence, and returns the results of
// the checks.
func proveBlocks(t testing.TB, c *chaingen.Chain, first, last uint64, o evidence.Options) evidence.Tallies {
	t.Helper()
	var sequence evidence.Sequence
	var tallies evidence.Tallies
	for height := first; height <= last; height++ {
		b, rules := decoded(t, c, height), rulesOf(t, c, height)
		var parent chain.Optional[chain.StoredMultiplier]
		if height > 0 {
			parent = stored(t, c, height-1)
		}
		r := evidence.Prove(b, fee.Price(b, &rules, parent), rules, o)
		sequence.Add(b, r)
		r.CheckStoredMultiplier(stored(t, c, height))
		require.Empty(t, r.Findings, "block %d", height)
		require.True(t, r.Holds(), "block %d", height)
		require.Equal(t, r.Totals.EVM+r.Totals.Native, r.Totals.Match, "block %d", height)
		require.Equal(t, len(b.Extrinsics)-r.Totals.Inherents, r.Totals.Match, "block %d", height)
		tallies.Add(r.Tallies)
	}
	return tallies
}
