package network_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
)

// Anchors are complete and sorted by height; none is above a chain's end.
func TestAnchors(t *testing.T) {
	one, two := `"hash": "0x`+strings.Repeat("11", 32)+`", "source": "an explorer"`, `"hash": "0x`+strings.Repeat("22", 32)+`", "source": "the auditor"`
	with := func(more string) (network.Tables, error) {
		return network.BuiltIn().With("f.json", []byte(strings.Replace(localTable, `"symbol"`, more+`, "symbol"`, 1)))
	}
	tables, err := with(`"last_block": 7, "anchors": [{"height": 0, ` + one + `}, {"height": 7, ` + two + `}]`)
	require.NoError(t, err)
	n, _ := tables.Named("local")
	require.Len(t, n.Anchors, 2)
	require.Equal(t, "an explorer", n.Anchors[0].Source)
	require.Equal(t, uint64(7), n.Anchors[1].Height)
	require.Equal(t, "0x"+strings.Repeat("22", 32), n.Anchors[1].Hash.String())
	require.Equal(t, []chain.Anchor{n.Anchors[0].Anchor, n.Anchors[1].Anchor}, tables.Anchors("LOCAL"))
	require.Empty(t, tables.Anchors("other"))
	for more, want := range map[string]string{
		`"anchors": [{"height": 7, "source": "an explorer"}]`:                      "anchors: block 7: want height, hash and source",
		`"anchors": [{"height": 7, "hash": "0x` + strings.Repeat("11", 32) + `"}]`: "anchors: block 7: want height, hash and source",
		`"anchors": [{"height": 7, ` + one + `}, {"height": 7, ` + two + `}]`:      "anchors: block 7: want ascending heights",
		`"anchors": [{"height": 7, ` + one + `}, {"height": 6, ` + two + `}]`:      "anchors: block 6: want ascending heights",
		`"last_block": 6, "anchors": [{"height": 7, ` + one + `}]`:                 "anchors: block 7: the chain ended at block 6",
		`"anchors": [{"height": 7, "hash": "0x11", "source": "an explorer"}]`:      "is not a hash",
		`"anchors": [{"height": 7, "number": 7}]`:                                  `unknown field "number"`,
	} {
		_, err := with(more)
		require.ErrorContains(t, err, want)
	}
}

// A chain that has ended is identified by its last block. Moonbeam's is from a public proof, which is not part
// of this repository.
func TestBuiltInAnchors(t *testing.T) {
	for _, n := range network.BuiltIn().All() {
		if n.LastBlock != nil {
			require.NotEmpty(t, n.Anchors, n.Name)
			require.Equal(t, *n.LastBlock, n.Anchors[len(n.Anchors)-1].Height, n.Name)
		}
	}
	text, err := os.ReadFile(repository.Shared(t, "realnet", "moonbeam-16796696-total-supply-proof.json"))
	require.NoError(t, err)
	var c struct {
		Block     uint64 `json:",string"`
		BlockHash chain.Hash
	}
	require.NoError(t, json.Unmarshal(text, &c))
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	require.Equal(t, c.Block, moonbeam.Anchors[0].Height)
	require.Equal(t, c.BlockHash, moonbeam.Anchors[0].Hash)
}

// A chain that has ended has a last block, which may have a source; a source without it is an error.
func TestLastBlock(t *testing.T) {
	with := func(more string) (network.Tables, error) {
		return network.BuiltIn().With("f.json", []byte(strings.Replace(localTable, `"symbol"`, more+`"symbol"`, 1)))
	}
	for more, want := range map[string]string{
		`"last_block": 0, "sources": {"last_block": "the chain's own"}, `:                    "0",
		`"last_block": 18446744073709551615, "sources": {"last_block": "the chain's own"}, `: "18446744073709551615",
		`"last_block": 7, `: "7",
		``:                  "none",
	} {
		tables, err := with(more)
		require.NoError(t, err, more)
		n, _ := tables.Named("local")
		have := "none"
		if n.LastBlock != nil {
			have = fmt.Sprint(*n.LastBlock)
			rules, err := n.Rules(10)
			require.NoError(t, err)
			require.True(t, rules.Ends(*n.LastBlock))
			require.False(t, rules.Ends(*n.LastBlock-1) && *n.LastBlock > 0)
		}
		require.Equal(t, want, have)
		if strings.Contains(more, "sources") {
			require.Equal(t, "the chain's own", n.Sources["last_block"])
		}
	}
	for more, want := range map[string]string{
		`"sources": {"last_block": "the chain's own"}, `:   `network 1 "local": sources: "last_block": want the name of a figure of the network, such as treasury`,
		`"last_block": 7, "sources": {"last_block": ""}, `: `network 1 "local": sources: "last_block": want the name of a figure of the network, such as treasury`,
	} {
		_, err := with(more)
		require.EqualError(t, err, want)
	}
	_, err := with(`"last_block": -1, `)
	require.ErrorContains(t, err, "last_block")
	// Every figure of a built-in network has its source.
	for _, n := range network.BuiltIn().All() {
		require.Equal(t, n.LastBlock != nil, n.Sources["last_block"] != "", n.Name)
		require.Equal(t, n.Treasury != nil, n.Sources["treasury"] != "", n.Name)
	}
}
