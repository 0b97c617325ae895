package app

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/journal"
)

const (
	// maxAccounts limits the accounts of one request; each costs a ledger query.
	maxAccounts = 10_000
	// maxWrongItems limits how many invalid items are reported.
	maxWrongItems = 100
)

// MaxGroups limits how many groups of the address book are offered.
const MaxGroups = 10

// GroupPrefix marks a group of the address book in a list of accounts.
const GroupPrefix = "group:"

// accountList collects accounts without duplicates, and the errors of invalid items.
type accountList struct {
	book  addressbook.Book
	names *AddressBook // resolves labels and groups; may be nil
	wrong []error
}

// ReadAccounts reads a list of addresses, files of addresses, and labels and groups of an address
// book. The returned book contains only these accounts, with what the files state about them.
func ReadAccounts(list []string, names *AddressBook) ([]chain.Address, *addressbook.Book, error) {
	l := accountList{names: names}
	for _, item := range list {
		if item = strings.TrimSpace(item); IsAddress(item) {
			l.add(item)
		} else if group, ok := strings.CutPrefix(item, GroupPrefix); ok {
			l.addGroup(group)
		} else if err := l.addFile(item); err != nil {
			l.wrong = append(l.wrong, inFile(FieldAccounts, item, err))
		}
	}
	accounts := l.book.Addresses()
	switch {
	case len(l.wrong) > 0:
		return nil, nil, errors.Join(l.wrong[:min(len(l.wrong), maxWrongItems)]...)
	case len(accounts) > maxAccounts:
		return nil, nil, notUnderstood("%d accounts exceed the limit of %d", len(accounts), maxAccounts)
	}
	return accounts, &l.book, nil
}

// Chosen contains the selected accounts and the labels of addresses.
type Chosen struct {
	Accounts []chain.Address
	Labels   *addressbook.Book // from the address book, or else from the files of accounts; nil without labels
	Book     *AddressBook      // nil without an address book
}

// Choose reads a list of accounts as [ReadAccounts] does, with this address book.
func (b *AddressBook) Choose(list []string) (*Chosen, error) {
	accounts, own, err := ReadAccounts(list, b)
	if err != nil {
		return nil, err
	}
	return &Chosen{accounts, b.With(own), b}, nil
}

// JournalNames returns account names for a journal, built from the labels; nil without labels. Errors
// are of type [InputError].
func (c *Chosen) JournalNames() (*journal.Names, error) { return c.Book.names(c.Labels) }

// IsAddress reports whether text is meant as an address rather than a file name.
func IsAddress(text string) bool { return strings.HasPrefix(text, "0x") || ss58Form.MatchString(text) }

// ss58Form matches accounts of 32 bytes in SS58.
var ss58Form = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{46,50}$`)

func (l *accountList) add(text string) {
	account, err := chain.ParseAccount(text)
	if err == nil {
		err = l.book.Add(addressbook.Entry{Address: account})
	}
	if err != nil {
		l.wrong = append(l.wrong, at(FieldAccounts, notUnderstood("%v", err)))
	}
}

// addGroup adds the addresses of a group of the address book.
func (l *accountList) addGroup(group string) {
	found := l.names.entries().InGroup(group)
	switch {
	case len(found) > 0:
		l.addEntries(found)
	case l.names == nil:
		l.wrong = append(l.wrong, notUnderstood("%v %s%s: no address book; name one with %v", FieldAccounts, GroupPrefix, group, FieldLabels))
	default:
		l.wrong = append(l.wrong, notUnderstood("%v %s%s: no such group in %s%s", FieldAccounts, GroupPrefix, group, l.names.Path, l.names.groupHint()))
	}
}

// addEntries adds addresses with their entries in the address book.
func (l *accountList) addEntries(found []chain.Address) {
	for _, address := range found {
		e := l.names.entries().Entry(address)
		e.Line = 0
		if err := l.book.Add(e); err != nil {
			l.wrong = append(l.wrong, at(FieldAccounts, notUnderstood("%v", err)))
		}
	}
}

func (l *accountList) addFile(path string) error {
	book, _, err := readBook(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && len(l.names.entries().Labelled(path)) > 0:
		l.addEntries(l.names.entries().Labelled(path))
		return nil
	case errors.Is(err, os.ErrNotExist) && l.names != nil:
		return fmt.Errorf("not an address (0x and 40 hex digits, or SS58), a file, or a label in %s", l.names.Path)
	case errors.Is(err, os.ErrNotExist):
		return errors.New("not an address (0x and 40 hex digits, or SS58), and not a file")
	case err != nil:
		return err
	case len(book.Entries()) == 0:
		return errors.New("the file contains no address")
	}
	l.book.TakeChains(book)
	for _, e := range book.Entries() {
		line := e.Line
		e.Line = 0 // a line number of the file means nothing in the list
		if err := l.book.Add(e); err != nil {
			return notUnderstood("line %d: %v", line, err)
		}
	}
	return nil
}

// readBook reads a file of addresses and returns its SHA-256, too.
func readBook(path string) (book *addressbook.Book, sum [sha256.Size]byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, sum, err
	}
	defer file.Close()
	text := sha256.New()
	book, err = addressbook.Read(io.TeeReader(file, text))
	return book, [sha256.Size]byte(text.Sum(nil)), err
}
