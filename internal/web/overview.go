package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
)

// overviewPage is the overview of a month.
type overviewPage struct {
	frame
	figures
	tables
	Live  string     // the last sealed block: the page announces newer ones
	First *tabular   // above the figures; nil for none
	Side  []*tabular // beside the other content in a wide window
	Chart *report.Chart
}

func (p *overviewPage) main() g.Node {
	return p.body(p.news(), p.notices.node(), twoColumns(p.Side, p.First.whole(), p.figures.node(), p.Chart.Node(), p.tables.beside()), p.notesList())
}

// news returns the place where a script announces newer blocks; nil without any.
func (p *overviewPage) news() g.Node {
	if p.Live == "" {
		return nil
	}
	return markup.El("p", markup.Attr("id", "news"), markup.Attr("class", "news"), markup.Attr("role", "status"), markup.Attr("data-sealed", p.Live), markup.Attr("hidden"), markup.El("span"), markup.Text(" "), link{"Reload", p.Here}.node())
}

// overview shows a month: what is missing until it is closed, its fees, and what the ledger contains.
func (s *server) overview(w http.ResponseWriter, r *http.Request) error {
	own, err := parameters(r.URL.RawQuery, "period")
	if err != nil {
		return err
	}
	return s.show(w, r, allSealed, func(r *http.Request, sealed string) (page, error) {
		status, err := s.Ledger.Status(r.Context())
		if err != nil {
			return nil, err
		}
		token, err := s.Ledger.Token(r.Context())
		if err != nil {
			return nil, err
		}
		v := s.statusView(&status, token)
		if !status.Sealed.Known() {
			v.Lead = "No sealed blocks yet. Run fees sync to fill the ledger."
			v.Remedy = "fees sync --month 2026-01" + s.placeFlag()
			return v, nil
		}
		months := s.months(r.Context())
		if len(months) == 0 { // the blocks state no time
			return v, nil
		}
		packages, err := s.overviewPackages(r.Context(), v)
		if err != nil {
			return nil, err
		}
		shown := monthToClose(months, s.Packages != "")
		if name := own.Get("period"); name != "" {
			i := slices.IndexFunc(months, func(m month) bool { return m.Name == name })
			if i < 0 {
				return nil, invalidRequest("The ledger has no blocks of period=%s. Choose a month from %s to %s.", plain.Line(name), months[0].Name, months[len(months)-1].Name)
			}
			shown = months[i]
		}
		kept, err := s.keptMonth(r, months, shown)
		if err != nil {
			return nil, err
		}
		var trail []ledger.Act
		if s.closes() { // then the page is about more than sealed blocks
			if trail, err = s.Ledger.Book.Trail(r.Context()); errors.Is(err, ledger.ErrDamaged) {
				v.Warnings = append(v.Warnings, problemOf(r.Context(), err, s.Time).Detail)
			} else if err != nil {
				return nil, err
			}
		}
		v.First = s.checklist(shown, kept.findings, packages, trail)
		if err := kept.addTo(s, v, months, shown); err != nil {
			return nil, err
		}
		if err := s.addMonths(r.Context(), v, months); err != nil {
			return nil, err
		}
		if len(packages) > 0 {
			v.Tables = append(v.Tables, closedTable(packages))
		}
		v.Side, v.Facts = []*tabular{factTable("Ledger", v.Facts)}, nil
		return v, nil
	})
}

