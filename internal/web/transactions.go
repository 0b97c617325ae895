package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// mostListed is how many transactions a program gets at once.
const mostListed = 1000

// transactionsQuestion reads what a list of transactions is asked for. It goes on from a place: what
// is sealed later comes behind.
func (s *server) transactionsQuestion(r *http.Request) (sc scope, q app.TransactionsQuestion, err error) {
	if sc, err = readScope(r.URL.RawQuery, slices.Concat(report.OnlyNames(), []string{"after", "limit"})...); err != nil {
		return sc, q, err
	}
	if q.Only, err = readOnly(sc.own); err != nil {
		return sc, q, err
	}
	if q.After, err = readPlace(sc.own); err != nil {
		return sc, q, err
	}
	if text := sc.own.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > mostListed || strconv.Itoa(q.Limit) != text {
			return sc, q, notUnderstood("limit=%s: want 1 to %d.", console.Printable(text), mostListed)
		}
	}
	asked, err := s.readQuestion(&sc)
	q.Payers, q.Period = asked.Accounts, asked.Period
	return sc, q, err
}

// readOnly reads which transactions are meant.
func readOnly(own url.Values) (report.Only, error) {
	var conditions []string
	for _, name := range report.OnlyNames() {
		if value := own.Get(name); value != "" {
			conditions = append(conditions, name+"="+value)
		}
	}
	only, err := report.ParseOnly(conditions)
	if err != nil {
		err = notUnderstood("%s.", console.Printable(err.Error()))
	}
	return only, err
}

// readPlace reads after which place a list goes on.
func readPlace(own url.Values) (none chain.Optional[ledger.Place], err error) {
	text := own.Get("after")
	if text == "" {
		return none, nil
	}
	if !isPlace.MatchString(text) {
		return none, notUnderstood("after=%s: want a place such as 25-7.", console.Printable(text))
	}
	at, err := app.ParsePlace(text)
	return chain.Some(at), err
}

// transactions are those of a period, one by one.
func (s *server) transactions(w http.ResponseWriter, r *http.Request) error {
	sc, q, err := s.transactionsQuestion(r)
	if err != nil {
		return err
	}
	return s.show(w, r, q.Period, func(string) (*view, error) {
		made, err := s.paidTransactions(r, q)
		if err != nil {
			return nil, err
		}
		v := &view{Title: "Transactions, " + made.Held.Name, Path: "transactions", Scope: &sc, Lead: "In the order of the chain. Evidence: " + made.Held.Evidence.String() + ".", Warnings: made.Notes()}
		v.Form = sc.asked("transactions", "Accounts", onlyControls(sc.own), nil)
		fees := sc.own
		if fees.Has("after") || fees.Has("limit") {
			fees = without(fees, "after", "limit")
		}
		v.Links = []link{{"What they add up to", "fees" + sc.query(fees)}}
		return v, v.add(s.transactionTable(made, func(next url.Values) string { return "transactions" + sc.query(next) }, sc.own))
	})
}

// paidTransactions lists transactions, and counts those that may be missing where accounts are asked
// for.
func (s *server) paidTransactions(r *http.Request, q app.TransactionsQuestion) (*app.TransactionList, error) {
	made, err := s.Desk.Transactions(r.Context(), q)
	if err == nil && len(q.Payers) > 0 {
		err = s.Desk.CountWithoutPayer(r.Context(), made, q.Payers)
	}
	return made, err
}

// transactionTable is a part of a list of transactions, with a link to the next one.
func (s *server) transactionTable(made *app.TransactionList, to func(url.Values) string, own url.Values) (*tabular, error) {
	sums := transactionSheet(made.Symbol, func(yield func(*ledger.Transaction, error) bool) {
		for _, t := range made.List {
			if !yield(t, nil) {
				return
			}
		}
	})
	sums.Title = ""
	table, err := s.table(sums, len(made.List))
	if err != nil {
		return nil, err
	}
	if next, ok := made.Next.Get(); ok || own.Has("after") {
		table.Totals, table.More = nil, fmt.Sprintf("%d transactions are here.", len(made.List))
		if own.Has("after") {
			table.Links = append(table.Links, link{"From the first one on", to(without(own, "after"))})
		}
		if ok {
			more := without(own, "after")
			more.Set("after", next.String())
			table.Links = append(table.Links, link{"Those after", to(more)})
		}
	}
	return table, nil
}

// without are parameters but for some.
func without(own url.Values, names ...string) url.Values {
	rest := url.Values{}
	for name, list := range own {
		if !slices.Contains(names, name) {
			rest[name] = list
		}
	}
	return rest
}

// onlyControls ask for some transactions.
func onlyControls(own url.Values) []control {
	return []control{
		ofOptions("layer", "Layer", own.Get("layer"), "all", report.OnlyWords("layer")...),
		ofOptions("status", "Status", own.Get("status"), "all", report.OnlyWords("status")...),
		ofOptions("type", "Type", own.Get("type"), "all", report.OnlyWords("type")...),
		{Name: "call", Label: "Call", Kind: "text", Value: own.Get("call"), Hint: "such as Balances.transfer"},
		{Name: "contract", Label: "Contract", Kind: "text", Value: own.Get("contract"), Hint: "0x…"},
	}
}

func (s *server) transactionsJSON(w http.ResponseWriter, r *http.Request) error {
	_, q, err := s.transactionsQuestion(r)
	if err != nil {
		return err
	}
	return s.file(w, r, q.Period, func(to *answer) error {
		made, err := s.paidTransactions(r, q)
		if err != nil {
			return err
		}
		return made.Record(s.Labels).WriteJSON(to)
	})
}
