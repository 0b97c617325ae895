package chain

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Anchor is a block whose hash is known: trusted, or proved by one that is. Every block
// below it is proved by the headers between (package header).
type Anchor struct {
	Height uint64 `json:"height"`
	Hash   Hash   `json:"hash"`
}

// ParseAnchor reads a height, a colon, and a hash of 0x and 64 hex digits.
func ParseAnchor(text string) (Anchor, error) {
	height, hash, _ := strings.Cut(text, ":")
	var a Anchor
	var err error
	if a.Height, err = strconv.ParseUint(height, 10, 32); err == nil { // the chain's heights are u32
		a.Hash, err = ParseHash(hash)
	}
	if err != nil {
		return Anchor{}, fmt.Errorf("block %q: want HEIGHT:HASH, a height from 0 to 4294967295 and a hash of 0x and 64 hex digits", text)
	}
	return a, nil
}

// String is the form that [ParseAnchor] reads.
func (a Anchor) String() string { return fmt.Sprintf("%d:%v", a.Height, a.Hash) }

// Compare is below 0 where a is the lower block. Blocks of the same height, which are not of
// one chain, are in the order of their hashes.
func (a Anchor) Compare(b Anchor) int {
	return cmp.Or(cmp.Compare(a.Height, b.Height), bytes.Compare(a.Hash[:], b.Hash[:]))
}
