package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// Ledger answers questions about a ledger.
type Ledger struct {
	Book   *ledger.Book
	Place  string // the ledger's location without credentials
	Tables network.Tables

	remove func() // deletes a temporary ledger
}

// Open opens a ledger for reading. The place is a file path or a postgres:// URL; tables must contain
// the ledger's network.
func Open(ctx context.Context, place string, tables network.Tables) (*Ledger, error) {
	return open(ctx, place, tables, ledger.Open)
}

// OpenWriter opens a ledger for exclusive writing, and creates it if it does not exist.
func OpenWriter(ctx context.Context, place string, tables network.Tables) (*Ledger, error) {
	return open(ctx, place, tables, ledger.OpenWriter)
}

// OpenShared opens a ledger in PostgreSQL for writing beside other writers.
func OpenShared(ctx context.Context, place string, tables network.Tables) (*Ledger, error) {
	return open(ctx, place, tables, ledger.OpenShared)
}

// OpenTrail opens a ledger to extend its audit trail, also while another program writes blocks.
func OpenTrail(ctx context.Context, place string, tables network.Tables) (*Ledger, error) {
	return open(ctx, place, tables, ledger.OpenTrail)
}

// opener is the type of these functions.
type opener = func(context.Context, string, network.Tables) (*Ledger, error)

func open(ctx context.Context, place string, tables network.Tables, how func(context.Context, string) (*ledger.Book, error)) (*Ledger, error) {
	d := &Ledger{Place: ShownLedger(place), Tables: tables}
	var err error
	if d.Book, err = how(ctx, place); err != nil {
		return nil, d.wrapErr(err)
	}
	d.setLastBlock(ctx)
	return d, nil
}

// setLastBlock records the chain's final block in the ledger, if the tables contain one.
func (d *Ledger) setLastBlock(ctx context.Context) {
	if last, ended := d.lastBlock(ctx).Get(); ended {
		d.Book.ChainEnds(last)
	}
}

// lastBlock returns the last block of the ledger's chain if the tables state that the chain has ended.
// It ignores errors of the ledger: the questions report them.
func (d *Ledger) lastBlock(ctx context.Context) (none chain.Optional[uint64]) {
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return none
	}
	if n, ok := d.Tables.Named(id.Network); ok && n.LastBlock != nil {
		return chain.Some(*n.LastBlock)
	}
	return none
}

// begin opens a ledger for the blocks of a source, starting at height first. Before it creates a ledger, it
// reads the source's block at height has.
func begin(ctx context.Context, place string, o *FillOptions, has, first uint64, open opener) (*Ledger, error) {
	id, err := identify(ctx, o.Reader, has)
	if err != nil {
		return nil, err
	}
	d, err := open(ctx, place, o.Reader.Tables)
	if err != nil {
		return nil, err
	}
	if err := d.begin(ctx, id, first, o.Source); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func (d *Ledger) begin(ctx context.Context, id ledger.Identity, first uint64, from string) error {
	err := d.Book.Begin(ctx, id, first)
	if err == nil && from != "" {
		err = d.Book.RememberSource(ctx, from)
	}
	return d.wrapErr(err)
}

// SourceOf returns where a ledger's last blocks came from, "" if that is unknown or cannot be read.
func SourceOf(ctx context.Context, place string) string {
	book, err := ledger.Open(ctx, place)
	if err != nil {
		return ""
	}
	defer book.Close()
	from, _ := book.Source(ctx)
	return from
}

// Close closes the ledger.
func (d *Ledger) Close() error {
	err := d.Book.Close()
	if d.remove != nil {
		d.remove()
	}
	return err
}

// Network returns the ledger's network from the tables.
func (d *Ledger) Network(ctx context.Context) (*network.Network, error) {
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return nil, d.wrapErr(err)
	}
	n, err := d.Tables.Choose(id.Network)
	if err != nil {
		return nil, fmt.Errorf("the ledger's network %s is not in any table: %w", id.Network, err)
	}
	return n, nil
}

// Token returns the ledger's token, whose symbol is "" if no table contains its network.
func (d *Ledger) Token(ctx context.Context) (console.Token, error) {
	_, token, err := d.named(ctx)
	return token, err
}

// named returns the name of the ledger's network, and its token.
func (d *Ledger) named(ctx context.Context) (name string, token console.Token, err error) {
	id, err := d.Book.Identity(ctx)
	token.Decimals = id.Decimals
	if n, ok := d.Tables.Named(id.Network); err == nil && ok {
		token = console.Token(n.Token())
	}
	return id.Network, token, d.wrapErr(err)
}

// wrapErr adds the ledger's location to an error.
func (d *Ledger) wrapErr(err error) error {
	if err == nil {
		return nil
	}
	return &LedgerError{d.Place, err}
}

// ShownLedger returns a ledger's location without credentials: from a URL it removes user name, password
// and everything after the path.
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
