package gateway_test

import (
	"encoding/hex"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
)

// rootedPair is a recorded chain with new headers, and what took the place of what:
// the hashes and the state roots.
func rootedPair(t *testing.T, name string, layout int) (node *rpc.Client, hashes []chain.Hash, renamed *strings.Replacer) {
	_, recorded := served(t, name, "http")
	rooted := nodetest.OpenPair(t, name)
	require.NoError(t, rooted.Root(layout))
	was, node := clientOf(t, recorded), clientOf(t, rooted)
	head, err := node.Header(t.Context(), chain.Optional[chain.Hash]{})
	require.NoError(t, err)
	var instead []string
	for height := range head.Number + 1 {
		var hash [2]chain.Hash
		var said [2]rpc.Header
		for i, client := range []*rpc.Client{was, node} {
			hash[i], err = client.BlockHash(t.Context(), height)
			require.NoError(t, err)
			said[i] = hashedHeader(t, client, hash[i])
			b, err := client.Block(t.Context(), chain.Some(hash[i]))
			require.NoError(t, err)
			require.Equal(t, said[i].Header, b.Header.Header)
		}
		require.NotEqual(t, hash[0], hash[1])
		require.Equal(t, said[0].ExtrinsicsRoot, said[1].ExtrinsicsRoot, "a real runtime made it")
		require.NotEqual(t, said[0].StateRoot, said[1].StateRoot)
		if height > 0 {
			require.Equal(t, hashes[height-1], said[1].ParentHash)
		}
		instead = append(instead, hash[0].String(), hash[1].String(), said[0].StateRoot.String(), said[1].StateRoot.String())
		hashes = append(hashes, hash[1])
	}
	return node, hashes, strings.NewReplacer(instead...)
}

// hashedHeader is the header that a node has by a hash, which truly is the header's.
func hashedHeader(t *testing.T, node *rpc.Client, hash chain.Hash) rpc.Header {
	h, err := node.Header(t.Context(), chain.Some(hash))
	require.NoError(t, err)
	require.Equal(t, hash, h.Header.Hash())
	return h
}

