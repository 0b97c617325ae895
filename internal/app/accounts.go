package app

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/journal"
)

const (
	// maxAccounts is how many accounts are asked about at most: each is a question to
	// the ledger.
	maxAccounts = 10_000
	// maxWrongItems is how many of the items that are wrong are told: more do not help.
	maxWrongItems = 100
)

// MaxGroups is how many groups of the address book are offered.
const MaxGroups = 10

// GroupPrefix is what a group of the address book begins with in a list of accounts.
const GroupPrefix = "group:"

// accountList collects accounts, each once, and what is none.
type accountList struct {
	book  addressbook.Book
	names *AddressBook // whose labels and groups stand for addresses
	wrong []error
}

// ReadAccounts reads a list of addresses, of files of them, and of labels and groups of an
// address book. The book that it returns has these accounts alone, with what the files say
// of them.
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
		return nil, nil, notUnderstood("%d accounts: want at most %d", len(accounts), maxAccounts)
	}
	return accounts, &l.book, nil
}

// Chosen are the accounts that somebody chose, and what they and others are called.
type Chosen struct {
	Accounts []chain.Address
	Labels   *addressbook.Book // by the address book, else by the files that named them; nil where neither says anything
	Book     *AddressBook      // nil where there is none
}

// Choose reads a list of accounts as [ReadAccounts] does, by this address book.
func (b *AddressBook) Choose(list []string) (*Chosen, error) {
	accounts, own, err := ReadAccounts(list, b)
	if err != nil {
		return nil, err
	}
	return &Chosen{accounts, b.With(own), b}, nil
}

// JournalNames are the names of a journal by the labels: nil where there are none. The error is
// an [InputError].
func (c *Chosen) JournalNames() (*journal.Names, error) { return c.Book.names(c.Labels) }

// IsAddress tells whether a text is meant to be an address, and not a file's name.
func IsAddress(text string) bool { return strings.HasPrefix(text, "0x") }

func (l *accountList) add(text string) {
	account, err := chain.ParseAddress(text)
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
		l.wrong = append(l.wrong, notUnderstood("%v %s%s: there is no address book: name one with %v", FieldAccounts, GroupPrefix, group, FieldLabels))
	default:
		l.wrong = append(l.wrong, notUnderstood("%v %s%s: the address book %s has no such group%s", FieldAccounts, GroupPrefix, group, l.names.Path, l.names.hasGroups()))
	}
}

// addEntries adds addresses that the address book names.
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
	book, err := readBook(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && len(l.names.entries().Labelled(path)) > 0:
		l.addEntries(l.names.entries().Labelled(path))
		return nil
	case errors.Is(err, os.ErrNotExist) && l.names != nil:
		return fmt.Errorf("it is neither an address of 0x and 40 hex digits nor a file nor a label of %s", l.names.Path)
	case errors.Is(err, os.ErrNotExist):
		return errors.New("it is neither an address of 0x and 40 hex digits nor a file")
	case err != nil:
		return err
	case len(book.Entries()) == 0:
		return errors.New("it has no address")
	}
	for _, e := range book.Entries() {
		line := e.Line
		e.Line = 0 // it is not of the list's
		if err := l.book.Add(e); err != nil {
			return notUnderstood("line %d: %v", line, err)
		}
	}
	return nil
}

// readBook reads a file of addresses.
func readBook(path string) (*addressbook.Book, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return addressbook.Read(file)
}
