package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// maxUnlabelled limits the payers listed without a label to those with the highest fees.
const maxUnlabelled = 1000

// unlabelledRequest is a request for the payers of a period that have no label.
type unlabelledRequest struct {
	scope   scope
	kept    scope // of the page: with the accounts in its address, which it passes on
	request app.Request
}

func (s *server) unlabelledRequest(r *http.Request, own ...string) (q unlabelledRequest, err error) {
	if q.scope, err = readScope(r.URL.RawQuery, own...); err != nil {
		return q, err
	}
	if _, err = s.choose(q.scope.list()); err != nil {
		return q, err
	}
	q.kept = q.scope
	q.scope.Accounts = ""
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
	q, err := s.unlabelledRequest(r, slices.Concat(payerFields, []string{"saved"}, listingParameters)...)
	if err != nil {
		return err
	}
	typed := q.scope.own
	saved, err := ticked(typed, "saved")
	if err != nil {
		return err
	}
	q.scope.own = without(typed, append(slices.Clip(payerFields), "saved")...)
	q.kept.own = q.scope.own
	l, err := readListing(q.scope.own)
	if err != nil {
		return err
	}
	return s.show(w, r, q.request.Period, func(r *http.Request, sealed string) (page, error) {
		kept, err := keptOf(s, r, q.request.Period, s.lists, sealed, "accounts/unlabelled"+q.scope.query(nil), true, func(ctx context.Context) (*keptList, error) { return s.unlabelledList(ctx, &q) })
		if err != nil {
			return nil, err
		}
		v := &entriesPage{listPage: kept.page}
		v.Scope = &q.kept
		if saved {
			v.Saved = s.savedNote(r, q.kept.in(v.Path)(l))
		}
		if kept.count == 0 {
			v.Lead = "Every payer of this period has a label."
			return v, nil
		}
		list, err := s.keptPage(kept, l, q.scope.in(v.Path))
		if err == nil {
			err = s.fillPayers(r, v, list, l, &q, typed)
		}
		return v, v.add(list, err)
	})
}

// fillPayers adds when the listed payers were first and last seen and what they call, and fields for those who may edit the
// address book.
func (s *server) fillPayers(r *http.Request, v *entriesPage, t *tabular, l listing, q *unlabelledRequest, typed url.Values) error {
	t.Columns = nil
	payers := make([]chain.Address, len(t.Rows))
	for i, row := range t.Rows {
		account, err := app.OneAccount(strings.TrimPrefix(row[0].To, "account/"), nil)
		if err != nil {
			return err
		}
		payers[i] = account
	}
	var called map[chain.Address]*app.Calling
	err := s.runLongRead(r, func() (err error) {
		called, err = s.Ledger.CallingsOf(r.Context(), q.request.Period, payers)
		return err
	})
	if err != nil {
		return err
	}
	t.Heads = slices.Insert(t.Heads, 1, cell{Text: "first seen"}, cell{Text: "last seen"}, cell{Text: "mostly calls"})
	for i, payer := range payers {
		first, last, what := cell{}, cell{}, cell{}
		if c := called[payer]; c != nil {
			first, last, what = dayCell(chain.Some(c.First)), dayCell(chain.Some(c.Last)), s.calledCell(c)
		}
		t.Rows[i] = slices.Insert(t.Rows[i], 1, first, last, what)
	}
	if len(t.Totals) > 0 {
		t.Totals = slices.Insert(t.Totals, 1, cell{}, cell{}, cell{})
	}
	if !s.mayLabel(r) {
		return nil
	}
	v.Groups = s.groupNames()
	heads := []cell{}
	for _, f := range entryFields {
		heads = append(heads, cell{Text: f.head})
	}
	t.Heads = slices.Insert(t.Heads, 1, heads...)
	for i, payer := range payers {
		own := url.Values{}
		if same, err := app.OneAccount(typed.Get("payer"), nil); err == nil && same == payer {
			own = typed
		}
		hidden := []option{{"payer", payer.String()}, {"list", q.kept.in(v.Path)(l)}}
		for name, value := range q.scope.values(nil) {
			hidden = append(hidden, option{name, value[0]})
		}
		slices.SortFunc(hidden, func(a, b option) int { return strings.Compare(a.Value, b.Value) })
		row := slices.Insert(t.Rows[i], 1, cell{}, cell{}, cell{})
		t.Rows[i] = s.editable(r, row, 1, payer, form{Action: "accounts/unlabelled", Hidden: hidden}, own)
	}
	if len(t.Totals) > 0 {
		t.Totals = slices.Insert(t.Totals, 1, cell{}, cell{}, cell{})
	}
	return nil
}

// calledCell returns what an account mostly calls: a contract or a call, with its share of the transactions.
func (s *server) calledCell(c *app.Calling) cell {
	what := cell{Text: c.Called}
	if c.Called == "" {
		what.Text = fmt.Sprintf("more than %s calls and contracts", console.Grouped(app.MaxCalled))
		return what
	}
	if recipient, known := c.Recipient.Get(); known {
		what.Text, what.To = s.called(recipient.String()), "contract/"+recipient.String()
	}
	if c.Count < c.All {
		what.Unit = fmt.Sprintf("%d of %d", c.Count, c.All)
	}
	return what
}

// unlabelledList builds the page without its table, and all rows of the table.
func (s *server) unlabelledList(ctx context.Context, q *unlabelledRequest) (*keptList, error) {
	made, list, err := s.unlabelledPayers(ctx, q)
	if err != nil {
		return nil, err
	}
	v := listPage{frame: frame{Title: "Payers without a label, " + made.Name, Path: "accounts/unlabelled"}}
	v.Warnings = made.Partial
	v.Lead = "Highest fees first. Label the payers that are yours in their rows."
	v.Downloads = []link{{"CSV for the address book", "accounts/unlabelled.csv" + q.scope.query(nil)}}
	v.inWords(made.Name)
	sheet := func() *table.Sheet {
		return listed("", made.Token, list, func(g *report.Group) []any { return []any{g.Account, g.EVM + g.Native, g.Fee, g.Charged} },
			table.Column{Name: "account", Kind: table.Address}, table.Column{Name: "transactions", Kind: table.Integer},
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
	if q.kept.Accounts != "" {
		return invalidRequest("This file is about all accounts. Remove the parameter accounts.")
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
