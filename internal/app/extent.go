package app

import (
	"context"
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Extent is where a ledger begins, and the height that it goes on with. Of one that is
// not there yet, neither is known.
type Extent struct {
	First, Next uint64
	Known       bool
}

// ExtentOf reads how far the ledger at a place is.
func ExtentOf(ctx context.Context, place string) (e Extent, err error) {
	d, err := Open(ctx, place, network.Tables{})
	if err == nil {
		defer d.Close()
		e.First, e.Next, err = d.Book.Extent(ctx)
		err = d.of(err)
	}
	if errors.Is(err, ledger.ErrNone) {
		return e, nil
	}
	e.Known = err == nil
	return e, err
}

// identify returns the chain that a source has. The block at a height gives the network, and
// block 0 the chain of that name. A source that has only a part of a chain lacks block 0: its
// hash is known by block 1, or not at all.
func identify(ctx context.Context, reader *source.Reader, height uint64) (id ledger.Identity, err error) {
	item, err := reader.Read(ctx, source.Height(height))
	if err != nil {
		return id, err
	}
	id.Network = item.Rules.Network
	genesis, err := reader.Source.Block(ctx, 0)
	switch {
	case err == nil:
		id.Genesis = chain.Some(genesis.Hash)
	case source.Lacks(err):
		err = nil
		if item.Block.Number == 1 {
			id.Genesis = chain.Some(item.Block.ParentHash)
		}
	}
	return id, err
}
