package addressbook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Entry is an address, and what it is called.
type Entry struct {
	Address chain.Address
	Label   string // "" where it has none. It may hold anything that is text: who writes it has to make it safe
	Group   string // that the address belongs to, such as payroll; "" where it belongs to none. As Label
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
	index                             int // in entries
	labelLine, groupLine, accountLine int // that say its label, its group and its account
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
		at = place{len(b.entries), e.Line, e.Line, e.Line}
		b.entries = append(b.entries, Entry{Address: e.Address, Line: e.Line})
	}
	have := &b.entries[at.index]
	said := []struct {
		what      string
		have, now *string
		line      *int
	}{
		{"label", &have.Label, &e.Label, &at.labelLine}, {"group", &have.Group, &e.Group, &at.groupLine}, {"account", &have.Account, &e.Account, &at.accountLine},
	}
	for _, s := range said {
		if err := differ(e.Address, s.what, *s.have, *s.now, *s.line); err != nil {
			return err
		}
	}
	for _, s := range said {
		if *s.have == "" && *s.now != "" {
			*s.have, *s.line = *s.now, e.Line
		}
	}
	b.places[e.Address] = at
	return nil
}

// differ is an error where an address has two labels, two groups or two accounts.
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

// Entry is that of an address; one that the book does not have has the address alone.
func (b *Book) Entry(address chain.Address) Entry {
	if b != nil {
		if at, known := b.places[address]; known {
			return b.entries[at.index]
		}
	}
	return Entry{Address: address}
}

// Label is what an address is called, where the book says so.
func (b *Book) Label(address chain.Address) (string, bool) {
	label := b.Entry(address).Label
	return label, label != ""
}

// Group is what an address belongs to, where the book says so.
func (b *Book) Group(address chain.Address) (string, bool) {
	group := b.Entry(address).Group
	return group, group != ""
}

// LabelOf is what an address is called, where both are known.
func (b *Book) LabelOf(address chain.Optional[chain.Address]) chain.Optional[string] {
	return saidOf(address, b.Label)
}

// GroupOf is what an address belongs to, where both are known.
func (b *Book) GroupOf(address chain.Optional[chain.Address]) chain.Optional[string] {
	return saidOf(address, b.Group)
}

func saidOf(address chain.Optional[chain.Address], say func(chain.Address) (string, bool)) (none chain.Optional[string]) {
	a, ok := address.Get()
	if !ok {
		return none
	}
	if text, ok := say(a); ok {
		return chain.Some(text)
	}
	return none
}

// Labelled are the addresses that are called so. Where none is in these very letters, it is
// those in other cases.
func (b *Book) Labelled(label string) []chain.Address {
	return b.with(label, func(e *Entry) string { return e.Label })
}

// InGroup are the addresses of a group, found as [Book.Labelled] finds a label.
func (b *Book) InGroup(group string) []chain.Address {
	return b.with(group, func(e *Entry) string { return e.Group })
}

func (b *Book) with(text string, of func(*Entry) string) (exact []chain.Address) {
	var folded []chain.Address
	for _, e := range b.Entries() {
		switch have := of(&e); {
		case have == "":
		case have == text:
			exact = append(exact, e.Address)
		case strings.EqualFold(have, text):
			folded = append(folded, e.Address)
		}
	}
	if len(exact) == 0 {
		return folded
	}
	return exact
}

// Groups are the names of all groups, in their order.
func (b *Book) Groups() (names []string) {
	for _, e := range b.Entries() {
		if e.Group != "" {
			names = append(names, e.Group)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
