package web

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
)

// scope selects what a page is about. It is part of the page's URL.
type scope struct {
	Period   string // 2026-01, 2026, 2026-01-01..2026-01-14, 223201..424800; "" for all sealed blocks
	Zone     string // time zone of the days; "" for UTC
	Accounts string // addresses, labels and groups, comma-separated; "" or everyone for all accounts
	Partial  bool
	Price    string     // the currency of the amounts besides the token; "" for none
	own      url.Values // the page's own parameters
}

// scopeParameters are the parameters of every page about a period.
var scopeParameters = []string{"period", "zone", "accounts", "partial"}

// priceParameter is accepted by every page about a period, which passes it on even if it shows no values.
const priceParameter = "price"

// dayParameters are a range of days, in place of a period.
var dayParameters = []string{"from", "to"}

// listParameters are lists, which may be repeated.
var listParameters = []string{"accounts", "columns"}

var aMonth = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])$`)

// parameters parses a URL's query. Unknown and repeated parameters are errors.
func parameters(query string, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, invalidRequest("The address cannot be read: %s.", plain.Line(err.Error()))
	}
	for name, list := range values {
		switch {
		case !slices.Contains(known, name):
			return nil, invalidRequest("Unknown parameter %q. This page accepts: %s.", plain.Line(name), cmp.Or(strings.Join(known, ", "), "none"))
		case len(list) > 1 && slices.Contains(listParameters, name): // checkboxes
			values[name] = []string{strings.Join(slices.DeleteFunc(list, func(text string) bool { return text == "" }), ",")}
		case len(list) > 1:
			return nil, invalidRequest("The parameter %s is repeated.", name)
		}
	}
	return values, nil
}

// readScope parses the scope of a page, with the page's own parameters.
func readScope(query string, own ...string) (s scope, err error) {
	values, err := parameters(query, slices.Concat(scopeParameters, dayParameters, []string{priceParameter}, own)...)
	if err != nil {
		return s, err
	}
	if from, to := values.Get("from"), values.Get("to"); values.Has("from") || values.Has("to") { // of the form of days
		if values.Get("period") != "" {
			return s, invalidRequest("State the period in one way only: period, or from and to.")
		}
		values.Set("period", from+".."+to)
	}
	s = scope{Period: values.Get("period"), Zone: values.Get("zone"), Accounts: values.Get("accounts"), Price: values.Get(priceParameter), own: url.Values{}}
	if values.Has("accounts") && s.Accounts == "" { // a form without a choice: not the company
		s.Accounts = everyone
	}
	if s.Partial, err = ticked(values, "partial"); err != nil {
		return s, err
	}
	for _, name := range own {
		if text := values.Get(name); text != "" && name != priceParameter {
			s.own.Set(name, text)
		}
	}
	return s, nil
}

// ticked parses a checkbox.
func ticked(values url.Values, name string) (bool, error) {
	return values.Get(name) == "1", app.OneOf(app.Field(name), values.Get(name), "", "0", "1")
}

// period converts the period for package app.
func (s *scope) period() (app.Period, error) { return s.input().Parse() }

func (s *scope) input() app.PeriodInput {
	in := app.PeriodInput{Timezone: s.Zone, Partial: s.Partial}
	in.Set(s.Period)
	return in
}

// ofHeights reports whether the period is a range of heights, whose first and last day may be incomplete.
func (s *scope) ofHeights() bool { return s.input().Blocks != "" }

// list returns the accounts as listed; none for all accounts.
func (s *scope) list() (names []string) {
	if s.Accounts == everyone {
		return nil
	}
	for _, name := range strings.Split(s.Accounts, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// values returns the scope and the page's own parameters, without defaults.
func (s *scope) values(own url.Values) url.Values {
	values := url.Values{}
	for name, text := range map[string]string{"period": s.Period, "zone": s.Zone, "accounts": s.Accounts, priceParameter: s.Price} {
		if text != "" {
			values.Set(name, text)
		}
	}
	if s.Partial {
		values.Set("partial", "1")
	}
	maps.Copy(values, own)
	return values
}

// query formats the scope and the page's own parameters as a query, in a fixed order and without
// defaults.
func (s *scope) query(own url.Values) string {
	if values := s.values(own); len(values) > 0 {
		return "?" + values.Encode()
	}
	return ""
}

// carried returns what a link to another page keeps of a scope: a page of a month gets no other period.
func (s *scope) carried(path string) *scope {
	other := *s
	if slices.Contains([]string{"overview", "chain"}, path) {
		if other.Partial = false; !aMonth.MatchString(other.Period) {
			other.Period = ""
		}
	}
	return &other
}

// monthScope returns the month of a block, and what its address keeps of a scope, for the links of its page; nil if its time
// is unknown.
func monthScope(r *http.Request, o chain.Optional[chain.Time]) *scope {
	at, known := o.Get()
	if !known {
		return nil
	}
	of := scope{}
	if kept := keptScope(r); kept != nil {
		of = *kept
	}
	zone, err := time.LoadLocation(of.Zone)
	if err != nil {
		zone = time.UTC
	}
	of.Period, of.Partial = at.Std().In(zone).Format("2006-01"), true
	return &of
}

// keptKey is the context key of the scope that a page without a period passes on.
type keptKey struct{}

// keptScope returns the scope of a request to a page without a period; nil if there is none.
func keptScope(r *http.Request) *scope {
	sc, _ := r.Context().Value(keptKey{}).(*scope)
	return sc
}

// carrying wraps a page without a period, whose links to other pages are about the scope in its address.
func carrying(ask endpoint) endpoint {
	return func(s *server, w http.ResponseWriter, r *http.Request) error {
		values, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return ask(s, w, r) // which refuses it
		}
		about := url.Values{}
		for _, name := range append(slices.Clip(scopeParameters), priceParameter) {
			if values.Has(name) {
				about[name] = values[name]
				delete(values, name)
			}
		}
		sc, err := readScope(about.Encode())
		if err != nil {
			return err
		}
		if len(about) > 0 {
			r = r.WithContext(context.WithValue(r.Context(), keptKey{}, &sc))
			own := *r.URL
			own.RawQuery = values.Encode()
			r.URL = &own
		}
		return ask(s, w, r)
	}
}

// around returns links to the previous and the next month, year or range of days, if they exist.
func (s *scope) around(path string, own url.Values) (list []link) {
	in := s.input()
	if in.From != "" {
		return s.aroundDays(in.From, in.To, path, own)
	}
	layout, months := "2006-01", 1
	if in.Year != "" {
		layout, months = "2006", 12
	}
	at, err := time.Parse(layout, s.Period)
	if err != nil {
		return nil
	}
	other := *s
	for _, by := range []int{-months, months} {
		other.Period = at.AddDate(0, by, 0).Format(layout)
		if _, err := other.period(); err == nil && other.input().Blocks == "" {
			list = append(list, link{other.Period, path + other.query(own)})
		}
	}
	return list
}

// aroundDays returns links to the same number of days before and after a range of days.
func (s *scope) aroundDays(from, to, path string, own url.Values) (list []link) {
	first, err := time.Parse(time.DateOnly, from)
	last, err2 := time.Parse(time.DateOnly, to)
	if err != nil || err2 != nil || last.Before(first) {
		return nil
	}
	count := int(last.Sub(first).Hours()/24) + 1
	other := *s
	for _, by := range []int{-count, count} {
		other.Period = first.AddDate(0, 0, by).Format(time.DateOnly) + ".." + last.AddDate(0, 0, by).Format(time.DateOnly)
		if _, err := other.period(); err == nil {
			list = append(list, link{other.Period, path + other.query(own)})
		}
	}
	return list
}

// flags formats the scope as command-line flags.
func (s *scope) flags() string {
	in := s.input()
	line := in.Flags()
	if in.Blocks != "" {
		line = " " + console.Argument(in.Blocks)
	}
	if s.Zone != "" {
		line += " --timezone " + console.Argument(s.Zone)
	}
	if accounts := strings.Join(s.list(), ","); accounts != "" {
		line += " --accounts " + console.Argument(accounts)
	}
	if s.Partial {
		line += " --partial"
	}
	return line
}
