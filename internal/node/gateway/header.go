package gateway

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
)

// headerOf is the header of the block with a hash. It is [chain.ErrNoBlock] where the node
// has none.
func (g *Gateway) headerOf(ctx context.Context, hash chain.Hash) (header.Header, error) {
	if b := g.recent.block(hash); b != nil {
		return b.Header.Header, nil
	}
	h, err := g.node.Header(ctx, chain.Some(hash))
	return h.Header, err
}

// wrongHeight wants a block to be at the height where the node says that it is.
func wrongHeight(hash chain.Hash, want, have uint64) error {
	if want == have {
		return nil
	}
	return fmt.Errorf("block %d: %w: the node says that it is %v, whose header says that it is block %d", want, chain.ErrWrongBlock, hash, have)
}
