package statement

import (
	"context"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/table"
)

// Sheets returns the sheets of a workbook: the summary and the parts of each statement.
func (y *Style) Sheets(ctx context.Context, list []*Statement) []*table.Sheet {
	sheets := []*table.Sheet{y.Summary(list...)}
	for _, s := range list {
		for _, one := range []*table.Sheet{y.Movements(ctx, s), y.Fees(ctx, s), y.Transfers(ctx, s)} {
			if len(list) > 1 {
				one.Name += " " + y.brief(s.Account)
			}
			sheets = append(sheets, one)
		}
	}
	return sheets
}

// brief returns a short name of an account for a sheet: its label if the address book has one, otherwise the
// address shortened.
func (y *Style) brief(account chain.Address) string {
	if label, ok := y.Labels.Label(account); ok && y.Called {
		return label
	}
	return y.Account(account)[:10]
}

// Parts returns the sheets of a statement for people, with few columns.
func (y *Style) Parts(ctx context.Context, s *Statement) ([]*table.Sheet, error) {
	drop := []string{"account", "label", "group"}
	if !s.Reserves() {
		drop = append(drop, "reserved", "reserved_balance", "total")
	}
	summary := y.Summary(s)
	summary.Title = fmt.Sprintf("Statement of %s, %s, blocks %d to %d", y.Name(s.Account), y.Network, s.Span.First, s.Span.Last)
	sheets := []*table.Sheet{summary, y.Brief(ctx, s)}
	if len(s.Fees) > 0 {
		fees := y.Fees(ctx, s)
		fees.Title, fees.Notes = "Fees paid", nil
		fees = y.dated(fees)
		if s.Others.Transactions == 0 {
			fees = Without(fees, "paid_for")
		}
		sheets = append(sheets, fees)
	}
	transfers := y.dated(y.Transfers(ctx, s))
	transfers.Title, transfers.Notes = "ERC-20 transfers, in the tokens' smallest units", nil
	if len(y.Labels.Entries()) == 0 {
		transfers = Without(transfers, "token_label", "counterparty_label")
	}
	has, err := hasRows(transfers)
	if err != nil {
		return nil, err
	}
	if has {
		sheets = append(sheets, transfers)
	}
	for i := range sheets {
		sheets[i] = Without(sheets[i], drop...)
	}
	return sheets, nil
}

// dated returns a sheet with dates in place of times.
func (y *Style) dated(s *table.Sheet) *table.Sheet {
	dated := *s
	i := slices.IndexFunc(s.Columns, func(c table.Column) bool { return c.Kind == table.Time })
	dated.Columns = slices.Clone(s.Columns)
	dated.Columns[i] = table.Column{Name: "date", Kind: table.Text, Term: true, Drop: s.Columns[i].Drop}
	dated.Rows = func(yield func([]any, error) bool) {
		for row, err := range s.Rows {
			if err == nil {
				row = slices.Clone(row)
				row[i] = y.date(row[i].(chain.Optional[chain.Time]))
			}
			if !yield(row, err) {
				return
			}
		}
	}
	return &dated
}

// hasRows reports whether a sheet, whose rows can be read repeatedly, has any row.
func hasRows(s *table.Sheet) (bool, error) {
	for _, err := range s.Rows {
		return err == nil, err
	}
	return false, nil
}
