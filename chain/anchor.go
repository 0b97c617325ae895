package chain

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Anchor is a checkpoint: a block whose hash is trusted, or proved from a trusted one. The headers in between
// prove every block below it (package header).
type Anchor struct {
	Height uint64 `json:"height"`
	Hash   Hash   `json:"hash"`
}

// ParseAnchor parses a height, a colon, and a hash of 0x and 64 hex digits.
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

// String returns the form that [ParseAnchor] parses.
func (a Anchor) String() string { return fmt.Sprintf("%d:%v", a.Height, a.Hash) }

// Compare returns a negative number if a is the lower block. It orders blocks of the same height, which are on
// different chains, by hash.
func (a Anchor) Compare(b Anchor) int {
	return cmp.Or(cmp.Compare(a.Height, b.Height), bytes.Compare(a.Hash[:], b.Hash[:]))
}
