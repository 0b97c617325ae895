package web

import (
	"bytes"
	"cmp"
	"net/http"
	"regexp"
	"slices"

	"github.com/feeledger/fees/internal/app"
)

// isPlace is how a transaction's place is written.
var isPlace = regexp.MustCompile(`^[0-9]+-[0-9]+$`)

// route is a path with who answers there.
type route struct {
	path       string
	ask        asker
	about      string   // what a program gets there
	parameters []string // that it takes
	form       string   // of the answer; "" is json
}

// media is the type of the answer.
func (r *route) media() string { return contentTypes[cmp.Or(r.form, "json")] }

type asker = func(*server, http.ResponseWriter, *http.Request) error

// alone is an answer that no parameter changes: each is refused.
func alone(ask asker) asker {
	return func(s *server, w http.ResponseWriter, r *http.Request) error {
		if _, err := parameters(r.URL.RawQuery); err != nil {
			return err
		}
		return ask(s, w, r)
	}
}

// pages are those that people see.
func pages() []route {
	list := []route{
		{path: "/cockpit", ask: alone((*server).cockpit)},
		{path: "/fees", ask: (*server).fees},
		{path: "/transactions", ask: (*server).transactions},
		{path: "/tx/{name}", ask: alone((*server).transaction)},
		{path: "/block/{height}", ask: alone((*server).block)},
		{path: "/accounts", ask: (*server).accounts},
		{path: "/account/{address}", ask: (*server).account},
		{path: "/account/{address}/statement", ask: (*server).statement},
		{path: "/account/{address}/rollforward", ask: (*server).rollforward},
		{path: "/contract/{address}", ask: (*server).contract},
		{path: "/findings", ask: (*server).findings},
		{path: "/findings.csv", ask: (*server).findingsFile},
		{path: "/lookup", ask: (*server).lookup},
		{path: "/reconcile", ask: (*server).reconcileForm},
		{path: "/reconcile/{token}", ask: (*server).reconciliation},
		{path: "/reconcile/{token}/fixed", ask: (*server).checkedFile},
		{path: "/packages", ask: alone((*server).packageList)},
		{path: "/packages/{package}", ask: alone(ofPackage((*server).packagePage))},
		{path: "/packages/{package}/{version}", ask: alone(ofPackage((*server).packagePage))},
		{path: "/packages/{package}/{version}/{file...}", ask: alone(ofPackage((*server).packageFile))},
	}
	for _, form := range feesForms {
		list = append(list, route{path: "/fees." + form, ask: (*server).feesFile})
	}
	for _, form := range accountForms {
		list = append(list, route{path: "/account/{address}/statement." + form, ask: (*server).statementFile}, route{path: "/account/{address}/rollforward." + form, ask: (*server).rollforwardFile})
	}
	for _, form := range resultForms {
		list = append(list, route{path: "/reconcile/{token}/result." + form, ask: (*server).reconciliationFile})
	}
	return list
}

// The forms in which fees, and what is made of an account, can be downloaded.
var (
	feesForms    = []string{"csv", "xlsx", "parquet", "json"}
	accountForms = []string{"csv", "xlsx", "json"}
)

// Nav are the links to the other pages, about the same period.
func (v *view) Nav() (list []navigation) {
	about := v.Scope
	if about == nil {
		about = new(scope)
	}
	for _, p := range []struct{ text, path string }{{"Cockpit", "cockpit"}, {"Fees", "fees"}, {"Transactions", "transactions"}, {"Accounts", "accounts"}, {"Findings", "findings"}, {"Reconcile", "reconcile"}, {"Packages", "packages"}} {
		to := p.path
		if p.path == "packages" && !v.Packages {
			continue
		}
		if !slices.Contains([]string{"cockpit", "accounts", "packages"}, p.path) { // these are about no period
			to += about.query(nil)
		}
		list = append(list, navigation{link{p.text, to}, p.path == v.Path})
	}
	return list
}

type navigation struct {
	link
	Here bool // it is the page itself
}

// allSealed is what an answer is about that may depend on each block that is sealed.
var allSealed = app.Period{All: true}

// show writes a page whose answer depends on what is sealed of a period alone, unless the browser has
// it. Make is told what is sealed.
func (s *server) show(w http.ResponseWriter, r *http.Request, about app.Period, make func(sealed string) (*view, error)) error {
	same, sealed, err := s.same(w, r, about, s.shownTo(r))
	if same || err != nil {
		return err
	}
	v, err := make(sealed)
	if err != nil {
		return err
	}
	if !v.Unsealed && !s.unchanged(w, r, about, sealed) {
		v.Unsealed = true
	}
	v.Sealed = sealed
	page, err := s.page(r, v)
	if err != nil {
		return err
	}
	k := kept{contentType: pageType, body: page}
	if v.Unsealed {
		w.Header().Del("ETag")
	} else {
		s.cache.add(w.Header().Get("ETag"), k)
	}
	s.deliver(w, r, k, int64(len(page)), bytes.NewReader(page))
	return nil
}
