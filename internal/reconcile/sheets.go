package reconcile

import (
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/table"
)

// Sheets returns the result as tables: the summary, the details (all of them, or only what does not match), and the
// basis.
func (r *Result) Sheets(all bool) []*table.Sheet {
	return []*table.Sheet{r.Summary(), r.Details(all), r.Basis()}
}

// title returns the title of the summary.
func (r *Result) title() string { return "Fees in the books compared with the ledger: " + r.Headline() }

// Summary returns a table with a row for each outcome, and the total.
func (r *Result) Summary() *table.Sheet { return r.summaryOf(append(slices.Clone(r.Sums), r.Total)) }

// Found returns the summary without the outcomes that no item has.
func (r *Result) Found() *table.Sheet {
	return r.summaryOf(append(slices.DeleteFunc(slices.Clone(r.Sums), func(s Sum) bool { return s.Count == 0 }), r.Total))
}

func (r *Result) summaryOf(sums []Sum) *table.Sheet {
	columns := []table.Column{
		{Name: "outcome", Kind: table.Text}, {Name: "count", Kind: table.Integer},
		{Name: "books", Kind: table.Wei}, {Name: "chain", Kind: table.Wei}, {Name: "difference", Kind: table.SignedWei},
	}
	return table.WithLate(&table.Sheet{
		Name: "summary", Title: r.title(), Notes: r.Notes, Token: r.Options.Token(),
		Columns: append(columns, r.worthColumns(false)...),
		Rows: rows(func(yield func([]any) bool) {
			for _, s := range sums {
				cells := []any{string(s.Outcome), uint64(s.Count), s.Books, s.Chain, s.Difference}
				if r.valuer != nil {
					cells = append(cells, s.Worth.Books, s.Worth.Chain, s.Worth.Difference)
				}
				if !yield(cells) {
					return
				}
			}
		}),
	}, r.Options.Prices)
}

// Document returns the result in all its formats, with all items or only those that do not match.
func (r *Result) Document(all bool) *table.Document {
	return &table.Document{
		List: r.Details(all), Book: r.Sheets(all),
		JSON: func(w io.Writer) error { return r.WriteJSON(w, all) },
		Text: func(w io.Writer, width int) error { return r.WriteTable(w, all, width) },
	}
}

// The titles of the details.
const (
	unmatchedTitle = "Items that do not match to the " // the unit
	allTitle       = "All items"
)

// Details returns a table with a row for each item, or only those that do not match.
func (r *Result) Details(all bool) *table.Sheet {
	title := unmatchedTitle + r.Options.Token().Unit()
	if all {
		title = allTitle
	}
	return r.detailsOf(title, func(i *Item) bool { return i.Outcome.isListed(all) })
}

// Agreeing returns a table of the items that agree without being equal, within rounding or the tolerance.
func (r *Result) Agreeing() *table.Sheet {
	return r.detailsOf("Items that agree within rounding or tolerance", func(i *Item) bool { return i.Outcome.isListed(false) && i.Outcome.Agrees() })
}

// Chosen returns a table of some items.
func (r *Result) Chosen(title string, has func(*Item) bool) *table.Sheet {
	return r.detailsOf(title, has)
}

// detailsOf returns a table of some items.
func (r *Result) detailsOf(title string, has func(*Item) bool) *table.Sheet {
	details := &table.Sheet{
		Name: "details", Title: title, Notes: r.Notes, Token: r.Options.Token(),
		Columns: []table.Column{
			{Name: "outcome", Kind: table.Text}, {Name: "line", Kind: table.Integer}, {Name: "id", Kind: table.Text}, {Name: "time", Kind: table.Time},
			{Name: "books", Kind: table.Wei, Total: true}, {Name: "chain", Kind: table.Wei, Total: true}, {Name: "difference", Kind: table.SignedWei, Total: true},
			{Name: "notes", Kind: table.Text}, {Name: "payer", Kind: table.Address}, {Name: "evm_hash", Kind: table.Hash}, {Name: "extrinsic_hash", Kind: table.Hash}, {Name: "layer", Kind: table.Text}, {Name: "call", Kind: table.Text},
			{Name: "books_date", Kind: table.Time}, {Name: "books_account", Kind: table.Address}, {Name: "books_id", Kind: table.Text}, {Name: "books_hash", Kind: table.Hash},
		},
		Rows: func(yield func([]any, error) bool) {
			for item, err := range r.Items() {
				switch {
				case err != nil:
					yield(nil, err)
					return
				case !has(item):
				case !yield(r.cells(item), nil):
					return
				}
			}
		},
	}
	if r.Options.Labels != nil {
		details.Columns = append(details.Columns, table.Column{Name: "payer_label", Kind: table.Text}, table.Column{Name: "payer_group", Kind: table.Text})
	}
	if len(r.Files) > 1 {
		details.Columns = append(details.Columns, table.Column{Name: "file", Kind: table.Text})
	}
	details.Columns = append(append(details.Columns, r.acceptanceColumns()...), r.worthColumns(true)...)
	return table.WithLate(details, r.Options.Prices)
}

// cells returns an item as a row of the details.
func (r *Result) cells(i *Item) []any {
	cells := i.cells()
	if r.Options.Labels != nil {
		of := labelled(r.Options.Labels, i.payer())
		cells = append(cells, of.PayerLabel, of.PayerGroup)
	}
	if len(r.Files) > 1 {
		file := chain.Optional[string]{}
		if i.Row != nil {
			file = chain.Some(i.Row.File)
		}
		cells = append(cells, file)
	}
	return append(append(cells, r.acceptanceCells(i)...), r.worthCells(i)...)
}

// payer returns the account that paid on the chain, if it is known.
func (i *Item) payer() chain.Optional[chain.Address] {
	t, _ := i.Transaction.Get()
	return t.Payer
}

// cells returns the item as a row of the details, without labels.
func (i *Item) cells() []any {
	cells := []any{string(i.Outcome), nil, nil, nil, i.Books, i.Chain, i.Difference, strings.Join(i.Notes, "; "), nil, nil, nil, nil, nil, nil, nil, nil, nil}
	if row := i.Row; row != nil {
		cells[1], cells[13], cells[14], cells[16] = uint64(row.Line), row.Date, row.Account, row.AnyHash()
		if p, ok := row.Place.Get(); ok {
			cells[15] = p.String()
		}
	}
	if t, ok := i.Transaction.Get(); ok {
		cells[2], cells[3], cells[8], cells[9], cells[10], cells[11], cells[12] = t.Place.String(), t.Time, t.Payer, t.EVMHash, t.Hash, string(t.Layer), t.Call
	}
	return cells
}

// Basis returns a table of what the result depends on: the file, the ledger and the options.
func (r *Result) Basis() *table.Sheet {
	return &table.Sheet{
		Name: "basis", Title: "Basis of the result", Token: r.Options.Token(),
		Columns: []table.Column{{Name: "item", Kind: table.Text}, {Name: "value", Kind: table.Text}},
		Rows: rows(func(yield func([]any) bool) {
			for _, f := range r.basis() {
				if !yield([]any{f.name, f.value}) {
					return
				}
			}
		}),
	}
}

// rows adapts rows that cannot fail.
func rows(each func(yield func([]any) bool)) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		each(func(row []any) bool { return yield(row, nil) })
	}
}
