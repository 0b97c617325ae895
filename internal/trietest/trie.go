// Package trietest makes tries of Substrate in memory, with proofs, for tests and benchmarks
// only. Package trie reads them, and shares no code with it: each was written after the
// specification by itself, this one over keys as texts of hex digits, set one after the other.
//
// Setting a value makes anew what is above it and nothing else, so that a chain with a small
// state can have a root for each of many blocks.
package trietest

import (
	"bytes"
	"encoding/hex"

	"slices"
	"strings"

	"golang.org/x/crypto/blake2b"
)

// Trie is a trie of layout 0 or 1.
type Trie struct {
	layout int
	top    *node
}

// New is a trie without keys.
func New(layout int) *Trie { return &Trie{layout: layout} }

type node struct {
	partial string // hex digits
	value   []byte // nil where it has none
	below   [16]*node
	encoded []byte // nil where it must be made anew
}

// Set gives a key a value, in the place of one that it has.
func (t *Trie) Set(key, value []byte) {
	t.top = t.top.with(hex.EncodeToString(key), append([]byte{}, value...))
}

// with is the node after a key below it has a value.
func (n *node) with(key string, value []byte) *node {
	if n == nil {
		return &node{partial: key, value: value}
	}
	n.encoded = nil
	same := 0
	for same < len(key) && same < len(n.partial) && key[same] == n.partial[same] {
		same++
	}
	if same < len(n.partial) { // a new node comes above it
		above := &node{partial: n.partial[:same]}
		above.below[digit(n.partial[same])] = n
		n.partial = n.partial[same+1:]
		return above.with(key, value)
	}
	if same == len(key) {
		n.value = value
		return n
	}
	next := &n.below[digit(key[same])]
	*next = (*next).with(key[same+1:], value)
	return n
}

func digit(c byte) int { return strings.IndexByte("0123456789abcdef", c) }

// Root is the hash of the root.
func (t *Trie) Root() [32]byte {
	if t.top == nil {
		return blake2b.Sum256([]byte{0})
	}
	return blake2b.Sum256(t.top.encode(t.layout))
}

// Proof is what proves the values of keys, or that they have none: as a node answers
// state_getReadProof, each part once. The order is that of their bytes.
func (t *Trie) Proof(keys ...[]byte) [][]byte {
	if t.top == nil {
		return [][]byte{{0}}
	}
	parts := map[string]bool{string(t.top.encode(t.layout)): true}
	for _, key := range keys {
		t.prove(hex.EncodeToString(key), parts)
	}
	var proof [][]byte
	for part := range parts {
		proof = append(proof, []byte(part))
	}
	slices.SortFunc(proof, bytes.Compare)
	return proof
}

func (t *Trie) prove(key string, parts map[string]bool) {
	for n := t.top; n != nil; {
		if encoded := n.encode(t.layout); len(encoded) >= 32 {
			parts[string(encoded)] = true
		}
		rest, on := strings.CutPrefix(key, n.partial)
		if !on {
			return
		}
		if rest == "" {
			if n.isHashed(t.layout) {
				parts[string(n.value)] = true
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
	value := slices.Concat(compact(len(n.value)), n.value)
	if n.isHashed(layout) {
		hash := blake2b.Sum256(n.value)
		value = hash[:]
	}
	if n.value == nil {
		value = nil
	}
	var bitmap, children []byte
	if !n.isLeaf() {
		bitmap = make([]byte, 2)
	}
	for i, child := range n.below {
		if child == nil {
			continue
		}
		bitmap[i/8] |= 1 << (i % 8)
		encoded := child.encode(layout)
		if len(encoded) >= 32 {
			hash := blake2b.Sum256(encoded)
			encoded = hash[:]
		}
		children = slices.Concat(children, compact(len(encoded)), encoded)
	}
	digits := n.partial
	if len(digits)%2 == 1 {
		digits = "0" + digits
	}
	partial, err := hex.DecodeString(digits)
	if err != nil {
		panic(err) // the digits come from an encoder
	}
	n.encoded = slices.Concat(n.head(layout), partial, bitmap, value, children)
	return n.encoded
}

// head is the first byte of an encoding, and those that the number of nibbles needs more.
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

// compact is a length as a compact integer.
func compact(n int) []byte {
	switch {
	case n < 64:
		return []byte{byte(4 * n)}
	case n < 16384:
		return []byte{byte(4*n + 1), byte(4 * n >> 8)}
	}
	return []byte{byte(4*n + 2), byte(4 * n >> 8), byte(4 * n >> 16), byte(4 * n >> 24)}
}
