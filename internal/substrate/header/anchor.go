package header

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Prove proves that a header is the anchor's. The block's parent is known by it: the anchor
// for the header below. Block 0 has none. An error is [chain.ErrWrongBlock].
//
// A chain of headers is proved from its top down, each by the anchor that the one above it
// gives.
func Prove(a chain.Anchor, h *Header) (parent chain.Optional[chain.Anchor], err error) {
	switch have := h.Hash(); {
	case have != a.Hash:
		return parent, fmt.Errorf("block %d: %w: its header has the hash %v, want %v", a.Height, chain.ErrWrongBlock, have, a.Hash)
	case h.Number != a.Height:
		return parent, fmt.Errorf("block %d: %w: the block %v says of itself that it is block %d", a.Height, chain.ErrWrongBlock, a.Hash, h.Number)
	case h.Number == 0:
		return parent, nil
	}
	return chain.Some(chain.Anchor{Height: h.Number - 1, Hash: h.ParentHash}), nil
}
