package web

import (
	"net/http"
	"sync"
	"time"

	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/web/users"
)

// Each answer takes 50 ms, and most tests log the same users in.
func init() {
	type question struct {
		of             *users.Users
		name, password string
	}
	var known sync.Map
	slow := fits
	fits = func(of *users.Users, name, password string) bool {
		q := question{of, name, password}
		if fit, ok := known.Load(q); ok {
			return fit.(bool)
		}
		fit := slow(of, name, password)
		known.Store(q, fit)
		return fit
	}
}

// Paths lists the paths of the API.
func Paths() (list []string) {
	for _, a := range answers() {
		list = append(list, a.path)
	}
	return list
}

// Posts lists the paths that accept POST.
func Posts() (list []string) {
	for _, p := range posts {
		list = append(list, p.path)
	}
	return list
}

// SetArrivalTime changes the time limit of uploads and returns the previous one.
func SetArrivalTime(to time.Duration) (before time.Duration) {
	before, arrivalTime = arrivalTime, to
	return before
}

// SetLongReads changes the number of concurrent expensive reads of new servers, and returns the previous one.
func SetLongReads(to int) (before int) {
	before, maxLongReads = maxLongReads, to
	return before
}

// SetKeptRows changes the number of rows that are cached around a page of a list, and returns the previous one.
func SetKeptRows(to int) (before int) {
	before, keptRows = keptRows, to
	return before
}

// SetHeldTime changes the delay after a failed attempt and returns the previous one.
func SetHeldTime(to time.Duration) (before time.Duration) {
	before, heldTime = heldTime, to
	return before
}

// Uploads exports uploads with a test clock.
type Uploads struct{ of *uploads }

// NewUploads returns empty uploads.
func NewUploads(now func() time.Time) *Uploads {
	u := &Uploads{newUploads()}
	u.of.now = now
	return u
}

// Put keeps a file.
func (u *Uploads) Put(owner, name string, content []byte) string {
	token, _ := u.of.put(owner, name, content)
	return token
}

// Has reports whether an owner's file exists.
func (u *Uploads) Has(owner, token string) bool { return u.of.get(owner, token) != nil }

// Forget discards a file.
func (u *Uploads) Forget(owner, token string) bool { return u.of.forget(owner, token) }

// Hold keeps a file until Release is called.
func (u *Uploads) Hold(owner, token string) bool { return u.of.hold(owner, token) }

// Release ends Hold.
func (u *Uploads) Release() { u.of.release() }

// Clear discards unused files, like the timer.
func (u *Uploads) Clear() { u.of.clear() }

// Size returns the total size of the files.
func (u *Uploads) Size() int { return u.of.size }

// HandlerAt returns a handler with a test clock.
func HandlerAt(o Options, now func() time.Time) http.Handler { return handler(o, now) }

// OwnPath exports ownPath.
var OwnPath = ownPath

// Routes lists all paths for GET, and Parameters all parameters of any of them.
func Routes() (list []string) {
	for _, r := range append(pages(), answers()...) {
		list = append(list, r.path)
	}
	return list
}

func Parameters() (list []string) {
	for name := range parameterTexts {
		list = append(list, name)
	}
	return append(append(list, listingParameters...), settingNames()...)
}

// Around returns the neighbouring periods that pages link to.
func Around(period string) (list []string) {
	s := scope{Period: period}
	for _, l := range s.around("fees", nil) {
		list = append(list, l.Text)
	}
	return list
}

// Accept replaces the acceptances of an owner's file.
func (u *Uploads) Accept(owner, token string, count int) error {
	return u.of.accept(owner, token, "", make([]reconcile.Acceptance, count))
}

// Accepted returns the number of acceptances of a file.
func (u *Uploads) Accepted(token string) int { return len(u.of.accepted(token)) }

// Subject returns what a comparison without settings is about, on a server of several ledgers.
func Subject(ledger string) string {
	return (&server{Served: Served{Network: "moonbeam"}, base: "/" + ledger}).subject(new(comparison))
}

// SideLayout returns the layout of a table beside others, with a name and some amounts in each row.
func SideLayout(amounts int) string {
	t := &tabular{Heads: make([]cell, amounts+1), Rows: [][]cell{{{Text: "Wallet"}}}}
	for range amounts {
		t.Rows[0] = append(t.Rows[0], cell{Text: "0.123456789012345678", Exact: "123456789012345678"})
	}
	t.fitSide()
	return t.Layout
}

// PeriodOf, AmountOf and EndsOf export the parts of a look-up's text.
var (
	PeriodOf = periodOf
	AmountOf = amountOf
	EndsOf   = endsOf
)

// VerdictsOn returns what the overview says of a closed month: of the company's books, and in all.
func VerdictsOn(m *closing.Manifest) []string {
	k := &monthRecord{made: &closed{summary: summaryOf(&closing.Placed{Package: &closing.Package{Manifest: m}})}}
	verdict, _ := verdictOf(month{Name: m.Period.Name()}, 0, k)
	return []string{k.books(new(scope)).Text, verdict}
}
