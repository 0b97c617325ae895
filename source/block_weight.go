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

// BlockWeight is what the chain counted for a block, by class: system.blockWeight as
// the block left it. It is asked for where only it shows what the block weighed
// ([network.Rules.NeedsBlockWeight]), and not known elsewhere, or where the source holds
// nothing such. An error says that there is no answer for now, a wrong one, or that the
// archive with it is damaged.
func (r *Reader) BlockWeight(ctx context.Context, item Item) (none chain.Optional[chain.ClassWeights], err error) {
	if !item.Rules.NeedsBlockWeight() {
		return none, nil
	}
	weights, err := r.Source.BlockWeight(ctx, item.Block.Number)
	var malformed *sidecar.DecodeError
	switch {
	case errors.As(err, &malformed), errors.Is(err, answers.ErrDamaged), Passes(err) && !errors.Is(err, chain.ErrNoBlock), ofNode(err):
		return none, err
	case err != nil: // an archive that is served says so too, of a block that it has
		return none, nil
	}
	if hash, ok := weights.AtHash.Get(); ok && hash != item.Block.Hash {
		return none, fmt.Errorf("block weight at block %d: %w: it is at %v", item.Block.Number, chain.ErrWrongBlock, hash)
	}
	return chain.Some(weights.Value), nil
}

// ofNode tells whether an error is a node's, which told of the same block before: it has no
// part of a chain alone, as an archive has.
func ofNode(err error) bool {
	var refused *render.RefusedError
	return errors.As(err, new(*rpc.RPCError)) ||
		errors.As(err, new(*rpc.DecodeError)) ||
		errors.Is(err, chain.ErrPruned) ||
		errors.Is(err, chain.ErrWrongBlock) ||
		errors.As(err, &refused) && errors.Is(err, chain.ErrNoBlock)
}
