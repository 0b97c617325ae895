package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/render"
)

// BlockWeight returns the weight that the chain counted for a block, by class: system.blockWeight after the
// block. It is requested only if no other data shows the block's weight ([network.Rules.NeedsBlockWeight]). It
// is unknown otherwise, and if the source does not have it. An error means that there is no response for now,
// that the response is wrong, or that the archive is damaged.
func (r *Reader) BlockWeight(ctx context.Context, item Item) (none chain.Optional[chain.ClassWeights], err error) {
	if !item.Rules.NeedsBlockWeight() {
		return none, nil
	}
	from, err := As[BlockWeights](r.Source)
	if err != nil {
		return none, nil
	}
	weights, err := from.BlockWeight(ctx, item.Block.Number)
	if errors.Is(err, chain.ErrNotOffered) && r.Beside != nil {
		if beside, offers := As[BlockWeights](r.Beside); offers == nil {
			weights, err = beside.BlockWeight(ctx, item.Block.Number)
		}
	}
	var malformed *sidecar.DecodeError
	switch {
	case errors.As(err, &malformed), errors.Is(err, answers.ErrDamaged), IsTransient(err) && !errors.Is(err, chain.ErrNoBlock), ofNode(err):
		return none, err
	case err != nil: // a served archive reports this too for a block that it has
		return none, nil
	}
	if hash, ok := weights.AtHash.Get(); ok && hash != item.Block.Hash {
		return none, fmt.Errorf("block weight at block %d: %w: it is for %v", item.Block.Number, chain.ErrWrongBlock, hash)
	}
	return chain.Some(weights.Value), nil
}

// ofNode reports whether an error is from a node that served the same block before. Only an archive, not a
// node, can lack a part of the chain.
func ofNode(err error) bool {
	var refused *render.RefusedError
	return errors.As(err, new(*rpc.RPCError)) ||
		errors.As(err, new(*rpc.DecodeError)) ||
		errors.Is(err, chain.ErrPruned) ||
		errors.Is(err, chain.ErrWrongBlock) ||
		errors.As(err, &refused) && errors.Is(err, chain.ErrNoBlock)
}
