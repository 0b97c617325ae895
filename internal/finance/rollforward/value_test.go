package rollforward_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/rollforward"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/table"
)

// Every change of a balance, free and reserved, is valued at the price of its own day, and a line is the sum of the exact
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
			worth := new(big.Rat).SetFrac(new(big.Int).Add(number(t, textOf(line.Free)), number(t, textOf(line.Reserved))), number(t, "1000000000000000000"))
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
			by, err := signedOf(t, s.Free).Add(signedOf(t, s.Reserved))
			require.NoError(t, err)
			require.Equal(t, by.Sign() == 0, s.Value.Known())
		}
	}
}

func signedOf(t *testing.T, w chain.Optional[chain.SignedWei]) chain.SignedWei {
	t.Helper()
	by, known := w.Get()
	require.True(t, known)
	return by
}

// In the decimals that are shown, opening value + values of the lines + valuation difference = closing value, in every column,
// and the classes of a line add up to it. The values of the balances are those at the prices of their own days, computed with
// math/big.
func TestValuation(t *testing.T) {
	const file = "# source: Example\ndate,price\n2025-12-31,7.003\n2026-01-01,7.2537\n2026-01-02,6.9111\n"
	list, err := money.Read([]byte(file), "EUR")
	require.NoError(t, err)
	begin, between, end := timeOf(t, "2025-12-31"), timeOf(t, "2026-01-01"), timeOf(t, "2026-01-02")
	periods := []rollforward.Period{
		{Name: "a", Span: chain.Heights{First: 3, Last: 25}, OpensAt: begin, ClosesAt: between},
		{Name: "b", Span: chain.Heights{First: 26, Last: 27}, OpensAt: between, ClosesAt: end},
	}
	y := &rollforward.Style{Token: console.Token{Symbol: "GLMR"}}
	type column struct {
		Period           string
		Opening, Closing *struct{ Free, Reserved string }
		OpeningValue     *string `json:"opening_value"`
		Valuation        *string `json:"valuation_difference"`
		ClosingValue     *string `json:"closing_value"`
		Lines            []struct {
			Value   *string
			Classes []struct{ Value *string }
		}
	}
	ask := func(list *money.List, periods []rollforward.Period) (columns []column, r *rollforward.Rollforward) {
		r = made(t, recorded(t, "moonbeam-2100"), rollforward.Request{Periods: periods, Accounts: accountsOf(t, "moonbeam-2100"), Balances: recordedBalances(t, "moonbeam-2100"), Prices: list.Valuer()})
		var out bytes.Buffer
		require.NoError(t, y.WriteJSON(&out, r))
		var have struct{ Rollforwards []column }
		require.NoError(t, json.Unmarshal(out.Bytes(), &have))
		return have.Rollforwards, r
	}
	cents := func(text *string) *big.Rat {
		require.NotNil(t, text)
		n, ok := new(big.Rat).SetString(*text)
		require.True(t, ok)
		require.Len(t, (*text)[strings.Index(*text, "."):], 3, "cents: %s", *text)
		return n
	}
	worth := func(b *struct{ Free, Reserved string }, price string) string {
		of, ok := new(big.Rat).SetString(price)
		require.True(t, ok)
		total := new(big.Rat).SetInt(new(big.Int).Add(number(t, b.Free), number(t, b.Reserved)))
		return of.Mul(of, total.Quo(total, new(big.Rat).SetInt(number(t, "1000000000000000000")))).FloatString(2)
	}
	columns, r := ask(list, periods)
	moved := 0
	for _, c := range columns {
		prices := map[string][2]string{"a": {"7.003", "7.2537"}, "b": {"7.2537", "6.9111"}, "a to b": {"7.003", "6.9111"}}[c.Period]
		require.Equal(t, []string{worth(c.Opening, prices[0]), worth(c.Closing, prices[1])}, []string{*c.OpeningValue, *c.ClosingValue})
		sum := new(big.Rat).Add(cents(c.OpeningValue), cents(c.Valuation))
		for _, l := range c.Lines {
			if len(l.Classes) == 0 {
				require.Equal(t, "0.00", *l.Value)
				continue
			}
			sum.Add(sum, cents(l.Value))
			classes := new(big.Rat)
			for _, class := range l.Classes {
				classes.Add(classes, cents(class.Value))
			}
			require.Equal(t, cents(l.Value).FloatString(2), classes.FloatString(2))
			moved++
		}
		require.Equal(t, *c.ClosingValue, sum.FloatString(2), c.Period)
	}
	require.NotZero(t, moved)
	require.Len(t, r.ValueNotes(), 1)
	var out bytes.Buffer
	require.NoError(t, table.WriteCSV(&out, y.Lines(r)))
	require.Equal(t, len(columns), strings.Count(out.String(), ",valuation_difference,"))
	out.Reset()
	require.NoError(t, y.WriteTable(&out, r, 200))
	require.Equal(t, len(columns), strings.Count(out.String(), "valuation difference  "))

	// Without a price, a balance has no value, unless it is 0, and there is no valuation difference. It is no error.
	list, err = money.Read([]byte("# source: Example\ndate,price\n2026-01-01,7.2537\n2026-01-02,6.9111\n"), "EUR")
	require.NoError(t, err)
	columns, r = ask(list, periods)
	unknown := 0
	for _, c := range columns {
		if c.Period == "b" {
			require.NotNil(t, c.Valuation)
			continue
		}
		if c.Opening.Free == "0" && c.Opening.Reserved == "0" {
			require.Equal(t, "0.00", *c.OpeningValue)
			continue
		}
		require.Nil(t, c.OpeningValue)
		require.Nil(t, c.Valuation)
		require.NotNil(t, c.ClosingValue)
		unknown++
	}
	require.NotZero(t, unknown)
	require.Contains(t, r.ValueNotes()[0], "no price in EUR for 2025-12-31: the value of that balance, and the valuation difference, are unknown")
	require.Nil(t, made(t, recorded(t, "moonbeam-2100"), rollforward.Request{Periods: periods, Accounts: accountsOf(t, "moonbeam-2100")}).ValueNotes())

	// Without a time of a balance, its value is unknown.
	columns, _ = ask(list, []rollforward.Period{{Name: "a", Span: periods[0].Span}})
	require.Nil(t, columns[0].ClosingValue)
}

