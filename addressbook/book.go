package addressbook

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// Entry is an address, and what it is called.
type Entry struct {
	Address chain.Address
	Label   string // "" where it has none. It may hold anything that is text: who writes it has to make it safe
	Account string // of the user's own books, "" where none is named
	Line    int    // of the file; 0 where it stands in none
}

// Book is entries in their order, one for an address. A nil Book is empty.
type Book struct {
	entries []Entry
	places  map[chain.Address]place
}

// place is where a book has an address.
type place struct {
	index                  int // in entries
	labelLine, accountLine int // that say its label and its account
}

// Add adds an entry. An address may come again: one entry may say what the other leaves
// out. Where both say something else it is an error, which names the line of the one
// before.
func (b *Book) Add(e Entry) error {
	at, known := b.places[e.Address]
	if !known {
		if b.places == nil {
			b.places = map[chain.Address]place{}
		}
		at = place{len(b.entries), e.Line, e.Line}
		b.entries = append(b.entries, Entry{Address: e.Address, Line: e.Line})
	}
	have := &b.entries[at.index]
	if err := differ(e.Address, "label", have.Label, e.Label, at.labelLine); err != nil {
		return err
	}
	if err := differ(e.Address, "account", have.Account, e.Account, at.accountLine); err != nil {
		return err
	}
	if have.Label == "" && e.Label != "" {
		have.Label, at.labelLine = e.Label, e.Line
	}
	if have.Account == "" && e.Account != "" {
		have.Account, at.accountLine = e.Account, e.Line
	}
	b.places[e.Address] = at
	return nil
}

// differ is an error where an address has two labels, or two accounts.
func differ(address chain.Address, what, before, now string, line int) error {
	if before == "" || now == "" || before == now {
		return nil
	}
	where := "before"
	if line > 0 {
		where = fmt.Sprintf("in line %d", line)
	}
	return fmt.Errorf("%v has the %s %q, and %q %s", address, what, now, before, where)
}

// Entries are all of them, in the order of the file. The list is the book's own.
func (b *Book) Entries() []Entry {
	if b == nil {
		return nil
	}
	return b.entries
}

// Addresses are those of the entries.
func (b *Book) Addresses() (list []chain.Address) {
	for _, e := range b.Entries() {
		list = append(list, e.Address)
	}
	return list
}

// Label is what an address is called, where the book says so.
func (b *Book) Label(address chain.Address) (string, bool) {
	if b == nil {
		return "", false
	}
	at, known := b.places[address]
	if !known || b.entries[at.index].Label == "" {
		return "", false
	}
	return b.entries[at.index].Label, true
}
