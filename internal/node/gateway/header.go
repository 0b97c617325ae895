package gateway

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
)

// headerOf returns the header of the block with a hash, or [chain.ErrNoBlock] if the node does not have it.
func (g *Gateway) headerOf(ctx context.Context, hash chain.Hash) (header.Header, error) {
	if b := g.recent.block(hash); b != nil {
		return b.Header.Header, nil
	}
	h, err := g.node.Header(ctx, chain.Some(hash))
	return h.Header, err
}

// wrongHeight checks that a block is at the height that the node stated.
func wrongHeight(hash chain.Hash, want, have uint64) error {
	if want == have {
		return nil
	}
	return fmt.Errorf("block %d: %w: the node returned %v, whose header states block %d", want, chain.ErrWrongBlock, hash, have)
}
