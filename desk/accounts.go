package desk

import (
	"errors"
	"os"
	"strings"

	"github.com/feeledger/fees/addressbook"
	"github.com/feeledger/fees/chain"
)

const (
	// maxAccounts is how many accounts are asked about at most: each is a question to
	// the ledger.
	maxAccounts = 10_000
	// maxWrongItems is how many of the items that are wrong are told: more do not help.
	maxWrongItems = 100
)

// accountList collects accounts, each once, and what is none.
type accountList struct {
	book  addressbook.Book
	wrong []error
}

// ReadAccounts reads a list of addresses, and of files of them. The book has the labels
// of the files.
func ReadAccounts(list []string) ([]chain.Address, *addressbook.Book, error) {
	var l accountList
	for _, item := range list {
		if item = strings.TrimSpace(item); IsAddress(item) {
			l.add(item)
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

func (l *accountList) addFile(path string) error {
	book, err := readBook(path)
	switch {
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
