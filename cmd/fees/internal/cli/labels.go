package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// LabelFlags say which address book names the addresses that are shown.
type LabelFlags struct{ labels string }

// Line is the flag on a command line, "" where it was not given.
func (f *LabelFlags) Line() string {
	if f.labels == "" {
		return ""
	}
	return " --labels " + console.Argument(f.labels)
}

// noLabels is what --labels says where no address book is wanted.
const noLabels = "none"

// Add adds the flag.
func (f *LabelFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.labels, "labels", "", "the address book: a CSV file of address,label,group,account, or "+noLabels+" (default: FEES_ACCOUNTS, else "+app.AddressBookFile+" beside the ledger)")
}

// LabelsManual is what the manual of a command says of the address book.
const LabelsManual = `The address book gives addresses their labels and groups: a CSV file of address,
label, group and account, whose header names them. It is the file of --labels,
else of FEES_ACCOUNTS, else accounts.csv beside the ledger. It names addresses,
and chooses none.`

// ReadBook reads the address book, nil where there is none. Of one that no flag names it says on
// stderr where it is.
func (f *LabelFlags) ReadBook(book *LedgerFlags, quiet bool, stderr io.Writer) (*app.AddressBook, error) {
	if f.labels == noLabels {
		return nil, nil
	}
	path := cmp.Or(f.labels, os.Getenv("FEES_ACCOUNTS"))
	if path == "" {
		place, err := book.LedgerPlace()
		if err != nil {
			return nil, err
		}
		path = app.AddressBookBeside(place)
	}
	b, err := app.ReadAddressBook(path)
	switch {
	case err != nil && f.labels == "":
		return nil, fmt.Errorf("%w; --labels %s does without an address book", err, noLabels)
	case err == nil && b != nil && f.labels == "" && !quiet:
		fmt.Fprintf(stderr, "fees: labels from %s\n", console.Printable(path))
	}
	return b, err
}

// ReadAccounts reads the address book, and the accounts that a list names by it.
func (f *LabelFlags) ReadAccounts(list []string, book *LedgerFlags, quiet bool, stderr io.Writer) (*app.Chosen, error) {
	b, err := f.ReadBook(book, quiet, stderr)
	if err != nil {
		return nil, err
	}
	chosen, err := b.Choose(list)
	if err != nil && b == nil && f.labels == "" {
		err = fmt.Errorf("%w%s", err, waiting(book))
	}
	return chosen, err
}

// waiting says that there is an address book where the ledger will be; "" where there is none.
func waiting(book *LedgerFlags) string {
	place, err := book.LedgerPlace()
	if err != nil || ledger.Postgres(place) {
		return ""
	}
	path := filepath.Join(filepath.Dir(place), app.AddressBookFile)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return fmt.Sprintf(" %s, or fill the ledger: beside it, %s is the address book", console.Argument(path), app.AddressBookFile)
}

// Addresses are those of the accounts that a list names, for a command that asks no ledger. Where
// it names none, no address book is read.
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

// Called is an address with its label, "" where it is not known.
func Called(b *app.AddressBook, address chain.Optional[chain.Address]) string {
	a, ok := address.Get()
	if !ok {
		return ""
	}
	if b != nil {
		if label, ok := b.Label(a); ok {
			return fmt.Sprintf("%v (%s)", a, console.Printable(label))
		}
	}
	return a.String()
}

// LabelOf is the label of an address, or the address; "" where it is not known.
func LabelOf(b *app.AddressBook, address chain.Optional[chain.Address]) string {
	if b != nil {
		if label, ok := b.LabelOf(address).Get(); ok {
			return label
		}
	}
	return Known(address)
}

// Offer says, for people, how the accounts of an address book are named; "" where there is none.
func Offer(b *app.AddressBook) string {
	if b == nil || len(b.Entries()) == 0 {
		return ""
	}
	text := fmt.Sprintf("; --accounts %s takes all %d of the address book", console.Argument(b.Path), len(b.Entries()))
	if groups := b.Groups(); len(groups) > 0 {
		text += fmt.Sprintf(", and --accounts %s those of a group", console.Argument(app.GroupPrefix+groups[0]))
	}
	return text
}
