package addressbook

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/text/unicode/norm"

	"github.com/feeledger/fees/chain"
)

// Entry is an address with its label, group and account.
type Entry struct {
	Address chain.Address
	Label   string // "" if none. It may contain any text: escape it for output
	Group   string // such as payroll; "" if none. Escape it like Label
	Account string // an account of the user's own books, "" if none
	Line    int    // line in the file; 0 if it is not from a file
}

// Book is an ordered list of entries, one per address. A nil Book is empty.
type Book struct {
	entries []Entry
	places  map[chain.Address]place
	long    bool                      // some addresses have 32 bytes
	chains  map[chain.Address][]named // of addresses that name their chains
	// hashed is a map[chain.Address]place of the accounts that EVM addresses of the book stand for on some chains; nil until
	// one is looked for.
	hashed atomic.Value
}

// place is the position of an address in a book.
type place struct {
	index                             int // index in entries
	labelLine, groupLine, accountLine int // the lines of its label, group and account
}

// Add adds an entry. An address may be repeated if the entries do not contradict each other; otherwise the
// error names the line of the earlier one.
func (b *Book) Add(e Entry) error {
	at, known := b.places[e.Address]
	if !known {
		if b.places == nil {
			b.places = map[chain.Address]place{}
		}
		at = place{len(b.entries), e.Line, e.Line, e.Line}
		b.entries = append(b.entries, Entry{Address: e.Address, Line: e.Line})
		b.long = b.long || e.Address.Size() == chain.LongAddressSize
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
	b.hashed.Store(map[chain.Address]place(nil))
	return nil
}

// differ returns an error if an address has two labels, two groups or two accounts.
func differ(address chain.Address, what, before, now string, line int) error {
	if before == "" || now == "" || before == now {
		return nil
	}
	where := "earlier"
	if line > 0 {
		where = fmt.Sprintf("on line %d", line)
	}
	return fmt.Errorf("%v has the %s %q here, but %q %s", address, what, now, before, where)
}

// Entries returns all entries in file order. The caller must not modify the list.
func (b *Book) Entries() []Entry {
	if b == nil {
		return nil
	}
	return b.entries
}

// Addresses returns the addresses of the entries.
func (b *Book) Addresses() (list []chain.Address) {
	for _, e := range b.Entries() {
		list = append(list, e.Address)
	}
	return list
}

// Entry returns the entry of an address; for an unknown address, one with only the address.
func (b *Book) Entry(address chain.Address) Entry {
	e, _ := b.Find(address)
	e.Address = address
	return e
}

// Find returns the entry of an address, or else of the same account's other address: see [chain.Address.Is].
func (b *Book) Find(address chain.Address) (e Entry, found bool) {
	if b == nil {
		return e, false
	}
	at, found := b.places[address]
	switch {
	case found:
	case address.Size() == chain.LongAddressSize:
		at, found = b.hashedPlaces()[address]
	case b.long:
		if at, found = b.places[address.Hashed()]; !found {
			at, found = b.places[address.Padded()]
		}
	}
	if !found {
		return e, false
	}
	return b.entries[at.index], true
}

// hashedPlaces returns the places of the accounts that the book's EVM addresses stand for.
func (b *Book) hashedPlaces() map[chain.Address]place {
	if have, _ := b.hashed.Load().(map[chain.Address]place); have != nil {
		return have
	}
	all := map[chain.Address]place{}
	for address, at := range b.places {
		if address.Size() == chain.AddressSize {
			all[address.Hashed()], all[address.Padded()] = at, at
		}
	}
	b.hashed.Store(all)
	return all
}

// Label returns the label of an address, if it has one.
func (b *Book) Label(address chain.Address) (string, bool) {
	label := b.Entry(address).Label
	return label, label != ""
}

// Group returns the group of an address, if it has one.
func (b *Book) Group(address chain.Address) (string, bool) {
	group := b.Entry(address).Group
	return group, group != ""
}

// LabelOf returns the label of an address, if both are known.
func (b *Book) LabelOf(address chain.Optional[chain.Address]) chain.Optional[string] {
	return saidOf(address, b.Label)
}

// GroupOf returns the group of an address, if both are known.
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

// Labelled returns the addresses with a label. If none matches exactly, it ignores case.
func (b *Book) Labelled(label string) []chain.Address {
	return b.with(label, func(e *Entry) string { return e.Label })
}

// InGroup returns the addresses of a group, matched like [Book.Labelled].
func (b *Book) InGroup(group string) []chain.Address {
	return b.with(group, func(e *Entry) string { return e.Group })
}

func (b *Book) with(text string, of func(*Entry) string) (exact []chain.Address) {
	text = norm.NFC.String(text)
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

// Groups returns the names of all groups, sorted.
func (b *Book) Groups() (names []string) {
	for _, e := range b.Entries() {
		if e.Group != "" {
			names = append(names, e.Group)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
