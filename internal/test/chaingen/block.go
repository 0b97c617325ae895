package chaingen

import (
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/render"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/test/trietest"
)

// body is a block as stored by a node, with the parts of its state.
type body struct {
	height     uint64
	hash       chain.Hash
	header     render.Header
	extrinsics [][]byte
	events     []byte // System.Events, nil if nothing is stored
	weights    weights
	multiplier uint64 // that it stored
	balances   *balances
	trie       *trietest.Trie // of the state, nil if the chain is not rooted
}

// body returns the block at a height.
func (c *Chain) body(height uint64) *body {
	if b := c.bodies[height%c.options.Cached].Load(); b != nil && b.height == height {
		return b
	}
	return c.make(height, c.state(max(height, 1)-1))
}

// make generates the block at a height from the state before it.
func (c *Chain) make(height uint64, before state) *body {
	b := &body{height: height, multiplier: before.multiplier, balances: before.balances}
	var ethereum []chain.Hash
	if height > 0 {
		ethereum = c.fill(b, before)
		b.multiplier = nextMultiplier(before.multiplier, b.weights[normal].refTime, c.network.NormalRefTime)
	}
	b.header = c.header(height, before.hash, ethereum)
	b.header.ExtrinsicsRoot = extrinsicsRoot(b.extrinsics)
	if c.options.Rooted {
		b.trie = c.trie(b) // contains the parent's hash
		b.header.StateRoot = b.trie.Root()
	}
	b.hash = hashOf(&b.header)
	c.bodies[height%c.options.Cached].Store(b)
	return b
}

// The size of the extrinsics and of the events of most blocks.
const (
	usualExtrinsics = 6 << 10
	usualEvents     = 5 << 10
)

// fill generates a block's extrinsics and events. It returns the hashes of its EVM transactions.
func (c *Chain) fill(b *body, before state) (ethereum []chain.Hash) {
	runtime := c.executing(b.height)
	e := newEvents(runtime, c.changing(before.balances))
	x := &extrinsics{writer: writer{make([]byte, 0, usualExtrinsics)}, runtime: runtime, ends: make([]int, 0, 4+maxTransactions)}
	e.during(initializing)
	c.writeRewards(e, b.height)
	c.writeInherents(x, e, b.height)
	var sign func(*account, []byte) []byte
	if c.options.Signed && !c.options.UnsignedNatives {
		sign = c.signNative
	}
	drawn, n := c.transactions(b.height)
	split := c.split(b.height)
	for i := range drawn[:n] {
		t := &drawn[i]
		sender, nonce := c.sender(before.transactions + uint64(i))
		e.during(applying, uint64(len(x.ends)))
		e.sent(sender, nonce)
		if t.kind.evm() {
			made := c.evm(b.height, i, t, sender, nonce, c.baseFee(before), split)
			made.writeCall(x)
			made.writeEvents(e)
			ethereum = append(ethereum, made.hash)
		} else {
			made := c.native(b.height, i, t, sender, nonce, split)
			made.writeCall(x, sign)
			made.charge(x.length(), before.multiplier)
			made.writeEvents(e)
		}
	}
	e.during(finalizing)
	c.writeMessages(e, b.height)
	b.extrinsics = x.list()
	b.events = e.list()
	b.weights = e.weights
	if e.changing != nil {
		b.balances = &e.balances
	}
	return ethereum
}

// extrinsics are a block's extrinsics, concatenated.
type extrinsics struct {
	writer
	runtime *runtime
	began   int
	ends    []int
}

// begin starts an extrinsic; end inserts its length.
func (x *extrinsics) begin() { x.began = len(x.b) }

// call writes the index of a call.
func (x *extrinsics) call(name string) {
	i := index(x.runtime.calls, name)
	x.raw(i[:]...)
}

// end inserts the length before the extrinsic.
func (x *extrinsics) end() {
	var room [8]byte
	prefix := scale.AppendCompact(room[:0], uint64(len(x.b)-x.began))
	x.raw(prefix...)
	copy(x.b[x.began+len(prefix):], x.b[x.began:])
	copy(x.b[x.began:], prefix)
	x.ends = append(x.ends, len(x.b))
}

// length returns the length of the last one.
func (x *extrinsics) length() uint64 { return uint64(len(x.b) - x.began) }

func (x *extrinsics) list() [][]byte {
	list, from := make([][]byte, len(x.ends)), 0
	for i, end := range x.ends {
		list[i] = x.b[from:end:end]
		from = end
	}
	return list
}

// Versions of an extrinsic, the first byte after its length.
const unsigned, signed = 4, 0x84

// header returns the header of the block at a height, without the extrinsics root. Its state root is a seeded
// word.
func (c *Chain) header(height uint64, parent chain.Hash, ethereum []chain.Hash) (h render.Header) {
	h.Number, h.ParentHash = height, parent
	if height == 0 {
		h.ParentHash = parentOfGenesis
	} else {
		h.Logs = c.logs(height, ethereum)
	}
	state := c.random(forStateRoot, height)
	h.StateRoot = state.word()
	return h
}

// hashOf returns a block's hash: that of its encoded header.
func hashOf(h *render.Header) chain.Hash {
	var room [1 << 10]byte
	w := writer{room[:0]}
	w.hash(h.ParentHash)
	w.compact(h.Number)
	w.hash(h.StateRoot)
	w.hash(h.ExtrinsicsRoot)
	w.compact(uint64(len(h.Logs)))
	for _, log := range h.Logs {
		w.raw(log...)
	}
	return blake2b.Sum256(w.b)
}

// environmentUpdated is the digest item of a block with a new runtime.
const environmentUpdated = 8

// logs returns the items of a header's digest: that of Nimbus, with the author's key, and that of Frontier,
// with the hashes of the Ethereum block and of its transactions.
func (c *Chain) logs(height uint64, ethereum []chain.Hash) [][]byte {
	key, r := c.nimbusKey(height), c.random(forBlockHash, ^height)
	of := c.random(forAccount, key.id+1<<32)
	rest := of.word()
	const keySize = 32
	w := writer{make([]byte, 0, 5+1+keySize+5+4+1+32+4+32*len(ethereum))}
	w.raw(6, 'n', 'm', 'b', 's', keySize<<2)
	w.account(key)
	w.raw(rest[:keySize-key.address.Size()]...)
	first := len(w.b)
	size := 1 + 32 + len(scale.AppendCompact(nil, uint64(len(ethereum)))) + 32*len(ethereum)
	w.raw(4, 'f', 'r', 'o', 'n')
	w.compact(uint64(size))
	w.raw(1)
	w.hash(r.word())
	w.compact(uint64(len(ethereum)))
	for _, h := range ethereum {
		w.hash(h)
	}
	list := append(make([][]byte, 0, 3), w.b[:first:first], w.b[first:])
	if height == c.options.Upgrade {
		list = append(list, []byte{environmentUpdated})
	}
	return list
}

// ethereumHash returns the hash of an unsigned EVM transaction.
func (c *Chain) ethereumHash(height uint64, i int) chain.Hash {
	r := c.random(forEthereumHash, height<<4|uint64(i))
	return r.word()
}
