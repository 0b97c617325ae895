package statement_test

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// The worth of the fees is the sum of the charges times the price, rounded half up once.
func TestWorth(t *testing.T) {
	s := made(t, recorded(t, "moonbeam-2100"), nil, alith, chain.Heights{First: 3, Last: 27}, false)
	list, err := money.Read([]byte("# source: X\n2026-01-01,23.153579\n"), "EUR")
	require.NoError(t, err)
	y := style
	require.NoError(t, y.ValueBy(t.Context(), nil, false, nil))
	require.NoError(t, y.ValueBy(t.Context(), list, false, []*statement.Statement{s}))
	sum := new(big.Int)
	for _, f := range s.Fees {
		n, ok := new(big.Int).SetString(f.Charged.String(), 10)
		require.True(t, ok)
		sum.Add(sum, n)
	}
	cent := new(big.Int).Exp(big.NewInt(10), big.NewInt(22), nil) // in 10^-24 EUR
	sum.Mul(sum, big.NewInt(23_153_579)).Add(sum, new(big.Int).Div(cent, big.NewInt(2))).Div(sum, cent)
	worth, known := s.ChargedWorth.Get()
	require.True(t, known)
	euros, ok := new(big.Rat).SetString(worth.String())
	require.True(t, ok)
	require.Equal(t, new(big.Rat).SetFrac(sum, big.NewInt(100)).RatString(), euros.RatString())
	require.Positive(t, sum.Sign())

	var text bytes.Buffer
	require.NoError(t, table.WriteTable(&text, y.Fees(t.Context(), s), 400))
	require.Contains(t, text.String(), " "+worth.String()+"\n", "the total of the column is the same")
	require.Contains(t, text.String(), "EUR: each amount at the price of its day (UTC), source: X")
	text.Reset()
	require.NoError(t, y.WriteJSON(t.Context(), &text, s))
	require.Contains(t, text.String(), `"charged_worth": "`+worth.String()+`"`)
	require.Contains(t, text.String(), `"rounding": "half_up"`)
	text.Reset()
	require.NoError(t, table.WriteCSV(&text, y.Movements(t.Context(), s)))
	require.Contains(t, text.String(), ",remark,amount_eur,free_eur,reserved_eur,fee_eur\n")
}

// A missing price is an error, or makes the affected amounts unknown.
func TestWorthWithoutAPrice(t *testing.T) {
	s := made(t, recorded(t, "moonbeam-2100"), nil, alith, chain.Heights{First: 3, Last: 27}, false)
	list, err := money.Read([]byte("# source: X\n2026-01-02,1\n"), "EUR")
	require.NoError(t, err)
	y := style
	require.EqualError(t, y.ValueBy(t.Context(), list, false, []*statement.Statement{s}), "no price in EUR for 1 day: 2026-01-01")
	require.NoError(t, y.ValueBy(t.Context(), list, true, []*statement.Statement{s}))
	require.False(t, s.ChargedWorth.Known())
	var text bytes.Buffer
	require.NoError(t, table.WriteTable(&text, y.Fees(t.Context(), s), 400))
	require.Regexp(t, `(?m)^total .* not known$`, text.String())
}
