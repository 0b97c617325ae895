package chaingen_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/trie"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/source"
)

// Keys of the state, as real nodes have them.
var (
	eventsKey     = "26aa394eea5630e07c48ae0c9558cef780d41e5e16056765bc8461851072c9d7"
	parentKey     = "26aa394eea5630e07c48ae0c9558cef78a42f33323cb5ced3b44dd825fda9fcc"
	timeKey       = "f0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"
	upgradeKey    = "26aa394eea5630e07c48ae0c9558cef7f9cce9c888469bb1a0dceaa129672ef8"
	multiplierKey = "3f1467a096bcd71a5b6a0c8155e208103f2edf3bdf381debe331ab7446addfdc"
	codeKey       = hex.EncodeToString([]byte(":code"))
	versionKey    = "26aa394eea5630e07c48ae0c9558cef74e7b9012096b41c4eb3aaf947f6ea429" // of the pallet System
)

// accountKey returns the key of an account in System.Account: the hash of its address, then the address.
func accountKey(t testing.TB, a chain.Address) string {
	of, err := blake2b.New(16, nil)
	require.NoError(t, err)
	of.Write(a.Bytes())
	return "26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9" + hex.EncodeToString(of.Sum(nil)) + hex.EncodeToString(a.Bytes())
}

// stateKeys are keys at which a rooted chain's state has a value, and absent ones without: next to the others,
// above and below them, in no pallet, and of an account that the chain does not have.
func stateKeys(t testing.TB, c *chaingen.Chain) (keys, absent []string) {
	keys = []string{eventsKey, parentKey, timeKey, upgradeKey, multiplierKey, codeKey, versionKey}
	for _, a := range c.Accounts() {
		keys = append(keys, accountKey(t, a))
	}
	absent = []string{"", "00", "26", "26aa394eea5630e07c48ae0c9558cef7", eventsKey + "00", codeKey + "00", codeKey[:8], accountKey(t, chain.Address20([20]byte{1, 2, 3}))}
	for _, key := range keys {
		b := hexBytes(t, key)
		b[len(b)-1] ^= 1
		absent = append(absent, hex.EncodeToString(b))
	}
	return keys, absent
}

// asked returns a node's response, without the network.
func asked(t testing.TB, node *rpcserver.Server, method string, to any, params ...any) {
	var list []json.RawMessage
	for _, p := range params {
		text, err := json.Marshal(p)
		require.NoError(t, err)
		list = append(list, text)
	}
	text, err := node.Methods[method](list)
	require.NoError(t, err, method)
	require.NoError(t, json.Unmarshal(text, to))
}

func prefixed(keys ...string) (list []string) {
	for _, key := range keys {
		list = append(list, "0x"+key)
	}
	return list
}

// proofOf returns the node's proof of keys.
func proofOf(t testing.TB, c *chaingen.Chain, node *rpcserver.Server, height uint64, keys ...string) [][]byte {
	var said struct {
		At    string
		Proof []string
	}
	asked(t, node, "state_getReadProof", &said, prefixed(keys...), c.Hash(height).String())
	require.Equal(t, c.Hash(height).String(), said.At)
	var parts [][]byte
	for _, part := range said.Proof {
		parts = append(parts, hexBytes(t, part))
	}
	return parts
}

// headerOf returns the header from the node, after checking its hash.
func headerOf(t testing.TB, c *chaingen.Chain, height uint64) header.Header {
	h, err := sidecar.DecodeHeader(string(c.Header(height)))
	require.NoError(t, err)
	full := header.Header{Header: h}
	var raw struct{ Digest struct{ Logs []string } }
	asked(t, c.Node(), "chain_getHeader", &raw, c.Hash(height).String())
	for _, log := range raw.Digest.Logs {
		full.Logs = append(full.Logs, hexBytes(t, log))
	}
	require.Equal(t, c.Hash(height), full.Hash())
	return full
}

// rooted returns a chain whose state has layout 0 up to block 600, and layout 1 above.
func rooted(head uint64) *chaingen.Chain {
	return chaingen.New(chaingen.Options{Seed: 11, Rooted: true, Head: head, Upgrade: 600})
}

