package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// maxUnlabelled limits the payers listed without a label to those with the highest fees.
const maxUnlabelled = 1000

// unlabelledRequest is a request for the payers of a period that have no label.
type unlabelledRequest struct {
	scope   scope
	request app.Request
}

func (s *server) unlabelledRequest(r *http.Request, own ...string) (q unlabelledRequest, err error) {
	if q.scope, err = readScope(r.URL.RawQuery, own...); err != nil {
		return q, err
	}
	if q.scope.Accounts != "" {
		return q, invalidRequest("This page is about all accounts. Remove the parameter accounts.")
	}
	q.request, err = s.readRequest(&q.scope)
	return q, err
}

// unlabelledPayers returns the payers without a label, highest fees first, with the report that they are from.
func (s *server) unlabelledPayers(ctx context.Context, q *unlabelledRequest) (made *report.Report, list []*report.Group, err error) {
	made, err = s.Ledger.Report(ctx, q.request, report.Choice{By: report.Account})
	if err != nil {
		return nil, nil, err
	}
	for _, g := range made.Groups {
		account, known := g.Account.Get()
		if _, labelled := s.label(account); known && !labelled && len(list) < maxUnlabelled {
			list = append(list, g)
		}
	}
	return made, list, nil
}

// unlabelled lists the payers without a label.
func (s *server) unlabelled(w http.ResponseWriter, r *http.Request) error {
	q, err := s.unlabelledRequest(r, slices.Concat(payerFields, listingParameters)...)
	if err != nil {
		return err
	}
	typed := q.scope.own
	q.scope.own = without(typed, payerFields...)
	l, err := readListing(q.scope.own)
	if err != nil {
		return err
	}
	return s.show(w, r, q.request.Period, func(r *http.Request, sealed string) (page, error) {
		kept, err := keptOf(s, r, q.request.Period, s.lists, sealed, "accounts/unlabelled"+q.scope.query(nil), true, func(ctx context.Context) (*keptList, error) { return s.unlabelledList(ctx, &q) })
		if err != nil {
			return nil, err
		}
		v := kept.page
		if kept.count == 0 {
			v.Lead = "Every payer of this period has a label."
			return &v, nil
		}
		list, err := s.list(kept.sheet(), l, q.scope.in(v.Path))
		if err == nil {
			v.Form = s.payerForm(r, list, &q.scope, typed)
		}
		return &v, v.add(list, err)
	})
}

// payerForm returns the form that labels one of the listed payers; nil if the user may not.
func (s *server) payerForm(r *http.Request, list *tabular, about *scope, typed url.Values) *form {
	if !s.mayLabel(r) {
		return nil
	}
	f := &form{Action: "accounts/unlabelled", Post: true, Token: s.token(r), Button: "Add to the address book"}
	for name, value := range about.values(nil) {
		f.Hidden = append(f.Hidden, option{name, value[0]})
	}
	payer := control{Name: "payer", Label: "Payer", Kind: "select", Value: plain.Line(typed.Get("payer"))}
	for _, row := range list.Rows {
		if address, ok := strings.CutPrefix(row[0].To, "account/"); ok {
			payer.Options = append(payer.Options, option{address, console.Ends(address, 6)})
		}
	}
	if payer.Value != "" {
		payer = payer.chosen()
	}
	f.Fields = []control{payer, entryControl("label", "Label", "", typed, "the account's name"), s.groupControl("", typed)}
	return f
}

// unlabelledList builds the page without its table, and all rows of the table.
func (s *server) unlabelledList(ctx context.Context, q *unlabelledRequest) (*keptList, error) {
	made, list, err := s.unlabelledPayers(ctx, q)
	if err != nil {
		return nil, err
	}
	v := listPage{frame: frame{Title: "Payers without a label, " + made.Name, Path: "accounts/unlabelled"}}
	v.Scope, v.Warnings = &q.scope, made.Partial
	v.Lead = "Highest fees first. Add the payers that are yours to the address book."
	v.Downloads = []link{{"CSV for the address book", "accounts/unlabelled.csv" + q.scope.query(nil)}}
	sheet := func() *table.Sheet {
		return listed("", made.Token, list, func(g *report.Group) []any { return []any{g.Account, g.EVM, g.Native, g.Fee, g.Charged} },
			table.Column{Name: "account", Kind: table.Address}, table.Column{Name: "evm", Kind: table.Integer}, table.Column{Name: "native", Kind: table.Integer},
			table.Column{Name: "fee", Kind: table.Wei}, table.Column{Name: "charged", Kind: table.Wei})
	}
	return &keptList{page: v, sheet: sheet, count: len(list)}, nil
}

// unlabelledFile sends the payers without a label as lines for an address book.
func (s *server) unlabelledFile(w http.ResponseWriter, r *http.Request) error {
	q, err := s.unlabelledRequest(r)
	if err != nil {
		return err
	}
	return s.file(w, r, q.request.Period, func(to *answer) error {
		return s.runLongRead(r, func() error {
			made, list, err := s.unlabelledPayers(r.Context(), &q)
			if err != nil {
				return err
			}
			return table.WriteCSV(to, listed("", made.Token, list, func(g *report.Group) []any { return []any{g.Account, "", ""} },
				table.Column{Name: "address", Kind: table.Address}, table.Column{Name: "label", Kind: table.Text}, table.Column{Name: "group", Kind: table.Text}))
		})
	})
}
