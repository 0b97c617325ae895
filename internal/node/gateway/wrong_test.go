package gateway_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// refusing answers one method in its own way.
func refusing(method, answer string) func(string, []json.RawMessage) (string, bool) {
	return func(m string, _ []json.RawMessage) (string, bool) { return answer, m == method }
}

// The error of a node with only the latest blocks says so, and which node is needed.
func TestPrunedNode(t *testing.T) {
	const discarded = "Client error: Api called for an unknown Block: State already discarded for 0x12"
	for name, c := range map[string]struct{ method, answer, question string }{
		"the state of a block":    {"state_queryStorageAt", failure(4003, discarded), "/blocks/7"},
		"without a code":          {"state_queryStorageAt", failure(-32000, discarded), "/blocks/7"},
		"a storage item":          {"state_queryStorageAt", failure(4003, "Client error: UnknownBlock: Header was not found"), fmt.Sprintf(multiplierAt, 7)},
		"a balance":               {"state_queryStorageAt", failure(4003, discarded), "/accounts/0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac/balance-info?at=7"},
		"the runtime":             {"state_getRuntimeVersion", failure(4003, discarded), "/blocks/7"},
		"metadata":                {"state_getMetadata", failure(4003, discarded), "/blocks/7"},
		"the block's extrinsics":  {"chain_getBlock", `"result":null`, "/blocks/7"},
		"the header, by its hash": {"chain_getHeader", `"result":null`, "/blocks/7"},
	} {
		t.Run(name, func(t *testing.T) {
			n := makeChain(t, 24)
			g := n.gateway(t)
			answer(t, g, "/blocks/head/header")
			n.instead = refusing(c.method, c.answer)
			_, err := g.Get(t.Context(), c.question)
			require.ErrorIs(t, err, chain.ErrPruned)
			require.ErrorIs(t, err, chain.ErrUnsupported)
			require.ErrorContains(t, err, "block ")
			require.ErrorContains(t, err, "the node does not keep this block or its state")
		})
	}
	n := makeChain(t, 24)
	g := n.gateway(t)
	n.instead = refusing("state_queryStorageAt", failure(-32603, "Internal error"))
	_, err := g.Get(t.Context(), "/blocks/7")
	require.ErrorContains(t, err, "state_queryStorageAt: the node refuses: Internal error (code -32603)")
	require.NotErrorIs(t, err, chain.ErrPruned)
}

// A node with only the latest blocks answers for those: that the older ones are not there
// to be asked for their runtime is not an error.
func TestLatestBlocksOfAPrunedNode(t *testing.T) {
	n := makeChain(t, 1500)
	old := map[string]bool{}
	for _, hash := range n.best[:1300] {
		old[fmt.Sprintf("%q", hash)] = true
	}
	for name, instead := range map[string]func(string, []json.RawMessage) (string, bool){
		"without their states": func(method string, params []json.RawMessage) (string, bool) {
			return failure(4003, "State already discarded"), method == "state_getRuntimeVersion" && old[string(params[0])]
		},
		"without their hashes": func(method string, params []json.RawMessage) (string, bool) {
			if method != "chain_getBlockHash" || strings.Contains(string(params[0]), "1400") || strings.HasPrefix(string(params[0]), "[1500,") {
				return "", false
			}
			return `"result":[` + strings.Repeat("null,", strings.Count(string(params[0]), ",")) + "null]", true
		},
	} {
		t.Run(name, func(t *testing.T) {
			n.set(func() { n.instead = instead })
			require.Equal(t, n.wanted(t, 1400), answer(t, n.gateway(t), "/blocks/1400"))
		})
	}
}

