package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// contract shows the fees of calls to a contract, by day.
func (s *server) contract(w http.ResponseWriter, r *http.Request) error {
	account, err := app.OneAccount(r.PathValue("address"), s.labels())
	if err != nil {
		return err
	}
	sc, err := readScope(r.URL.RawQuery, listingParameters...)
	if err != nil {
		return err
	}
	q, err := s.readRequest(&sc)
	if err != nil {
		return err
	}
	l, err := readListing(sc.own)
	if err != nil {
		return err
	}
	path := "contract/" + account.String()
	return s.show(w, r, q.Period, func(r *http.Request, sealed string) (page, error) {
		kept, err := keptOf(s, r, q.Period, s.lists, sealed, path+sc.query(nil), true, func(ctx context.Context) (*keptList, error) { return s.contractPage(ctx, account, path, &sc, q) })
		if err != nil {
			return nil, err
		}
		v := kept.page
		return &v, v.add(s.keptPage(kept, l.without(details), sc.in(path)))
	})
}

// contractPage builds the page of a contract without its table, and all rows of the table.
func (s *server) contractPage(ctx context.Context, account chain.Address, path string, sc *scope, q app.Request) (*keptList, error) {
	made, err := s.Ledger.Report(ctx, q, report.Choice{By: report.Day, Only: report.Only{Kinds: ledger.Kinds{Contract: chain.Some(account)}}})
	if err != nil {
		return nil, err
	}
	v := listPage{frame: frame{Title: "Contract " + s.called(account.String()), Path: path, Lead: "Fees of EVM transactions that called this contract, " + made.Name + ". Evidence: " + made.Evidence.String() + "."}}
	v.Scope, v.Whose, v.Warnings, v.Notes = sc, true, made.Partial, made.Notes[len(made.Partial):]
	v.inWords(made.Name)
	v.Main, v.Facts = feesFacts(made)
	v.Facts = append([]fact{{Name: "contract", cell: cell{Text: account.String(), To: "account/" + account.String(), Class: "hex"}}}, v.Facts...)
	if n := made.Totals.Undetermined; n > 0 {
		v.Warnings = append(v.Warnings, incomplete(n))
	}
	v.Chart = made.Chart(nil, func(name string) string {
		if sc.ofHeights() || !aDay.MatchString(name) {
			return ""
		}
		day := *sc
		day.Period, day.Partial = name+".."+name, true
		return "fees" + day.query(url.Values{"by": {string(report.Account)}, "contract": {account.String()}})
	})
	of := func(path string, more url.Values) string {
		more.Set("contract", account.String())
		return path + sc.query(more)
	}
	v.Downloads = fileLinks(feesForms, "fees", of("", url.Values{}))
	v.Links = []link{{"Fees by payer", of("fees", url.Values{"by": {"account"}})}, {"Fees by outcome", of("fees", url.Values{"by": {"status"}})}, {"Transactions", of("transactions", url.Values{})}}
	v.Command = "fees report" + sc.flags() + " --only contract=" + account.String() + s.ledgerFlag()
	return &keptList{page: v, sheet: made.Sheet, count: len(made.Groups)}, nil
}
