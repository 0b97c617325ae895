package chaingen

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/test/rpcserver"
)

// stored is an item of the state after a block. Its value is nil if nothing is stored.
type stored struct {
	key   string // the storage key
	value []byte
}

// kept are the generated items of the state.
var kept = []struct {
	pallet, name string
	value        func(*Chain, *body) []byte
}{
	{"System", "Events", func(_ *Chain, b *body) []byte { return b.events }},
	{"System", "Number", func(_ *Chain, b *body) []byte { return number(b.height) }},
	{"System", "ParentHash", func(_ *Chain, b *body) []byte { return b.header.ParentHash[:] }},
	{"System", "BlockWeight", func(_ *Chain, b *body) []byte { return b.weights.encode() }},
	{"System", "LastRuntimeUpgrade", (*Chain).lastUpgrade},
	{"Timestamp", "Now", now},
	{"TransactionPayment", "NextFeeMultiplier", func(_ *Chain, b *body) []byte {
		var w writer
		w.coins(wei(b.multiplier))
		return w.b
	}},
	{"AuthorInherent", "Author", func(c *Chain, b *body) []byte { return c.author(b.height).address.Bytes() }},
}

// storage returns the generated part of the state after a block.
func (c *Chain) storage(b *body) []stored {
	list := make([]stored, len(kept))
	r := c.executing(b.height)
	for i := range kept {
		list[i] = stored{r.places[i], kept[i].value(c, b)}
	}
	return list
}

// storedAt returns the value of the state after a block at a key. It returns an error for keys at which a real
// chain has a value but this one does not.
func (c *Chain) storedAt(b *body, name string) (value []byte, err error) {
	key, err := parseKey(name)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(c.executing(b.height).places, string(key)); i >= 0 {
		return kept[i].value(c, b), nil
	}
	if b.trie != nil {
		value = b.trie.Get(key)
	}
	if value == nil && !(b.trie != nil && c.ground(b.height).empty[string(key)]) {
		return nil, &rpcserver.Error{Code: 4003, Message: "chaingen does not know what the state has at " + name}
	}
	return value, nil
}

// parseKey parses a key in 0x-hex.
func parseKey(name string) ([]byte, error) {
	digits, prefixed := strings.CutPrefix(name, "0x")
	key, err := hex.DecodeString(digits)
	if !prefixed || err != nil {
		return nil, rpcserver.InvalidParams
	}
	return key, nil
}

func number(height uint64) []byte {
	var w writer
	w.u32(height)
	return w.b
}

func now(c *Chain, b *body) []byte {
	if b.height == 0 {
		return nil
	}
	var w writer
	w.u64(c.timeOf(b.height))
	return w.b
}

// lastUpgrade returns the runtime that last took over: the block after the upgrade records it.
func (c *Chain) lastUpgrade(b *body) []byte {
	var w writer
	w.compact(uint64(c.executing(b.height).version))
	w.blob([]byte(c.network.SpecName))
	return w.b
}

// encode returns System.BlockWeight.
func (s *weights) encode() []byte {
	var w writer
	for _, of := range s {
		w.compact(of.refTime)
		w.compact(of.proofSize)
	}
	return w.b
}
