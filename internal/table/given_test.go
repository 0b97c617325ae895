package table_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/pdf"
	"github.com/feeledger/fees/internal/table"
)

// Totals that the sheet states replace the sums in every form, under the name of what they are of. Only one that is the
// sum becomes a formula; an unknown one is not known.
func TestGivenTotals(t *testing.T) {
	sheet := func(percent any) *table.Sheet {
		return &table.Sheet{
			Name: "given", Token: console.Token{Symbol: "GLMR"}, Part: "of 1 to 15 January, as before",
			Columns: []table.Column{
				{Name: "call", Kind: table.Text}, {Name: "count", Kind: table.Integer, Total: true}, {Name: "fee", Kind: table.Wei, Total: true}, {Name: "charged", Kind: table.Wei, Total: true, Whole: true},
				{Name: "fee_eur", Kind: table.Fiat, Total: true, Currency: "EUR"}, {Name: "share", Kind: table.Percent},
			},
			Rows:   rows([]any{"a", 1, wei(t, "1"), nil, worth(t, "EUR", "1"), "50.00"}, []any{"b", 2, wei(t, "2"), wei(t, "2"), worth(t, "EUR", "2"), "25.00"}),
			Totals: []any{nil, 3, wei(t, "9"), nil, chain.Optional[money.Amount]{}, percent},
		}
	}
	totals, err := sheet("75.00").Each(func([]table.Cell) error { return nil })
	require.NoError(t, err)
	require.Equal(t, [][2]string{{}, {"3", "3"}, {"0.000000000000000009", "9"}, {"not known"}, {"not known"}, {"75.00", "75.00"}}, texts(totals))
	require.Contains(t, string(written(t, "txt", sheet("75.00"))), "\nof 1 to 15 January")

	book := opened(t, written(t, "xlsx", sheet("75.00")))
	lines := book.cells("given")
	require.Equal(t, []string{"of 1 to 15 January, as before", "3", "0.000000000000000009", "not known", "not known", "75.00", "9", "not known"}, lines[len(lines)-1])
	list, _ := onPaper(t, table.Paper{Size: pdf.A4, Title: "Given"}, sheet("75.00"))
	cells := textsOf(list, "TD")
	require.Equal(t, []string{"of 1 to 15 January, as before", "3", "0.000000000000000009", "not known", "not known", "75.00"}, cells[len(cells)-6:])

	for form, write := range forms {
		if form == "txt" || form == "xlsx" { // the others have no totals
			require.ErrorContains(t, write(io.Discard, sheet("much")), "is not of kind percent", form)
		}
	}
	require.ErrorContains(t, table.WritePDF(io.Discard, table.Paper{Size: pdf.A4}, sheet("much")), "is not of kind percent")
	_, err = sheet("much").Each(nil)
	require.ErrorContains(t, err, "is not of kind percent")

	prices, err := money.ReadFiles([]money.File{{Name: "a.csv", Text: []byte("# source: X\n2026-01-01,0.25\n")}}, money.Options{Fiat: "EUR", LastKnown: true})
	require.NoError(t, err)
	before := sheet("75.00")
	marked := table.WithLate(before, prices)
	require.Len(t, marked.Totals, len(marked.Columns), "the mark has no total")
	require.Equal(t, before.Totals, marked.Totals[:6])
	require.Len(t, before.Totals, 6)
}

// Rows are those that a function adds, until the reader has enough or the function fails.
func TestRows(t *testing.T) {
	broken := errors.New("disk full")
	added := 0
	list := table.Rows(func(add func(...any) error) error {
		for n := range 3 {
			added++
			if err := add("n", n); err != nil {
				return err
			}
		}
		return broken
	})
	var have []any
	var failed error
	for row, err := range list {
		have, failed = append(have, row), err
	}
	require.Equal(t, []any{[]any{"n", 0}, []any{"n", 1}, []any{"n", 2}, []any(nil)}, have)
	require.ErrorIs(t, failed, broken)
	added = 0
	for row, err := range list {
		require.NoError(t, err)
		if slices.Contains(row, any(1)) {
			break
		}
	}
	require.Equal(t, 2, added)

	require.Nil(t, table.OrNull(""))
	require.Equal(t, "a", table.OrNull("a"))
}