// statusView returns the overview of a ledger, without months.
func (s *server) statusView(status *app.Status, token console.Token) *overviewPage {
	stored, _ := status.Stored.Get()
	sealed, known := status.Sealed.Get()
	v := &overviewPage{frame: frame{Title: "Overview", Path: "overview", Command: "fees ledger status" + s.placeFlag(), Unsealed: !known || stored.Last > sealed}, Live: console.Known(status.Sealed)}
	t := &status.Totals
	v.Facts = []fact{
		textFact("network", status.Network), textFact("blocks", spanText(status.Stored)), textFact("last sealed block", console.Known(status.Sealed)),
		moment("time of the last block", status.LastTime), textFact("evidence", status.Evidence.String()),
		amount("fees of all blocks", chain.Some(t.Fee), token), textFact("transactions", fmt.Sprintf("%d EVM, %d native", t.EVM, t.Native)),
		amount("burned", status.Burned, token), amount(token.TreasuryLabel(), status.Treasury, token), amount("authors", status.Author, token),
		{Name: "failed checks", cell: cell{Text: fmt.Sprint(status.Findings), To: "findings"}}, {Name: "fee drifts", cell: cell{Text: fmt.Sprint(t.Drifts), To: "findings"}},
		{Name: "undetermined fees", cell: cell{Text: fmt.Sprint(t.Undetermined), To: "findings"}}, {Name: "unrecognised events", cell: cell{Text: fmt.Sprint(status.Unread), To: "findings"}}, textFact("checks not possible", fmt.Sprint(status.Unanswered)),
	}
	if t.Undetermined > 0 {
		v.Warnings = append(v.Warnings, incomplete(t.Undetermined))
	}
	for _, gap := range status.Gaps {
		v.Warnings = append(v.Warnings, fmt.Sprintf("Blocks %v are missing.", gap))
	}
	if status.NotFinal > 0 {
		v.Warnings = append(v.Warnings, console.Counted(status.NotFinal, "block")+" "+console.Verb(status.NotFinal, "is", "are")+" not final yet.")
	}
	return v
}

// factTable lists facts beside a page.
func factTable(title string, facts []fact) *tabular {
	t := &tabular{Title: title, Heads: heads("what", "value")}
	for _, f := range facts {
		if f.Unit != "" {
			f.Name, f.Unit = f.Name+", "+f.Unit, ""
		}
		t.Rows = append(t.Rows, []cell{{Text: f.Name}, f.cell})
	}
	return t
}

// monthView is the part of the overview about a month. It is shared by requests.
type monthView struct {
	findings int // up to one more than maxCounted
	main     []fact
	chart    *report.Chart
	changed  *rows    // since the month before; nil without one
	notes    []string // on fees paid in assets
	top      []topList
}

// topList is the largest groups of a month.
type topList struct {
	title string
	by    report.By
	rows  *rows
}

// maxTop limits the payers and contracts on the overview.
const maxTop = 5

// readAhead reads the figures of the month that the overview shows first, in the background until done is closed. A page
// will say what failed.
func (s *server) readAhead() (done chan struct{}) {
	done = make(chan struct{})
	s.aside(func(ctx context.Context) {
		defer close(done)
		if months := s.months(ctx); len(months) > 0 {
			_, _ = s.keptMonth((&http.Request{}).WithContext(ctx), months, monthToClose(months, s.Packages != ""))
		}
	})
	return done
}

// keptMonth returns the figures of a month. Those of a complete one stay the same while the ledger grows.
func (s *server) keptMonth(r *http.Request, months []month, shown month) (*monthView, error) {
	input := app.PeriodInput{Month: shown.Name, Partial: shown.Partial}
	period, err := input.Parse()
	if err != nil {
		return nil, err
	}
	before := false // whether the month before is complete, too
	if i := slices.IndexFunc(months, func(m month) bool { return m.Name == shown.Name }); i > 0 && !shown.Partial {
		before = !months[i-1].Partial
	}
	state, err := s.stateOf(r.Context(), period)
	if err != nil {
		return nil, err
	}
	return keptOf(s, r, period, s.monthViews, state.String(), fmt.Sprintf("overview?period=%s %t", shown.Name, before), true, func(ctx context.Context) (*monthView, error) {
		return s.monthView(ctx, &input, period, before)
	})
}

