package gateway_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/render"
)

// A node that was restarted, with the same block 0, or that is another one behind the same
// address, is not taken for the one that it was: neither where nothing is known of a height yet,
// nor above the final block, nor for one that lost its old blocks.
func TestNodeOfAnotherChain(t *testing.T) {
	for name, question := range map[string]string{
		"a height that is not known yet": "/blocks/400",
		"a block that is not final":      "/blocks/590",
		"a block that was known":         "/blocks/11",
		"the head":                       "/blocks/head/header",
		"a runtime":                      "/runtime/spec?at=590",
	} {
		t.Run(name, func(t *testing.T) {
			n := makeChain(t, 600)
			n.final = 580
			g := n.gateway(t)
			require.Equal(t, n.wanted(t, 10), answer(t, g, "/blocks/10"))
			was := n.best
			n.best = slices.Clone(was)
			n.grow(1, 600, 1)
			for hash := range n.blocks { // it is not the same node
				if !strings.Contains(strings.Join(n.best, ""), hash) {
					delete(n.blocks, hash)
				}
			}
			if name == "the head" {
				n.set(func() { n.final = 579 })
			}
			_, err := g.Get(t.Context(), question)
			height := 1
			if strings.Contains(err.Error(), "block 580") { // the newest final one was compared before
				height = 580
			}
			require.EqualError(t, err, fmt.Sprintf("the node changed its block %d: it is %s now and was %s before, "+
				"so its chain changed or was restarted; start again: the response is for a different block", height, n.best[height], was[height]))
			require.ErrorIs(t, err, chain.ErrWrongBlock)
			n.grow(1, 600, 0)
			require.Equal(t, was, n.best)
			require.Contains(t, answer(t, g, "/blocks/590"), `"number":"590"`, "the right node is back")
		})
	}
}

// A node that finalized another block than it said before has left its chain.
func TestNodeThatLeftItsChain(t *testing.T) {
	n := makeChain(t, 600)
	g := n.gateway(t)
	answer(t, g, "/blocks/head/header")
	was := n.best[600]
	n.grow(300, 700, 1)
	_, err := g.Get(t.Context(), "/blocks/20")
	require.EqualError(t, err, fmt.Sprintf("the node changed its block 600: it is %s now and was %s before, "+
		"so its chain changed or was restarted; start again: the response is for a different block", n.best[600], was))
}

// A node that was restarted is behind what was known of it: that is said, with how far it is.
func TestNodeThatIsBehind(t *testing.T) {
	n := makeChain(t, 600)
	g := n.gateway(t)
	answer(t, g, "/blocks/10")
	n.grow(120, 120, 0)
	n.set(func() { n.final = 120 })
	for hash, b := range n.blocks {
		if b.height > 120 {
			delete(n.blocks, hash)
		}
	}
	_, err := g.Get(t.Context(), "/blocks/130")
	require.EqualError(t, err, "no such block: the node's newest is block 120")
	require.ErrorIs(t, err, chain.ErrNoBlock)
	n.instead = refusing("system_health", `"result":{"isSyncing":true,"peers":3,"shouldHavePeers":true}`)
	for _, question := range []string{"/blocks/130", "/blocks/130/header", "/blocks/601", fmt.Sprintf(multiplierAt, 601)} {
		_, err = g.Get(t.Context(), question)
		require.EqualError(t, err, "no such block: the node is still syncing, currently at block 120")
		require.ErrorIs(t, err, chain.ErrNoBlock)
		require.ErrorIs(t, err, chain.ErrSyncing)
		var refused *render.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "Unable to retrieve header and parent from supplied hash", refused.Message, "which is what Sidecar says")
	}
	_, err = g.Get(t.Context(), "/blocks/400")
	require.EqualError(t, err, "malformed list of block hashes: the node returned none for block 400, although block 600 is final: the node is behind, or lacks old blocks")
}

// The hash of another height is not taken for that of a block that is not final, whose runtime
// or state is asked for.
func TestHashOfAnotherHeight(t *testing.T) {
	n := makeChain(t, 600)
	n.final = 580
	g := n.gateway(t)
	answer(t, g, "/blocks/head/header")
	n.instead = func(m string, params []json.RawMessage) (string, bool) {
		text := n.answer(m, params)
		return strings.Replace(text, n.best[590], n.best[585], 1), m == "chain_getBlockHash"
	}
	for _, question := range []string{"/blocks/590", "/blocks/590/header", "/runtime/spec?at=590", fmt.Sprintf(multiplierAt, 590)} {
		_, err := g.Get(t.Context(), question)
		require.EqualError(t, err, fmt.Sprintf("block 590: the response is for a different block: the node returned %s, whose header states block 585", n.best[585]))
	}
}
