package desk

import (
	"context"
	"fmt"
	"net/url"

	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/network"
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
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return "", d.of(err)
	}
	if n, ok := d.Tables.Named(id.Network); ok {
		return n.Symbol, nil
	}
	return "", nil
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
