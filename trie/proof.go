package trie

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/crypto/blake2b"
)

// ErrMissing says that a proof lacks a node on the way to a key, or the key's value. So it
// proves nothing of that key, neither a value nor that there is none.
var ErrMissing = errors.New("not in the proof")

// Hash is the hash of a node or of a value (blake2b-256).
type Hash = [hashLength]byte

// Proof is nodes of a trie, and values that nodes have by their hash, each by its own hash.
// It may have more than a key needs, and nodes of several tries.
type Proof struct {
	parts map[Hash][]byte
}

// NewProof is a proof of what state_getReadProof gives, in any order. It keeps the bytes.
func NewProof(parts [][]byte) *Proof {
	p := &Proof{parts: make(map[Hash][]byte, len(parts))}
	for _, part := range parts {
		p.parts[blake2b.Sum256(part)] = part
	}
	return p
}

// Value is what a key has in the trie with a root, and whether it has anything: a value may be
// of no bytes. An error is neither: the proof lacks what is needed ([ErrMissing]), or the root
// is that of something else than a trie. The value is a part of the proof's bytes.
//
// It reads one node for each step down, at most one for each nibble of the key.
func (p *Proof) Value(root Hash, key []byte) (value []byte, has bool, err error) {
	if root == blake2b.Sum256([]byte{emptyTrie}) {
		return nil, false, nil
	}
	encoded, err := p.part("node", root[:])
	for rest := nibbles(key); err == nil; {
		var n node
		if n, err = readNode(encoded); err != nil {
			return nil, false, fmt.Errorf("the node with the hash 0x%x: %w", blake2b.Sum256(encoded), err)
		}
		left, below := bytes.CutPrefix(rest, n.partial)
		switch {
		case !below:
			return nil, false, nil
		case len(left) == 0:
			return p.value(&n)
		case n.children[left[0]] == nil:
			return nil, false, nil
		}
		encoded, rest = n.children[left[0]], left[1:]
		if len(encoded) == hashLength {
			encoded, err = p.part("node", encoded)
		}
	}
	return nil, false, err
}

// value is what a node has for the key that ends at it.
func (p *Proof) value(n *node) (value []byte, has bool, err error) {
	switch n.value {
	case inline:
		return n.stored, true, nil
	case byHash:
		value, err = p.part("value", n.stored)
		return value, err == nil, err
	}
	return nil, false, nil
}

// part is the node or the value with a hash.
func (p *Proof) part(what string, hash []byte) ([]byte, error) {
	part, has := p.parts[Hash(hash)]
	if !has {
		return nil, fmt.Errorf("the %s with the hash 0x%x is %w", what, hash, ErrMissing)
	}
	return part, nil
}
