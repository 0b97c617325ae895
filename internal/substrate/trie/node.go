package trie

import (
	"github.com/feeledger/fees/internal/substrate/scale"
)

// hashLength is the number of bytes of a hash. Shorter nodes are embedded.
const hashLength = 32

// valueForm is the way a node stores its value.
type valueForm int

const (
	noValue valueForm = iota
	inline            // in the node, with a length prefix
	byHash            // the value's hash is in the node
)

// variant is a kind of node. The first byte of an encoding contains the variant's prefix and, in the remaining
// bits, the number of nibbles of the partial key.
//
// Source: specification, definition 25.
type variant struct {
	prefix byte
	limit  byte // maximum in the bits for the number of nibbles
	branch bool
	value  valueForm
}

var (
	leaf            = variant{prefix: 0b01_000000, limit: 0b111111, value: inline}
	branch          = variant{prefix: 0b10_000000, limit: 0b111111, branch: true}
	branchWithValue = variant{prefix: 0b11_000000, limit: 0b111111, branch: true, value: inline}
	leafByHash      = variant{prefix: 0b001_00000, limit: 0b11111, value: byHash}
	branchByHash    = variant{prefix: 0b0001_0000, limit: 0b1111, branch: true, value: byHash}
)

// emptyTrie is the encoding of the only node of an empty trie. No other trie has it.
const emptyTrie = 0

// node is a node of a trie. Its bytes share the encoding.
type node struct {
	variant
	partial  []byte     // nibbles of the key
	stored   []byte     // the value, or its hash
	children [16][]byte // each child's hash, or its encoding if shorter; nil if none
}

// readNode decodes a node: the variant with the number of nibbles, the partial key, for a branch the set of
// its children, the value, and the children.
//
// Source: specification, definitions 24 to 28.
func readNode(encoded []byte) (node, error) {
	r := scale.NewReader(encoded)
	n := node{variant: readVariant(r, r.U8())}
	if r.Err() != nil {
		return node{}, r.Err()
	}
	n.partial = readPartial(r, nibbleCount(r, encoded[0]&n.limit, n.limit))
	var has uint16
	if n.branch {
		if has = r.U16(); has == 0 {
			r.Fail("a branch without children")
		}
	}
	switch n.value {
	case inline:
		n.stored = r.Blob()
	case byHash:
		n.stored = r.Bytes(hashLength)
	}
	for i := range n.children {
		if has>>i&1 == 0 {
			continue
		}
		n.children[i] = r.Blob()
		if size := len(n.children[i]); size == 0 || size > hashLength {
			r.Fail("a child of %d bytes, want 1 to %d", size, hashLength)
		}
	}
	return n, r.End()
}

func readVariant(r *scale.Reader, first byte) variant {
	for _, v := range [...]variant{leaf, branch, branchWithValue, leafByHash, branchByHash} {
		if first&^v.limit == v.prefix {
			return v
		}
	}
	r.Fail("invalid first byte 0x%02x of a node", first)
	return variant{}
}

// nibbleCount reads the number of nibbles of a partial key. If the bits of the first byte are all set, the
// following bytes are added, up to the first that is not 255.
func nibbleCount(r *scale.Reader, first, limit byte) int {
	count, full := int(first), first == limit
	for full {
		next := r.U8() // 0 at the end
		count, full = count+int(next), next == 0xff
	}
	return count
}

// readPartial reads a partial key. An odd number of nibbles is preceded by a zero nibble as padding.
//
// Source: specification, definition 199 and node_codec.rs.
func readPartial(r *scale.Reader, count int) []byte {
	partial := nibbles(r.Bytes((count + 1) / 2))
	if count%2 == 0 || r.Err() != nil {
		return partial
	}
	if partial[0] != 0 {
		r.Fail("a partial key of %d nibbles is padded with 0x%x, want 0x0", count, partial[0])
	}
	return partial[1:]
}

// nibbles returns the halves of bytes, the higher one first.
//
// Source: specification, definition 199 (hex encoding) and 2.4.3 (KeyEncode).
func nibbles(bytes []byte) []byte {
	halves := make([]byte, 0, 2*len(bytes))
	for _, b := range bytes {
		halves = append(halves, b>>4, b&0x0f)
	}
	return halves
}