// The node's state at any height is proved by the header's root, and so is the absence of a value, in both
// layouts. The responses do not depend on the order of requests, or on concurrent ones.
func TestStateIsProved(t *testing.T) {
	head, heights := uint64(602), []uint64{0, 1, 2, 299, 300, 598, 599, 600, 601, 602}
	if !testing.Short() {
		head, heights = 2600, append(heights, 999, 1000, 1799, 1800, 1801, 2600)
	}
	proofs := map[uint64][]byte{}
	for order, c := range []*chaingen.Chain{rooted(head), rooted(head)} {
		node := c.Node()
		keys, absent := stateKeys(t, c)
		var asking sync.WaitGroup
		var guard sync.Mutex
		for range 1 + order {
			asking.Go(func() {
				for _, height := range heights {
					root := trie.Hash(headerOf(t, c, height).StateRoot)
					parts := proofOf(t, c, node, height, append(keys, absent...)...)
					p := trie.NewProof(parts)
					for _, key := range keys {
						var said *string
						asked(t, node, "state_getStorage", &said, "0x"+key, c.Hash(height).String())
						value, has, err := p.Value(root, hexBytes(t, key))
						require.NoError(t, err, "block %d, %s", height, key)
						require.Equal(t, said != nil, has, "block %d, %s", height, key)
						require.Equal(t, height == 0 && (key == eventsKey || key == timeKey), !has, "block %d, %s", height, key)
						if has {
							require.Equal(t, hexBytes(t, *said), value)
							alone, has, err := trie.NewProof(proofOf(t, c, node, height, key)).Value(root, hexBytes(t, key))
							require.NoError(t, err)
							require.True(t, has)
							require.Equal(t, value, alone)
						}
					}
					for _, key := range absent {
						_, has, err := p.Value(root, hexBytes(t, key))
						require.NoError(t, err, "block %d, %s", height, key)
						require.False(t, has, "block %d, %s", height, key)
					}
					guard.Lock()
					text := bytes.Join(parts, []byte{0xff})
					if before := proofs[height]; before != nil {
						require.Equal(t, before, text)
					}
					proofs[height] = text
					guard.Unlock()
				}
			})
		}
		asking.Wait()
		slices.Reverse(heights)
	}
}

// A proof with a changed bit, or without a part, proves less, and nothing false. The layout is that of the
// runtime that executed the block.
func TestWrongProofs(t *testing.T) {
	c := rooted(700)
	node := c.Node()
	for height, byHash := range map[uint64]bool{50: false, 600: false, 601: true} {
		root, key := trie.Hash(headerOf(t, c, height).StateRoot), hexBytes(t, eventsKey)
		parts := proofOf(t, c, node, height, eventsKey)
		value, _, err := trie.NewProof(parts).Value(root, key)
		require.NoError(t, err)
		alone := slices.ContainsFunc(parts, func(part []byte) bool { return bytes.Equal(part, value) })
		require.Equal(t, byHash, alone, "block %d: the value stands alone in layout 1", height)
		for i, part := range parts {
			_, has, err := trie.NewProof(slices.Delete(slices.Clone(parts), i, i+1)).Value(root, key)
			require.ErrorIs(t, err, trie.ErrMissing)
			require.False(t, has)
			for bit := 0; bit < 8*len(part); bit += 13 {
				wrong := slices.Clone(parts)
				wrong[i] = slices.Clone(part)
				wrong[i][bit/8] ^= 1 << (bit % 8)
				_, has, err := trie.NewProof(wrong).Value(root, key)
				require.ErrorIs(t, err, trie.ErrMissing)
				require.False(t, has)
			}
		}
		var runtime struct{ StateVersion int }
		asked(t, node, "state_getRuntimeVersion", &runtime, c.Hash(height-1).String())
		require.Equal(t, byHash, runtime.StateVersion == 1)
	}
}

// A chain that is not rooted proves nothing about its state, and serves no balances. A rooted one serves what
// it has, and does not report an unknown account as empty.
func TestWhatIsNotKnown(t *testing.T) {
	plain, c := chaingen.New(chaingen.Options{Seed: 11, Head: 9}), rooted(9)
	require.NotContains(t, plain.Node().Methods, "state_getReadProof")
	require.Empty(t, plain.Accounts())
	unknown := "0x" + accountKey(t, chain.Address20([20]byte{1, 2, 3}))
	treasury := "0x" + accountKey(t, chaingen.Moonbeam().Treasury)
	at := json.RawMessage(`"` + c.Hash(9).String() + `"`)
	_, err := c.Node().Methods["state_getStorage"]([]json.RawMessage{json.RawMessage(`"` + unknown + `"`), at})
	require.ErrorContains(t, err, "chaingen does not know")
	_, err = plain.Node().Methods["state_getStorage"]([]json.RawMessage{json.RawMessage(`"` + treasury + `"`)})
	require.ErrorContains(t, err, "chaingen does not know")
	for _, keys := range []string{`["0xzz"]`, `["12"]`, `"0x12"`} {
		_, err = c.Node().Methods["state_getReadProof"]([]json.RawMessage{json.RawMessage(keys), at})
		require.ErrorIs(t, err, rpcserver.InvalidParams)
	}
	_, url := served(t, c)
	message := askNode(t, url, fmt.Sprintf(`[{"id":1,"method":"state_getReadProof","params":[["0x%s"],"%v"]},{"id":2,"method":"state_getReadProof","params":[["%s"],"%v"]}]`,
		codeKey, c.Hash(3), unknown, c.Hash(4)))
	var both []struct{ Result struct{ At string } }
	require.NoError(t, json.Unmarshal([]byte(message), &both))
	require.Len(t, both, 2)
	require.Equal(t, c.Hash(3).String(), both[0].Result.At)
	require.Equal(t, c.Hash(4).String(), both[1].Result.At)
}

