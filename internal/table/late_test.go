package table_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// Rows with amounts at the price of an earlier day are marked, if prices may be of earlier days.
func TestWithLate(t *testing.T) {
	files := []money.File{{Name: "a.csv", Text: []byte("# source: X\n2026-01-01,0.25\n")}}
	amount, err := chain.ParseWei("1000000000000000000")
	require.NoError(t, err)
	for _, lastKnown := range []bool{false, true} {
		list, err := money.ReadFiles(files, money.Options{Fiat: "EUR", LastKnown: lastKnown})
		require.NoError(t, err)
		worth := func(millis uint64) chain.Optional[money.Amount] {
			when, err := chain.TimeAt(millis)
			require.NoError(t, err)
			return money.Value(list.Valuer(), amount, chain.Some(when))
		}
		const first, day = 1_767_225_600_000, 86_400_000 // 2026-01-01
		s := &table.Sheet{Name: "s", Columns: []table.Column{{Name: "fee_eur", Kind: table.Fiat, Currency: "EUR"}}, Rows: rows([]any{worth(first)}, []any{worth(first + 7*day)}, []any{worth(first + 8*day)})}
		var out bytes.Buffer
		require.NoError(t, table.WriteCSV(&out, table.WithLate(s, list)))
		want := "fee_eur\n0.25\n\"\"\n\"\"\n"
		if lastKnown {
			want = "fee_eur,last_known_eur\n0.25,false\n0.25,true\n,false\n"
		}
		require.Equal(t, want, out.String())
		if lastKnown {
			for row, err := range table.WithLate(s, list).Rows {
				require.NoError(t, err)
				require.Equal(t, false, row[1], "the first row has the price of its own day")
				break
			}
			broken := errors.New("the ledger is gone")
			s.Rows = func(yield func([]any, error) bool) { yield(nil, broken) }
			require.ErrorIs(t, table.WriteCSV(&out, table.WithLate(s, list)), broken)
		}
		plain := &table.Sheet{Name: "s", Columns: []table.Column{{Name: "a", Kind: table.Text}}}
		require.Same(t, plain, table.WithLate(plain, list), "without amounts")
		require.Same(t, plain, table.WithLate(plain, nil), "without prices")
	}
}
