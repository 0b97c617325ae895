package web

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/sys/plain"
)

// preparedRecord is the value of the field record that keeps the record of the package that is prepared again. Other
// values are tokens of uploads.
const preparedRecord = "prepared"

// recordParameters are the fields of a package's form that name the company's record of fees, and how it is read.
var recordParameters = append([]string{"record"}, readingNames()...)

// closeParameters are the fields of a package's form besides the scope.
var closeParameters = append([]string{"journal", "comment"}, recordParameters...)

// readingNames returns the settings of a record that a package stores. It looks for all fees, so that rows_only is none
// of them.
func readingNames() []string {
	return slices.DeleteFunc(settingNames(), func(name string) bool { return name == "all" || name == "rows_only" })
}

// recordValues returns the fields of a record, without empty ones.
func recordValues(fields url.Values) url.Values {
	values := url.Values{}
	for _, name := range recordParameters {
		if text := fields.Get(name); text != "" {
			values.Set(name, text)
		}
	}
	return values
}

// uploadedRecord returns the comparison of an upload that the fields of a package's form name.
func (s *server) uploadedRecord(r *http.Request, sc *scope, fields url.Values) (*comparison, error) {
	values := recordValues(fields)
	token := values.Get("record")
	values.Del("record")
	return s.comparison(r, token, strings.TrimPrefix(sc.query(values), "?"))
}

// packageRecord returns the record of fees that a package's form names; none if it names none. It is compared first, so
// that the user learns at once why it cannot be read or is of another period.
func (s *server) packageRecord(r *http.Request, sc *scope, fields url.Values, by app.Actor, act *ledger.Act) (none app.BooksInput, err error) {
	switch fields.Get("record") {
	case "":
		return none, nil
	case preparedRecord:
		return s.recordAgain(r.Context(), s.packageName(act.Period, act.Zone), by)
	}
	c, err := s.uploadedRecord(r, sc, fields)
	if err != nil {
		return none, err
	}
	defer c.close()
	if err := s.prepare(r.Context(), c); err != nil {
		return none, err
	}
	if err := s.compare(r, c); err != nil {
		return none, err
	}
	books := c.settings.books
	books.Accepted, books.SomeAccepted = c.options.Accepted, true
	return books, app.CheckPeriod(c.result, c.asked)
}

// recordAgain returns the record of a package that is not closed yet, for the user who prepared it.
func (s *server) recordAgain(ctx context.Context, name string, by app.Actor) (none app.BooksInput, err error) {
	shelf, p, err := s.openPrepared(name)
	if err != nil {
		return none, invalidRequest("record: no package of this period is prepared. Upload the record again.")
	}
	defer shelf.Close()
	defer p.Close()
	round, err := s.round(ctx, p.Manifest)
	if err != nil {
		return none, err
	}
	kept := p.Manifest.Options.Reconciliation
	switch {
	case kept == nil:
		return none, invalidRequest("record: the prepared package contains no record of fees. Upload one first.")
	case !round.PreparedBy(by.Name, p.Sum):
		return none, &app.ForbiddenError{Message: "Another user uploaded the record of the prepared package. Upload the record yourself."}
	}
	var books []app.BooksInput
	for _, record := range kept.Records() {
		var text bytes.Buffer
		if err := p.Copy(ctx, record.Input, &text); err != nil {
			return none, packageTrouble(err)
		}
		books = append(books, app.BooksInput{Path: record.Name, Content: text.Bytes(), Reading: record.Reading})
	}
	rows, err := acceptedRows(ctx, p)
	books[0].More, books[0].Accepted, books[0].SomeAccepted = books[1:], reconcile.Acceptances(rows), true
	return books[0], err
}

// addRecord adds the record of fees to the page of a package's form, with its way of reading as hidden fields.
func (s *server) addRecord(v *closingPage, r *http.Request, sc *scope) {
	values := recordValues(sc.own)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v.Form.Hidden = append(v.Form.Hidden, option{name, values.Get(name)})
	}
	bare := *sc
	bare.own = nil
	without := link{"Prepare it without a record of fees", "close" + bare.query(without(sc.own, recordParameters...))}
	switch token := values.Get("record"); token {
	case "":
		v.Links = append(v.Links, link{"Add a record of fees: reconcile it first", "reconcile" + bare.query(nil)})
	case preparedRecord:
		v.Facts = append(v.Facts, textFact("record of fees", "that of the prepared package"))
		v.Ways = append(v.Ways, without)
	default:
		values.Del("record")
		u := s.uploads.get(s.owner(r), token)
		if u == nil {
			v.Warnings = append(v.Warnings, "The server no longer has the record of fees. Upload it again, or prepare the package without it.")
			v.Ways = append(v.Ways, link{"Upload it again", "reconcile" + bare.query(nil)}, without)
			return
		}
		v.Facts = append(v.Facts, fact{Name: "record of fees", cell: cell{Text: u.Name, To: "reconcile/" + token + bare.query(values)}}, textFact("size", fmt.Sprintf("%d bytes", len(u.Content))), hash("SHA-256", u.sum))
		if n := len(s.uploads.accepted(token)); n > 0 {
			v.Facts = append(v.Facts, textFact("accepted differences", fmt.Sprint(n)))
		}
		v.Ways = append(v.Ways, without)
	}
}

// ofPackage reports whether the user may prepare a package with a comparison.
func (s *server) ofPackage(r *http.Request, c *comparison) bool {
	in := c.settings.scope.input()
	return s.closes() && s.actor(r).Preparer && !c.settings.books.RowsOnly && len(c.options.Accounts) > 0 && in.Month+in.Year != ""
}

// packageWay returns the link from a comparison to the package that contains it, if the user may prepare one.
func (s *server) packageWay(r *http.Request, c *comparison) []link {
	if !s.ofPackage(r, c) {
		return nil
	}
	values := recordValues(c.settings.values)
	values.Set("record", c.token)
	return []link{{"Prepare the package of " + plain.Line(c.settings.scope.Period) + " with this record", "close" + c.settings.scope.query(values)}}
}
