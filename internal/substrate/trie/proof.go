package trie

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/crypto/blake2b"
)

// ErrMissing means that a proof lacks a node on the way to a key, or the key's value. So it proves nothing
// about that key: neither a value nor its absence.
var ErrMissing = errors.New("not in the proof")

// Hash is the hash of a node or of a value (blake2b-256).
type Hash = [hashLength]byte

// Proof is a set of nodes of a trie, and of values that nodes store by hash, each by its own hash. It may
// contain more than a key needs, and nodes of several tries.
type Proof struct {
	parts map[Hash][]byte
}

// HashOf returns the hash of a node or of a value.
func HashOf(part []byte) Hash { return blake2b.Sum256(part) }

// NewProof returns a proof from the parts in state_getReadProof, in any order. It keeps the bytes.
func NewProof(parts [][]byte) *Proof {
	p := &Proof{parts: make(map[Hash][]byte, len(parts))}
	for _, part := range parts {
		p.parts[HashOf(part)] = part
	}
	return p
}

// Value returns the value of a key in the trie with a root, and whether there is one: a value may be empty. An
// error is neither: the proof is incomplete ([ErrMissing]), or the root is not that of a trie. The value
// shares the proof's bytes.
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

// ValueHash returns the hash of a key's value; the proof need not contain the value.
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

// Way calls visit with the hashes of the parts that [Proof.Value] needs for a key, from the root down, or,
// without value, those that [Proof.ValueHash] needs.
func (p *Proof) Way(root Hash, key []byte, value bool, visit func(Hash)) error {
	n, err := p.find(root, key, visit)
	if err != nil || !value || n.value != byHash {
		return err
	}
	_, err = p.part("value", n.stored)
	visit(Hash(n.stored))
	return err
}

// Part returns the node or the value with a hash, or nil if the proof does not contain it.
func (p *Proof) Part(hash Hash) []byte { return p.parts[hash] }

// find returns the node at which a key ends, one without a value if the trie has none. It calls visit with the
// hashes of the nodes on the way.
func (p *Proof) find(root Hash, key []byte, visit func(Hash)) (n node, err error) {
	if root == blake2b.Sum256([]byte{emptyTrie}) {
		return node{}, nil
	}
	encoded, err := p.part("node", root[:])
	visit(root)
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
			visit(Hash(encoded))
			encoded, err = p.part("node", encoded)
		}
	}
	return node{}, err
}

// part returns the node or the value with a hash.
func (p *Proof) part(what string, hash []byte) ([]byte, error) {
	part, has := p.parts[Hash(hash)]
	if !has {
		return nil, fmt.Errorf("the %s with the hash 0x%x is %w", what, hash, ErrMissing)
	}
	return part, nil
}
