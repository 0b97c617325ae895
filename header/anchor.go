package header

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Anchor is a block whose hash is known: trusted, or proved by one that is.
type Anchor struct {
	Number uint64
	Hash   chain.Hash
}

// Prove proves that a header is the anchor's. The block's parent is known by it: the anchor
// for the header below. Block 0 has none. An error is [chain.ErrWrongBlock].
//
// A chain of headers is proved from its top down, each by the anchor that the one above it
// gives.
func (a Anchor) Prove(h *Header) (parent chain.Optional[Anchor], err error) {
	switch have := h.Hash(); {
	case have != a.Hash:
		return parent, fmt.Errorf("block %d: %w: its header has the hash %v, want %v", a.Number, chain.ErrWrongBlock, have, a.Hash)
	case h.Number != a.Number:
		return parent, fmt.Errorf("block %d: %w: the block %v says of itself that it is block %d", a.Number, chain.ErrWrongBlock, a.Hash, h.Number)
	case h.Number == 0:
		return parent, nil
	}
	return chain.Some(Anchor{h.Number - 1, h.ParentHash}), nil
}
