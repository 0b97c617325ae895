package table_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// Cells contain the displayed and the exact value. Totals cover all rows, and are unknown if a figure is.
func TestEach(t *testing.T) {
	one, err := chain.ParseWei("1500000000000000000")
	require.NoError(t, err)
	s := &table.Sheet{
		Name: "x", Token: console.Token{Symbol: "GLMR"},
		Columns: []table.Column{{Name: "what", Kind: table.Text}, {Name: "fee", Kind: table.Wei, Total: true}, {Name: "charged", Kind: table.Wei, Total: true, Whole: true}, {Name: "fee_eur", Kind: table.Fiat, Total: true, Currency: "EUR"}},
		Rows: func(yield func([]any, error) bool) {
			_ = yield([]any{"a\nb", one, one, chain.Some(money.NothingIn("EUR"))}, nil) && yield([]any{nil, one, nil, chain.Optional[money.Amount]{}}, nil)
		},
	}
	require.Equal(t, []string{"what", "fee GLMR", "charged GLMR", "fee EUR"}, s.Headings())
	var rows [][]table.Cell
	totals, err := s.Each(func(row []table.Cell) error {
		rows = append(rows, slices.Clone(row))
		return nil
	})
	require.NoError(t, err)
	amount := table.Cell{Text: "1.500000000000000000", Exact: "1500000000000000000"}
	require.Equal(t, [][]table.Cell{{{Text: "a b", Exact: "a\nb"}, amount, amount, {Text: "0.00", Exact: "0.00"}}, {{}, amount, {}, {Text: "not known"}}}, rows)
	require.Equal(t, []table.Cell{{}, {Text: "3.000000000000000000", Exact: "3000000000000000000"}, {Text: "not known"}, {Text: "not known"}}, totals)
	require.True(t, table.Wei.IsRight())
	require.False(t, table.Text.IsRight())

	stop := errors.New("enough")
	_, err = s.Each(func([]table.Cell) error { return stop })
	require.ErrorIs(t, err, stop)
	s.Columns[0].Name = "No"
	_, err = s.Each(nil)
	require.Error(t, err)
	plain := &table.Sheet{Name: "y", Columns: []table.Column{{Name: "what", Kind: table.Text}}}
	totals, err = plain.Each(nil)
	require.NoError(t, err)
	require.Nil(t, totals)
}

// An impossible sum is an error, and the caller can stop the rows early.
func TestEachOverflow(t *testing.T) {
	most, err := chain.ParseWei("340282366920938463463374607431768211455")
	require.NoError(t, err)
	s := &table.Sheet{
		Name: "x", Columns: []table.Column{{Name: "fee", Kind: table.Wei, Total: true}},
		Rows: func(yield func([]any, error) bool) {
			for range 2 {
				if !yield([]any{most}, nil) {
					return
				}
			}
		},
	}
	_, err = s.Each(func([]table.Cell) error { return nil })
	require.ErrorIs(t, err, chain.ErrOverflow)
	rows := 0
	for text, err := range table.JSONRows(s) {
		require.NoError(t, err)
		require.Contains(t, string(text), `"fee":"3402`)
		rows++
		break
	}
	require.Equal(t, 1, rows)
}
