package statement_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// The worth of the fees is the sum of the charges times the price, rounded half up once.
func TestWorth(t *testing.T) {
	s := made(t, recorded(t, "moonbeam-2100"), nil, alith, chain.Heights{First: 3, Last: 27}, false)
	list, err := money.Read([]byte("# source: X\n2026-01-01,23.153579\n"), "EUR")
	require.NoError(t, err)
	y := style
	require.NoError(t, y.ValueBy(t.Context(), statement.Valued{}, nil))
	require.NoError(t, y.ValueBy(t.Context(), statement.Valued{Prices: list}, []*statement.Statement{s}))
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
	require.EqualError(t, y.ValueBy(t.Context(), statement.Valued{Prices: list}, []*statement.Statement{s}), "no price in EUR for 1 day: 2026-01-01")
	require.NoError(t, y.ValueBy(t.Context(), statement.Valued{Prices: list, Partial: true}, []*statement.Statement{s}))
	require.False(t, s.ChargedWorth.Known())
	var text bytes.Buffer
	require.NoError(t, table.WriteTable(&text, y.Fees(t.Context(), s), 400))
	require.Regexp(t, `(?m)^total .* not known$`, text.String())
}

// In the decimals that are shown, the worth of the opening balance, of the movements and the valuation difference add up to
// that of the closing balance, also where balances show what events do not state. Without a price it is unknown.
func TestValuation(t *testing.T) {
	at := func(day string) chain.Optional[chain.Time] {
		when, err := time.Parse(time.DateOnly, day)
		require.NoError(t, err)
		moment, err := chain.TimeAt(uint64(when.UnixMilli()))
		require.NoError(t, err)
		return chain.Some(moment)
	}
	value := func(s *statement.Statement, prices string) (statement.Style, map[string]*string) {
		list, err := money.Read([]byte("# source: X\n"+prices), "EUR")
		require.NoError(t, err)
		y := style
		require.NoError(t, y.ValueBy(t.Context(), statement.Valued{Prices: list, OpensAt: at("2025-12-31"), ClosesAt: at("2026-01-31")}, []*statement.Statement{s}))
		var text bytes.Buffer
		require.NoError(t, y.WriteJSON(t.Context(), &text, s))
		have := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal(text.Bytes(), &have))
		worth := map[string]*string{}
		for _, key := range []string{"opening_worth", "movements_worth", "valuation_difference", "closing_worth"} {
			require.Contains(t, have, key)
			var v *string
			require.NoError(t, json.Unmarshal(have[key], &v))
			worth[key] = v
		}
		return y, worth
	}
	const prices = "2025-12-31,2.00003\n2026-01-01,23.153579\n2026-01-31,3.1\n"
	s := made(t, recorded(t, "moonbeam-2100"), ledgertest.RecordedBalances(t, "moonbeam-2100"), alith, chain.Heights{First: 3, Last: 27}, false)
	y, worth := value(s, prices)
	sum := new(big.Rat)
	for key, v := range worth {
		require.NotNil(t, v, key)
		n, ok := new(big.Rat).SetString(*v)
		require.True(t, ok)
		if key == "closing_worth" {
			n.Neg(n)
		}
		sum.Add(sum, n)
	}
	require.Zero(t, sum.Sign(), "%v", worth)
	opening, _ := s.Opening.Get()
	of, ok := new(big.Rat).SetString(opening.Free.String())
	require.True(t, ok)
	reserved, ok := new(big.Rat).SetString(opening.Reserved.String())
	require.True(t, ok)
	of.Add(of, reserved).Mul(of, big.NewRat(200003, 100_000)).Quo(of, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)))
	require.Equal(t, of.FloatString(2), *worth["opening_worth"])
	var text bytes.Buffer
	require.NoError(t, table.WriteCSV(&text, y.Summary(s)))
	require.Regexp(t, `(?m)^account,item,count,free,.*,total_eur$`, text.String())
	require.Regexp(t, `(?m),valuation difference,.*,`+regexp.QuoteMeta(*worth["valuation_difference"])+`$`, text.String())

	text.Reset()
	require.NoError(t, table.WriteTable(&text, y.Summary(s), 400))
	require.NotContains(t, text.String(), "not known")

	_, worth = value(s, "2026-01-01,23.153579\n2026-01-31,3.1\n")
	require.Nil(t, worth["opening_worth"])
	require.Nil(t, worth["valuation_difference"])
	require.NotNil(t, worth["closing_worth"])
}
