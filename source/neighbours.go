package source

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// Neighbours returns the inputs that priced the surrounding blocks: the multipliers at the three heights up to
// the block's own, without the one that priced it, and the rules of the next runtime if the block contains an
// upgrade. It omits data that is permanently unavailable; transient failures are an error, returned with the
// data so far.
func (r *Reader) Neighbours(ctx context.Context, item Item) (multipliers []chain.StoredMultiplier, rules []network.Rules, err error) {
	number := item.Block.Number
	used, _ := item.Multiplier.Get()
	for at := max(number, 2) - 2; at <= number; at++ {
		if item.Multiplier.Known() && at == used.At {
			continue
		}
		m, err := r.Source.Multiplier(ctx, at)
		stored := chain.StoredMultiplierOf(m)
		if of, ok := item.Rules.BaseFee.Stored.Get(); ok && err == nil {
			var base chain.AtBlock[chain.GasPrice]
			base, err = r.baseFee(ctx, of, of.Height(at))
			stored.BaseFee = chain.Some(base.Value)
		}
		switch {
		case err == nil:
			multipliers = append(multipliers, stored)
		case IsTransient(err):
			return multipliers, nil, err
		}
	}
	next, err := r.runtimeAt(ctx, number)
	if IsTransient(err) {
		return multipliers, nil, err
	}
	if err != nil {
		return multipliers, nil, nil
	}
	runtime, known := next.runtime.Get()
	if executed, ok := item.Rules.Runtime.Get(); !known || !ok || runtime.Value.SpecVersion == executed {
		return multipliers, nil, nil
	}
	if other, err := r.rules(next); err == nil {
		rules = append(rules, other)
	}
	return multipliers, rules, nil
}
