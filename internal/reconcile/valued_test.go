package reconcile_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/reconcile"
)

// pricesIn returns a list with one price for the recording's day.
func pricesIn(t *testing.T, currency, price string) *money.List {
	l, err := money.Read([]byte("# source: test\ndate,"+currency+"\n2026-01-01,"+price+"\n"), currency)
	require.NoError(t, err)
	return l
}

// A record in a currency is compared with the value of each charge: within a cent, and its sum with the sum of the values.
// The expected values are computed with math/big from the charges and the price.
func TestRecordsInACurrency(t *testing.T) {
	list := allSent(t, "moonbeam-2100")
	price, _ := new(big.Rat).SetString("271.8")
	text, sum := "Date,Tx Hash,Fee (USD)\n", new(big.Rat)
	const rows = 6
	for i, s := range list[:rows] {
		charged, _ := new(big.Rat).SetString(s.token())
		value := charged.Mul(charged, price)
		sum.Add(sum, value)
		stated := value.FloatString(2) // the books keep cents
		if i == 3 {
			stated = new(big.Rat).Add(value, big.NewRat(2, 100)).FloatString(2)
		}
		text += fmt.Sprintf("2026-01-01,%s,%s\n", s.hash(), stated)
	}
	o := reconcile.Options{Symbol: "GLMR", Accounts: payers(t, list[:rows]), RowsOnly: true, Prices: pricesIn(t, "USD", "271.8")}
	_, err := reconcile.ReadFile(t.Context(), strings.NewReader(text), o)
	require.True(t, reconcile.IsInCurrency(err, "USD"), err)
	require.False(t, reconcile.IsInCurrency(err, "EUR"))
	f, r := matched(t, text, o.InCurrency())
	found := counts(r)
	require.Equal(t, 1, found[reconcile.AmountDiffers], found)
	require.Equal(t, rows-1, found[reconcile.Matched]+found[reconcile.WithinTolerance], found)
	require.Equal(t, 3, slicesIndex(items(t, r), reconcile.AmountDiffers))
	onChain, _ := r.Total.Chain.Get()
	require.Equal(t, new(big.Rat).Mul(sum, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))).FloatString(0), onChain.String())
	require.Contains(t, strings.Join(r.Notes, "\n"), "Values in USD were compared, not amounts of the token: each row with the charge at the price of its day, within 0.01 USD.")
	var out strings.Builder
	require.NoError(t, r.WriteJSON(&out, true))
	require.Contains(t, out.String(), `"values_in": "USD"`)

	// A day without a price makes the comparison fail, as for all values.
	o.Prices, err = money.Read([]byte("# source: test\ndate,USD\n2026-01-09,271.8\n"), "USD")
	require.NoError(t, err)
	_, err = reconcile.Match(t.Context(), book(t, "moonbeam-2100"), f.Rows.All(), f.Matching(o.InCurrency()))
	require.ErrorContains(t, err, "no price in USD for 1 day: 2026-01-01")
}

func slicesIndex(list []reconcile.Item, o reconcile.Outcome) int {
	for i := range list {
		if list[i].Outcome == o {
			return i
		}
	}
	return -1
}
