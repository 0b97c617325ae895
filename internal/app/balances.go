package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// sourceBalances reads balances from a source whose block at one height is known to be the ledger's.
type sourceBalances struct {
	source source.Source
	same   chain.Anchor
}

// balances returns the balances of a source after checking that it is on the ledger's chain: both must
// have the same block at height.
func (d *Ledger) balances(ctx context.Context, src source.Source, height uint64) (none sourceBalances, err error) {
	have, err := d.Book.Predecessor(ctx, height)
	if err != nil {
		return none, d.wrapErr(err)
	}
	block, err := src.Block(ctx, height)
	if err != nil {
		return none, err
	}
	if stored, ok := have.Get(); ok && stored.Hash != block.Hash {
		return none, fmt.Errorf("%w: block %d is %v in the gateway and %v in the ledger", ledger.ErrOtherChain, height, block.Hash, stored.Hash)
	}
	return sourceBalances{src, chain.Anchor{Height: height, Hash: block.Hash}}, nil
}

// Balance returns an account's balance after the block at a height.
func (s sourceBalances) Balance(ctx context.Context, account chain.Address, height uint64) (chain.Balance, error) {
	b, err := balance(ctx, s.source, account, height)
	if errors.Is(err, chain.ErrNotKept) {
		err = fmt.Errorf("%w; \"fees archive record --accounts\" records balances", err)
	}
	if hash, known := b.AtHash.Get(); err == nil && known && height == s.same.Height && hash != s.same.Hash {
		err = fmt.Errorf("balance of %v at block %d: %w: it is for block %v, want %v", account, height, chain.ErrWrongBlock, hash, s.same.Hash)
	}
	return b.Value.Balance, err
}

// balance returns an account's balance after the block at a height, from a source that offers balances.
func balance(ctx context.Context, src source.Source, account chain.Address, height uint64) (none chain.AtBlock[chain.Account], err error) {
	from, err := source.As[source.Balances](src)
	if err != nil {
		return none, fmt.Errorf("balance: %w", err)
	}
	return from.Balance(ctx, account, chain.Some(height))
}