// A node that answers with something else than was asked for, in a way that can be told, is
// never believed, and nothing of it stays: the same question is answered when the node is well
// again.
func TestWrongAnswers(t *testing.T) {
	n := makeChain(t, 300)
	other := func(method string, to ...string) func(string, []json.RawMessage) (string, bool) {
		return func(m string, params []json.RawMessage) (string, bool) {
			if m != method {
				return "", false
			}
			for i := range params {
				if i < len(to) && to[i] != "" {
					params[i] = json.RawMessage(to[i])
				}
			}
			return n.answer(m, params), true
		}
	}
	quoted := func(height int) string { return fmt.Sprintf("%q", n.best[height]) }
	// hashes answers with those of other heights, where more than that of the head is asked for.
	hashes := func(of func(height int) int) func(string, []json.RawMessage) (string, bool) {
		return func(m string, params []json.RawMessage) (string, bool) {
			var heights []int
			if m != "chain_getBlockHash" || json.Unmarshal(params[0], &heights) != nil || len(heights) < 256 {
				return "", false
			}
			for i := range heights[:256] {
				heights[i] = of(heights[i])
			}
			text, err := json.Marshal(heights)
			require.NoError(t, err)
			return n.answer(m, []json.RawMessage{text}), true
		}
	}
	for name, c := range map[string]struct {
		instead  func(string, []json.RawMessage) (string, bool)
		question string
		says     string
	}{
		"another block":            {other("chain_getBlock", quoted(8)), "/blocks/7", "the response is for a different block: the node's header has the hash " + n.best[8]},
		"another header":           {other("chain_getHeader", quoted(8)), "/blocks/7", "the response is for a different block"},
		"another header by hash":   {other("chain_getHeader", quoted(8)), "/blocks/" + n.best[7] + "/header", "the response is for a different block"},
		"hashes of other heights":  {hashes(func(height int) int { return height + 1 }), "/blocks/7", "block 7: the response is for a different block: the node returned " + n.best[8] + ", whose header states block 8"},
		"the state of another":     {other("state_queryStorageAt", "", quoted(8)), "/blocks/7", "malformed storage: changes: want those of block " + n.best[7]},
		"a list that is too short": {refusing("chain_getBlockHash", `"result":[]`), "/blocks/7", "malformed list of block hashes: hashes: 0 for 3 heights"},
		"no hash of a final block": {hashes(func(int) int { return 9999 }), "/blocks/7", "the node returned none for block 7, although block 300 is final"},
		"no changes":               {refusing("state_queryStorageAt", `"result":[]`), "/blocks/7", "malformed storage"},
		"no hex":                   {refusing("chain_getBlockHash", `"result":["0xz"]`), "/blocks/7", "malformed list of block hashes"},
		"null for events": {func(m string, params []json.RawMessage) (string, bool) {
			if len(params) < 2 {
				return "", false
			}
			return fmt.Sprintf(`"result":[{"block":%s,"changes":[[%s,null]]}]`, params[1], strings.Trim(string(params[0]), "[]")), m == "state_queryStorageAt"
		}, "/blocks/7", "the node has no events of block 7, although"},
		"a runtime without a name":       {refusing("state_getRuntimeVersion", `"result":{"specVersion":1}`), "/blocks/7", "malformed runtime version: it has no specName"},
		"a runtime that is not its own":  {refusing("state_getRuntimeVersion", `"result":{"specName":"moonbeam","specVersion":2500}`), "/blocks/7", "malformed metadata: block 6: they belong to runtime moonbeam/2600, but the node reports moonbeam/2500"},
		"metadata that are none":         {refusing("state_getMetadata", `"result":"0x6d6574610e"`), "/blocks/7", "runtime moonbeam/2600: "},
		"null metadata":                  {refusing("state_getMetadata", `"result":null`), "/blocks/7", "malformed metadata: none for block " + n.best[6]},
		"properties that do not come":    {refusing("system_properties", failure(-32603, "no")), "/runtime/spec?at=7", "system_properties: the node refuses: no"},
		"properties that are null":       {refusing("system_properties", `"result":null`), "/runtime/spec?at=7", "malformed properties of the chain"},
		"a chain type that does not":     {refusing("system_chainType", failure(-32603, "no")), "/runtime/spec?at=7", "system_chainType: the node refuses: no"},
		"a digest that is cut":           {refusing("chain_getHeader", `"result":{"number":"0x1","parentHash":`+quoted(1)+`,"stateRoot":`+quoted(1)+`,"extrinsicsRoot":`+quoted(1)+`,"digest":{"logs":["0x1"]}}`), "/blocks/" + n.best[7] + "/header", "malformed header"},
		"a head that does not come":      {refusing("chain_getFinalizedHead", failure(-32603, "no")), "/blocks/head", "chain_getFinalizedHead: the node refuses: no"},
		"a name that is none":            {refusing("system_chain", `"result":7`), "/node/version", "system_chain: the node answered 7, want a string"},
		"a version without implName":     {refusing("state_getRuntimeVersion", `"result":{}`), "/node/version", "no implName"},
		"a newest header that is broken": {refusing("chain_getHeader", `"result":{}`), "/blocks/head?finalized=false", "malformed header"},
	} {
		t.Run(name, func(t *testing.T) {
			n.set(func() { n.instead = c.instead })
			g := n.gateway(t)
			_, err := g.Get(t.Context(), c.question)
			require.ErrorContains(t, err, c.says)
			n.set(func() { n.instead = nil })
			answer(t, g, "%s", c.question)
			require.Equal(t, n.wanted(t, 7), answer(t, g, "/blocks/7"))
		})
	}
}

// Where hashes other than the one that was asked for prove wrong later, all are asked for
// again.
func TestOneWrongHashOfMany(t *testing.T) {
	n := makeChain(t, 40)
	g := n.gateway(t)
	n.instead = func(m string, params []json.RawMessage) (string, bool) {
		if m != "chain_getBlockHash" {
			return "", false
		}
		text := n.answer(m, params)
		return strings.Replace(text, n.best[9], n.best[10], 1), true
	}
	require.Equal(t, n.wanted(t, 7), answer(t, g, "/blocks/7"))
	for _, question := range []string{"/blocks/9", "/blocks/9/header"} {
		_, err := g.Get(t.Context(), question)
		require.ErrorIs(t, err, chain.ErrWrongBlock)
	}
	n.set(func() { n.instead = nil })
	_, err := g.Get(t.Context(), "/blocks/9")
	if err != nil { // what was remembered before is forgotten by now
		require.ErrorIs(t, err, chain.ErrWrongBlock)
	}
	require.Equal(t, n.wanted(t, 9), answer(t, g, "/blocks/9"))
}

// A runtime that comes, goes and comes again is none of a chain's.
func TestRuntimesThatContradict(t *testing.T) {
	n := makeChain(t, 2500)
	n.version = func(height int) uint32 {
		if height == 1200 {
			return recordedVersion + 1
		}
		return recordedVersion
	}
	g := n.gateway(t)
	answer(t, g, "/runtime/spec?at=100")
	answer(t, g, "/runtime/spec?at=2400")
	require.Contains(t, answer(t, g, "/runtime/spec?at=1200"), `"specVersion":"2600"`, "which was not requested")

	_, err := n.gateway(t).Get(t.Context(), "/runtime/spec?at=1200")
	require.ErrorContains(t, err, "a chain does not return to a runtime")
}
