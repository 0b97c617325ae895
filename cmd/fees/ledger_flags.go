package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// ledgerFlags say which ledger is meant.
type ledgerFlags struct{ ledger string }

// defaultLedger is a file in the current directory.
const defaultLedger = "fees.db"

func (f *ledgerFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.ledger, "ledger", "", "the ledger: a file, or postgres://HOST/DATABASE (default: FEES_LEDGER, else "+defaultLedger+")")
}

// ledgerPlace is what the flag says, or the environment, or the default.
func (f *ledgerFlags) ledgerPlace() (string, error) {
	if ledger.Postgres(f.ledger) && hasPassword(f.ledger) {
		return "", errors.New("--ledger: a password in an argument can be seen by others on this machine: set PGPASSWORD or PGPASSFILE, or put the whole URL in FEES_LEDGER in the environment")
	}
	return cmp.Or(f.ledger, os.Getenv("FEES_LEDGER"), defaultLedger), nil
}

// hasPassword tells whether a database URL has a password in it; one that cannot be
// read may have.
func hasPassword(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password") || u.Query().Has("sslpassword")
}

// shownLedger is a ledger's place as it may be shown.
func shownLedger(place string) string {
	if !ledger.Postgres(place) {
		return place
	}
	u, err := url.Parse(place)
	if err != nil {
		return "the database"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// ledgerError is what a ledger says, with where it is.
type ledgerError struct {
	place string
	err   error
}

func (e *ledgerError) Error() string {
	return fmt.Sprintf("ledger %s: %s", e.place, strings.TrimPrefix(e.err.Error(), e.place+": "))
}

func (e *ledgerError) Unwrap() error { return e.err }

// ofLedger says of an error that it is a ledger's.
func ofLedger(place string, err error) error {
	if err == nil {
		return nil
	}
	return &ledgerError{shownLedger(place), err}
}

// networkOf is the network that a ledger is of, as the tables have it.
func networkOf(ctx context.Context, book *ledger.Book, place string, tables network.Tables) (*network.Network, error) {
	id, err := book.Identity(ctx)
	if err != nil {
		return nil, ofLedger(place, err)
	}
	n, err := tables.Choose(id.Network)
	if err != nil {
		return nil, fmt.Errorf("the ledger is of the network %s, whose token no table names: %w", id.Network, err)
	}
	return n, nil
}

// openBook opens a ledger in one of the ways that package ledger has.
func (f *ledgerFlags) openBook(ctx context.Context, open func(context.Context, string) (*ledger.Book, error)) (*ledger.Book, string, error) {
	place, err := f.ledgerPlace()
	if err != nil {
		return nil, "", err
	}
	book, err := open(ctx, place)
	return book, place, ofLedger(place, err)
}

// coverage is where a ledger begins and where it ends; of one that is new, neither
// is known.
type coverage struct {
	first, next uint64
	known       bool
}

// coverage reads how far the ledger is.
func (f *ledgerFlags) coverage(ctx context.Context) (c coverage, err error) {
	book, place, err := f.openBook(ctx, ledger.Open)
	if err == nil {
		defer book.Close()
		c.first, c.next, err = book.Coverage(ctx)
		err = ofLedger(place, err)
	}
	if errors.Is(err, ledger.ErrNone) {
		return c, nil
	}
	c.known = err == nil
	return c, err
}

// identify tells which chain a source has. The block at a height says of which
// network it is; block 0, where the source has it, which chain of that name.
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
	case errorsLack(err):
		err = nil
	}
	return id, err
}
