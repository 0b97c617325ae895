package gateway_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/pairs"
)

// What was prepared is answered from memory, to the byte, by two questions a block and one
// message a batch.
func TestPrepare(t *testing.T) {
	for _, scheme := range []string{"http", "ws"} {
		t.Run(scheme, func(t *testing.T) {
			g, node := served(t, "moonbeam-2600", scheme)
			blocks, requests := g.BatchSize()
			require.Equal(t, []uint64{16, 33}, []uint64{blocks, requests})
			require.NoError(t, g.Prepare(t.Context(), chain.Heights{First: 1, Last: 1})) // hashes, runtime and metadata
			messages, asked := node.Messages(), node.Asked()
			require.NoError(t, g.Prepare(t.Context(), chain.Heights{First: 2, Last: 17}))
			require.NoError(t, g.Prepare(t.Context(), chain.Heights{First: 18, Last: 27}))
			require.Equal(t, 2, node.Messages()-messages)
			after := node.Asked()
			require.Equal(t, 26, after["chain_getBlock"]-asked["chain_getBlock"])
			require.Equal(t, 28, after["state_queryStorageAt"]-asked["state_queryStorageAt"])
			dir := pairs.Path(t, "moonbeam-2600", "gateway")
			for height := 1; height <= 27; height++ {
				for kind, question := range map[string]string{
					"blocks": "/blocks/%d", "headers": "/blocks/%d/header", "multiplier": multiplierAt,
					"block-weight": "/pallets/system/storage/blockWeight?at=%d",
				} {
					same(t, g, fmt.Sprintf(question, height), filepath.Join(dir, kind, fmt.Sprint(height)+".json"))
				}
			}
			same(t, g, fmt.Sprintf(multiplierAt, 1), filepath.Join(dir, "multiplier", "1.json"))
			require.Equal(t, 2, node.Messages()-messages, "nothing was asked again")
			require.Equal(t, after, node.Asked())
		})
	}
}

// Of what cannot be prepared nothing is remembered: each block is asked for by itself, and
// says what is wrong with it. The node here takes one question at a time.
func TestPrepareWhatIsWrong(t *testing.T) {
	n := makeChain(t, 24)
	n.final = 22
	g := n.gateway(t)
	missing, pruned, forged := n.best[3], n.best[5], n.best[7]
	n.instead = func(method string, params []json.RawMessage) (string, bool) {
		if len(params) == 0 {
			return "", false
		}
		text := string(params[len(params)-1])
		switch {
		case method == "chain_getBlock" && text == `"`+missing+`"`:
			return `"result":null`, true
		case method == "state_queryStorageAt" && text == `"`+pruned+`"`:
			return failure(-32000, "Client error: State already discarded for "+pruned), true
		case method == "chain_getBlock" && text == `"`+forged+`"`:
			return n.answer(method, []json.RawMessage{json.RawMessage(`"` + n.best[8] + `"`)}), true
		}
		return "", false
	}
	require.NoError(t, g.Prepare(t.Context(), chain.Heights{First: 1, Last: 16}))
	for height, says := range map[int]string{
		3: "the node does not keep this block or its state",
		5: "State already discarded",
		7: "the node's header has the hash " + n.best[8],
	} {
		_, err := g.Get(t.Context(), fmt.Sprintf("/blocks/%d", height))
		require.ErrorContains(t, err, says)
	}
	for _, height := range []int{1, 2, 4, 6, 8, 16} {
		require.Equal(t, n.wanted(t, height), answer(t, g, "/blocks/%d", height))
	}
	before := n.asked["chain_getBlock"]
	require.NoError(t, g.Prepare(t.Context(), chain.Heights{First: 21, Last: 24}))
	require.Equal(t, 2, n.asked["chain_getBlock"]-before, "blocks that may be replaced are not asked for ahead")
}
