package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/plain"
)

// labels is an address book in use. Ledgers with the same file share one.
type labels struct {
	editing sync.Mutex
	inUse   atomic.Pointer[edition]
	edits   edits // guarded by editing
}

// edition is an address book between two edits.
type edition struct {
	number int
	book   *app.AddressBook // nil for none
}

func newLabels(book *app.AddressBook) *labels {
	l := &labels{edits: edits{}}
	l.inUse.Store(&edition{book: book})
	return l
}

// replace puts another book in use. Only one edit runs at a time.
func (l *labels) replace(book *app.AddressBook) {
	l.inUse.Store(&edition{l.inUse.Load().number + 1, book})
}

// labels returns the address book in use, nil for none.
func (s *server) labels() *app.AddressBook { return s.names.inUse.Load().book }

// mayLabel reports whether the user of a request may edit the address book.
func (s *server) mayLabel(r *http.Request) bool { return s.editsLabels() && s.actor(r).Preparer }

func (s *server) editsLabels() bool {
	return s.EditLabels && s.OpenTrail != nil && s.Users != nil && s.labels() != nil
}

var (
	errLaterEdit     = &app.StaleError{Message: "The address book has been edited since then. Change the account itself."}
	errNothingToUndo = &app.StaleError{Message: "There is nothing to undo. The server has restarted, or the edit was long ago."}
)

var errNoEditing = &problem{http.StatusNotFound, "Not found", "This server does not edit the address book. Start it with fees serve --edit-labels."}

// The fields of the form of an account, and of the rows of the unlabelled payers.
var (
	entryParameters = []string{"label", "group", "book_account"}
	payerFields     = []string{"payer", "label", "group", "book_account"}
	payerParameters = slices.Concat(payerFields, []string{"period", "zone", "partial"})
)

// shownEntry identifies what a form shows about an address, so that a later edit is noticed.
func shownEntry(e addressbook.Entry) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", e.Label, e.Group, e.Account))
	return hex.EncodeToString(sum[:8])
}

// entryControl returns a field of an entry, with what was typed into it or else its value.
func entryControl(name, label, value string, typed url.Values, hint string) control {
	if typed.Has(name) {
		value = typed.Get(name)
	}
	return control{Name: name, Label: label, Kind: "text", Value: plain.Line(value), Hint: hint}
}

// groupControl returns the field of a group, which suggests those of the address book.
func (s *server) groupControl(value string, typed url.Values) control {
	c := entryControl("group", "Group", value, typed, "such as company or payroll")
	for _, name := range s.labels().GroupNames() {
		c.Options = append(c.Options, option{plain.Line(name), ""})
	}
	return c
}

// entryForm returns the form of an account's entry in the address book; nil if the user may not edit it.
func (s *server) entryForm(r *http.Request, account chain.Address, typed url.Values) *form {
	if !s.mayLabel(r) {
		return nil
	}
	e := s.labels().Entry(account)
	f := &form{Action: "account/" + account.String(), Button: "Save", Title: "Edit the address book", Hidden: []option{{"shown", shownEntry(e)}}}
	if own := refusalOf(r).typedInto(s, f); own != nil { // also what was emptied
		typed = own
	}
	f.Fields = []control{entryControl("label", "Label", e.Label, typed, "the account's name"), s.groupControl(e.Group, typed), entryControl("book_account", "Account in your books", e.Account, typed, "Assets:Wallet; optional")}
	for _, name := range entryParameters {
		f.Shown = f.Shown || typed.Has(name)
	}
	return s.postForm(r, f)
}

// entryWords returns what an entry says, in the order of its fields.
func entryWords(e addressbook.Entry) string {
	return cmp.Or(strings.Join(slices.DeleteFunc([]string{e.Label, e.Group, e.Account}, func(text string) bool { return text == "" }), ", "), "empty")
}

// errEdited reports an edit by another user.
func errEdited(message string) error { return &app.StaleError{Message: message} }

// editEntry changes an account's entry in the address book.
func (s *server) editEntry(w http.ResponseWriter, r *http.Request) error {
	return s.edits(w, r, func(fields url.Values) (list []addressbook.Entry, to string, err error) {
		account, err := app.OneAccount(r.PathValue("address"), nil)
		if err != nil {
			return nil, "", err
		}
		if now := s.labels().Entry(account); fields.Get("shown") != shownEntry(now) {
			return nil, "", errEdited("Another user has edited this account since the page was shown. Its entry is now: " + entryWords(now) + ".")
		}
		return []addressbook.Entry{entryOf(account, fields)}, listPath(fields, "account/"+account.String()), nil
	})
}

// entryOf returns the entry of an account that a form contains.
func entryOf(account chain.Address, fields url.Values) addressbook.Entry {
	return addressbook.Entry{Address: account, Label: strings.TrimSpace(fields.Get("label")), Group: strings.TrimSpace(fields.Get("group")), Account: strings.TrimSpace(fields.Get("book_account"))}
}

