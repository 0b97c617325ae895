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
)

// LedgerFlags say which ledger is meant.
type LedgerFlags struct{ Ledger string }

// DefaultLedger is a file in the current directory.
const DefaultLedger = "fees.db"

// Add adds the flag.
func (f *LedgerFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Ledger, "ledger", "", "the ledger: a file, or postgres://HOST/DATABASE (default: FEES_LEDGER, else "+DefaultLedger+")")
}

// LedgerPlace is what the flag says, or the environment, or the default.
func (f *LedgerFlags) LedgerPlace() (string, error) {
	if ledger.Postgres(f.Ledger) && hasPassword(f.Ledger) {
		return "", errors.New("--ledger: a password in an argument can be seen by others on this machine: set PGPASSWORD or PGPASSFILE, or put the whole URL in FEES_LEDGER in the environment")
	}
	return cmp.Or(f.Ledger, os.Getenv("FEES_LEDGER"), DefaultLedger), nil
}

// Named tells whether the flag or the environment names a ledger.
func (f *LedgerFlags) Named() bool { return f.Ledger != "" || os.Getenv("FEES_LEDGER") != "" }

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

// Ask opens the ledger for reading, asks it, and closes it.
func (f *LedgerFlags) Ask(c *cobra.Command, networkFile string, ask func(*app.Desk) error) error {
	d, err := f.Open(c.Context(), networkFile)
	if err != nil {
		return err
	}
	defer d.Close()
	return ask(d)
}

// Open opens the ledger for reading, with the tables of a user's file.
func (f *LedgerFlags) Open(ctx context.Context, networkFile string) (*app.Desk, error) {
	place, err := f.LedgerPlace()
	if err != nil {
		return nil, err
	}
	tables, err := app.ReadTables(networkFile)
	if err != nil {
		return nil, err
	}
	return app.Open(ctx, place, tables)
}