// Differences that cancel each other, of two accounts or two blocks, are unexplained in every
// column that has them.
func TestDifferencesThatCancelAreUnexplained(t *testing.T) {
	list, err := money.Read([]byte("# source: Example\ndate,price\n2025-12-31,700\n2026-01-01,800\n2026-01-02,900\n"), "EUR")
	require.NoError(t, err)
	const name = "moonbeam-2100"
	have := recordedBalances(t, name)
	for _, a := range []chain.Address{who, someone, relay} {
		have[a] = map[uint64]chain.Balance{}
	}
	for h := range uint64(28) {
		have[someone][h] = chain.Balance{Free: chain.NewWei(100 + h/25)} // 1 wei from nowhere
		have[relay][h] = chain.Balance{Free: chain.NewWei(101 - h/25)}   // and as much to nowhere
		have[who][h] = chain.Balance{Free: chain.NewWei(7 + h/15%2 - h/20%2)}
	}
	months := []rollforward.Period{
		{Name: "a", Span: chain.Heights{First: 1, Last: 18}, OpensAt: timeOf(t, "2025-12-31"), ClosesAt: timeOf(t, "2026-01-01")},
		{Name: "b", Span: chain.Heights{First: 19, Last: 27}, OpensAt: timeOf(t, "2026-01-01"), ClosesAt: timeOf(t, "2026-01-02")},
	}
	whole := []rollforward.Period{{Name: "a", Span: chain.Heights{First: 1, Last: 27}, OpensAt: timeOf(t, "2025-12-31"), ClosesAt: timeOf(t, "2026-01-02")}}
	for _, of := range []struct {
		what     string
		accounts []chain.Address
		periods  []rollforward.Period
		lines    int // unexplained
	}{
		{"two accounts", []chain.Address{someone, relay}, whole, 4},            // each, the group and all
		{"two accounts in months", []chain.Address{someone, relay}, months, 8}, // in the second month and in both
		{"two blocks", []chain.Address{who}, whole, 2},                         // the account and its group
		{"two months", []chain.Address{who}, months, 6},                        // each and both
	} {
		accounts := emptyBook()
		for _, a := range of.accounts {
			e := entryOf(a)
			e.Group = "ours"
			require.NoError(t, accounts.Add(e))
		}
		r := made(t, recorded(t, name), rollforward.Request{Periods: of.periods, Accounts: accounts, Balances: have, Options: balances.Options{EveryBlock: true}, Prices: list.Valuer()})
		c := r.Columns[len(r.Columns)-1]
		by, known := c.Unexplained.Get()
		require.True(t, known && by.IsZero(), of.what)
		require.False(t, c.Holds(), of.what)
		value, err := c.Valuation()
		require.NoError(t, err)
		require.False(t, value.Known(), of.what)
		var out bytes.Buffer
		require.NoError(t, table.WriteCSV(&out, (&rollforward.Style{}).Lines(r)))
		require.Equal(t, of.lines, strings.Count(out.String(), ",unexplained,"), "%s:\n%s", of.what, out.String())
	}
}

