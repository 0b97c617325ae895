package rollforward_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// Every change of a free balance is valued at the price of its own day, and a line is the sum of the exact
// values, rounded once; computed with math/big. Without a price the value is unknown, and so is the sum.
func TestValues(t *testing.T) {
	const file = "# source: Example\ndate,price\n2026-01-01,7.25\n"
	list, err := money.Read([]byte(file), "EUR")
	require.NoError(t, err)
	ask := func(first, last uint64) *rollforward.Rollforward {
		return made(t, recorded(t, "moonbeam-2100"), rollforward.Request{
			Periods: []rollforward.Period{{Name: "a", Span: chain.Heights{First: first, Last: 25}}, {Name: "b", Span: chain.Heights{First: 26, Last: last}}}, Accounts: accountsOf(t, "moonbeam-2100"), Prices: list.Valuer(),
		})
	}
	r := ask(20, 27)
	valued := 0
	for i := range r.Columns {
		lines, err := r.Columns[i].Lines()
		require.NoError(t, err)
		for _, line := range lines {
			if line.Count == 0 {
				require.False(t, line.Value.Known())
				continue
			}
			worth := new(big.Rat).SetFrac(number(t, textOf(line.Free)), number(t, "1000000000000000000"))
			worth.Mul(worth, big.NewRat(725, 100))
			amount, known := line.Value.Get()
			require.True(t, known)
			have, ok := new(big.Rat).SetString(amount.Exact())
			require.True(t, ok)
			require.Zero(t, worth.Cmp(have), "%s of %s: %s, want %s", line.Line, r.Columns[i].Name(console.Token{}), have, worth)
			valued++
		}
	}
	require.NotZero(t, valued)

	y := &rollforward.Style{}
	var out bytes.Buffer
	require.NoError(t, y.WriteJSON(&out, r))
	var have struct {
		Prices       struct{ Currency string }
		Rollforwards []struct {
			Lines []struct{ Value *string }
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &have))
	require.Equal(t, "EUR", have.Prices.Currency)
	out.Reset()
	require.NoError(t, y.WriteTable(&out, r, 120))
	require.Contains(t, out.String(), "EUR")
	require.NoError(t, table.WriteCSV(&out, y.Lines(r)))
	require.Contains(t, out.String(), ",value,currency\n")

	unpriced, err := money.Read([]byte("# source: Example\ndate,price\n2031-01-01,7.25\n"), "EUR")
	require.NoError(t, err)
	list = unpriced
	for _, c := range ask(20, 27).Columns {
		for _, s := range c.Sums {
			require.Equal(t, textOf(s.Free) == "0", s.Value.Known())
		}
	}
}
