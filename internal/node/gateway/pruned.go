package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
)

// unknownBlock is the error code for the state of a block that the node does not have.
//
// Source: paritytech/polkadot-sdk, substrate/client/rpc-api/src/state/error.rs.
const unknownBlock = 4003

// stateError returns err, or chain.ErrPruned if that is its meaning for a block's state, or why the node does not know the
// block.
func (g *Gateway) stateError(ctx context.Context, at place, err error) error {
	switch {
	case httpclient.FailureOf(err) == httpclient.Pruned:
		return pruned(at.height, at.hash, err)
	case isUnknownBlock(err):
		return g.missing(ctx, at, err)
	}
	return err
}

func isUnknownBlock(err error) bool {
	var refused *rpc.RPCError
	if !errors.As(err, &refused) {
		return false
	}
	code, _ := refused.Code.Get()
	return code == unknownBlock
}

// missing returns why a node no longer has a block: its chain changed, it was restarted and is behind, or it keeps only the
// latest blocks.
func (g *Gateway) missing(ctx context.Context, at place, err error) error {
	hashes, _, notAnswered := g.hashes(ctx, []uint64{at.height})
	if notAnswered != nil {
		return notAnswered
	}
	if !hashes[0].Known() {
		return g.noBlock(ctx, at.height)
	}
	return pruned(at.height, at.hash, err)
}

func pruned(height uint64, hash chain.Hash, err error) error {
	return fmt.Errorf("block %d (%v): %w: %w", height, hash, chain.ErrPruned, err)
}

// noBlock reports that a node does not have a block, and its newest height.
func (g *Gateway) noBlock(ctx context.Context, height uint64) error {
	newest, err := g.node.Header(ctx, chain.Optional[chain.Hash]{})
	if err != nil {
		return err
	}
	meaning := fmt.Errorf("%w: the node's newest is block %d", chain.ErrNoBlock, newest.Number)
	health, err := g.node.Call(ctx, "system_health") // not supported by every node
	if syncing, told := health.Member("isSyncing").Bool(); err == nil && told && syncing {
		meaning = fmt.Errorf("%w: %w, currently at block %d", chain.ErrNoBlock, chain.ErrSyncing, newest.Number)
	}
	return noBlock(meaning)
}