// monthView reads the figures of a month, and compares them with the month before if that is complete.
func (s *server) monthView(ctx context.Context, input *app.PeriodInput, period app.Period, before bool) (*monthView, error) {
	q := app.Request{Period: period}
	days, err := s.Ledger.Report(ctx, q, report.Choice{By: report.Day})
	if err != nil {
		return nil, err
	}
	v := &monthView{chart: days.Chart(nil, dayPage)}
	v.main, _ = feesFacts(days)
	v.notes = days.AssetFees.Notes(days.Amount)
	if v.findings, err = s.countFindings(ctx, period); err != nil {
		return nil, err
	}
	if before {
		with, err := input.Before()
		if err != nil {
			return nil, err
		}
		compared, err := s.Ledger.Compare(ctx, q, report.Choice{By: report.Month}, with)
		if err != nil {
			return nil, err
		}
		if v.changed, err = readRows(compared.Sheet(), listing{}, nil); err != nil {
			return nil, err
		}
	}
	v.top = []topList{{title: "Top payers", by: report.Account}, {title: "Top contracts", by: report.Contract}}
	q.Labels = s.book()
	for i := range v.top {
		choice := report.Choice{By: v.top[i].by, Top: maxTop}
		if choice.By == report.Contract {
			choice.Only.Layer = chain.Some(fee.EVM)
		}
		made, err := s.Ledger.Report(ctx, q, choice)
		if err != nil {
			return nil, err
		}
		if v.top[i].rows, err = readRows(made.Sheet(), listing{}, nil); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// monthFigures are the columns of lists on the overview.
var monthFigures = []string{"evm", "native", "fee", "charged"}

// addTo adds the figures of a month to a page.
func (k *monthView) addTo(s *server, v *overviewPage, months []month, shown month) error {
	about := scope{Period: shown.Name, Partial: shown.Partial}
	v.Title, v.Month, v.Main, v.Chart = "Overview, "+about.name(), shown.Name, k.main, k.chart
	v.Notes = append(v.Notes, k.notes...)
	if i := slices.IndexFunc(months, func(m month) bool { return m.Name == shown.Name }); i >= 0 {
		for _, at := range []int{i - 1, i + 1} {
			if at >= 0 && at < len(months) {
				v.Around = append(v.Around, link{months[at].Name, overviewOf(months[at].Name)})
			}
		}
	}
	for _, top := range k.top {
		t, err := s.part(top.rows, listing{fixed: true, Only: append(slices.Clone(monthFigures), string(top.by))}, nil)
		if err != nil {
			return err
		}
		t.Title, t.Totals = top.title, nil
		if top.by == report.Contract {
			t.dropFirst() // the layer: contracts are called by EVM transactions only
		}
		for _, row := range t.Rows {
			if row[0].Text == "" {
				row[0].Text = "others"
			}
		}
		t.Links = []link{{"All " + strings.ToLower(strings.TrimPrefix(top.title, "Top ")), "fees" + about.query(url.Values{"by": {string(top.by)}, "sort": {"-fee"}})}}
		v.Tables = append(v.Tables, t)
	}
	if k.changed != nil {
		t, err := s.part(k.changed, listing{fixed: true, Only: []string{"fee", "fee_before", "fee_difference", "fee_percent"}}, nil)
		if err != nil {
			return err
		}
		t.Title, t.Totals = "Compared with the month before", nil
		t.Links = []link{{"By day", "fees" + about.query(url.Values{"compare": {app.PeriodBefore}})}}
		v.Tables = append(v.Tables, t)
	}
	return nil
}

// addMonths adds the fees of all months, if there are several.
func (s *server) addMonths(ctx context.Context, v *overviewPage, months []month) error {
	if len(months) == 1 {
		return nil
	}
	all, err := s.Ledger.Report(ctx, app.Request{Period: allSealed}, report.Choice{By: report.Month})
	if err != nil {
		return err
	}
	t, err := s.list(all.Sheet(), listing{fixed: true, Only: monthFigures}, nil)
	if err != nil {
		return err
	}
	t.Title = "Fees by month"
	for _, row := range t.Rows {
		row[0].To = monthPage(row[0].Text)
	}
	v.Tables = append(v.Tables, t)
	for _, l := range fileLinks(feesForms, "fees", "?by=month") {
		v.Downloads = append(v.Downloads, link{"months, " + l.Text, l.To})
	}
	return nil
}

// overviewOf returns the overview of a month.
func overviewOf(month string) string { return "overview?period=" + month }

// monthPage returns the page of a month's fees, or "" if name is not a month.
func monthPage(name string) string {
	if !aMonth.MatchString(name) {
		return ""
	}
	return "fees?partial=1&period=" + name
}

// dayPage returns the page of a day's fees by account, or "" if name is not a day.
func dayPage(name string) string {
	if !aDay.MatchString(name) {
		return ""
	}
	about := scope{Period: name + ".." + name, Partial: true}
	return "fees" + about.query(url.Values{"by": {string(report.Account)}})
}

// nowhere leaves a chart's bars without links.
func nowhere(string) string { return "" }
