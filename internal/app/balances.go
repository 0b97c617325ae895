package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// sourceBalances are balances that a source tells.
type sourceBalances struct{ source.Source }

// balances are those of a source, which must be of the ledger's chain: both have the
// same block at a height.
func (d *Desk) balances(ctx context.Context, src source.Source, height uint64) (none sourceBalances, err error) {
	have, err := d.Book.Predecessor(ctx, height)
	if err != nil {
		return none, d.of(err)
	}
	block, err := src.Block(ctx, height)
	if err != nil {
		return none, err
	}
	if stored, ok := have.Get(); ok && stored.Hash != block.Hash {
		return none, fmt.Errorf("%w: block %d of the gateway is %v, and that of the ledger %v", ledger.ErrOtherChain, height, block.Hash, stored.Hash)
	}
	return sourceBalances{src}, nil
}

// Balance is what an account had when the block at a height was done.
func (s sourceBalances) Balance(ctx context.Context, account chain.Address, height uint64) (chain.Balance, error) {
	b, err := s.Source.Balance(ctx, account, chain.Some(height))
	if errors.Is(err, chain.ErrNotKept) {
		err = fmt.Errorf("%w; fees archive record --accounts keeps balances", err)
	}
	return b.Value.Balance, err
}
