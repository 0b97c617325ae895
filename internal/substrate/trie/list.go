package trie

import (
	"bytes"
	"encoding/binary"
	"slices"

	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/substrate/scale"
)

// Layout defines how the nodes of a trie store their values: the state version of a runtime.
type Layout int

// The layouts.
const (
	Layout0 Layout = 0 // each value is in its node
	Layout1 Layout = 1 // values of more than 32 bytes are stored by their hash
)

// ListRoot returns the root of the trie of a list: its keys are the indices from 0 on, as compact integers.
//
// For a block's encoded extrinsics, each with its length prefix, it is the extrinsics root. Runtimes compute
// that in layout 0, even those whose state has layout 1, unless their version specifies otherwise
// (system_version 2).
//
// Sources: specification, B.7.2 (ext_trie_blake2_256_ordered_root); paritytech/polkadot-sdk,
// substrate/frame/system/src/lib.rs (extrinsics_data_root) and substrate/primitives/version/src/lib.rs
// (extrinsics_root_state_version).
func ListRoot(list [][]byte, layout Layout) Hash {
	if len(list) == 0 {
		return blake2b.Sum256([]byte{emptyTrie})
	}
	items := make([]item, len(list))
	for i, value := range list {
		items[i] = item{nibbles(scale.AppendCompact(nil, uint64(i))), value}
	}
	slices.SortFunc(items, func(a, b item) int { return bytes.Compare(a.key, b.key) })
	var room [2 << 10]byte // usually enough for a leaf
	return blake2b.Sum256(layout.append(room[:0], items))
}

// item is an item of a list and the rest of its key, in nibbles.
type item struct{ key, value []byte }

// append appends the node above some items, sorted by key. No key of a list is a prefix of another, so all
// values are in leaves.
func (l Layout) append(to []byte, items []item) []byte {
	first, last := items[0], items[len(items)-1]
	switch {
	case len(items) == 1 && l == Layout1 && len(first.value) > 32:
		hash := blake2b.Sum256(first.value)
		return append(appendHead(to, leafByHash, first.key), hash[:]...)
	case len(items) == 1:
		return scale.AppendBlob(appendHead(to, leaf, first.key), first.value)
	}
	shared := 0 // all items share what the first and the last share
	for first.key[shared] == last.key[shared] {
		shared++
	}
	var has uint16
	children := make([]byte, 0, 16*(1+hashLength))
	for len(items) > 0 {
		nibble, below := items[0].key[shared], 0
		for below < len(items) && items[below].key[shared] == nibble {
			items[below].key = items[below].key[shared+1:]
			below++
		}
		has |= 1 << nibble
		from := len(to)
		to = l.append(to, items[:below]) // its room is used again
		children = scale.AppendBlob(children, merkleValue(to[from:]))
		to, items = to[:from], items[below:]
	}
	to = appendHead(to, branch, first.key[:shared])
	return append(binary.LittleEndian.AppendUint16(to, has), children...)
}

// merkleValue returns a parent's reference to a node.
//
// Source: specification, definition 29.
func merkleValue(encoded []byte) []byte {
	if len(encoded) < hashLength {
		return encoded
	}
	hash := blake2b.Sum256(encoded)
	return hash[:]
}

// appendHead appends the start of a node: its variant with the number of nibbles of its partial key, and that
// key. A list's key has far fewer nibbles than the first byte can express.
func appendHead(to []byte, v variant, partial []byte) []byte {
	to = append(to, v.prefix|byte(len(partial)))
	if len(partial)%2 == 1 {
		to, partial = append(to, partial[0]), partial[1:]
	}
	for pair := range slices.Chunk(partial, 2) {
		to = append(to, pair[0]<<4|pair[1])
	}
	return to
}
