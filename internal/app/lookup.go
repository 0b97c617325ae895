package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Paid is a transaction of the ledger with all that it moved.
type Paid struct {
	*ledger.Transaction
	Network   string
	Symbol    string // of the network's token, "" where no table knows the network
	Movements []*ledger.Movement
	Transfers []*ledger.Transfer // of ERC-20 tokens
}

// Transaction finds a transaction in the ledger by its place, such as 25-7, or by a hash, that
// of the EVM or that of the extrinsic. It is a [NotThereError] where the ledger has none, and an
// [InputError] where it has several of one hash.
func (d *Desk) Transaction(ctx context.Context, name string) (*Paid, error) {
	at, err := d.PlaceOf(ctx, name)
	if err != nil {
		return nil, err
	}
	p := &Paid{}
	if p.Transaction, err = d.Book.TransactionAt(ctx, at); err != nil {
		return nil, d.of(err)
	}
	if p.Transaction == nil {
		return nil, d.noTransaction(ctx, at)
	}
	if p.Network, p.Symbol, err = d.named(ctx); err != nil {
		return nil, err
	}
	block := ledger.Query{Span: chain.Heights{First: at.Height, Last: at.Height}}
	for m, err := range d.Book.Movements(ctx, block) {
		if err != nil {
			return nil, d.of(err)
		}
		if i, ok := m.Where.Extrinsic(); ok && i == at.Row {
			p.Movements = append(p.Movements, m)
		}
	}
	for x, err := range d.Book.Transfers(ctx, block) {
		if err != nil {
			return nil, d.of(err)
		}
		if x.Extrinsic == at.Row {
			p.Transfers = append(p.Transfers, x)
		}
	}
	return p, nil
}

// PlaceOf is where the ledger has a transaction, by its place or by a hash.
func (d *Desk) PlaceOf(ctx context.Context, name string) (at ledger.Place, err error) {
	if hash, err := chain.ParseHash(name); err == nil {
		return d.placeOfHash(ctx, hash)
	}
	return ParsePlace(name)
}

// ParsePlace reads the place of a transaction, such as 25-7.
func ParsePlace(name string) (ledger.Place, error) {
	at, ok := ledger.ParsePlace(name)
	if !ok {
		return at, notUnderstood("transaction %q: want a block and an index such as 25-7, or a hash of 0x and 64 hex digits", name)
	}
	return at, nil
}

// mostPlaces is how many places of a hash are told.
const mostPlaces = 10

func (d *Desk) placeOfHash(ctx context.Context, hash chain.Hash) (at ledger.Place, err error) {
	var places []string
	for t, err := range d.Book.TransactionsByHash(ctx, hash) {
		if err != nil {
			return at, d.of(err)
		}
		at = t.Place()
		if places = append(places, at.String()); len(places) > mostPlaces {
			places[mostPlaces] = "and more"
			break
		}
	}
	switch len(places) {
	case 0:
		return at, d.of(d.lacking(ctx, fmt.Sprintf("no transaction has the hash %v, neither the EVM's nor the extrinsic's", hash)))
	case 1:
		return at, nil
	}
	return at, notUnderstood("the ledger has several transactions with the hash %v: name one by its place, %s", hash, strings.Join(places, ", "))
}

// lacking says of what is not there which blocks the ledger has, and which it lacks.
func (d *Desk) lacking(ctx context.Context, what string) error {
	first, next, err := d.Book.Extent(ctx)
	switch {
	case err != nil:
		return err
	case next == first:
		return &NotThereError{what + "; the ledger has no block", chain.Some(Lacks{})}
	}
	have := chain.Heights{First: first, Last: next - 1}
	missing, err := d.Book.Missing(ctx, have)
	if err != nil {
		return err
	}
	lacks := Lacks{After: chain.Some(have.Last)}
	text := fmt.Sprintf("%s; the ledger has the blocks %v", what, have)
	if len(missing) > 0 {
		lacks.Gap = chain.Some(missing[0])
		text += fmt.Sprintf(" without %v", missing[0])
		switch n := len(missing) - 1; {
		case n == 1:
			text += " and another gap"
		case n > 1:
			text += fmt.Sprintf(" and %d more gaps", n)
		}
	}
	return &NotThereError{text, chain.Some(lacks)}
}

// noTransaction says why the ledger has no transaction at a place.
func (d *Desk) noTransaction(ctx context.Context, at ledger.Place) error {
	b, err := d.block(ctx, at.Height)
	switch {
	case err != nil:
		return err
	case b == nil:
		return d.noBlock(ctx, at.Height)
	}
	return d.of(notThere("block %d has no transaction %d: it has %d of the EVM, %d native ones and %d inherents, which pay no fee", at.Height, at.Row, b.EVM, b.Native, b.Inherents))
}

func (d *Desk) noBlock(ctx context.Context, height uint64) error {
	return d.of(d.lacking(ctx, fmt.Sprintf("block %d is not there", height)))
}

// Block is the block at a height as the ledger has it. It is a [NotThereError] where it does not.
func (d *Desk) Block(ctx context.Context, height uint64) (*ledger.Block, error) {
	b, err := d.block(ctx, height)
	if err == nil && b == nil {
		err = d.noBlock(ctx, height)
	}
	return b, err
}

func (d *Desk) block(ctx context.Context, height uint64) (found *ledger.Block, err error) {
	for b, err := range d.Book.Blocks(ctx, ledger.Query{Span: chain.Heights{First: height, Last: height}}) {
		if err != nil {
			return nil, d.of(err)
		}
		found = b
	}
	return found, nil
}
