package source

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network/rule"
)

var errNoKey = errors.New("the table does not contain the parameter's key (fees_treasury_proportion)")

// FeesTreasuryProportion returns the governance parameter in force for a block: its value after the parent, or
// the runtime's default if governance has never set it. It is unknown, without an error, if the block's rules
// do not use it. An error is permanent, see [IsUnsupported], or transient. A value is never assumed.
func (r *Reader) FeesTreasuryProportion(ctx context.Context, item Item) (none chain.Optional[chain.Perbill], err error) {
	d, known := item.Rules.Destinations.Get()
	if !known || item.Block.Number == 0 || !d.LooksAt(rule.TreasuryParameter) {
		return none, nil
	}
	parameter, known := item.Rules.Proportion.Get()
	if !known {
		return none, &unanswerable{errNoKey}
	}
	at := item.Block.Number - 1
	from, err := As[TreasuryProportions](r.Source)
	if err != nil {
		return none, fmt.Errorf("FeesTreasuryProportion: %w", err)
	}
	stored, err := from.FeesTreasuryProportion(ctx, parameter.Key, at)
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

// unanswerable is an error for which [IsUnsupported] returns true without sending a request.
type unanswerable struct{ error }

func (e *unanswerable) Error() string { return fmt.Sprintf("it cannot be requested: %v", e.error) }
