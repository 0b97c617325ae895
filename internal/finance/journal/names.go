package journal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
)

// Names maps addresses to names and asset accounts. The zero value contains no names.
type Names struct {
	names  map[chain.Address]string
	shared map[chain.Address]string // names that several addresses have: each has its address added
	assets map[chain.Address]Account
	groups *addressbook.Book // the addresses, with their groups
	token  console.Token     // the network's, for the form of accounts without a name
}

// Name returns the name of an address, or else the address.
func (n *Names) Name(a chain.Address) string {
	if name, ok := n.Label(a); ok {
		return name
	}
	return n.token.Account(a)
}

// Label returns the name of an address, if it has one.
func (n *Names) Label(a chain.Address) (string, bool) {
	a = n.listed(a)
	if name, shared := n.shared[a]; shared {
		return name + " " + n.token.Account(a), true
	}
	name, ok := n.names[a]
	return name, ok
}

// Asset returns the asset account of an address: Assets and its name.
func (n *Names) Asset(a chain.Address) Account {
	if asset, ok := n.assets[n.listed(a)]; ok {
		return asset
	}
	return "Assets:" + Account(n.Name(a))
}

// listed returns the address with which the book lists an account.
func (n *Names) listed(a chain.Address) chain.Address {
	if e, found := n.groups.Find(a); found {
		return e.Address
	}
	return a
}

// Group returns the group of an address, if known.
func (n *Names) Group(a chain.Address) (string, bool) { return n.groups.Group(a) }

// assetRoots are the top-level accounts for assets.
var assetRoots = []string{"Assets", "Liabilities"}

// NewNames returns the names in an address book: its labels, in the form of account names, and its
// accounts, which must be below Assets or Liabilities. No two addresses may have the same name. The error
// lists all problems with their lines.
func NewNames(book *addressbook.Book) (*Names, error) { return readNames(book, false) }

// NamesOf returns the names in a general address book: if several addresses share a label, or the label is
// not a valid name, the address is added to the name. It returns nil for nil.
func NamesOf(book *addressbook.Book) (*Names, error) {
	if book == nil {
		return nil, nil
	}
	return readNames(book, true)
}

// readNames reads a book. A general one may share labels.
func readNames(book *addressbook.Book, general bool) (*Names, error) {
	n := &Names{names: map[chain.Address]string{}, shared: map[chain.Address]string{}, assets: map[chain.Address]Account{}, groups: book}
	called, lines := map[string]int{}, map[string]int{}
	for _, e := range book.Entries() {
		called[cleanName(e.Label)]++
	}
	var wrong []error
	for _, e := range book.Entries() {
		name := cleanName(e.Label)
		words, err := strings.Fields(name), error(nil)
		other, twice := lines[name]
		switch {
		case e.Label == "", general && (name == "" || isAddress(words[len(words)-1])): // others could be called the same
		case name == "":
			err = fmt.Errorf("the name %q contains no letter or digit", e.Label)
		case isAddress(name):
			err = fmt.Errorf("%q is an address, not a name", name)
		case general && called[name] > 1:
			if len([]rune(name)) < longestText-longestAddress {
				n.shared[e.Address] = name
			}
		case twice:
			err = fmt.Errorf("the name %q is already used on line %d", name, other)
		default:
			n.names[e.Address], lines[name] = name, e.Line
		}
		if err == nil && e.Account != "" {
			n.assets[e.Address], err = parseAsset(e.Account)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("line %d: %w", e.Line, err))
		}
		if len(wrong) == maxWrongLines {
			wrong = append(wrong, errors.New("there may be more errors"))
			break
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return n, nil
}

func isAddress(text string) bool {
	_, err := chain.ParseAccount(text)
	return err == nil
}

func parseAsset(text string) (Account, error) {
	if root, _, below := strings.Cut(text, ":"); !below || !slices.Contains(assetRoots, root) {
		return "", fmt.Errorf("%q is not an account below %s, such as Assets:Wallet", text, strings.Join(assetRoots, " or "))
	}
	return parseAccount(text)
}

// parseAccount returns an account, which has colons between its parts, in the form that every program accepts.
func parseAccount(text string) (Account, error) {
	parts := strings.Split(text, ":")
	for i := range parts {
		if parts[i] = cleanName(parts[i]); parts[i] == "" {
			return "", fmt.Errorf("each part of the account %q must contain a letter or a digit", text)
		}
	}
	return Account(strings.Join(parts, ":")), nil
}

// longestAddress is the length of an address in SS58.
const longestAddress = 50

// maxWrongLines limits the lines listed in an error.
const maxWrongLines = 100
