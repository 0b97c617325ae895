package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
)

// Names are what addresses are called, and their asset accounts. The zero Names know
// nobody.
type Names struct {
	names  map[chain.Address]string
	assets map[chain.Address]Account
	groups *addressbook.Book // that say what addresses belong to
}

// Name is the name of an address, else the address.
func (n *Names) Name(a chain.Address) string {
	if name, ok := n.names[a]; ok {
		return name
	}
	return a.String()
}

// Label is the name of an address, where it has one.
func (n *Names) Label(a chain.Address) (string, bool) {
	name, ok := n.names[a]
	return name, ok
}

// Asset is the asset account of an address: Assets, and its name.
func (n *Names) Asset(a chain.Address) Account {
	if asset, ok := n.assets[a]; ok {
		return asset
	}
	return "Assets:" + Account(n.Name(a))
}

// Group is what an address belongs to, where it is known.
func (n *Names) Group(a chain.Address) (string, bool) { return n.groups.Group(a) }

// assetRoots are what an account that has something lies below.
var assetRoots = []string{"Assets", "Liabilities"}

// NewNames takes the names of a book: its labels, as accounts can have them, and its
// accounts, which lie below Assets or Liabilities. No two addresses have the same name.
// The error has all that is wrong, with the lines.
func NewNames(book *addressbook.Book) (*Names, error) {
	n := &Names{map[chain.Address]string{}, map[chain.Address]Account{}, book}
	lines := map[string]int{}
	var wrong wrongLines
	for _, e := range book.Entries() {
		if wrong.add(e.Line, n.add(&e, lines)) {
			break
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return n, nil
}

// NamesOf takes the names of an address book, which is not made for journals alone: where a
// label is that of several addresses, or no name, each has its address in its name. Nil is of
// a book that is nil.
func NamesOf(book *addressbook.Book) (*Names, error) {
	if book == nil {
		return nil, nil
	}
	called := map[string]int{}
	for _, e := range book.Entries() {
		called[cleanName(e.Label)]++
	}
	unique := &addressbook.Book{}
	for _, e := range book.Entries() {
		switch name := cleanName(e.Label); {
		case name == "" || isAddress(name), called[name] > 1 && len([]rune(name)) > longestText-roomOfAddress:
			e.Label = ""
		case called[name] > 1:
			e.Label = name + " " + e.Address.String()
		}
		if err := unique.Add(e); err != nil {
			return nil, err
		}
	}
	return NewNames(unique)
}

// roomOfAddress is what an address takes of a name, with the space before it.
const roomOfAddress = 1 + 42

func isAddress(text string) bool {
	_, err := chain.ParseAddress(text)
	return err == nil
}

// add takes an entry. The lines are those of the names so far.
func (n *Names) add(e *addressbook.Entry, lines map[string]int) (err error) {
	if e.Label != "" {
		name := cleanName(e.Label)
		if name == "" {
			return fmt.Errorf("%q: a name needs a letter or a digit", e.Label)
		}
		if isAddress(name) {
			return fmt.Errorf("%q: an address is no name", name)
		}
		if other, twice := lines[name]; twice {
			return fmt.Errorf("%q is the name on line %d too", name, other)
		}
		n.names[e.Address], lines[name] = name, e.Line
	}
	if e.Account != "" {
		n.assets[e.Address], err = parseAsset(e.Account)
	}
	return err
}

func parseAsset(text string) (Account, error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || !slices.Contains(assetRoots, parts[0]) {
		return "", fmt.Errorf("%q: want an account below %s, such as Assets:Wallet", text, strings.Join(assetRoots, " or "))
	}
	for i := range parts {
		if parts[i] = cleanName(parts[i]); parts[i] == "" {
			return "", fmt.Errorf("%q: each part of an account needs a letter or a digit", text)
		}
	}
	return Account(strings.Join(parts, ":")), nil
}

// maxWrongLines is how many lines an error has: more do not help.
const maxWrongLines = 100

// wrongLines are what is wrong with the lines of a file.
type wrongLines []error

// add adds what is wrong with a line, if anything is, and tells whether that is enough.
func (w *wrongLines) add(line int, err error) (enough bool) {
	if err == nil {
		return false
	}
	*w = append(*w, fmt.Errorf("line %d: %w", line, err))
	if enough = len(*w) == maxWrongLines; enough {
		*w = append(*w, errors.New("and perhaps more"))
	}
	return enough
}
