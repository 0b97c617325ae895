package web

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// viewBar is the view bar of a page: its period, zone, accounts and filters, and how to change them. It consists of links
// and forms, so it works without scripts.
type viewBar struct {
	Before, After link // the periods before and after; without To for none
	Action        string
	Hidden        []option // parameters that the form of the menus keeps
	Menus         []menu   // one form, so that each keeps what is typed in the others
	Days          *form    // a range of days, in place of the period of the other form
	Chips         []link   // remove one filter each
	State         string   // of the period, if it is a month
}

// menu is a part of the bar that unfolds.
type menu struct {
	Name, Value string
	Links       []navigation
	Years       []year
	Fields      []control
	Remembers   string // the page whose accounts a second button stores as the company; "" for none
	Token       string // of that button's form
}

// maxChoices limits the accounts offered as choices; others can be typed.
const maxChoices = 60

// zones are the time zones offered first; others can be typed.
var zones = []option{{"UTC", ""}, {"Europe/London", ""}, {"Europe/Berlin", ""}, {"Europe/Zurich", ""}, {"America/New_York", ""}, {"America/Chicago", ""}, {"America/Los_Angeles", ""}, {"Asia/Dubai", ""}, {"Asia/Singapore", ""}, {"Asia/Tokyo", ""}, {"Australia/Sydney", ""}}

func (b *viewBar) node() g.Node {
	if b == nil {
		return nil
	}
	content := lines{keptFields(b.Hidden), b.Before.turn("prev", "Previous", "‹")}
	for i := range b.Menus {
		if content = append(content, b.menu(i)); i == 0 {
			content = append(content, b.After.turn("next", "Next", "›"))
		}
	}
	for _, chip := range b.Chips {
		content = append(content, markup.El("a", markup.Attr("class", "chip"), href(chip.To), markup.Text(chip.Text+" "), markup.El("span", markup.Attr("aria-hidden", "true"), markup.Text("×")), markup.El("span", markup.Attr("class", "aside"), markup.Text(", remove"))))
	}
	content = append(content, g.If(b.State != "", markup.El("span", markup.Attr("class", "state "+b.State), markup.Text(b.State))))
	return markup.El("section", markup.Attr("class", "bar"), markup.Attr("aria-label", "View"), lines{
		markup.El("form", markup.Attr("id", "days"), action(b.Days.Action), keptFields(b.Days.Hidden)),
		markup.El("form", markup.Attr("class", "inner"), action(b.Action), content),
	})
}

// menu returns a menu. The first is the period's, and contains the range of days.
func (b *viewBar) menu(i int) g.Node {
	m := &b.Menus[i]
	content := lines{}
	if len(m.Links) > 0 {
		content = append(content, markup.El("p", g.Map(m.Links, func(n navigation) g.Node { return g.Group{n.node(), markup.Text(" ")} })))
	}
	content = append(content, each(m.Years, year.node), markup.El("div", markup.Attr("class", "scope asked"), each(m.Fields, control.node), markup.El("button", markup.Text("Show")), m.remember()))
	if i == 0 {
		content = append(content, markup.El("div", markup.Attr("class", "scope asked"), each(b.Days.Fields, control.node), markup.El("button", markup.Attr("form", "days"), markup.Text(b.Days.Button))))
	}
	return markup.El("details", markup.Attr("name", "bar"), markup.Attr("class", "menu"), g.If(i == 0, markup.Attr("id", "period")),
		markup.El("summary", markup.Text(m.Name), g.If(m.Value != "", g.Group{markup.Text(" "), markup.El("strong", markup.Text(m.Value))})), markup.El("div", markup.Attr("class", "pop"), content))
}

// remember returns the button that shows the accounts and stores them as the company; nil without one.
func (m *menu) remember() g.Node {
	if m.Remembers == "" {
		return nil
	}
	to := "company/" + m.Remembers
	return markup.El("button", markup.Attr("formmethod", "post"), markup.Attr("formaction", plain.URL(to)), markup.Attr("name", "token"), markup.Attr("value", m.Token), markup.Attr("class", "plain"), markup.Text("Show, and show first from now on"))
}

