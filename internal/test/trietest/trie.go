// Package trietest builds Substrate tries in memory, with proofs, for tests and benchmarks only. It shares no
// code with package trie, which verifies them: each was written independently from the specification, this one
// with keys as strings of hex digits, set one by one.
//
// Setting a value recreates only the nodes above it, and tries share equal nodes. So a chain with a small
// state can have a trie for each of many blocks.
package trietest

import (
	"bytes"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/blake2b"
)

// Trie is a trie of layout 0 or 1. After Root was called, it is safe for concurrent reads and clones, until a
// key is set.
type Trie struct {
	layout int
	top    *node
}

// New returns a trie without keys.
func New(layout int) *Trie { return &Trie{layout: layout} }

// Clone returns a copy of the trie that can be changed.
func (t *Trie) Clone() *Trie { return &Trie{t.layout, t.top} }

// node is a node, which several tries can share: only its encoding is filled in later.
type node struct {
	partial string // hex digits
	value   []byte // nil if none
	below   [16]*node
	encoded []byte // nil until it is needed
	merkle  []byte // the parent's reference to it: the encoding's hash, or the encoding if shorter
}

// Set sets the value of a key. The value still belongs to the caller.
func (t *Trie) Set(key, value []byte) {
	t.top = t.top.with(hex.EncodeToString(key), append([]byte{}, value...))
}

// with returns the node after setting the value of a key below it.
func (n *node) with(key string, value []byte) *node {
	if n == nil {
		return &node{partial: key, value: value}
	}
	same := 0
	for same < len(key) && same < len(n.partial) && key[same] == n.partial[same] {
		same++
	}
	changed := &node{partial: n.partial, value: n.value, below: n.below}
	if same < len(n.partial) { // a new node is inserted above it
		above := &node{partial: n.partial[:same]}
		changed.partial = n.partial[same+1:]
		above.below[digit(n.partial[same])] = changed
		changed = above
	}
	if same == len(key) {
		changed.value = value
		return changed
	}
	next := &changed.below[digit(key[same])]
	*next = (*next).with(key[same+1:], value)
	return changed
}

func digit(c byte) int { return strings.IndexByte("0123456789abcdef", c) }

// Get returns the value of a key, or nil.
func (t *Trie) Get(key []byte) []byte {
	rest := hex.EncodeToString(key)
	for n := t.top; n != nil; {
		left, on := strings.CutPrefix(rest, n.partial)
		switch {
		case !on:
			return nil
		case left == "":
			return n.value
		}
		n, rest = n.below[digit(left[0])], left[1:]
	}
	return nil
}

// Root returns the hash of the root.
func (t *Trie) Root() [32]byte {
	if t.top == nil {
		return blake2b.Sum256([]byte{0})
	}
	return blake2b.Sum256(t.top.encode(t.layout))
}

// Proof returns the parts that prove the values of keys, or their absence, as in state_getReadProof: each part
// once, sorted by bytes.
func (t *Trie) Proof(keys ...[]byte) [][]byte {
	if t.top == nil {
		return [][]byte{{0}}
	}
	parts := map[string][]byte{}
	add := func(part []byte) { parts[string(part)] = part }
	add(t.top.encode(t.layout))
	for _, key := range keys {
		t.prove(hex.EncodeToString(key), add)
	}
	return slices.SortedFunc(maps.Values(parts), bytes.Compare)
}

func (t *Trie) prove(key string, add func(part []byte)) {
	for n := t.top; n != nil; {
		if encoded := n.encode(t.layout); len(encoded) >= 32 {
			add(encoded)
		}
		rest, on := strings.CutPrefix(key, n.partial)
		if !on {
			return
		}
		if rest == "" {
			if n.isHashed(t.layout) {
				add(n.value)
			}
			return
		}
		n, key = n.below[digit(rest[0])], rest[1:]
	}
}

func (n *node) isHashed(layout int) bool { return layout == 1 && len(n.value) >= 33 }

func (n *node) isLeaf() bool { return n.below == [16]*node{} }

func (n *node) encode(layout int) []byte {
	if n.encoded != nil {
		return n.encoded
	}
	room := len(n.partial) + len(n.value) + 16
	for _, child := range n.below {
		if child != nil {
			room += 33
		}
	}
	encoded := append(make([]byte, 0, room), n.head(layout)...)
	digits := n.partial
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	partial, err := hex.DecodeString(digits)
	if err != nil {
		panic(err) // the digits come from an encoder
	}
	encoded = append(encoded, partial...)
	if !n.isLeaf() {
		var bitmap [2]byte
		for i, child := range n.below {
			if child != nil {
				bitmap[i/8] |= 1 << (i % 8)
			}
		}
		encoded = append(encoded, bitmap[:]...)
	}
	switch {
	case n.isHashed(layout):
		hash := blake2b.Sum256(n.value)
		encoded = append(encoded, hash[:]...)
	case n.value != nil:
		encoded = append(append(encoded, compact(len(n.value))...), n.value...)
	}
	for _, child := range n.below {
		if child == nil {
			continue
		}
		child.encode(layout)
		encoded = append(append(encoded, compact(len(child.merkle))...), child.merkle...)
	}
	n.encoded, n.merkle = encoded, encoded
	if len(encoded) >= 32 {
		hash := blake2b.Sum256(encoded)
		n.merkle = hash[:]
	}
	return n.encoded
}

// head returns the first byte of an encoding, and the further bytes of the number of nibbles.
func (n *node) head(layout int) []byte {
	first, full := 0x40, 0x3f // a leaf with its value
	switch {
	case n.isHashed(layout) && n.isLeaf():
		first, full = 0x20, 0x1f
	case n.isHashed(layout):
		first, full = 0x10, 0x0f
	case n.value == nil:
		first = 0x80
	case !n.isLeaf():
		first = 0xc0
	}
	if len(n.partial) < full {
		return []byte{byte(first + len(n.partial))}
	}
	more := len(n.partial) - full
	head := append([]byte{byte(first + full)}, bytes.Repeat([]byte{255}, more/255)...)
	return append(head, byte(more%255))
}

// compact returns a length as a compact integer.
func compact(n int) []byte {
	switch {
	case n < 64:
		return []byte{byte(4 * n)}
	case n < 16384:
		return []byte{byte(4*n + 1), byte(4 * n >> 8)}
	}
	return []byte{byte(4*n + 2), byte(4 * n >> 8), byte(4 * n >> 16), byte(4 * n >> 24)}
}