// The code changes with the upgrade; its hash and size are available without it.
func TestCode(t *testing.T) {
	c := rooted(700)
	node := c.Node()
	var hashes []string
	for _, height := range []uint64{0, 599, 600, 700} {
		var code, hash string
		var size int
		asked(t, node, "state_getStorage", &code, "0x"+codeKey, c.Hash(height).String())
		asked(t, node, "state_getStorageHash", &hash, "0x"+codeKey, c.Hash(height).String())
		asked(t, node, "state_getStorageSize", &size, "0x"+codeKey, c.Hash(height).String())
		require.Equal(t, chain.Hash(blake2b.Sum256(hexBytes(t, code))).String(), hash)
		require.Equal(t, len(hexBytes(t, code)), size)
		hashes = append(hashes, hash)
	}
	require.Equal(t, hashes[0], hashes[1])
	require.NotEqual(t, hashes[1], hashes[2])
	require.Equal(t, hashes[2], hashes[3])
}

// The known balances follow from the events, and are the same from the gateway, from the chain itself and from
// the node.
func TestBalancesFollow(t *testing.T) {
	const last = 900
	c := rooted(last)
	src := c.Source()
	gateway := httptest.NewServer(c.Handler())
	defer gateway.Close()
	_, url := served(t, c)
	accounts := c.Accounts()
	require.Equal(t, chaingen.Moonbeam().Treasury, accounts[0])
	before := map[chain.Address]chain.Account{}
	of := func(a chain.Address, height uint64) chain.Account {
		b, err := src.Balance(t.Context(), a, chain.Some(height))
		require.NoError(t, err)
		return b.Value
	}
	changed := map[chain.Address]int{}
	var sequence evidence.Sequence
	var tallies evidence.Tallies
	for height := uint64(0); height <= last; height++ {
		b, rules := decoded(t, c, height), rulesOf(t, c, height)
		var parent chain.Optional[chain.StoredMultiplier]
		if height > 0 {
			parent = stored(t, c, height-1)
		}
		r := evidence.Prove(b, fee.Price(b, &rules, parent), rules, evidence.Options{})
		sequence.Add(b, r)
		for _, a := range accounts {
			after := of(a, height)
			if was := before[a]; height > 0 {
				r.AccountBalance(b, a, was.Balance, after.Balance)
				if was.Balance != after.Balance {
					changed[a]++
				}
				require.GreaterOrEqual(t, after.Nonce.Uint64(), was.Nonce.Uint64())
			}
			before[a] = after
		}
		require.Empty(t, r.Findings, "block %d", height)
		tallies.Add(r.Tallies)
	}
	for _, a := range accounts {
		require.Greater(t, changed[a], 50, a)
	}
	for i, check := range evidence.Checks() {
		if check.ID == "account.balance" {
			require.EqualValues(t, last*len(accounts), tallies[i].Held)
		}
	}
	for _, place := range []string{gateway.URL, url} {
		other := open(t, place).(source.Balances)
		for _, height := range []uint64{0, 1, 599, 600, 601, last} {
			for _, a := range accounts {
				have, err := other.Balance(t.Context(), a, chain.Some(height))
				require.NoError(t, err)
				require.Equal(t, of(a, height), have.Value, "%s, block %d", place, height)
			}
		}
		_, err := other.Balance(t.Context(), chain.Address20([20]byte{1, 2, 3}), chain.Some(uint64(5)))
		require.Error(t, err)
	}
}

// A rooted chain is verified like any other.
func TestRootedBlocksAreProved(t *testing.T) {
	c := rooted(700)
	tallies := proveBlocks(t, c, 0, 650, evidence.Options{})
	requireMade(t, tallies, append(withSignatures, notMade...)...)
}
