package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

var errNoKey = errors.New("the table does not say by which key it is asked for (fees_treasury_proportion)")

// FeesTreasuryProportion is that parameter of governance in force for a block: as
// its parent left it, or the runtime's default where governance has never set it. It is
// not known, without an error, where the block's rules do not look at it. An error says
// why there is no answer: for good, see [CannotTell], or for now. No share is ever
// assumed.
func (r *Reader) FeesTreasuryProportion(ctx context.Context, item Item) (none chain.Optional[chain.Perbill], err error) {
	d, known := item.Rules.Destinations.Get()
	if !known || item.Block.Number == 0 || !d.LooksAt(network.TreasuryParameter) {
		return none, nil
	}
	parameter, known := item.Rules.Proportion.Get()
	if !known {
		return none, &unanswerable{errNoKey}
	}
	at := item.Block.Number - 1
	stored, err := r.Source.FeesTreasuryProportion(ctx, parameter.Key, at)
	if err != nil {
		return none, err
	}
	if hash, ok := stored.AtHash.Get(); ok && hash != item.Block.ParentHash {
		return none, wrongBlock("FeesTreasuryProportion", at, hash, item.Block.ParentHash)
	}
	if stored.Value.Known() {
		return stored.Value, nil
	}
	return chain.Some(*parameter.Default), nil
}

// unanswerable is what [CannotTell] knows where nobody had to be asked.
type unanswerable struct{ error }

func (e *unanswerable) Error() string { return fmt.Sprintf("it cannot be asked for: %v", e.error) }
