package header

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Prove proves that a header is the checkpoint's block. It returns the block's parent as the checkpoint for
// the header below; block 0 has none. The error is [chain.ErrWrongBlock].
//
// A chain of headers is proved from the top down, each with the checkpoint from the one above.
func Prove(a chain.Anchor, h *Header) (parent chain.Optional[chain.Anchor], err error) {
	switch have := h.Hash(); {
	case have != a.Hash:
		return parent, fmt.Errorf("block %d: %w: its header has the hash %v, want %v", a.Height, chain.ErrWrongBlock, have, a.Hash)
	case h.Number != a.Height:
		return parent, fmt.Errorf("block %d: %w: the header of %v is for block %d", a.Height, chain.ErrWrongBlock, a.Hash, h.Number)
	case h.Number == 0:
		return parent, nil
	}
	return chain.Some(chain.Anchor{Height: h.Number - 1, Hash: h.ParentHash}), nil
}
