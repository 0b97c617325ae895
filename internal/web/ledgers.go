package web

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"

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

// ledgerMonth is a month of one of the ledgers.
type ledgerMonth struct {
	key, name string
	row       []cell
	worth     chain.Optional[money.Amount] // of its fees
}

// ledgerMonths shows the months of all ledgers: what each contains, its fees with their value, its books and its package,
// and the total of the values.
func (s *server) ledgerMonths(w http.ResponseWriter, r *http.Request) error {
	if _, err := parameters(r.URL.RawQuery); err != nil {
		return err
	}
	v := &ledgersPage{frame: frame{Title: "Months of all ledgers", Path: "months"}}
	lists, errs := make([][]ledgerMonth, len(s.opened)), make([]error, len(s.opened))
	warned := make([]frame, len(s.opened))
	unread := map[string]bool{} // ledgers that could not be opened or read
	var all sync.WaitGroup
	for i, l := range s.opened {
		all.Go(func() {
			lists[i], _, errs[i] = recoverToError(r.Context(), func(context.Context) ([]ledgerMonth, bool, error) {
				list, err := l.latestMonths(r, &warned[i])
				return list, false, err
			})
		})
	}
	all.Wait()
	months := map[string]map[string]*ledgerMonth{} // by month and ledger
	for i, l := range s.opened {
		v.Warnings = append(v.Warnings, warned[i].Warnings...)
		if errs[i] != nil {
			unread[l.Name] = true
			s.log(r).Error("ledger not read", "ledger", l.Name, "error", errs[i].Error())
			v.Warnings = append(v.Warnings, "The ledger "+l.Name+" could not be read. "+sentence(problemOf(r.Context(), errs[i], s.Time).Detail))
		}
		for j := range lists[i] {
			m := &lists[i][j]
			if months[m.key] == nil {
				months[m.key] = map[string]*ledgerMonth{}
			}
			months[m.key][l.Name] = m
		}
	}
	for _, l := range s.Ledgers {
		if l.Wrong != nil {
			unread[l.Name] = true
			v.Warnings = append(v.Warnings, l.notOpened(s.Time))
		}
	}
	currency, none := s.opened[0].currency(), s.noTotal(r)
	value := "value"
	if currency != "" {
		value += ", " + currency
	}
	t := &tabular{Title: "Months", Heads: heads("month", "ledger", "in the ledger", "fee", "token", value, "books", "package")}
	if t.None = "The ledgers contain no months yet."; len(unread) > 0 {
		t.None = "No months can be shown."
	}
	t.Heads[3].Class, t.Heads[5].Class = "figure", "figure"
	keys := slices.Sorted(maps.Keys(months))
	slices.Reverse(keys)
	for _, key := range keys[:min(len(keys), maxMonthsListed)] {
		name, total := "", chain.Optional[money.Amount]{} // unknown if a part is
		if currency != "" {
			total = chain.Some(money.NothingIn(s.opened[0].Prices.Currency))
		}
		for _, m := range months[key] {
			name = m.name
		}
		for _, l := range s.Ledgers {
			if m := months[key][l.Name]; m != nil {
				t.Rows, total = append(t.Rows, m.row), money.Sum(total, m.worth)
				continue
			}
			has := "none"
			if unread[l.Name] {
				has = notKnown
			}
			t.Rows = append(t.Rows, []cell{{Text: name}, {Text: l.Name, To: l.Name + "/overview"}, {Text: has, Class: "warn", To: l.Name + "/chain"}, {Text: notKnown, Class: "warn figure"}, {}, {}, {}, {}})
			total = chain.Optional[money.Amount]{}
		}
		if none == "" {
			t.Rows = append(t.Rows, []cell{{Text: name}, {Text: "total"}, {}, {}, {}, valueCell(total), {}, {}})
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

// noTotal returns why the ledgers have no total; "" if they have one, known or not.
func (s *server) noTotal(r *http.Request) string {
	ledgers := make([]*app.Ledger, len(s.opened))
	for i, l := range s.opened {
		ledgers[i] = l.Ledger
	}
	switch err := app.CheckDistinct(r.Context(), ledgers); {
	case errors.As(err, new(*app.InputError)):
		return "There is no total: two ledgers are of the same chain, and its fees would count twice."
	case s.opened[0].currency() == "":
		return "There is no total: fees in different tokens only add up in a currency. Start the server with --prices."
	case err != nil:
		return "There is no total: a ledger could not be read."
	}
	return ""
}

// latestMonths returns the last months of one of several ledgers.
func (s *server) latestMonths(r *http.Request, v *frame) (list []ledgerMonth, err error) {
	sc := &scope{Accounts: s.Company}
	records, err := s.monthRecords(r.Context(), v, "")
	if err != nil {
		return nil, err
	}
	months, err := s.allMonths(r.Context())
	if err != nil {
		return nil, err
	}
	t, err := s.monthTable(r, sc, months, records)
	if err != nil {
		return nil, err
	}
	for i, m := range latest(months) {
		k, err := s.keptMonth(r, sc, m)
		if err != nil {
			return nil, err
		}
		worth := k.Totals.FeeWorth
		if m.Partial || len(k.Partial) > 0 || k.Totals.Undetermined > 0 {
			worth = chain.Optional[money.Amount]{}
		}
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
		list = append(list, ledgerMonth{m.Name, row[0].Text, row, worth})
	}
	return list, nil
}

// valueCell returns a value in a currency.
func valueCell(o chain.Optional[money.Amount]) cell {
	amount, known := o.Get()
	if !known {
		return cell{Text: notKnown, Class: "warn figure"}
	}
	return cell{Text: amount.String(), Number: true, Class: "figure"}
}
