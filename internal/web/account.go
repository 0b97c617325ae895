package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
)

// accountPage is the page of an account.
type accountPage struct {
	frame
	figures
	tables
	Chart *report.Chart
	Last  *form // its entry of the address book
}

func (p *accountPage) main() g.Node {
	return p.body(p.notices.node(), p.figures.node(), p.related(), p.Chart.Node(), p.tables.node(), p.notesList(), p.Last.last())
}

// account shows an account's summary and what it paid for.
func (s *server) account(w http.ResponseWriter, r *http.Request) error {
	account, err := app.OneAccount(r.PathValue("address"), s.labels())
	if err != nil {
		return err
	}
	own, err := parameters(r.URL.RawQuery, append([]string{"after", "columns"}, entryParameters...)...)
	if err != nil {
		return err
	}
	typed := own
	own = without(own, entryParameters...)
	l, err := readListing(without(own, "after"))
	if err != nil {
		return err
	}
	l.fixed = true // in chain order
	paid := app.TransactionsRequest{Period: app.Period{All: true}, Payers: []chain.Address{account}}
	if paid.After, err = readPlace(own); err != nil {
		return err
	}
	return s.show(w, r, allSealed, func(r *http.Request, sealed string) (page, error) {
		a, err := keptOf(s, r, allSealed, s.summaries, sealed, account.String(), true, func(ctx context.Context) (*app.AccountSummary, error) {
			return s.Ledger.Account(ctx, app.AccountRequest{Account: account})
		})
		if err != nil {
			return nil, err
		}
		named := a.Token.Account(account)
		path := "account/" + named
		v := &accountPage{frame: frame{Title: "Account " + a.Token.Account(a.Account), Path: path, Command: "fees account " + named + s.ledgerFlag()}}
		if label, ok := s.label(account); ok {
			v.Title, v.Lead = label, "Account "+a.Token.Account(a.Account)+". "
		}
		if evm, ok := a.EVM.Get(); ok {
			v.Lead += "EVM address " + evm.String() + ". "
		}
		v.Lead += "Blocks " + spanText(a.Held.Span) + ". Evidence: " + a.Held.Evidence.String() + "."
		v.Main = feesAndCharge(eachCharged, a.Fees.Fee, a.Charged, a.Fees.Undetermined+a.Fees.Drifts, a.Token)
		v.Facts = []fact{
			seen("first seen", a.First), seen("last seen", a.Last), layersFact("transactions paid", a.Fees.EVM, a.Fees.Native),
			textFact("movements", fmt.Sprint(a.Movements)), amount("in", a.In, a.Token), amount("out", a.Out, a.Token),
			textFact("ERC-20 transfers", fmt.Sprintf("%d in, %d out", a.TransfersIn, a.TransfersOut)),
		}
		v.Notes = a.AssetFees.Notes(a.Token.Amount)
		v.Chart = monthChart(a.Months, named, a.Token)
		v.Last = s.entryForm(r, account, typed)
		v.Links = []link{{"Statement", path + "/statement"}, {"Rollforward", path + "/rollforward"}, {"Fees by day", "fees?accounts=" + named}}
		deposits, err := s.depositsLink(r, named)
		if err != nil {
			return nil, err
		}
		v.Links = append(v.Links, deposits...)
		if account.Size() == chain.AddressSize { // contracts have EVM addresses
			v.Links = append(v.Links, link{"Fees of calls to this contract", "contract/" + named})
		}
		if n := a.Fees.Undetermined; n > 0 {
			v.Warnings = append(v.Warnings, incomplete(n))
		}
		if a.Failed > 0 {
			v.Warnings = append(v.Warnings, console.Counted(a.Failed, "transaction")+" that it paid for "+console.Verb(a.Failed, "has", "have")+" failed checks.")
			v.Links = append(v.Links, link{"Transactions with failed checks", "transactions?accounts=" + named + "&checks=failed"})
		}
		if !a.Held.Span.Known() {
			return v, nil
		}
		list, err := s.Ledger.Transactions(r.Context(), paid)
		if err != nil {
			return nil, err
		}
		list.WithoutPayer = a.WithoutPayer
		v.Warnings = append(v.Warnings, list.Notes()...)
		sheet, err := s.pageSheet(r.Context(), list.Token, list.List)
		if err != nil {
			return nil, err
		}
		table, err := s.transactionTable(r.Context(), sheet, list, l, paid, extentOfAccount(a), func(next url.Values) string {
			if len(next) == 0 {
				return path
			}
			return path + "?" + next.Encode()
		}, own)
		if err != nil {
			return nil, err
		}
		table.Title = "Transactions that it paid for"
		v.Downloads = transactionDownloads(&scope{Accounts: named}, nil)
		v.Tables = []*tabular{table}
		return v, nil
	})
}
