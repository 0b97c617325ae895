package chaingen

import (
	"encoding/hex"
	"encoding/json"
	"strconv"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/internal/test/trietest"
)

// extrinsicsRoot returns the root of the trie of a block's extrinsics, by index. Runtimes use layout 0 for it,
// whatever the layout of their state.
func extrinsicsRoot(list [][]byte) chain.Hash {
	t := trietest.New(0)
	for i, x := range list {
		t.Set(scale.AppendCompact(nil, uint64(i)), x)
	}
	return t.Root()
}

// The constant part of a state, which makes proofs as deep as those of a real chain.
const (
	holders  = 300     // accounts that are in no event
	codeSize = 4 << 10 // placeholder for a runtime's code
)

var codeKey = []byte(":code")

// versionName is the hash of :__STORAGE_VERSION__:, below which each pallet has the number of
// its layout.
const versionName = "4e7b9012096b41c4eb3aaf947f6ea429"

// ground is the common part of the states of blocks that a runtime executed.
type ground struct {
	trie     *trietest.Trie
	accounts [followed]string // keys of System.Account for the followed accounts
	empty    map[string]bool  // keys without a value: the locks of all known accounts
}

// newGround returns it: each trie has the layout of the runtime that executed the block.
func (c *Chain) newGround(r *runtime) *ground {
	g := &ground{trie: trietest.New(r.stateVersion()), empty: map[string]bool{}}
	places := func(a chain.Address) (own []byte) {
		question, err := r.decoder.Balance(a)
		must(err)
		own, locks := question.Places()
		g.empty[string(locks)] = true
		return own
	}
	for i, a := range c.Accounts() {
		g.accounts[i] = string(places(a))
	}
	for id := range uint64(holders) {
		a := c.account(firstHolder + id)
		of := c.random(forHolder, id)
		b := balance{nonce: of.below(1000), free: amount{low: of.next()}}
		g.trie.Set(places(a.address), b.encode())
	}
	name, err := hex.DecodeString(versionName)
	must(err)
	for i, pallet := range r.pallets {
		g.trie.Set(append([]byte(pallet), name...), []byte{byte(i % 8), 0})
	}
	g.trie.Set(codeKey, c.code(r))
	g.trie.Root() // so that it is safe for concurrent reads
	return g
}

// code returns a placeholder for a runtime's code.
func (c *Chain) code(r *runtime) []byte {
	code := make([]byte, codeSize)
	of := c.random(forCode, uint64(r.version))
	of.fill(code)
	return code
}

// ground returns that of a block.
func (c *Chain) ground(height uint64) *ground {
	if c.executing(height).version == FirstRuntime {
		return c.grounds[0]()
	}
	return c.grounds[1]()
}

// trie returns the state after a block.
func (c *Chain) trie(b *body) *trietest.Trie {
	g := c.ground(b.height)
	t := g.trie.Clone()
	for _, s := range c.storage(b) {
		if s.value != nil {
			t.Set([]byte(s.key), s.value)
		}
	}
	for i, place := range g.accounts {
		t.Set([]byte(place), b.balances[i].encode())
	}
	if left := c.runtimeAt(b.height); left != c.executing(b.height) {
		t.Set(codeKey, c.code(left))
	}
	return t
}

// nodeProof implements state_getReadProof, for any keys, including those that the node does not otherwise
// serve. The trie is complete: a key that is not in it has no value.
func (c *Chain) nodeProof(b *body, params []json.RawMessage) ([]byte, error) {
	var names []string
	if err := json.Unmarshal(params[0], &names); err != nil {
		return nil, rpcserver.InvalidParams
	}
	keys := make([][]byte, len(names))
	for i, name := range names {
		key, err := parseKey(name)
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	to := appendQuotedHex([]byte(`{"at":`), b.hash[:])
	return append(appendList(append(to, `,"proof":`...), b.trie.Proof(keys...)), '}'), nil
}

// nodeStorageHash and nodeStorageSize describe a value without returning it.
func (c *Chain) nodeStorageHash(b *body, params []json.RawMessage) ([]byte, error) {
	return c.ofStored(b, params, func(value []byte) []byte {
		hash := blake2b.Sum256(value)
		return appendQuotedHex(nil, hash[:])
	})
}

func (c *Chain) nodeStorageSize(b *body, params []json.RawMessage) ([]byte, error) {
	return c.ofStored(b, params, func(value []byte) []byte { return strconv.AppendInt(nil, int64(len(value)), 10) })
}

func (c *Chain) ofStored(b *body, params []json.RawMessage, answer func(value []byte) []byte) ([]byte, error) {
	var name string
	if err := json.Unmarshal(params[0], &name); err != nil {
		return nil, rpcserver.InvalidParams
	}
	value, err := c.storedAt(b, name)
	if value == nil || err != nil {
		return null, err
	}
	return answer(value), nil
}
