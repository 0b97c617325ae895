package trie

import (
	"github.com/feeledger/fees/internal/substrate/scale"
)

// hashLength is how many bytes a hash has. What is shorter stands for itself.
const hashLength = 32

// valueForm is how a node has its value.
type valueForm int

const (
	noValue valueForm = iota
	inline            // in the node, behind its length
	byHash            // the value's hash is in the node
)

// variant is a kind of node. The first byte of an encoding has the variant's prefix and, in
// the bits that are left, how many nibbles the partial key has.
//
// Source: specification, definition 25.
type variant struct {
	prefix byte
	most   byte // what the bits for the number of nibbles can hold
	branch bool
	value  valueForm
}

var (
	leaf            = variant{prefix: 0b01_000000, most: 0b111111, value: inline}
	branch          = variant{prefix: 0b10_000000, most: 0b111111, branch: true}
	branchWithValue = variant{prefix: 0b11_000000, most: 0b111111, branch: true, value: inline}
	leafByHash      = variant{prefix: 0b001_00000, most: 0b11111, value: byHash}
	branchByHash    = variant{prefix: 0b0001_0000, most: 0b1111, branch: true, value: byHash}
)

// emptyTrie is the encoding of the only node of a trie without keys. No other trie has it.
const emptyTrie = 0

// node is a node of a trie. Its bytes are parts of its encoding, and no copies.
type node struct {
	variant
	partial  []byte     // nibbles of the key
	stored   []byte     // the value, or its hash
	children [16][]byte // each child's hash, or its encoding where that is shorter; nil where there is none
}

// readNode reads a node, whose encoding is the variant with the number of nibbles, the
// partial key, of a branch which children it has, the value, and the children.
//
// Source: specification, definitions 24 to 28.
func readNode(encoded []byte) (node, error) {
	r := scale.NewReader(encoded)
	n := node{variant: readVariant(r, r.U8())}
	if r.Err() != nil {
		return node{}, r.Err()
	}
	n.partial = readPartial(r, nibbleCount(r, encoded[0]&n.most, n.most))
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
		if first&^v.most == v.prefix {
			return v
		}
	}
	r.Fail("no node begins with 0x%02x", first)
	return variant{}
}

// nibbleCount is how many nibbles a partial key has. Where the bits of the first byte are
// full, the bytes that follow are added, up to the first that is not full itself.
func nibbleCount(r *scale.Reader, first, most byte) int {
	count, full := int(first), first == most
	for full {
		next := r.U8() // 0 at the end
		count, full = count+int(next), next == 0xff
	}
	return count
}

// readPartial reads a partial key. One of an odd number of nibbles begins with a zero that
// is none of them.
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

// nibbles are the halves of bytes, the higher one first.
//
// Source: specification, definition 199 (hex encoding) and 2.4.3 (KeyEncode).
func nibbles(bytes []byte) []byte {
	halves := make([]byte, 0, 2*len(bytes))
	for _, b := range bytes {
		halves = append(halves, b>>4, b&0x0f)
	}
	return halves
}
