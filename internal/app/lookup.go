package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// Paid is a transaction from the ledger with everything it moved.
type Paid struct {
	*ledger.Transaction
	Network       string
	console.Token // the network's; its symbol is "" if no table contains it
	Movements     []*ledger.Movement
	Transfers     []*ledger.Transfer // of ERC-20 tokens
}

// Transaction finds a transaction by its ID, such as 25-7, or by its EVM or extrinsic hash. It returns a
// [NotThereError] if the ledger does not contain it, and an [InputError] if several share the hash.
func (d *Ledger) Transaction(ctx context.Context, name string) (*Paid, error) {
	at, err := d.PlaceOf(ctx, name)
	if err != nil {
		return nil, err
	}
	p := &Paid{}
	if err := d.readPaid(ctx, p, at); err != nil {
		return nil, d.wrapErr(err)
	}
	if p.Transaction == nil {
		return nil, d.noTransaction(ctx, at)
	}
	p.Network, p.Token, err = d.named(ctx)
	return p, err
}

// readPaid reads the transaction at a place with everything it moved; none leaves the transaction nil.
func (d *Ledger) readPaid(ctx context.Context, p *Paid, at ledger.Place) error {
	for c, err := range d.Book.Contents(ctx, chain.Heights{First: at.Height, Last: at.Height}) {
		if err != nil {
			return err
		}
		for i := range c.Transactions {
			if t := &c.Transactions[i]; t.Place() == at {
				p.Transaction = t
			}
		}
		for i := range c.Movements {
			if row, ok := c.Movements[i].Where.Extrinsic(); ok && row == at.Row {
				p.Movements = append(p.Movements, &c.Movements[i])
			}
		}
		for i := range c.Transfers {
			if c.Transfers[i].Extrinsic == at.Row {
				p.Transfers = append(p.Transfers, &c.Transfers[i])
			}
		}
	}
	return nil
}

// nearBlocks are the numbers of blocks that are searched for the transaction before or after another one, each only if
// fewer have none.
var nearBlocks = []uint64{1, 10, 200}

// Around returns the places of the sealed transactions before and after one, if they are near.
func (d *Ledger) Around(ctx context.Context, at ledger.Place) (before, after chain.Optional[ledger.Place], err error) {
	for _, blocks := range nearBlocks {
		for t, err := range d.Book.Transactions(ctx, ledger.Query{Span: chain.Heights{First: at.Height - min(at.Height, blocks), Last: at.Height}}) {
			switch {
			case err != nil:
				return before, after, d.wrapErr(err)
			case t.Sealed && t.Place().Compare(at) < 0:
				before = chain.Some(t.Place())
			}
		}
		if before.Known() {
			break
		}
	}
	for _, blocks := range nearBlocks {
		for t, err := range d.Book.Transactions(ctx, ledger.Query{Span: chain.Heights{First: at.Height, Last: at.Height + blocks}, After: chain.Some(at), Limit: 1}) {
			switch {
			case err != nil:
				return before, after, d.wrapErr(err)
			case t.Sealed:
				return before, chain.Some(t.Place()), nil
			}
		}
	}
	return before, after, nil
}

// PlaceOf returns the position of a transaction given by its ID or a hash.
func (d *Ledger) PlaceOf(ctx context.Context, name string) (at ledger.Place, err error) {
	if hash, err := chain.ParseHash(name); err == nil {
		return d.findByHash(ctx, hash)
	}
	return ParsePlace(name)
}

// ParsePlace parses a transaction ID, such as 25-7.
func ParsePlace(name string) (ledger.Place, error) {
	at, ok := ledger.ParsePlace(name)
	if !ok {
		return at, notUnderstood("transaction %q: want a block and an index such as 25-7, or a hash of 0x and 64 hex digits", name)
	}
	return at, nil
}

// maxPlaces limits how many matches an error lists.
const maxPlaces = 10

func (d *Ledger) findByHash(ctx context.Context, hash chain.Hash) (at ledger.Place, err error) {
	var places []string
	for t, err := range d.Book.TransactionsByHash(ctx, hash) {
		if err != nil {
			return at, d.wrapErr(err)
		}
		at = t.Place()
		if places = append(places, at.String()); len(places) > maxPlaces {
			places[maxPlaces] = "and more"
			break
		}
	}
	switch len(places) {
	case 0:
		return at, d.wrapErr(d.absent(ctx, fmt.Sprintf("no EVM transaction or extrinsic has the hash %v", hash)))
	case 1:
		return at, nil
	}
	return at, notUnderstood("the ledger contains several transactions with the hash %v. Name one by its ID: %s", hash, strings.Join(places, ", "))
}

// absent returns a [NotThereError] that states which blocks the ledger contains and which it lacks.
func (d *Ledger) absent(ctx context.Context, what string) error {
	first, next, err := d.Book.Extent(ctx)
	switch {
	case err != nil:
		return err
	case next == first:
		return &NotThereError{what + "; the ledger is empty", chain.Some(Lacks{})}
	}
	have := chain.Heights{First: first, Last: next - 1}
	missing, err := d.Book.Missing(ctx, have)
	if err != nil {
		return err
	}
	lacks := Lacks{After: chain.Some(have.Last)}
	text := fmt.Sprintf("%s; the ledger contains blocks %v", what, have)
	if len(missing) > 0 {
		lacks.Gap = chain.Some(missing[0])
		text += fmt.Sprintf(" except %v", missing[0])
		switch n := len(missing) - 1; {
		case n == 1:
			text += " and one more gap"
		case n > 1:
			text += fmt.Sprintf(" and %d more gaps", n)
		}
	}
	return &NotThereError{text, chain.Some(lacks)}
}

// noTransaction returns why the ledger has no transaction at a place.
func (d *Ledger) noTransaction(ctx context.Context, at ledger.Place) error {
	b, err := d.block(ctx, at.Height)
	switch {
	case err != nil:
		return err
	case b == nil:
		return d.noBlock(ctx, at.Height)
	}
	return d.wrapErr(notFoundf("block %d has no transaction %d; it has %d EVM transactions, %d native transactions and %d inherents, which pay no fee", at.Height, at.Row, b.EVM, b.Native, b.Inherents))
}

func (d *Ledger) noBlock(ctx context.Context, height uint64) error {
	return d.wrapErr(d.absent(ctx, fmt.Sprintf("block %d is not in the ledger", height)))
}

// Block returns the block at a height. It returns a [NotThereError] if the ledger does not contain it.
func (d *Ledger) Block(ctx context.Context, height uint64) (*ledger.Block, error) {
	b, err := d.block(ctx, height)
	if err == nil && b == nil {
		err = d.noBlock(ctx, height)
	}
	return b, err
}

func (d *Ledger) block(ctx context.Context, height uint64) (found *ledger.Block, err error) {
	for b, err := range d.Book.Blocks(ctx, ledger.Query{Span: chain.Heights{First: height, Last: height}}) {
		if err != nil {
			return nil, d.wrapErr(err)
		}
		found = b
	}
	return found, nil
}
