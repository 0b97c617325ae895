package table

import (
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

// LateColumn marks the rows with amounts that are valued at the last known price of an earlier day.
func LateColumn(c money.Currency) Column {
	return Column{Name: "last_known_" + c.Suffix(), Kind: Boolean}
}

// IsLate reports whether one of the values is such an amount.
func IsLate(values ...any) bool {
	for _, value := range values {
		if known, ok := value.(chain.Optional[money.Amount]); ok {
			if amount, _ := known.Get(); amount.Late() {
				return true
			}
		}
	}
	return false
}

// WithLate returns a sheet with a [LateColumn] at its end if the prices may be of earlier days.
func WithLate(s *Sheet, prices *money.List) *Sheet {
	if prices == nil || !prices.LastKnown || !slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Kind == Fiat }) {
		return s
	}
	marked := *s
	marked.Columns = append(slices.Clip(s.Columns), LateColumn(prices.Currency))
	marked.Rows = lateRows(s.Rows)
	if s.Totals != nil {
		marked.Totals = append(slices.Clip(s.Totals), nil)
	}
	return &marked
}

func lateRows(rows iter.Seq2[[]any, error]) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		for row, err := range rows {
			if err == nil {
				row = append(slices.Clip(row), IsLate(row...))
			}
			if !yield(row, err) {
				return
			}
		}
	}
}
