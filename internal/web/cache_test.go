package web

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
)

// A page shows the columns that groups on other pages need.
func TestColumnsOfOtherPages(t *testing.T) {
	sheet := func() *table.Sheet {
		return &table.Sheet{
			Name: "fees", Columns: []table.Column{{Name: "account", Kind: table.Text}, {Name: "label", Kind: table.Text}, {Name: "undetermined", Kind: table.Integer, Total: true}},
			Rows: func(yield func([]any, error) bool) { yield([]any{"a", nil, uint64(0)}, nil) }, Totals: []any{nil, nil, uint64(3)},
		}
	}
	for _, x := range []struct {
		unlisted report.Unlisted
		used     []bool
		count    int
	}{
		{report.Unlisted{}, []bool{true, false, false}, 1},
		{report.Unlisted{Groups: 2}, []bool{true, false, true}, 3},
		{report.Unlisted{Groups: 2, Labelled: true}, []bool{true, true, true}, 3},
	} {
		k := &keptList{sheet: sheet, unlisted: x.unlisted}
		for range 2 {
			r, err := k.rows(listing{})
			require.NoError(t, err)
			require.Equal(t, x.used, slices.Clone(r.used))
			require.Equal(t, x.count, r.count)
		}
	}
}
