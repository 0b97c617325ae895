package gateway

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
)

// unknownBlock is the code of a question about the state of a block that the node does not
// have.
//
// Source: paritytech/polkadot-sdk, substrate/client/rpc-api/src/state/error.rs.
const unknownBlock = 4003

// stateError is err, or chain.ErrPruned where that is what a node means that says it of a block's
// state, or why the node does not know the block.
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

// missing is why a node does not have a block that it had: its chain is another one now, it
// was restarted and has not come that far again, or it keeps the latest blocks alone.
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

// noBlock says that a node does not have a block, and how far it is.
func (g *Gateway) noBlock(ctx context.Context, height uint64) error {
	newest, err := g.node.Header(ctx, chain.Optional[chain.Hash]{})
	if err != nil {
		return err
	}
	meaning := fmt.Errorf("%w: the node's newest is block %d", chain.ErrNoBlock, newest.Number)
	health, err := g.node.Call(ctx, "system_health") // which not every node tells
	if syncing, told := health.Member("isSyncing").Bool(); err == nil && told && syncing {
		meaning = fmt.Errorf("%w: %w, and has come to block %d", chain.ErrNoBlock, chain.ErrSyncing, newest.Number)
	}
	return noBlock(meaning)
}