func clientOf(t *testing.T, node *nodetest.Node) *rpc.Client {
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	client, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

var pairNames = pairs.RealRuntimes

// A recorded chain with true roots has the blocks and states that were recorded. Nothing but
// hashes and state roots is another.
func TestRootedPairsAreTheRecordedOnes(t *testing.T) {
	for layout, name := range pairNames {
		node, _, renamed := rootedPair(t, name, layout%2)
		g := gateway.New(node)
		dir := pairs.Path(t, name, "gateway")
		count := 0
		for kind, question := range map[string]string{
			"blocks": "/blocks/HEIGHT", "headers": "/blocks/HEIGHT/header", "runtime-spec": "/runtime/spec?at=HEIGHT",
			"multiplier":     "/pallets/transaction-payment/storage/nextFeeMultiplier?at=HEIGHT",
			"block-weight":   "/pallets/system/storage/blockWeight?at=HEIGHT",
			"parameters":     "/pallets/parameters/storage/parameters?keys%5B%5D=0x0004&at=HEIGHT",
			"balance-info/*": "/accounts/ACCOUNT/balance-info?at=HEIGHT",
		} {
			files, err := filepath.Glob(filepath.Join(dir, kind, "*.json"))
			require.NoError(t, err)
			for _, file := range files {
				height, folder := strings.TrimSuffix(filepath.Base(file), ".json"), filepath.Base(filepath.Dir(file))
				asked := strings.NewReplacer("HEIGHT", height, "ACCOUNT", folder).Replace(question)
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				have, err := g.Get(t.Context(), asked)
				require.NoError(t, err, asked)
				require.Equal(t, renamed.Replace(string(want)), have, asked)
				count++
			}
		}
		t.Log(name, count, "answers")
		require.Greater(t, count, 300)
	}
}

// Each value from the node of a recorded chain is proved against its header's root, in
// both layouts, and each key that has nothing is proved to have nothing.
func TestRootedPairsAreProved(t *testing.T) {
	for _, name := range tier.Some(1, pairNames) {
		for layout := range 2 {
			node, hashes, _ := rootedPair(t, name, layout)
			keys, values, absent := recordedKeys(t, name, len(hashes)), 0, 0
			for height, hash := range hashes {
				h := hashedHeader(t, node, hash)
				stored, err := node.Storage(t.Context(), hash, keys...)
				require.NoError(t, err)
				var names []string
				for _, key := range keys {
					names = append(names, "0x"+hex.EncodeToString(key))
				}
				proof, err := node.Call(t.Context(), "state_getReadProof", names, hash)
				require.NoError(t, err)
				at, _ := proof.Member("at").Text()
				require.Equal(t, hash.String(), at)
				p, err := trie.ParseProof(proof.Raw())
				require.NoError(t, err)
				for i, key := range keys {
					value, has, err := p.Value(trie.Hash(h.StateRoot), key)
					require.NoError(t, err, "%s, block %d, %x", name, height, key)
					require.Equal(t, stored[i] != nil, has, "%s, block %d, %x", name, height, key)
					if has {
						require.Equal(t, stored[i], value)
						values++
					} else {
						absent++
					}
				}
				size, err := node.Call(t.Context(), "state_getStorageSize", "0x3a636f6465", hash)
				require.NoError(t, err)
				require.Equal(t, "4096", size.Raw())
				sum, err := node.Call(t.Context(), "state_getStorageHash", "0x3a636f6465", hash)
				require.NoError(t, err)
				code := blake2b.Sum256(stored[len(stored)-1])
				require.Equal(t, strconv.Quote("0x"+hex.EncodeToString(code[:])), sum.Raw())
			}
			t.Log(name, layout, values, "values", absent, "absent")
			require.Greater(t, values, 500)
			require.Greater(t, absent, 100)
			runtime, err := node.Call(t.Context(), "state_getRuntimeVersion", hashes[3])
			require.NoError(t, err)
			require.Equal(t, []string{"0", "1"}[layout], runtime.Member("stateVersion").Raw())
		}
	}
}

// recordedKeys are the keys that were recorded of a pair at each of so many heights, and the
// code's.
func recordedKeys(t *testing.T, name string, heights int) (keys [][]byte) {
	text, err := os.ReadFile(pairs.Path(t, name, "node", "state_getStorage.json"))
	require.NoError(t, err)
	var recorded map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &recorded))
	times := map[string]int{}
	for params := range recorded {
		var of []string
		require.NoError(t, json.Unmarshal([]byte(params), &of))
		times[of[0]]++
	}
	for key, n := range times {
		if n >= heights { // some were asked for at a few
			keys = append(keys, hexOf(t, key))
		}
	}
	return append(keys, []byte(":code"))
}

// A mill of such a chain has roots that are true, too: those of the blocks that it is made of.
func TestMillOfARootedPairIsProved(t *testing.T) {
	_, recorded := served(t, "moonbeam-2600", "http")
	require.NoError(t, recorded.Root(1))
	require.NoError(t, recorded.Mill(100))
	require.ErrorContains(t, recorded.Root(1), "before")
	node := clientOf(t, recorded)
	events := "0x26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7"
	for height := range uint64(101) {
		hash, err := node.BlockHash(t.Context(), height)
		require.NoError(t, err)
		h := hashedHeader(t, node, hash)
		extrinsics, err := node.Extrinsics(t.Context(), hash)
		require.NoError(t, err)
		require.Equal(t, trie.Hash(h.ExtrinsicsRoot), trie.ListRoot(extrinsics, trie.Layout0))
		stored, err := node.Storage(t.Context(), hash, hexOf(t, events))
		require.NoError(t, err)
		proof, err := node.Call(t.Context(), "state_getReadProof", []string{events}, hash)
		require.NoError(t, err)
		p, err := trie.ParseProof(proof.Raw())
		require.NoError(t, err)
		value, _, err := p.Value(trie.Hash(h.StateRoot), hexOf(t, events))
		require.NoError(t, err)
		require.Equal(t, stored[0], value)
	}
}

func hexOf(t *testing.T, text string) []byte {
	b, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	require.NoError(t, err)
	return b
}
