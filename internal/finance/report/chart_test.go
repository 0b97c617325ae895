package report

import (
	"strings"
	"testing"
	"time"

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
	r := &Report{Request: Request{Choice: Choice{By: Call}, Token: console.Token{Symbol: "GLMR"}}}
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
	r := &Report{Request: Request{Choice: Choice{By: Call}}}
	for range 2 {
		r.Groups = append(r.Groups, &Group{Key: Key{Layer: chain.Some("native"), Call: chain.Some(hostile)}, Figures: Figures{Native: 1, Fee: chain.NewWei(1)}})
	}
	for _, b := range r.charts()[0].Bars {
		require.False(t, strings.ContainsAny(b.Name+b.Exact+b.Label, "\u202e\x1b"))
	}
}

// A chart by time has a bar for each group, which leads to it, and a line for the period before, which may be longer or lack
// a day. The heights are calculated by hand: fee / 4 tokens * 200.
func TestChartOfAPeriod(t *testing.T) {
	group := func(hour string, tokens uint64) *Group {
		g := &Group{Figures: Figures{Fee: chain.NewWei(tokens * 1e18), Native: min(1, tokens)}}
		if hour != "" {
			g.Hour = chain.Some(hour)
		}
		return g
	}
	r := &Report{Request: Request{Choice: Choice{By: Hour}, Token: console.Token{Symbol: "GLMR"}}}
	now := []*Group{group("2026-01-31T13:00:00Z", 1), group("2026-01-31T14:00:00Z", 2), group("", 0)}
	before := []*Group{group("2026-01-30T13:00:00Z", 4), group("", 0), group("2026-01-30T15:00:00Z", 3)}
	before[2].Undetermined = 1
	c := &Comparison{Now: r, Before: &Report{Request: Request{Name: "30 January"}}}
	for i := range now {
		c.Pairs = append(c.Pairs, &Pair{Now: now[i], Before: before[i]})
	}
	chart := r.Chart(c, func(name string) string { return "fees?period=" + name })
	require.Equal(t, "30 January", chart.Compared)
	first, second, third := chart.Bars[0], chart.Bars[1], chart.Bars[2]
	require.Equal(t, []int{50, 0, 150}, []int{first.Native, first.Before, first.NativeY})
	require.Equal(t, []string{"13:00", "fees?period=2026-01-31T13:00:00Z"}, []string{first.Label, first.To})
	require.Equal(t, "2026-01-31T13:00:00Z: 1.000000000000000000 GLMR, previously 4.000000000000000000", first.Exact)
	require.Equal(t, "2026-01-31T14:00:00Z: 2.000000000000000000 GLMR", second.Exact, "the period before lacks it")
	require.Equal(t, []any{"2026-01-30T15:00:00Z", 50, true}, []any{third.Name, third.Before, third.Unknown})
	require.Equal(t, "2026-01-30T15:00:00Z: none, previously 3.000000000000000000, previously 1 fee undetermined", third.Exact)

	r.Groups = now
	require.Len(t, r.Chart(nil, func(string) string { return "" }).Bars, 3)
	r.By = Account
	require.Nil(t, r.Chart(nil, nil), "accounts are not in the order of time")
	r.By, r.Groups = Hour, now[2:]
	require.Nil(t, r.Chart(nil, nil), "there is nothing to plot")
}

// drawn returns a chart as text.
func drawn(t *testing.T, c *Chart) string {
	var out strings.Builder
	require.NoError(t, c.Node().Render(&out))
	return out.String()
}

// A chart shows what its bars state: the previous period as a line, where the scale starts, and links, which only a chart
// without a table puts in reach of the keyboard.
func TestChartNode(t *testing.T) {
	require.Nil(t, (*Chart)(nil).Node())
	c := &Chart{Title: "Balance <b>", Unit: "GLMR", From: "998", Bars: []Bar{{X: "0%", W: "10%", EVM: 7, Exact: "1 & 2", To: "/accounts?a=1&b=2"}, {X: "10%", W: "10%", Before: 33, Exact: "nothing"}}}
	text := drawn(t, c)
	require.Contains(t, text, "<figcaption>Balance &lt;b&gt;, GLMR; the scale starts at 998</figcaption>")
	require.Equal(t, 1, strings.Count(text, `<rect class="before" x="10%" y="33" width="10%" height="2">`))
	require.Equal(t, 1, strings.Count(text, `<a href="/accounts?a=1&amp;b=2" tabindex="-1">`))
	require.Equal(t, 1, strings.Count(text, "<a "))
	require.NotContains(t, text, "legend")
	c.Alone, c.From = true, ""
	text = drawn(t, c)
	require.Contains(t, text, `<a href="/accounts?a=1&amp;b=2" aria-label="1 &amp; 2">`)
	require.NotContains(t, text, "tabindex")
	require.NotContains(t, text, "scale")
}

// The words for a part of a slot state its ends that the ledger lacks.
func TestSlotWords(t *testing.T) {
	at := func(text string) time.Time {
		at, err := time.Parse("2006-01-02 15:04", text)
		require.NoError(t, err)
		return at
	}
	for want, c := range map[string][4]string{
		"to 08:30":          {"2026-02-01 00:00", "2026-02-02 00:00", "2026-02-01 00:00", "2026-02-01 08:30"},
		"from 08:30":        {"2026-02-01 00:00", "2026-02-02 00:00", "2026-02-01 08:30", "2026-02-02 00:00"},
		"08:30 to 09:00":    {"2026-02-01 00:00", "2026-02-02 00:00", "2026-02-01 08:30", "2026-02-01 09:00"},
		"to 14 Feb 08:30":   {"2026-02-01 00:00", "2026-03-01 00:00", "2026-02-01 00:00", "2026-02-14 08:30"},
		"from 2 Feb 00:00":  {"2026-02-01 00:00", "2026-03-01 00:00", "2026-02-02 00:00", "2026-03-01 00:00"},
		"not in the ledger": {},
		"10:15 to 10:45":    {"2026-02-01 10:00", "2026-02-01 11:00", "2026-02-01 10:15", "2026-02-01 10:45"},
	} {
		s := Slot{state: slotNone}
		if c[0] != "" {
			s = Slot{at(c[0]), at(c[1]), at(c[2]), at(c[3]), slotPartial}
		}
		require.Equal(t, want, s.Words())
	}
	require.Empty(t, (&Slot{state: slotComplete}).Words())
}
