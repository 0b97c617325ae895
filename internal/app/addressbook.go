package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/disk"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/network"
)

// AddressBookFile is the file name of the address book beside a ledger.
const AddressBookFile = "accounts.csv"

// AddressBook maps addresses to labels, groups and accounts, as read from a file. A nil book is empty.
type AddressBook struct {
	*addressbook.Book
	Path string
	sum  [sha256.Size]byte // of the file
}

// entries returns the underlying book, nil for a nil AddressBook.
func (b *AddressBook) entries() *addressbook.Book {
	if b == nil {
		return nil
	}
	return b.Book
}

// ReadAddressBook reads an address book; it returns nil for an empty path. Errors are of type [InputError].
func ReadAddressBook(path string) (*AddressBook, error) {
	if path == "" {
		return nil, nil
	}
	book, sum, err := readBook(path)
	if err != nil {
		return nil, inFile(FieldLabels, path, err)
	}
	return &AddressBook{book, path, sum}, nil
}

// checkChain returns an error if an address of an address book names another chain than the network's.
func checkChain(labels *addressbook.Book, token console.Token) error {
	if err := labels.CheckChain(token.ShortName); err != nil {
		return notUnderstood("%v: %v", FieldLabels, err)
	}
	return nil
}

// CheckChain returns an error if an address of the book names another chain than the network with a name.
func (b *AddressBook) CheckChain(tables network.Tables, name string) error {
	n, known := tables.Named(name)
	if b == nil || !known {
		return nil
	}
	return checkChain(b.Book, console.Token(n.Token()))
}

// CheckLabels returns an error if an address of a book names another chain than the ledger's.
func (d *Ledger) CheckLabels(ctx context.Context, b *AddressBook) error {
	if b == nil {
		return nil
	}
	token, err := d.Token(ctx)
	if err != nil {
		return err
	}
	return checkChain(b.Book, token)
}

// EntryText returns the label, group and account of an entry as one line; "" if it has none of them.
func EntryText(e addressbook.Entry) string {
	var parts []string
	for _, x := range []struct{ name, text string }{{"label", e.Label}, {"group", e.Group}, {"account", e.Account}} {
		if x.text != "" {
			parts = append(parts, x.name+" "+strconv.Quote(x.text))
		}
	}
	return strings.Join(parts, ", ")
}

// Sum returns the SHA-256 of the book's file.
func (b *AddressBook) Sum() ledger.Digest { return b.sum }

