package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
)

// contract is what was paid for calling a contract, by day.
func (s *server) contract(w http.ResponseWriter, r *http.Request) error {
	account, err := app.OneAccount(r.PathValue("address"), s.Labels)
	if err != nil {
		return err
	}
	sc, err := readScope(r.URL.RawQuery)
	if err != nil {
		return err
	}
	q := app.ReportQuestion{Choice: report.Choice{By: report.Day, Only: report.Only{Contract: chain.Some(account)}}}
	if q.Question, err = s.readQuestion(&sc); err != nil {
		return err
	}
	path := "contract/" + account.String()
	return s.show(w, r, q.Period, func(sealed string) (*view, error) {
		kept, err := keptOf(s, r, q.Period, s.lists, sealed, path+sc.query(nil), true, func(ctx context.Context) (*keptList, error) {
			v, err := s.contractPage(ctx, account, path, &sc, q)
			return &keptList{view: v, rows: new(rows)}, err
		})
		if err != nil {
			return nil, err
		}
		v := kept.view
		return &v, nil
	})
}

// contractPage is the page of a contract, whose table is small: a row a day.
func (s *server) contractPage(ctx context.Context, account chain.Address, path string, sc *scope, q app.ReportQuestion) (v view, err error) {
	made, err := s.Desk.Report(ctx, q)
	if err != nil {
		return v, err
	}
	v = view{Title: "Contract " + s.called(account.String()), Path: path, Scope: sc, Warnings: made.Partial, Notes: made.Notes[len(made.Partial):], Lead: "What was paid for EVM transactions that called it, " + made.Name + ". Evidence: " + made.Evidence.String() + "."}
	v.Form = sc.asked(path, "Accounts", nil, nil)
	v.Main, v.Facts = feesFacts(made)
	v.Facts = append([]fact{{Name: "contract", cell: cell{Text: account.String(), To: "account/" + account.String(), Class: "hex"}}}, v.Facts...)
	if n := made.Totals.Undetermined; n > 0 {
		v.Warnings = append(v.Warnings, incomplete(n))
	}
	v.Chart = chartOf(made, nil, nowhere)
	of := func(path string, more url.Values) string {
		more.Set("contract", account.String())
		return path + sc.query(more)
	}
	v.Links = []link{{"Who paid for it", of("fees", url.Values{"by": {"account"}})}, {"What came of it", of("fees", url.Values{"by": {"status"}})}, {"The transactions", of("transactions", url.Values{})}}
	v.Command = "fees report" + sc.flags() + " --only contract=" + account.String() + s.ledgerFlag()
	return v, v.add(s.table(made.Sheet(), mostRows))
}
