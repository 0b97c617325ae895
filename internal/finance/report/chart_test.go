package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// heightsOf draws a chart of amounts in wei, "" for an unknown one. It returns where its scale starts, its highest tick and
// the heights of its bars.
func heightsOf(amounts ...string) (from, top string, heights []int) {
	c := &Chart{Bars: make([]Bar, len(amounts))}
	var list []chain.Optional[chain.Wei]
	for _, text := range amounts {
		amount, err := chain.ParseWei(text)
		if err != nil {
			list = append(list, chain.Optional[chain.Wei]{})
			continue
		}
		list = append(list, chain.Some(amount))
	}
	if !c.Plot(console.Token{}, list, true) {
		return "", "", nil
	}
	for _, b := range c.Bars {
		heights = append(heights, b.EVM)
	}
	return c.From, c.Ticks[len(c.Ticks)-1].Text, heights
}

// calculated by hand: (balance - start) / (highest tick - start) * 200.
func TestScaleOfBalances(t *testing.T) {
	token := func(digits string) string { return digits + "000000000000000000" }
	for name, c := range map[string]struct {
		amounts   []string
		from, top string
		heights   []int
	}{
		"little":   {[]string{token("1000"), token("1010"), token("1004")}, "998", "1010", []int{33, 200, 100}},
		"unknown":  {[]string{token("1000"), "", token("1010")}, "998", "1010", []int{33, 0, 200}},
		"much":     {[]string{token("500"), token("1000")}, "", "1000", []int{100, 200}},
		"the same": {[]string{token("7"), token("7")}, "", "8", []int{175, 175}},
		"one wei":  {[]string{token("1000000"), token("1000000")[:24] + "1"}, "", "1M", []int{200, 200}},
		"nothing":  {[]string{"0", ""}, "", "", nil},
	} {
		from, top, heights := heightsOf(c.amounts...)
		require.Equal(t, c.from, from, name)
		require.Equal(t, c.top, top, name)
		require.Equal(t, c.heights, heights, name)
	}
}

// Ticks have no exponent, and no digits that only floating point has.
func TestTickTexts(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3 * 0.1: "0.3", 0.00002: "0.00002", 1500: "1500", 800_000_000: "800M", 1e9: "1000M", 2.5e6: "2.5M", 999_999: "999999"} {
		require.Equal(t, want, TickText(v))
	}
}

// A chart of accounts has a bar for each of the first, and one for all others together: nothing is lost.
func TestRankedChart(t *testing.T) {
	r := &Report{Question: Question{Choice: Choice{By: Call}, Token: console.Token{Symbol: "GLMR"}}}
	for i := range 25 {
		g := &Group{Key: Key{Layer: chain.Some("native"), Call: chain.Some("balances.transferKeepAlive")}}
		g.Fee, g.EVM, g.Native = chain.NewWei(1e18), 1, 3
		if i == 0 {
			g.EVMFee, g.Undetermined = chain.NewWei(5e17), 2
		}
		r.Groups = append(r.Groups, g)
	}
	charts := r.charts()
	require.Len(t, charts, 2)
	fees, transactions := charts[0], charts[1]
	require.Equal(t, []string{"Fees by call", "GLMR", "Transactions by call", ""}, []string{fees.Title, fees.Unit, transactions.Title, transactions.Unit})
	require.Len(t, fees.Bars, 11)
	first, others := fees.Bars[0], fees.Bars[10]
	require.Equal(t, []int{7, 6}, []int{first.EVM, first.Native}, "1 of 15 tokens, half of it of the EVM: the scale ends at 15")
	require.Equal(t, "native balances.transferKeepAlive: 1.000000000000000000 GLMR, and 2 fees undetermined", first.Exact)
	require.Equal(t, "transferKeepA…", first.Label)
	require.True(t, first.Unknown)
	require.Equal(t, []int{0, 200}, []int{others.EVM, others.Native}, "15 tokens")
	require.Equal(t, "15 others", others.Name)
	require.Equal(t, "native balances.transferKeepAlive: 4 transactions", transactions.Bars[1].Exact)
	require.Equal(t, "60", transactions.Ticks[len(transactions.Ticks)-1].Text)

	r.Choice.By, r.Groups = Hour, make([]*Group, MaxBars+1)
	require.Empty(t, r.charts(), "too many hours for a page")
}

// Names from outside are shortened, and contain nothing that a page could take for more than text.
func TestChartNames(t *testing.T) {
	r := &Report{Question: Question{Choice: Choice{By: Call}}}
	for range 2 {
		r.Groups = append(r.Groups, &Group{Key: Key{Layer: chain.Some("native"), Call: chain.Some(hostile)}, Figures: Figures{Native: 1, Fee: chain.NewWei(1)}})
	}
	for _, b := range r.charts()[0].Bars {
		require.False(t, strings.ContainsAny(b.Name+b.Exact+b.Label, "\u202e\x1b"))
	}
}
