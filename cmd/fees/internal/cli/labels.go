package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
)

// LabelFlags select the address book.
type LabelFlags struct{ labels string }

// Line returns the flag for a command line, "" if it is not set.
func (f *LabelFlags) Line() string {
	if f.labels == "" {
		return ""
	}
	return " --labels " + console.Argument(f.labels)
}

// noLabels is the value of --labels for no address book.
const noLabels = "none"

// Add adds the flag.
func (f *LabelFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.labels, "labels", "", "the address book, or "+noLabels+" (default: FEES_ACCOUNTS, else "+app.AddressBookFile+" beside the ledger)")
}

// LabelsManual is the section of a command's manual on the address book.
const LabelsManual = `The address book is a CSV file with columns address, label, group, account.
fees uses --labels, then FEES_ACCOUNTS, then accounts.csv beside the ledger. It
labels addresses; it does not select them. A header names the columns, in any
order; only address is required. Files of --accounts and --names use the same
format.`

// ReadBook reads the address book, nil if there is none. If no flag names it, its path is reported on
// stderr.
func (f *LabelFlags) ReadBook(book *LedgerFlags, quiet bool, stderr io.Writer) (*app.AddressBook, error) {
	if f.labels == noLabels {
		return nil, nil
	}
	path := cmp.Or(f.labels, os.Getenv("FEES_ACCOUNTS"))
	if path == "" {
		var err error
		if path, err = beside(book); err != nil {
			return nil, err
		}
	}
	b, err := app.ReadAddressBook(path)
	switch {
	case err != nil && f.labels == "":
		return nil, fmt.Errorf("%w; to use no address book, pass --labels %s", err, noLabels)
	case err == nil && b != nil && f.labels == "" && !quiet:
		fmt.Fprintf(stderr, "fees: labels from %s\n", plain.Line(path))
	}
	return b, err
}

// beside returns the path of the address book beside the ledgers, "" for none.
func beside(book *LedgerFlags) (string, error) {
	place, err := book.LedgerPlace()
	if err != nil || !book.IsSeveral() {
		return app.AddressBookBeside(place), err
	}
	var paths []string
	for _, place := range book.Ledgers {
		if path := app.AddressBookBeside(place); path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if len(paths) > 1 {
		return "", fmt.Errorf("address books are beside several ledgers: %s. Name the one to use with --labels", strings.Join(paths, ", "))
	}
	return strings.Join(paths, ""), nil
}

// ReadAccounts reads the address book and resolves a list of accounts with it.
func (f *LabelFlags) ReadAccounts(list []string, book *LedgerFlags, quiet bool, stderr io.Writer) (*app.Chosen, error) {
	b, err := f.ReadBook(book, quiet, stderr)
	if err != nil {
		return nil, err
	}
	chosen, err := b.Choose(list)
	if err != nil && b == nil && f.labels == "" {
		err = fmt.Errorf("%w%s", err, suggestedBook(book))
	}
	return chosen, err
}

// suggestedBook points to an address book next to a ledger that does not exist yet, "" if there is none.
func suggestedBook(book *LedgerFlags) string {
	place, err := book.LedgerPlace()
	if err != nil || ledger.Postgres(place) {
		return ""
	}
	path := filepath.Join(filepath.Dir(place), app.AddressBookFile)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprintf(" (pass --labels %s, or fill the ledger next to it)", console.Argument(path))
}

// Addresses resolves a list of accounts for a command without a ledger. An empty list reads no address
// book.
func (f *LabelFlags) Addresses(list []string, quiet bool, stderr io.Writer) ([]chain.Address, error) {
	if len(list) == 0 {
		return nil, nil
	}
	chosen, err := f.ReadAccounts(list, &LedgerFlags{}, quiet, stderr)
	if err != nil {
		return nil, err
	}
	return chosen.Accounts, nil
}

// Called returns an address in the network's form with its label, "" if the address is unknown.
func Called(token console.Token, b *app.AddressBook, address chain.Optional[chain.Address]) string {
	a, ok := address.Get()
	if !ok {
		return ""
	}
	if b != nil {
		if label, ok := b.Label(a); ok {
			return fmt.Sprintf("%s (%s)", token.Account(a), plain.Line(label))
		}
	}
	return token.Account(a)
}

// LabelOf returns the label of an address, or the address in the network's form; "" if the address is unknown.
func LabelOf(token console.Token, b *app.AddressBook, address chain.Optional[chain.Address]) string {
	if b != nil {
		if label, ok := b.LabelOf(address).Get(); ok {
			return label
		}
	}
	return console.Known(token.AccountOf(address))
}

// Offer suggests values of --accounts from an address book, "" if it is empty.
func Offer(b *app.AddressBook) string {
	if b == nil || len(b.Entries()) == 0 {
		return ""
	}
	text := fmt.Sprintf(", such as --accounts %s for all %d of the address book", console.Argument(b.Path), len(b.Entries()))
	if groups := b.Groups(); len(groups) > 0 {
		text += fmt.Sprintf(", or --accounts %s for a group", console.Argument(app.GroupPrefix+groups[0]))
	}
	return text
}
