package table_test

import (
	"cmp"
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
	amount := [2]string{"1.500000000000000000", "1500000000000000000"}
	require.Equal(t, [][2]string{{"a b", "a\nb"}, amount, amount, {"0.00", "0.00"}}, texts(rows[0]))
	require.Equal(t, [][2]string{{}, amount, {}, {"not known"}}, texts(rows[1]))
	require.Equal(t, [][2]string{{}, {"3.000000000000000000", "3000000000000000000"}, {"not known"}, {"not known"}}, texts(totals))
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

// texts returns cells as they are shown, and exactly.
func texts(row []table.Cell) (list [][2]string) {
	for _, c := range row {
		list = append(list, [2]string{c.Text(), c.Exact()})
	}
	return list
}

// Values of a column are compared by their size, and those unlike 0 are of use.
func TestCompareCells(t *testing.T) {
	price, err := chain.ParseGasPrice("9")
	require.NoError(t, err)
	more, err := chain.ParseGasPrice("10")
	require.NoError(t, err)
	amount := func(text string) chain.TokenAmount {
		a, err := chain.ParseTokenAmount(text)
		require.NoError(t, err)
		return a
	}
	signed := func(text string) chain.SignedWei {
		w, err := chain.ParseSignedWei(text)
		require.NoError(t, err)
		return w
	}
	for kind, rising := range map[table.Kind][]any{
		table.Text: {"10", "9", "a"}, table.Integer: {int64(-10), -9, 0, 9, uint64(1) << 63}, table.Percent: {"-10.00", "-9.50", "0.00", "9.99", "10.00"},
		table.SignedWei: {signed("-10"), signed("-9"), signed("0"), signed("9"), signed("10")}, table.GasPrice: {price, more}, table.TokenAmount: {amount("9"), amount("10")},
		table.Time: {chain.Time{}, timeAt(t, 1), timeAt(t, 1000)}, table.Fiat: {worth(t, "EUR", "-10"), worth(t, "EUR", "-9"), worth(t, "EUR", "0"), worth(t, "EUR", "9"), worth(t, "EUR", "10")},
	} {
		column := table.Column{Name: "what", Kind: kind}
		if kind == table.Fiat {
			column.Name, column.Currency = "what_eur", "EUR"
		}
		s := &table.Sheet{Name: "x", Columns: []table.Column{column}, Rows: func(yield func([]any, error) bool) {
			for _, v := range rising {
				if !yield([]any{v}, nil) {
					return
				}
			}
		}}
		var list []table.Cell
		_, err := s.Each(func(row []table.Cell) error {
			list = append(list, row[0])
			return nil
		})
		require.NoError(t, err)
		for i, a := range list {
			require.True(t, a.Known())
			require.Equal(t, a.Exact() != "0", a.IsUsed(), "%v %s", kind, a.Exact())
			for k, b := range list {
				require.Equal(t, cmp.Compare(i, k), a.Compare(b), "%v: %s and %s", kind, a.Exact(), b.Exact())
			}
		}
	}
	require.False(t, table.Cell{}.Known())
	require.False(t, table.Cell{}.IsUsed())
}

func timeAt(t *testing.T, ms uint64) chain.Time {
	at, err := chain.TimeAt(ms)
	require.NoError(t, err)
	return at
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
