package app

import (
	"context"
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Extent is the first height of a ledger, and the lowest height above it whose block is missing or not final. Neither is
// known for a ledger that does not exist yet.
type Extent struct {
	First, Next uint64
	Known       bool
}

// ExtentOf returns the extent of a ledger.
func ExtentOf(ctx context.Context, place string) (e Extent, err error) {
	d, err := Open(ctx, place, network.Tables{})
	if err == nil {
		defer d.Close()
		var gaps []chain.Heights
		if e.First, e.Next, err = d.Book.Extent(ctx); err == nil {
			gaps, err = d.Book.Gaps(ctx)
		}
		if len(gaps) > 0 {
			e.Next = gaps[0].First
		}
		err = d.wrapErr(err)
	}
	if errors.Is(err, ledger.ErrNone) {
		return e, nil
	}
	e.Known = err == nil
	return e, err
}

// identify returns the chain of a source. The block at height gives the network, block 0 the chain. A source
// with only part of a chain lacks block 0: its hash then comes from block 1, or remains unknown.
func identify(ctx context.Context, reader *source.Reader, height uint64) (id ledger.Identity, err error) {
	item, err := reader.Read(ctx, source.Height(height))
	if err != nil {
		return id, err
	}
	id.Network, id.Decimals = item.Rules.Network, item.Rules.Decimals
	genesis, err := reader.Source.Block(ctx, 0)
	switch {
	case err == nil:
		id.Genesis = chain.Some(genesis.Hash)
	case source.IsMissing(err):
		err = nil
		if item.Block.Number == 1 {
			id.Genesis = chain.Some(item.Block.ParentHash)
		}
	}
	return id, err
}
