package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// anyStorage is a source that answers for any item of the chain's storage. Archives do
// not.
type anyStorage interface {
	Storage(ctx context.Context, pallet, item string, keys []string, at chain.Optional[uint64]) (chain.AtBlock[wire.Value], error)
}

// BlockWeight is what the chain counted for a block, by class: system.blockWeight as
// the block left it. It is asked for where the table says that the multiplier follows
// from it and from nothing else, and not known elsewhere, or where the source holds
// nothing such. An error says that there is no answer for now, or a wrong one.
func (r *Reader) BlockWeight(ctx context.Context, item Item) (none chain.Optional[chain.ClassWeights], err error) {
	update, known := item.Rules.Update.Get()
	asked, can := r.Source.(anyStorage)
	if !known || !can || update.Constant.Known() || update.BlockWeight != "" {
		return none, nil
	}
	stored, err := asked.Storage(ctx, "system", "blockWeight", nil, chain.Some(item.Block.Number))
	if Passes(err) && !errors.Is(err, chain.ErrNoBlock) {
		return none, err
	}
	if err != nil { // an archive that is served says so too, of a block that it has
		return none, nil
	}
	if hash, ok := stored.AtHash.Get(); ok && hash != item.Block.Hash {
		return none, fmt.Errorf("system.blockWeight at block %d: %w: it is at %v", item.Block.Number, chain.ErrWrongBlock, hash)
	}
	weights, err := chain.ReadClassWeights(stored.Value)
	if err != nil {
		return none, fmt.Errorf("system.blockWeight at block %d: %w", item.Block.Number, err)
	}
	return chain.Some(weights), nil
}
