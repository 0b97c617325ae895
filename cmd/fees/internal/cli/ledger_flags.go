package cli

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// LedgerFlags select the ledger, and the network tables that it is read with.
type LedgerFlags struct {
	Ledger string
	Tables string // the user's file of tables; "" for none
}

// DefaultLedger is a file in the current directory.
const DefaultLedger = "fees.db"

// Add adds the flag.
func (f *LedgerFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Ledger, "ledger", "", "the ledger: a file, or postgres://HOST/DATABASE (default: FEES_LEDGER, else "+DefaultLedger+")")
}

// AddTables adds the flag for network tables. Commands that read from a source have it already.
func (f *LedgerFlags) AddTables(c *cobra.Command) {
	c.Flags().StringVar(&f.Tables, "network-file", "", "a file with your own network tables")
}

// LedgerPlace returns the ledger named by the flag, the environment or the default.
func (f *LedgerFlags) LedgerPlace() (string, error) {
	if ledger.Postgres(f.Ledger) && hasPassword(f.Ledger) {
		return "", errors.New("--ledger: other users of this machine can see a password in an argument; set PGPASSWORD or PGPASSFILE, or put the URL in FEES_LEDGER")
	}
	return cmp.Or(f.Ledger, os.Getenv("FEES_LEDGER"), DefaultLedger), nil
}

// Named reports whether the flag or the environment names a ledger.
func (f *LedgerFlags) Named() bool { return f.Ledger != "" || os.Getenv("FEES_LEDGER") != "" }

// hasPassword reports whether a database URL contains a password or cannot be parsed.
func hasPassword(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password") || u.Query().Has("sslpassword")
}

// Ask opens the ledger for reading with the user's tables, calls ask, and closes it.
func (f *LedgerFlags) Ask(c *cobra.Command, ask func(*app.Ledger) error) error {
	d, err := f.Open(c.Context(), f.Tables)
	if err != nil {
		return err
	}
	defer d.Close()
	return ask(d)
}

// Open opens the ledger for reading, with the user's network tables.
func (f *LedgerFlags) Open(ctx context.Context, networkFile string) (*app.Ledger, error) {
	return f.open(ctx, networkFile, app.Open)
}

// OpenTrail opens the ledger to extend its audit trail, with the user's network tables.
func (f *LedgerFlags) OpenTrail(ctx context.Context, networkFile string) (*app.Ledger, error) {
	return f.open(ctx, networkFile, app.OpenTrail)
}

func (f *LedgerFlags) open(ctx context.Context, networkFile string, open func(context.Context, string, network.Tables) (*app.Ledger, error)) (*app.Ledger, error) {
	place, err := f.LedgerPlace()
	if err != nil {
		return nil, err
	}
	tables, err := app.ReadTables(networkFile)
	if err != nil {
		return nil, err
	}
	return open(ctx, place, tables)
}