// Edit writes the label, group and account of an entry to the book's file and returns the new book. A new line names the
// account in the form of the token's network. All other lines of
// the file stay as they are. Just before the new file replaces the old one, record gets its SHA-256. If the file has
// changed since it was read, Edit returns a [StaleError]; if the file cannot take the entry, [addressbook.ErrEdit]; and
// errors of record. The file is then unchanged.
func (b *AddressBook) Edit(e addressbook.Entry, token console.Token, record func(sum ledger.Digest) error) (*AddressBook, error) {
	text, err := os.ReadFile(b.Path)
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(text) != b.sum {
		return nil, stale("The address book has changed since the server read it. Go back to the form, check what it shows now, and send it again.")
	}
	text, book, err := addressbook.Edit(text, e, token.Account(e.Address))
	if err != nil {
		return nil, err
	}
	made := &AddressBook{book, b.Path, sha256.Sum256(text)}
	err = disk.Replace(b.Path, 0o666, func(to io.Writer) error {
		if _, err := to.Write(text); err != nil {
			return err
		}
		return record(made.sum)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// CheckWritable returns an error if the book's file cannot be replaced.
func (b *AddressBook) CheckWritable() error {
	if !isFile(b.Path) {
		return fmt.Errorf("%s is not a regular file", b.Path)
	}
	err := disk.Replace(b.Path, 0o666, func(io.Writer) error { return errTried })
	if errors.Is(err, errTried) {
		return nil
	}
	return err
}

// errTried ends a replacement before the file changes.
var errTried = errors.New("tried")

// AddressBookBeside returns the path of the address book beside a ledger, or "" if there is no such
// file, no ledger file, or the ledger is in PostgreSQL.
func AddressBookBeside(place string) string {
	path := filepath.Join(filepath.Dir(place), AddressBookFile)
	if ledger.Postgres(place) || !isFile(place) || !isFile(path) {
		return ""
	}
	return path
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// With merges the entries of accounts into the book; where both have a value, the book's wins. It
// returns nil if no entry has a label, a group or an account, or names its chain.
func (b *AddressBook) With(accounts *addressbook.Book) *addressbook.Book {
	both := &addressbook.Book{}
	named := false
	add := func(e addressbook.Entry) {
		if named = named || e.Label+e.Group+e.Account != ""; both.Add(e) != nil {
			panic("duplicate address in a merged address book") // each is added once
		}
	}
	have := map[chain.Address]bool{}
	for _, e := range accounts.Entries() {
		of := b.entries().Entry(e.Address)
		e.Label, e.Group, e.Account = cmp.Or(of.Label, e.Label), cmp.Or(of.Group, e.Group), cmp.Or(of.Account, e.Account)
		have[e.Address] = true
		if same, found := b.entries().Find(e.Address); found {
			have[same.Address] = true
		}
		add(e)
	}
	for _, e := range b.entries().Entries() {
		if !have[e.Address] {
			add(e)
		}
	}
	both.TakeChains(b.entries())
	both.TakeChains(accounts)
	if !named && !both.NamesChains() {
		return nil
	}
	return both
}

// OwnGroup returns the group that most likely is the company's own: the group with the most bookkeeping
// accounts, or else the only group. It returns "" if neither exists.
func (b *AddressBook) OwnGroup() (own string) {
	kept := map[string]int{}
	for _, e := range b.entries().Entries() {
		if e.Account != "" {
			kept[e.Group]++
		}
	}
	groups, most := b.entries().Groups(), 0
	for _, group := range groups {
		if kept[group] > most {
			own, most = group, kept[group]
		}
	}
	if own == "" && len(groups) == 1 {
		own = groups[0]
	}
	return own
}

// GroupNames returns the names of the groups, [AddressBook.OwnGroup] first.
func (b *AddressBook) GroupNames() []string {
	names := b.entries().Groups()
	if i := slices.Index(names, b.OwnGroup()); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, b.OwnGroup())
	}
	return names
}

// groupHint lists the groups of the book for an error message.
func (b *AddressBook) groupHint() string {
	groups := b.entries().Groups()
	if len(groups) == 0 {
		return ", which has no groups"
	}
	const maxListed = 10
	more := ""
	if n := len(groups) - maxListed; n > 0 {
		groups, more = groups[:maxListed], fmt.Sprintf(", and %d more", n)
	}
	return ". Its groups: " + strings.Join(groups, ", ") + more
}

// Names reports whether text is a label in the book.
func (b *AddressBook) Names(text string) bool { return len(b.entries().Labelled(text)) > 0 }

// ChooseNamed is [AddressBook.Choose] for addresses, labels and groups only: a request must not name a file of the server.
func (b *AddressBook) ChooseNamed(list []string) (*Chosen, error) {
	for _, name := range list {
		if !IsAddress(name) && !strings.HasPrefix(name, GroupPrefix) && !b.Names(name) {
			return nil, notUnderstood("accounts: no match for %q. Use an address, %sNAME or a label of the address book.", plain.Line(name), GroupPrefix)
		}
	}
	return b.Choose(list)
}

// GroupNamed returns the group that text names, spelled as in the book.
func (b *AddressBook) GroupNamed(text string) (string, bool) {
	found := b.entries().InGroup(text)
	if len(found) == 0 {
		return "", false
	}
	return b.entries().Group(found[0])
}

func (b *AddressBook) names(labels *addressbook.Book) (*journal.Names, error) {
	names, err := journal.NamesOf(labels)
	if err != nil {
		where := "files of accounts"
		if b != nil {
			where = b.Path
		}
		return nil, notUnderstood("%v: %s: %v", FieldLabels, where, err)
	}
	return names, nil
}

// printable returns the book as a package stores it, with printable text only.
func (b *AddressBook) printable() (*AddressBook, error) {
	shown := &addressbook.Book{}
	for _, e := range b.Entries() {
		for _, text := range []*string{&e.Label, &e.Group, &e.Account} {
			*text = strings.TrimSpace(plain.Line(*text))
		}
		if err := shown.Add(e); err != nil {
			return nil, err
		}
	}
	return &AddressBook{Book: shown, Path: b.Path}, nil
}

// write writes the book in a form that [ReadAddressBook] reads.
func (b *AddressBook) write(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"address", "label", "group", "account"})
	for _, e := range b.Entries() {
		out.Write([]string{e.Address.String(), e.Label, e.Group, e.Account})
	}
	out.Flush()
	return out.Error()
}
