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

// HashOf is the hash of a node or of a value.
func HashOf(part []byte) Hash { return blake2b.Sum256(part) }

// NewProof is a proof of what state_getReadProof gives, in any order. It keeps the bytes.
func NewProof(parts [][]byte) *Proof {
	p := &Proof{parts: make(map[Hash][]byte, len(parts))}
	for _, part := range parts {
		p.parts[HashOf(part)] = part
	}
	return p
}

// Value is what a key has in the trie with a root, and whether it has anything: a value may be
// of no bytes. An error is neither: the proof lacks what is needed ([ErrMissing]), or the root
// is that of something else than a trie. The value is a part of the proof's bytes.
//
// It reads one node for each step down, at most one for each nibble of the key.
func (p *Proof) Value(root Hash, key []byte) (value []byte, has bool, err error) {
	n, err := p.find(root, key, func(Hash) {})
	switch {
	case err != nil || n.value == noValue:
		return nil, false, err
	case n.value == inline:
		return n.stored, true, nil
	}
	value, err = p.part("value", n.stored)
	return value, err == nil, err
}

// ValueHash is the hash of what a key has, for which the proof need not have the value.
func (p *Proof) ValueHash(root Hash, key []byte) (hash Hash, has bool, err error) {
	n, err := p.find(root, key, func(Hash) {})
	switch {
	case err != nil || n.value == noValue:
		return hash, false, err
	case n.value == inline:
		return blake2b.Sum256(n.stored), true, nil
	}
	return Hash(n.stored), true, nil
}

// Way tells the hashes of the parts that [Proof.Value] of a key needs, from the root down, or,
// where the value is not wanted, those that [Proof.ValueHash] needs.
func (p *Proof) Way(root Hash, key []byte, value bool, tell func(Hash)) error {
	n, err := p.find(root, key, tell)
	if err != nil || !value || n.value != byHash {
		return err
	}
	_, err = p.part("value", n.stored)
	tell(Hash(n.stored))
	return err
}

// Part is the node or the value with a hash, nil where the proof has none.
func (p *Proof) Part(hash Hash) []byte { return p.parts[hash] }

// find is the node at which a key ends, one without a value where the trie has none. It tells
// the hashes of the nodes on the way.
func (p *Proof) find(root Hash, key []byte, tell func(Hash)) (n node, err error) {
	if root == blake2b.Sum256([]byte{emptyTrie}) {
		return node{}, nil
	}
	encoded, err := p.part("node", root[:])
	tell(root)
	for rest := nibbles(key); err == nil; {
		if n, err = readNode(encoded); err != nil {
			return node{}, fmt.Errorf("the node with the hash 0x%x: %w", blake2b.Sum256(encoded), err)
		}
		left, below := bytes.CutPrefix(rest, n.partial)
		switch {
		case !below:
			return node{}, nil
		case len(left) == 0:
			return n, nil
		case n.children[left[0]] == nil:
			return node{}, nil
		}
		encoded, rest = n.children[left[0]], left[1:]
		if len(encoded) == hashLength {
			tell(Hash(encoded))
			encoded, err = p.part("node", encoded)
		}
	}
	return node{}, err
}

// part is the node or the value with a hash.
func (p *Proof) part(what string, hash []byte) ([]byte, error) {
	part, has := p.parts[Hash(hash)]
	if !has {
		return nil, fmt.Errorf("the %s with the hash 0x%x is %w", what, hash, ErrMissing)
	}
	return part, nil
}
