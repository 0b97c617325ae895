package web

import (
	"context"
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
)

// chainPage is the page of a month of the whole chain.
type chainPage struct {
	frame
	figures
	tables
	Live  string     // the last sealed block: the page announces newer ones
	Side  []*tabular // beside the other content in a wide window
	Chart *report.Chart
}

func (p *chainPage) main() g.Node {
	return p.body(newsPlace(p.Live, p.Here), p.notices.node(), twoColumns(p.Side, p.figures.node(), p.Chart.Node(), p.tables.beside()))
}

// chain shows what the ledger contains of the chain, and a month of all accounts.
func (s *server) chain(w http.ResponseWriter, r *http.Request) error {
	sc, done, err := s.monthlyRequest(w, r)
	if err != nil || done {
		return err
	}
	return s.show(w, r, allSealed, func(r *http.Request, sealed string) (page, error) {
		v := &chainPage{frame: frame{Title: "Chain", Path: "chain", Lead: "All accounts of the chain."}}
		status, err := s.addStatus(r.Context(), &v.frame, &v.figures)
		if err != nil {
			return nil, err
		}
		v.Live = console.Known(status.Sealed)
		months, shown, err := s.monthsAbout(r, &sc, &v.frame)
		if err != nil {
			return nil, err
		}
		switch {
		case !status.Sealed.Known():
			v.Facts = nil
			v.Lead, v.Remedy = emptyLedger, s.fillCommand()
		case len(months) > 0:
			v.Side, v.Facts = []*tabular{factTable("Ledger", v.Facts)}, nil
			err = s.addChain(r, v, months, shown)
		}
		return v, err
	})
}

// addStatus adds what the ledger contains to a page.
func (s *server) addStatus(ctx context.Context, v *frame, to *figures) (status app.Status, err error) {
	if status, err = s.Ledger.Status(ctx); err != nil {
		return status, err
	}
	token, err := s.Ledger.Token(ctx)
	if err != nil {
		return status, err
	}
	stored, _ := status.Stored.Get()
	sealed, known := status.Sealed.Get()
	t := &status.Totals
	found := func(name string, count uint64) fact {
		return fact{Name: name, cell: cell{Text: console.Grouped(count), Number: true, To: "findings?period="}}
	}
	to.Facts = []fact{
		textFact("network", status.Network), textFact("blocks", spanText(status.Stored)), textFact("last sealed block", console.Known(status.Sealed)),
		moment("time of the last block", status.LastTime), textFact("evidence", status.Evidence.String()),
		amount("fees of all blocks", chain.Some(t.Fee), token), layersFact("transactions", t.EVM, t.Native),
		amount("burned", status.Burned, token), amount(token.TreasuryLabel(), status.Treasury, token), amount("authors", status.Author, token),
		found("failed checks", status.Findings), found("fee drifts", t.Drifts), found("undetermined fees", t.Undetermined), found("unrecognised events", status.Unread),
		textFact("checks not possible", fmt.Sprint(status.Unanswered)),
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
	v.Command, v.Unsealed = "fees ledger status"+s.placeFlag(), !known || stored.Last > sealed
	return status, nil
}

// factTable lists facts beside a page.
func factTable(title string, facts []fact) *tabular {
	t := &tabular{Title: title, Heads: heads("item", "figure")}
	for _, f := range facts {
		if f.Unit != "" {
			f.Name, f.Unit = f.Name+", "+f.Unit, ""
		}
		t.Rows = append(t.Rows, []cell{{Text: f.Name}, f.cell})
	}
	return t
}

// topList is the largest groups of a month.
type topList struct {
	title string
	by    report.By
	rows  *rows
}

// keptTop returns the largest payers and contracts of a month. Those of a complete one stay the same while the ledger grows.
func (s *server) keptTop(r *http.Request, sc *scope, m month) ([]topList, error) {
	about := sc.feesIn(m)
	about.Accounts, about.Price = "", ""
	period, err := about.period()
	if err != nil {
		return nil, err
	}
	state, err := s.stateOf(r.Context(), period)
	if err != nil {
		return nil, err
	}
	return keptOf(s, r, period, s.tops, state.String(), "top"+about.query(nil), true, func(ctx context.Context) ([]topList, error) {
		list := []topList{{title: "Top payers", by: report.Account}, {title: "Top contracts", by: report.Contract}}
		for i := range list {
			choice := report.Choice{By: list[i].by, Top: maxTop}
			if choice.By == report.Contract {
				choice.Only.Layer = chain.Some(fee.EVM)
			}
			made, err := s.Ledger.Report(ctx, app.Request{Period: period, Labels: s.book()}, choice)
			if err != nil {
				return nil, err
			}
			if list[i].rows, err = readRows(made.Sheet(), listing{}, nil); err != nil {
				return nil, err
			}
		}
		return list, nil
	})
}

// monthFigures are the columns of lists about the chain.
var monthFigures = []string{"evm", "native", "fee", "charged"}

// addChain adds a month of all accounts to a page, and the fees of all months.
func (s *server) addChain(r *http.Request, v *chainPage, months []month, shown month) error {
	all := *v.Scope
	all.Accounts = everyone
	about := all.feesIn(shown)
	now, err := s.keptMonth(r, &scope{Zone: all.Zone}, shown)
	if err != nil {
		return err
	}
	v.Main = inPart(feesAndCharge(eachCharged, now.Totals.Fee, now.Totals.Charged, now.Totals.Undetermined+now.Drifts, now.Token), now.Part)
	v.Warnings = append(v.Warnings, now.Partial...)
	v.inWords(now.Name)
	v.Chart = now.Chart(nil, about.day)
	top, err := s.keptTop(r, &all, shown)
	if err != nil {
		return err
	}
	for _, top := range top {
		t, err := s.part(top.rows, listing{fixed: true, Only: append(slices.Clone(monthFigures), string(top.by))}, nil)
		if err != nil {
			return err
		}
		if t.Title, t.Totals = top.title, nil; now.Part != "" {
			t.Title += ", " + now.Part
		}
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
	return s.addMonths(r.Context(), v, months, &all)
}

// addMonths adds the fees of all months, if there are several.
func (s *server) addMonths(ctx context.Context, v *chainPage, months []month, all *scope) error {
	if len(months) == 1 {
		return nil
	}
	made, err := s.Ledger.Report(ctx, app.Request{Period: allSealed}, report.Choice{By: report.Month})
	if err != nil {
		return err
	}
	t, err := s.list(made.Sheet(), listing{fixed: true, Only: monthFigures}, nil)
	if err != nil {
		return err
	}
	t.Title = "Fees by month"
	for _, row := range t.Rows {
		if i := slices.IndexFunc(months, func(m month) bool { return m.Name == row[0].Name }); i >= 0 {
			row[0].To = "chain" + all.of(months[i]).query(nil)
		}
	}
	v.Tables = append(v.Tables, t)
	for _, l := range fileLinks(feesForms, "fees", "?by=month") {
		v.Downloads = append(v.Downloads, link{"months, " + l.Text, l.To})
	}
	return nil
}
