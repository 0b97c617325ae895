package chain

import (
	"bytes"
	"cmp"
)

// Compare is below 0 where a is the lower block. Blocks of the same height, which are not of
// one chain, are in the order of their hashes.
func (a Anchor) Compare(b Anchor) int {
	return cmp.Or(cmp.Compare(a.Height, b.Height), bytes.Compare(a.Hash[:], b.Hash[:]))
}