// A sum whose movements state no change, which the balances show in another class, has the value of nothing, and everything is
// known. Without prices it has no value.
func TestValueOfWhatTheBalancesTell(t *testing.T) {
	list, err := money.Read([]byte("# source: Example\ndate,price\n2025-12-31,700\n2026-01-01,800\n2026-01-02,900\n"), "EUR")
	require.NoError(t, err)
	const name = "moonbeam-2100"
	book := recorded(t, name,
		row(21, 9000, movement.OnInitialize, "balances.Slashed", movement.KindSlash, who, "NULL", "3", "NULL", "NULL"),
		row(21, 9001, movement.OnInitialize, "balances.TransferOnHold", movement.KindTransferIn, who, "NULL", "2", "NULL", "NULL"),
	)
	have := told{who: {}}
	for h := range uint64(28) {
		have[who][h] = chain.Balance{Free: chain.NewWei(5 - h/21)} // 5 - 3 + 2
	}
	accounts := emptyBook()
	require.NoError(t, accounts.Add(entryOf(who)))
	q := rollforward.Request{Periods: []rollforward.Period{{Name: "a", Span: chain.Heights{First: 1, Last: 27}, OpensAt: timeOf(t, "2025-12-31"), ClosesAt: timeOf(t, "2026-01-02")}}, Accounts: accounts, Balances: have}
	for _, prices := range []*money.Valuer{list.Valuer(), nil} {
		q.Prices = prices
		r := made(t, book, q)
		require.True(t, r.Holds())
		c := &r.Columns[0]
		require.Len(t, c.Sums, 2)
		for _, s := range c.Sums {
			require.Equal(t, prices != nil, s.Value.Known(), "%s %s", s.Class, s.Direction)
		}
		value, err := c.Valuation()
		require.NoError(t, err)
		require.Equal(t, prices != nil, value.Known())
	}
}

// timeOf returns the end of a day in UTC.
func timeOf(t *testing.T, day string) chain.Optional[chain.Time] {
	t.Helper()
	when, err := time.Parse(time.RFC3339, day+"T23:59:59Z")
	require.NoError(t, err)
	at, err := chain.TimeAt(uint64(when.UnixMilli()))
	require.NoError(t, err)
	return chain.Some(at)
}
