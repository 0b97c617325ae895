package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/network"
)

// LedgerFlags select the ledger, and the network tables that it is read with.
type LedgerFlags struct {
	Ledger  string
	Ledgers []string // all that the flag names, for commands that take several
	Tables  string   // the user's file of tables; "" for none
}

// DefaultLedger is a file in the current directory.
const DefaultLedger = "fees.db"

// ledgerUsage is the help of --ledger.
const ledgerUsage = "the ledger: a file, or postgres://HOST/DATABASE (default: FEES_LEDGER, else " + DefaultLedger + ")"

// Add adds the flag.
func (f *LedgerFlags) Add(c *cobra.Command) {
	f.AddSeveral(c)
	c.Flags().Lookup("ledger").Usage = ledgerUsage
	before(c, func(c *cobra.Command) error {
		if f.IsSeveral() {
			return fmt.Errorf("%s reads one ledger, got %d. Name one --ledger", c.CommandPath(), len(f.Ledgers))
		}
		return nil
	})
}

// AddSeveral adds the flag for a command that takes several ledgers.
func (f *LedgerFlags) AddSeveral(c *cobra.Command) {
	c.Flags().Var(&repeated{&f.Ledger, &f.Ledgers}, "ledger", ledgerUsage+"; repeated for several chains")
}

// IsSeveral reports whether the flag names several ledgers.
func (f *LedgerFlags) IsSeveral() bool { return len(f.Ledgers) > 1 }

// OpenAll opens all ledgers for reading, with the user's network tables. Close them with the second result.
func (f *LedgerFlags) OpenAll(ctx context.Context, networkFile string) (list []*app.Ledger, end func(), err error) {
	end = func() {
		for _, d := range list {
			d.Close()
		}
	}
	for i := range f.Ledgers {
		f.At(i)
		d, err := f.Open(ctx, networkFile)
		if err != nil {
			end()
			return nil, nil, err
		}
		list = append(list, d)
	}
	return list, end, nil
}

// At makes one of several ledgers the one that advice on an error names.
func (f *LedgerFlags) At(number int) { f.Ledger = f.Ledgers[number] }

// repeated is a flag that may be repeated; commands that take one value use the last.
type repeated struct {
	last *string
	all  *[]string
}

func (r *repeated) Set(text string) error {
	*r.last, *r.all = text, append(*r.all, text)
	return nil
}

func (r *repeated) String() string { return *r.last }

// Type returns the type that help shows.
func (r *repeated) Type() string { return "string" }

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
