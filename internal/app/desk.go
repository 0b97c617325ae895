package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Desk answers questions about a ledger.
type Desk struct {
	Book   *ledger.Book
	Place  string // the ledger's, as it may be shown
	Tables network.Tables

	remove func() // takes away a ledger that was made for one question
}

// Open opens the ledger at a place, the path of a file or a postgres:// URL, for reading.
// Tables have the ledger's network.
func Open(ctx context.Context, place string, tables network.Tables) (*Desk, error) {
	return open(ctx, place, tables, ledger.Open)
}

// OpenWriter opens a ledger to write it, alone, and makes it where there is none.
func OpenWriter(ctx context.Context, place string, tables network.Tables) (*Desk, error) {
	return open(ctx, place, tables, ledger.OpenWriter)
}

// OpenShared opens a ledger in PostgreSQL to write it beside others.
func OpenShared(ctx context.Context, place string, tables network.Tables) (*Desk, error) {
	return open(ctx, place, tables, ledger.OpenShared)
}

// opener is one of these.
type opener = func(context.Context, string, network.Tables) (*Desk, error)

func open(ctx context.Context, place string, tables network.Tables, how func(context.Context, string) (*ledger.Book, error)) (*Desk, error) {
	d := &Desk{Place: ShownLedger(place), Tables: tables}
	var err error
	if d.Book, err = how(ctx, place); err != nil {
		return nil, d.of(err)
	}
	d.tellOfTheEnd(ctx)
	return d, nil
}

// tellOfTheEnd tells the ledger the last block of its chain, where the tables have one.
func (d *Desk) tellOfTheEnd(ctx context.Context) {
	if last, ended := d.lastBlock(ctx).Get(); ended {
		d.Book.ChainEnds(last)
	}
}

// lastBlock is that of the ledger's chain, where the tables say that it has ended. What is
// wrong with a ledger, the questions say.
func (d *Desk) lastBlock(ctx context.Context) (none chain.Optional[uint64]) {
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return none
	}
	if n, ok := d.Tables.Named(id.Network); ok && n.LastBlock != nil {
		return chain.Some(*n.LastBlock)
	}
	return none
}

// begin opens a ledger for the blocks of a source, from a height on. The source is asked
// before a ledger is made, for its block at a height that it has.
func begin(ctx context.Context, place string, reader *source.Reader, has, first uint64, open opener) (*Desk, error) {
	id, err := identify(ctx, reader, has)
	if err != nil {
		return nil, err
	}
	d, err := open(ctx, place, reader.Tables)
	if err != nil {
		return nil, err
	}
	if err := d.Book.Begin(ctx, id, first); err != nil {
		return nil, errors.Join(d.of(err), d.Close())
	}
	return d, nil
}

// Close closes the ledger.
func (d *Desk) Close() error {
	err := d.Book.Close()
	if d.remove != nil {
		d.remove()
	}
	return err
}

// Network is the network that the ledger is of, as the tables have it.
func (d *Desk) Network(ctx context.Context) (*network.Network, error) {
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return nil, d.of(err)
	}
	n, err := d.Tables.Choose(id.Network)
	if err != nil {
		return nil, fmt.Errorf("the ledger is of the network %s, whose token no table names: %w", id.Network, err)
	}
	return n, nil
}

// Symbol is what the ledger's token is called, "" where no table knows its network.
func (d *Desk) Symbol(ctx context.Context) (string, error) {
	_, symbol, err := d.named(ctx)
	return symbol, err
}

// named is what the ledger's network and its token are called.
func (d *Desk) named(ctx context.Context) (name, symbol string, err error) {
	id, err := d.Book.Identity(ctx)
	if n, ok := d.Tables.Named(id.Network); err == nil && ok {
		symbol = n.Symbol
	}
	return id.Network, symbol, d.of(err)
}

// of says of an error that it is the ledger's.
func (d *Desk) of(err error) error {
	if err == nil {
		return nil
	}
	return &LedgerError{d.Place, err}
}

// ShownLedger is a ledger's place as it may be shown: of a URL neither user name nor
// password, nor what follows its path.
func ShownLedger(place string) string {
	if !ledger.Postgres(place) {
		return place
	}
	u, err := url.Parse(place)
	if err != nil {
		return "the database"
	}
	return u.Scheme + "://" + u.Host + u.Path
}
