package web

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/plain"
)

// ledgersPath is the page of the months of all ledgers.
const ledgersPath = "/months"

// ledgersPage lists the months of all ledgers.
type ledgersPage struct {
	frame
	tables
}

func (p *ledgersPage) main() g.Node { return p.body(p.notices.node(), p.tables.node(), p.notesList()) }

// monthOfAll are a month's rows, one for each ledger, and its total.
type monthOfAll struct {
	name   string
	rows   [][]cell
	total  chain.Optional[money.Amount] // unknown if a part is
	ledger map[string]bool              // those that have the month
}

// ledgerMonths shows the months of all ledgers: what each contains, its fees with their value, its books and its package,
// and the total of the values.
func (s *server) ledgerMonths(w http.ResponseWriter, r *http.Request) error {
	if _, err := parameters(r.URL.RawQuery); err != nil {
		return err
	}
	v := &ledgersPage{frame: frame{Title: "Months of all ledgers", Path: "months"}}
	currency, none := s.books[0].currency(), ""
	ledgers := make([]*app.Ledger, len(s.books))
	for i, l := range s.books {
		ledgers[i] = l.Ledger
	}
	err := app.CheckDistinct(r.Context(), ledgers)
	var same *app.InputError
	switch {
	case errors.As(err, &same):
		none = "There is no total: two ledgers are of the same chain, and its fees would count twice."
	case err != nil:
		return err
	case currency == "":
		none = "There is no total: fees in different tokens only add up in a currency. Start the server with --prices."
	}
	months := map[string]*monthOfAll{}
	for _, l := range s.books {
		if err := l.addLedger(r, &v.frame, months); err != nil {
			return err
		}
	}
	value := "value"
	if currency != "" {
		value += ", " + currency
	}
	t := &tabular{Title: "Months", Heads: heads("month", "ledger", "in the ledger", "fee", "token", value, "books", "package"), None: "The ledgers contain no months yet."}
	t.Heads[3].Class, t.Heads[5].Class = "figure", "figure"
	names := slices.Sorted(maps.Keys(months))
	slices.Reverse(names)
	for _, name := range names[:min(len(names), maxMonthsListed)] {
		m := months[name]
		t.Rows = append(t.Rows, m.rows...)
		for _, l := range s.books {
			if !m.ledger[l.Name] {
				t.Rows = append(t.Rows, []cell{{Text: m.name}, {Text: l.Name, To: l.Name + "/overview"}, {Text: "none", Class: "warn", To: l.Name + "/chain"}, {Text: notKnown, Class: "warn figure"}, {}, {}, {}, {}})
				m.total = chain.Optional[money.Amount]{}
			}
		}
		if none == "" {
			t.Rows = append(t.Rows, []cell{{Text: m.name}, {Text: "total"}, {}, {}, {}, valueCell(m.total), {}, {}})
		}
	}
	if none != "" {
		v.Notes = append(v.Notes, none)
	}
	if currency == "" {
		t.Heads = slices.Delete(t.Heads, 5, 6)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], 5, 6)
		}
	}
	v.Tables = append(v.Tables, t)
	s.render(w, r, http.StatusOK, v)
	return nil
}

// addLedger adds the last months of one of several ledgers.
func (s *server) addLedger(r *http.Request, v *frame, all map[string]*monthOfAll) error {
	sc := &scope{Accounts: s.Company}
	records, err := s.monthRecords(r.Context(), v, "")
	if err != nil {
		return err
	}
	months := s.months(r.Context())
	t, err := s.monthTable(r, sc, months, records)
	if err != nil {
		return err
	}
	for i, m := range latest(months) {
		k, err := s.keptMonth(r, sc, m)
		if err != nil {
			return err
		}
		of := all[m.Name]
		if of == nil {
			of = &monthOfAll{name: t.Rows[i][0].Text, ledger: map[string]bool{}}
			if s.Prices != nil {
				of.total = chain.Some(money.NothingIn(s.Prices.Currency))
			}
			all[m.Name] = of
		}
		worth := k.Totals.FeeWorth
		if m.Partial || len(k.Partial) > 0 || k.Totals.Undetermined > 0 {
			worth = chain.Optional[money.Amount]{}
		}
		of.total, of.ledger[s.Name] = money.Sum(of.total, worth), true
		row, about := t.Rows[i], sc.feesIn(m)
		about.Price = s.currency()
		value := valueCell(worth)
		value.To = "fees" + about.query(nil)
		row = []cell{row[0], {Text: s.Name, To: "overview"}, row[1], row[2], {Text: plain.Line(k.Symbol)}, value, row[5], row[6]}
		for c := range row {
			if to := row[c].To; to != "" {
				row[c].To = s.Name + "/" + to
			}
		}
		of.rows = append(of.rows, row)
	}
	return nil
}

// valueCell returns a value in a currency.
func valueCell(o chain.Optional[money.Amount]) cell {
	amount, known := o.Get()
	if !known {
		return cell{Text: notKnown, Class: "warn figure"}
	}
	return cell{Text: amount.String(), Number: true, Class: "figure"}
}
