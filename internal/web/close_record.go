package web

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/sys/plain"
)

// noRecord is the value of the field record that drops the record of fees of the package before. Without a value the package
// keeps it; other values are tokens of uploads.
const noRecord = "none"

// dropLabel is the label of the field that drops accepted differences of the package before.
const dropLabel = "Leave out accepted differences that fit no longer"

// recordParameters are the fields of a package's form that name the company's record of fees, and how it is read.
var recordParameters = append([]string{"record"}, readingNames()...)

// closeParameters are the fields of a package's form besides the scope.
var closeParameters = append([]string{"journal", "comment", "drop"}, recordParameters...)

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

// packageRecord gives a package's request the record of fees that its form names. An uploaded one is compared first, so that
// the user learns at once why it cannot be read or is of another period.
func (s *server) packageRecord(r *http.Request, sc *scope, fields url.Values, q *app.PackageRequest) error {
	drops, err := ticked(fields, "drop")
	if err != nil {
		return err
	}
	if drops {
		q.Drop = app.DropAcceptances
	}
	switch fields.Get("record") {
	case "":
		return nil
	case noRecord:
		q.Drop = app.DropRecord
		return nil
	}
	c, err := s.uploadedRecord(r, sc, fields)
	if err != nil {
		return err
	}
	defer c.close()
	if err := s.prepare(r.Context(), c); err != nil {
		return err
	}
	if err := s.compare(r, c); err != nil {
		return err
	}
	q.Books = c.settings.books
	q.Books.Accepted, q.Books.SomeAccepted = c.options.Accepted, true
	return app.CheckPeriod(c.result, c.asked)
}

// closedName returns the directory name of a period's closed package; "" for none.
func (s *server) closedName(ctx context.Context, period, zone string) (string, error) {
	list, _, err := s.listPackages(ctx)
	for _, c := range list {
		if c.summary != nil && c.Period.Name() == period && c.Period.Timezone == zone {
			return c.Name, err
		}
	}
	return "", err
}

// lastPackage returns the directory and the manifest of the last package of a period: the prepared one or, if there is
// none, the closed one; "" and nil for none.
func (s *server) lastPackage(ctx context.Context, period, zone string) (dir string, m *closing.Manifest, err error) {
	if shelf, p, err := s.openPrepared(s.packageName(period, zone)); err == nil {
		defer shelf.Close()
		defer p.Close()
		return p.Dir, p.Manifest, nil
	}
	name, err := s.closedName(ctx, period, zone)
	if name == "" || err != nil {
		return "", nil, err
	}
	p, err := closing.Open(filepath.Join(s.Packages, name))
	if err != nil {
		return "", nil, packageTrouble(err)
	}
	return p.Dir, p.Manifest, nil
}

// addRecord adds the record of fees to the page of a package's form, with its way of reading as hidden fields, and what the
// package would drop of the one before.
func (s *server) addRecord(v *closingPage, r *http.Request, sc *scope) error {
	values := recordValues(sc.own)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v.Form.Hidden = append(v.Form.Hidden, option{name, values.Get(name)})
	}
	in := sc.input()
	zone := "UTC"
	if period, err := in.Parse(); err == nil {
		zone = period.Zone.String()
	}
	_, before, err := s.lastPackage(r.Context(), in.Month+in.Year, zone)
	if err != nil {
		return err
	}
	var had *closing.Reconciliation
	if before != nil {
		had = before.Options.Reconciliation
	}
	if had != nil && had.Accepted && values.Get("record") != noRecord {
		v.Form.Fields = append(v.Form.Fields, control{Name: "drop", Label: dropLabel, Kind: "checkbox", Value: sc.own.Get("drop")})
	}
	bare := *sc
	bare.own = nil
	others := without(sc.own, recordParameters...)
	dropped := url.Values{"record": {noRecord}}
	maps.Copy(dropped, others)
	way := link{"Prepare it without a record of fees", "close" + bare.query(dropped)}
	add := link{"Add a record of fees: reconcile it first", "reconcile" + bare.query(nil)}
	switch token := values.Get("record"); {
	case token == "" && had == nil:
		v.Links = append(v.Links, add)
	case token == "":
		v.Facts = append(v.Facts, textFact("record of fees", recordText(before)))
		v.Ways = append(v.Ways, way, link{"Take another record: reconcile it first", add.To})
	case token == noRecord:
		if had != nil {
			v.Form.Button = "Prepare without the record"
			v.Warnings = append(v.Warnings, "This package drops the record of fees of the one before: "+recordText(before)+". Who approves it must say why.")
			v.Ways = append(v.Ways, link{"Keep the record", "close" + bare.query(others)})
		}
		v.Links = append(v.Links, add)
	default:
		values.Del("record")
		u, err := s.upload(r, token)
		if err != nil {
			v.Warnings = append(v.Warnings, "The server no longer has the record of fees. Upload it again, or prepare the package without it.")
			v.Ways = append(v.Ways, link{"Upload it again", "reconcile" + bare.query(nil)}, way)
			return nil
		}
		v.Facts = append(v.Facts, fact{Name: "record of fees", cell: cell{Text: u.Name, To: "reconcile/" + token + bare.query(values)}}, textFact("size", fmt.Sprintf("%d bytes", len(u.Content))), hash("SHA-256", u.sum))
		if n := len(s.uploads.accepted(token)); n > 0 {
			v.Facts = append(v.Facts, textFact("accepted differences", fmt.Sprint(n)))
		}
		if had != nil {
			v.Facts = append(v.Facts, textFact("record of the package before", recordText(before)))
		}
		v.Ways = append(v.Ways, way)
	}
	return nil
}

// recordText describes the record of fees of a package.
func recordText(m *closing.Manifest) string {
	text := shortened(m.Options.Reconciliation.Names())
	if n := m.Findings.Accepted; n > 0 {
		text += ", with " + console.Counted(n, "accepted difference")
	}
	return text
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
