package main

import (
	"context"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/source"
)

// gatewayBalances are balances that a gateway, or an archive, tells.
type gatewayBalances struct{ source.Source }

// balancesFor are the balances of a source that is of the ledger's chain: both have the
// same block at a height.
func balancesFor(ctx context.Context, book *ledger.Book, place string, src source.Source, height uint64) (none gatewayBalances, err error) {
	have, err := book.Predecessor(ctx, height)
	if err != nil {
		return none, ofLedger(place, err)
	}
	block, err := src.Block(ctx, height)
	if err != nil {
		return none, err
	}
	if stored, ok := have.Get(); ok && stored.Hash != block.Hash {
		return none, fmt.Errorf("%w: block %d of the gateway is %v, and that of the ledger %v", ledger.ErrOtherChain, height, block.Hash, stored.Hash)
	}
	return gatewayBalances{src}, nil
}

// Balance is what an account had when the block at a height was done.
func (g gatewayBalances) Balance(ctx context.Context, account chain.Address, height uint64) (chain.Balance, error) {
	b, err := g.Source.Balance(ctx, account, chain.Some(height))
	if errorsLack(err) {
		err = fmt.Errorf("%w; fees archive record --accounts keeps balances", err)
	}
	return b.Value.Balance, err
}