// listPath returns the page of a list that an edit was made on, which then says that it is saved; otherwise the usual page.
func listPath(fields url.Values, usual string) string {
	page, query, _ := strings.Cut(fields.Get("list"), "?")
	values, err := url.ParseQuery(query)
	if err != nil || !isEntryList(page) {
		return usual
	}
	values.Set("saved", "1")
	return page + "?" + values.Encode()
}

// isEntryList reports whether a page has entries in its rows.
func isEntryList(page string) bool { return page == "accounts" || page == "accounts/unlabelled" }

// labelPayer labels one of the payers without a label.
func (s *server) labelPayer(w http.ResponseWriter, r *http.Request) error {
	return s.edits(w, r, func(fields url.Values) (list []addressbook.Entry, to string, err error) {
		account, err := app.OneAccount(fields.Get("payer"), nil)
		if err != nil {
			return nil, "", err
		}
		now := s.labels().Entry(account)
		if shown := fields.Get("shown"); shown == "" && now.Label != "" || shown != "" && shown != shownEntry(now) {
			return nil, "", errEdited("Another user has labelled this account since the page was shown. Open the account to change its label.")
		}
		e := entryOf(account, fields)
		if e.Label == "" {
			return nil, "", invalidRequest("label: enter the account's name.")
		}
		e.Group, e.Account = cmp.Or(e.Group, now.Group), cmp.Or(e.Account, now.Account)
		sc := scope{Period: fields.Get("period"), Zone: fields.Get("zone")}
		if sc.Partial, err = ticked(fields, "partial"); err != nil {
			return nil, "", err
		}
		return []addressbook.Entry{e}, listPath(fields, "accounts/unlabelled"+sc.query(nil)), nil
	})
}

// edits records edits of entries in the ledger's audit trail, writes them to the address book's file, puts it in use and
// redirects to a page. One request edits at a time.
func (s *server) edits(w http.ResponseWriter, r *http.Request, read func(url.Values) (list []addressbook.Entry, to string, err error)) error {
	if !s.editsLabels() {
		return errNoEditing
	}
	fields, err := s.fields(w, r, maxForm)
	if err != nil {
		return err
	}
	if !s.mayLabel(r) {
		return &app.ForbiddenError{Message: "Only preparers may edit the address book."}
	}
	s.names.editing.Lock()
	defer s.names.editing.Unlock()
	list, to, err := read(fields)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.Time)
	defer cancel()
	more := fields.Get("more") == "1"
	for i, e := range list {
		before := s.labels().Entry(e.Address)
		made, err := s.writeEntry(ctx, s.owner(r), e)
		var stale *app.StaleError
		if errors.As(err, &stale) { // show what the file says now, if it can be read
			if now, err := app.ReadAddressBook(s.labels().Path); err == nil {
				s.names.replace(now)
			}
		}
		if err != nil {
			return s.editProblem(ctx, err)
		}
		s.names.replace(made)
		s.names.edits.note(s.owner(r), editedEntry{before, made.Entry(e.Address)}, more || i > 0)
		s.Log.Info("address book edited", "user", s.owner(r))
	}
	s.seeOther(w, r, to)
	return nil
}

// writeEntry records an edit and writes it. If the recorded edit cannot be written, it records that the entry is as before.
func (s *server) writeEntry(ctx context.Context, user string, e addressbook.Entry) (*app.AddressBook, error) {
	book := s.labels()
	token, err := s.Ledger.Token(ctx)
	if err != nil {
		return nil, err
	}
	act := ledger.Act{User: user, Kind: ledger.Labelled, Account: token.Account(e.Address), EntryBefore: app.EntryText(book.Entry(e.Address)), EntryAfter: app.EntryText(e)}
	if act.EntryBefore == act.EntryAfter {
		return book, nil
	}
	e.Line = 0
	recorded := false
	made, err := book.Edit(e, token, func(sum ledger.Digest) (err error) {
		act.Manifest = sum
		_, err = s.appendAct(ctx, act, nil)
		recorded = err == nil
		return err
	})
	if err != nil && recorded {
		act.EntryBefore, act.EntryAfter, act.Manifest = act.EntryAfter, act.EntryBefore, book.Sum()
		_, undone := s.appendAct(context.WithoutCancel(ctx), act, nil)
		err = errors.Join(err, undone)
	}
	return made, err
}

// editProblem converts an error without the path of the file.
func (s *server) editProblem(ctx context.Context, err error) error {
	if errors.Is(err, ledger.ErrLocked) {
		return s.actProblem(ctx, err)
	}
	p := problemOf(ctx, err, s.Time)
	if token, err := s.Ledger.Token(ctx); err == nil {
		p.Detail = token.Own(p.Detail)
	}
	p.Detail = strings.ReplaceAll(p.Detail, s.labels().Path, "the address book")
	if p.Status == http.StatusInternalServerError {
		s.Log.Error("address book not edited", "error", err.Error())
		return &problem{http.StatusInternalServerError, "Not saved", "The address book's file cannot be written. See the server log for the cause."}
	}
	return p
}
