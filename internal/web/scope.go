package web

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
)

// scope is what a page is about. It stands in the page's address.
type scope struct {
	Period   string // 2026-01, 2026, 2026-01-01..2026-01-14, 223201..424800; "" is all that is sealed
	Zone     string // whose days they are; "" is UTC
	Accounts string // addresses, labels and groups with commas; "" is everybody
	Partial  bool
	own      url.Values // the page's own parameters
}

// scopeParameters are those of every page about a period.
var scopeParameters = []string{"period", "zone", "accounts", "partial"}

var (
	aMonth = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])$`)
	aYear  = regexp.MustCompile(`^[0-9]{4}$`)
	days   = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})\.\.([0-9]{4}-[0-9]{2}-[0-9]{2})$`)
)

// parameters reads the query of an address: those of a name that is not known, and those that come
// twice, are errors.
func parameters(query string, known ...string) (url.Values, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, notUnderstood("The address cannot be read: %s.", console.Printable(err.Error()))
	}
	for name, list := range values {
		switch {
		case !slices.Contains(known, name):
			return nil, notUnderstood("%q is no parameter of this page: it has %s.", console.Printable(name), strings.Join(known, ", "))
		case len(list) > 1:
			return nil, notUnderstood("The parameter %s comes twice.", name)
		}
	}
	return values, nil
}

// readScope reads the scope of a page, with the page's own parameters.
func readScope(query string, own ...string) (s scope, err error) {
	values, err := parameters(query, slices.Concat(scopeParameters, own)...)
	if err != nil {
		return s, err
	}
	s = scope{Period: values.Get("period"), Zone: values.Get("zone"), Accounts: values.Get("accounts"), own: url.Values{}}
	if s.Partial, err = ticked(values, "partial"); err != nil {
		return s, err
	}
	for _, name := range own {
		if text := values.Get(name); text != "" {
			s.own.Set(name, text)
		}
	}
	return s, nil
}

// ticked reads a box of a form.
func ticked(values url.Values, name string) (bool, error) {
	return values.Get(name) == "1", app.OneOf(app.Field(name), values.Get(name), "", "0", "1")
}

// period is the period as the desk takes it.
func (s *scope) period() (app.Period, error) { return s.input().Parse() }

func (s *scope) input() app.PeriodInput {
	in := app.PeriodInput{Timezone: s.Zone, Partial: s.Partial}
	switch {
	case s.Period == "":
	case aMonth.MatchString(s.Period):
		in.Month = s.Period
	case aYear.MatchString(s.Period):
		in.Year = s.Period
	case days.MatchString(s.Period):
		found := days.FindStringSubmatch(s.Period)
		in.From, in.To = found[1], found[2]
	default:
		in.Blocks = s.Period
	}
	return in
}

// ofHeights tells whether the period is one of heights: its first and last day may be there in part.
func (s *scope) ofHeights() bool { return s.input().Blocks != "" }

// list is what the accounts are named by.
func (s *scope) list() (names []string) {
	for _, name := range strings.Split(s.Accounts, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// query writes the scope as an address has it, with the page's own parameters: in an order that is
// always the same, without what is the default.
func (s *scope) query(own url.Values) string {
	values := url.Values{}
	for name, text := range map[string]string{"period": s.Period, "zone": s.Zone, "accounts": s.Accounts} {
		if text != "" {
			values.Set(name, text)
		}
	}
	if s.Partial {
		values.Set("partial", "1")
	}
	for name, list := range own {
		values[name] = list
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// around are the months, or the years, before and after a scope's, where there are such.
func (s *scope) around(path string, own url.Values) (list []link) {
	layout, months := "2006-01", 1
	if aYear.MatchString(s.Period) {
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

// flags are the scope on the command line.
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
