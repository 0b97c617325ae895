package gateway_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// Behind one address may be a node that is behind, and stands on a branch that has ended: of the
// heights that are final by now it names blocks that are not. Whose list lacks the newest final
// block is not believed, and the next one's is.
func TestNodeBehindOnABranch(t *testing.T) {
	n := makeChain(t, 24)
	n.grow(15, 18, 1)
	branch := slices.Clone(n.best)
	n.grow(15, 24, 0)
	g := n.gateway(t)
	answer(t, g, "/blocks/head/header")
	n.set(func() {
		n.instead = func(method string, params []json.RawMessage) (string, bool) {
			var heights []int
			if method != "chain_getBlockHash" || json.Unmarshal(params[0], &heights) != nil {
				return "", false
			}
			list := make([]*string, len(heights))
			for i, height := range heights {
				if height < len(branch) {
					list[i] = &branch[height]
				}
			}
			return result(list), true
		}
	})
	_, err := g.Get(t.Context(), "/blocks/17")
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "block 24")
	n.set(func() { n.instead = nil })
	for _, height := range []int{17, 15, 14} {
		require.Equal(t, n.wanted(t, height), answer(t, g, "/blocks/%d", height))
	}
}