// viewBar returns the view bar of a page. On a page that shows months only, other periods lead to the fees.
func (s *server) viewBar(r *http.Request, v *frame) *viewBar {
	sc, path, periods, around := v.Scope, v.Path, v.Path, v.Around
	if v.Monthly {
		periods = "fees"
	} else {
		around = sc.around(path, listing{}.with(sc.own))
	}
	b := &viewBar{Action: path, Days: sc.daysForm(periods)}
	for _, l := range around {
		if b.Before.To == "" && l.Text < sc.Period {
			b.Before = l
		} else {
			b.After = l
		}
	}
	months := s.months(r.Context())
	period := menu{Name: "Period", Value: sc.name(), Fields: sc.controls("")}
	period.Fields[1].Options = zones
	at := func(path string, change func(*scope)) string {
		other := *sc
		change(&other)
		return path + other.query(listing{}.with(sc.own))
	}
	to := func(change func(*scope)) string { return at(path, change) }
	for _, m := range months {
		if m.Name == sc.Period && sc.Zone == "" { // a month of another zone has other ends
			b.State = m.State
		}
		if n := len(period.Years); n == 0 || period.Years[n-1].Name != m.Name[:4] {
			period.Years = append(period.Years, year{Name: m.Name[:4], To: at(periods, func(o *scope) { o.Period, o.Partial = m.Name[:4], true })})
		}
		last := &period.Years[len(period.Years)-1]
		m.Here, m.To = m.Name == sc.Period, to(func(o *scope) { o.Period, o.Partial = m.Name, m.Partial && !v.Monthly })
		last.Months = append(last.Months, m)
	}
	period.Links = append(period.Links, navigation{link: link{"All sealed blocks", at(periods, func(o *scope) { o.Period, o.Partial = "", false })}, Here: sc.Period == ""})
	b.Menus = append(b.Menus, period)
	if sc.Zone != "" {
		b.Menus[0].Value += ", " + plain.Line(sc.Zone)
		b.Chips = append(b.Chips, link{"Zone: " + plain.Line(sc.Zone), to(func(o *scope) { o.Zone = "" })})
	}
	if v.Whose {
		menu := s.accountsMenu(r.Context(), sc)
		menu.Remembers, menu.Token = path, s.token(r)
		b.Menus = append(b.Menus, menu)
		for i, name := range sc.list() {
			b.Chips = append(b.Chips, link{"Account: " + s.accountName(name), to(func(o *scope) { o.Accounts = cmp.Or(strings.Join(slices.Delete(sc.list(), i, i+1), ","), everyone) })})
		}
	}
	for _, m := range []menu{{Name: "View", Fields: v.Fields}, {Name: "Filters", Fields: v.Filters}} {
		if len(m.Fields) == 0 {
			continue
		}
		b.Menus = append(b.Menus, m)
		for _, c := range m.Fields {
			if c.Name == priceParameter && sc.Price != "" {
				b.Chips = append(b.Chips, link{c.Label + ": " + plain.Line(sc.Price), to(func(o *scope) { o.Price = "" })})
			} else if value := sc.own.Get(c.Name); value != "" && c.Name != "by" && c.Name != "part" {
				b.Chips = append(b.Chips, link{c.Label + ": " + plain.Line(dayNames(table.Words(value))), path + sc.query(without(sc.own, c.Name, "sort", "after"))})
			}
		}
	}
	var fields []control
	for _, m := range b.Menus {
		fields = append(fields, m.Fields...)
	}
	b.Hidden = sc.hidden(fields...)
	return b
}

// accountName returns an account of the scope for display.
func (s *server) accountName(name string) string {
	if app.IsAddress(name) {
		return plain.Line(s.called(name))
	}
	return plain.Line(strings.TrimPrefix(name, app.GroupPrefix))
}

// name returns the period for display.
func (s *scope) name() string {
	if s.Period == "" {
		return "All sealed blocks"
	}
	if month, err := time.Parse("2006-01", s.Period); err == nil {
		return month.Format("January 2006")
	}
	if from, to, ok := strings.Cut(s.Period, ".."); ok && aPeriod.MatchString(from) {
		return plain.Line(dayNames(from + " to " + to))
	}
	return plain.Line(dayNames(s.Period))
}

// hidden returns the parameters that a form with the given fields keeps.
func (s *scope) hidden(fields ...control) []option {
	values := s.values(listing{}.with(s.own))
	for _, c := range fields {
		values.Del(c.Name)
	}
	return optionsOf(values)
}

// optionsOf returns parameters in order, for a form that keeps them.
func optionsOf(values url.Values) (list []option) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, option{name, values.Get(name)})
	}
	return list
}

// daysForm returns the form of a range of days.
func (s *scope) daysForm(path string) *form {
	in := s.input()
	fields := []control{{Name: "from", Label: "From", Kind: "date", Value: in.From, Required: true, Form: "days"}, {Name: "to", Label: "To", Kind: "date", Value: in.To, Required: true, Form: "days"}}
	return &form{Action: path, Fields: fields, Button: "Show days", Hidden: s.hidden(append(fields, control{Name: "period"})...)}
}

// accountsMenu offers the groups and labels of the address book, and text for other accounts.
func (s *server) accountsMenu(ctx context.Context, sc *scope) menu {
	chosen := sc.list()
	m := menu{Name: "Accounts", Value: "all"}
	if len(chosen) == 1 {
		m.Value = s.accountName(chosen[0])
	} else if len(chosen) > 1 {
		m.Value = console.Counted(len(chosen), "item")
	}
	offer := func(value, label, hint string) {
		if len(m.Fields) >= maxChoices {
			return
		}
		c := control{Name: "accounts", Label: plain.Line(label), Kind: "choice", Value: value, Hint: hint}
		if i := slices.Index(chosen, value); i >= 0 {
			c.Required, chosen = true, slices.Delete(chosen, i, i+1)
		}
		m.Fields = append(m.Fields, c)
	}
	if s.labels() != nil {
		network := s.network(ctx)
		for _, group := range s.labels().GroupNames() {
			if !strings.Contains(group, ",") { // the parameter is a list
				offer(app.GroupPrefix+group, group, "group")
			}
		}
		for _, e := range s.labels().Entries() {
			if e.Label != "" {
				address := network.Account(e.Address)
				offer(address, e.Label, console.Ends(address, 4))
			}
		}
	}
	m.Fields = append(m.Fields, control{Name: "accounts", Label: "Other accounts", Kind: "text", Value: strings.Join(chosen, ","), Hint: "addresses, labels, group:NAME"})
	return m
}

// byLinks returns the groupings of a page of fees.
func byLinks(q *feesRequest) (list []navigation) {
	for _, by := range report.Groupings() {
		own := without(q.scope.own, listingParameters...)
		own.Set("by", string(by))
		if by == report.Day {
			own.Del("by")
		}
		list = append(list, navigation{link: link{table.Words(string(by)), "fees" + q.scope.query(own)}, Here: by == q.By})
	}
	return list
}
