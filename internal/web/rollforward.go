package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

// rollforwardOf makes the rollforward of an account by month, or of several for the whole period.
func (s *server) rollforwardOf(r *http.Request, q *statementRequest) (made *app.Rollforward, why string, err error) {
	by := app.ByMonth
	if q.named == "" {
		by = app.ByPeriod
	}
	return proved(s, r, q, func(ctx context.Context, balances source.Source) (*app.Rollforward, error) {
		return s.Ledger.Rollforward(ctx, app.RollforwardRequest{Request: q.Request, By: by, Balances: balances})
	})
}

// rollforward shows how an account's opening balance of a period leads to the closing balance.
func (s *server) rollforward(w http.ResponseWriter, r *http.Request) error {
	return provedPage(s, w, r, "Rollforward", listingParameters, s.rollforwardOf, func(q *statementRequest, made *app.Rollforward, v *balancePage) error {
		v.Lead, v.Notes, v.Command = made.Style.Notes[0], made.Style.Notes[1:], "fees rollforward --accounts "+v.Command
		v.Fields = s.priceControl(&q.scope)
		hidden := slices.Clone(rollforwardDetails)
		if !slices.ContainsFunc(made.Columns, func(c rollforward.Column) bool { return c.Period.Name != made.Columns[0].Period.Name }) {
			hidden = append(hidden, "period")
		}
		sheet := ofScope(made.Lines(), rollforward.OfAccount)
		sheet.Title = "From opening to closing"
		return v.add(s.list(sheet, q.listing.without(hidden), q.scope.in(v.Path)))
	})
}

// rollforwardDetails are the columns of a rollforward that a page shows only on request: the page is about one account.
var rollforwardDetails = []string{"first_block", "last_block", "scope", "account", "label", "group"}

// rollforwards shows how the opening balances of several accounts lead to the closing ones, in one row for each.
func (s *server) rollforwards(w http.ResponseWriter, r *http.Request) error {
	return provedPage(s, w, r, "Rollforward", listingParameters, s.rollforwardOf, func(q *statementRequest, made *app.Rollforward, v *balancePage) error {
		v.Whose = true
		v.Title += " of " + console.Counted(len(q.Accounts), "account")
		v.Lead, v.Notes = made.Style.Notes[0], made.Style.Notes[1:]
		if q.scope.Accounts == "" {
			v.Command = " --accounts " + console.Argument(s.labels().Path) + v.Command
		}
		v.Command = "fees rollforward --by period" + v.Command
		sheet := made.Style.Summary(made.Rollforward)
		all, err := readRows(ofScope(sheet, rollforward.OfAccount), q.listing, nil)
		if err != nil {
			return err
		}
		all.title = "From opening to closing"
		_, err = ofScope(sheet, rollforward.OfAll).Each(func(row []table.Cell) error { // one, if there are several accounts
			all.totals = slices.Clone(row)
			return nil
		})
		if err != nil {
			return err
		}
		if len(q.Accounts) > 1 {
			v.Notes = append([]string{"What moved between these accounts is received and sent in their rows, and internal in the total."}, v.Notes...)
		}
		hidden := []string{"period", "first_block", "last_block", "scope", "label", "unclassified_count"}
		for i, c := range all.columns {
			if !all.used[i] && c.Kind == table.SignedWei && !slices.Contains(alwaysShown, c.Name) {
				hidden = append(hidden, c.Name)
			}
		}
		if slices.Contains(hidden, "closing_reserved") {
			hidden = append(hidden, "closing_total") // which is the free balance
		}
		return v.add(s.part(all, q.listing.without(hidden), q.scope.in(v.Path)))
	})
}

// alwaysShown are the amounts of several accounts that a page shows even if all are 0.
var alwaysShown = []string{"opening", "fees", "closing"}

// ofScope returns a sheet with the rows of a scope only: an account's group repeats its own.
func ofScope(sheet *table.Sheet, scope rollforward.Scope) *table.Sheet {
	own := *sheet
	at := slices.IndexFunc(sheet.Columns, func(c table.Column) bool { return c.Name == "scope" })
	own.Rows = func(yield func([]any, error) bool) {
		for row, err := range sheet.Rows {
			if (err != nil || row[at] == string(scope)) && !yield(row, err) {
				return
			}
		}
	}
	return &own
}

// rollforwardFile sends the rollforward as a file, or as the JSON of the command line.
func (s *server) rollforwardFile(w http.ResponseWriter, r *http.Request) error {
	return provedFile(s, w, r, s.rollforwardOf)
}
