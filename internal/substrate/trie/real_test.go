package trie_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/internal/test/trietest"
)

type recordedProof struct{ StateRoot, StorageKey, StorageValue string }

// openRealProof returns a proof of Moonbeam's last block, 16796696, from a node of the real chain. It is
// public, and not a part of this repository.
func openRealProof(t *testing.T) (root trie.Hash, key, value []byte, nodes [][]byte) {
	text, err := os.ReadFile(repository.Shared(t, "realnet", "moonbeam-16796696-total-supply-proof.json"))
	require.NoError(t, err)
	var c struct {
		recordedProof
		Proof []string
	}
	require.NoError(t, json.Unmarshal(text, &c))
	for _, node := range c.Proof {
		nodes = append(nodes, unhex(t, node))
	}
	require.Len(t, nodes, 14)
	p, err := trie.ParseProof(string(text))
	require.NoError(t, err)
	requireAnswer(t, p, trie.Hash(unhex(t, c.StateRoot)), unhex(t, c.StorageKey), unhex(t, c.StorageValue))
	return trie.Hash(unhex(t, c.StateRoot)), unhex(t, c.StorageKey), unhex(t, c.StorageValue), nodes
}

// The real proof yields the value. With any changed bit of a node or the root it is rejected; with any changed
// bit of the key there is no value.
func TestRealProof(t *testing.T) {
	root, key, value, nodes := openRealProof(t)
	requireAnswer(t, trie.NewProof(nodes), root, key, value)
	refused := func(what string, p *trie.Proof, root trie.Hash) {
		have, has, err := p.Value(root, key)
		require.ErrorIs(t, err, trie.ErrMissing, what)
		require.False(t, has, what)
		require.Nil(t, have, what)
	}
	for i, node := range nodes {
		refused("dropped", trie.NewProof(slices.Delete(slices.Clone(nodes), i, i+1)), root)
		changed := slices.Clone(nodes)
		for bit := range 8 * len(node) {
			changed[i] = flipped(node, bit)
			refused("a bit of a node", trie.NewProof(changed), root)
		}
	}
	p := trie.NewProof(nodes)
	for bit := range 8 * len(root) {
		refused("a bit of the root", p, trie.Hash(flipped(root[:], bit)))
	}
	absent := 0
	for bit := range 8 * len(key) {
		_, has, err := p.Value(root, flipped(key, bit))
		require.False(t, has)
		if err == nil {
			absent++
		} else {
			require.ErrorIs(t, err, trie.ErrMissing)
		}
	}
	require.Positive(t, absent, "some keys are known to have nothing")
	require.Less(t, absent, 8*len(key), "of others the proof tells nothing")
}

// The extrinsics root of each block of five chains is that of its extrinsics, as computed by real runtimes, in
// layout 0: even if the state has layout 1. (The state roots there are a simulator's.)
func TestExtrinsicsRoots(t *testing.T) {
	blocks := 0
	for _, name := range pairs.RealRuntimes {
		text, err := os.ReadFile(pairs.Path(t, name, "node/chain_getBlock.json"))
		require.NoError(t, err)
		var answers map[string]struct {
			Result struct {
				Block struct {
					Header     struct{ Number, ExtrinsicsRoot string }
					Extrinsics []string
				}
			}
		}
		require.NoError(t, json.Unmarshal(text, &answers))
		for _, answer := range answers {
			b, built := answer.Result.Block, trietest.New(0)
			var list [][]byte
			for i, x := range b.Extrinsics {
				list = append(list, unhex(t, x))
				built.Set(placeKey(i), list[i])
			}
			root := trie.ListRoot(list, trie.Layout0)
			require.Equal(t, unhex(t, b.Header.ExtrinsicsRoot), root[:], "%s, block %s", name, b.Header.Number)
			for i := range list {
				requireAnswer(t, trie.NewProof(built.Proof(placeKey(i))), root, placeKey(i), list[i])
			}
			requireAnswer(t, trie.NewProof(built.Proof(placeKey(len(list)))), root, placeKey(len(list)), nil)
			if len(list) > 1 {
				list[0], list[1] = list[1], list[0]
				require.NotEqual(t, root, trie.ListRoot(list, trie.Layout0), "the order counts")
			}
			blocks++
		}
	}
	t.Log(blocks, "blocks")
	require.Greater(t, blocks, 130)
}

// A recorded block has a proof of the relay chain's state in its setValidationData, created by the code of
// collators. It contains the relay chain's configuration.
func TestProofInARecordedBlock(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/recordings/moonbeam-2100/blocks/1.json")
	require.NoError(t, err)
	var b struct {
		Extrinsics []struct {
			Args struct {
				Data struct {
					ValidationData  struct{ RelayParentStorageRoot string }
					RelayChainState struct{ TrieNodes []string }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &b))
	data := b.Extrinsics[1].Args.Data
	nodes, err := json.Marshal(data.RelayChainState.TrieNodes)
	require.NoError(t, err)
	p, err := trie.ParseProof(string(nodes))
	require.NoError(t, err)
	root := trie.Hash(unhex(t, data.ValidationData.RelayParentStorageRoot))

	// twox128("Configuration") ++ twox128("ActiveConfig"), whose last 31 nibbles are a leaf's
	key := unhex(t, "06de3d8a54d27e44a9d5ce189618f22db4b49d95320d9021994c850f25b8e385")
	i := slices.IndexFunc(data.RelayChainState.TrieNodes, func(node string) bool { return strings.HasPrefix(node, "0x5f04b49d95320d9021994c850f25b8e385f902") })
	require.GreaterOrEqual(t, i, 0)
	value := unhex(t, strings.TrimPrefix(data.RelayChainState.TrieNodes[i], "0x5f04b49d95320d9021994c850f25b8e385f902"))
	require.Len(t, value, 0x2f9>>2)
	requireAnswer(t, p, root, key, value)
	for bit := range 8 * len(key) {
		_, has, _ := p.Value(root, flipped(key, bit))
		require.False(t, has)
	}
}
