package web

import (
	"net/http"
	"regexp"
)

// isPlace is how a transaction's place is written.
var isPlace = regexp.MustCompile(`^[0-9]+-[0-9]+$`)

// route is a path with who answers there.
type route struct {
	path string
	ask  asker
}

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
var pages = []route{
	{"/cockpit", alone((*server).cockpit)},
	{"/fees", (*server).fees},
	{"/fees.csv", (*server).feesFile},
	{"/fees.xlsx", (*server).feesFile},
	{"/fees.json", (*server).feesFile},
	{"/tx/{name}", alone((*server).transaction)},
	{"/block/{height}", alone((*server).block)},
	{"/account/{address}", alone((*server).account)},
	{"/findings", (*server).findings},
	{"/findings.csv", (*server).findingsFile},
	{"/lookup", (*server).lookup},
}

// Nav are the links to the other pages, about the same period.
func (v *view) Nav() (list []navigation) {
	about := v.Scope
	if about == nil {
		about = new(scope)
	}
	for _, p := range []struct{ text, path string }{{"Cockpit", "cockpit"}, {"Fees", "fees"}, {"Findings", "findings"}} {
		to := p.path
		if p.path != "cockpit" {
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

// show writes a page whose answer depends on what is sealed alone, unless the browser has it.
func (s *server) show(w http.ResponseWriter, r *http.Request, make func() (*view, error)) error {
	same, sealed, err := s.same(w, r)
	if same || err != nil {
		return err
	}
	v, err := make()
	if err != nil {
		return err
	}
	v.Sealed = sealed
	if v.Unsealed {
		w.Header().Del("ETag")
	}
	s.render(w, r, http.StatusOK, v)
	return nil
}
