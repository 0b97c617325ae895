package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/web"
)

// Dates are read in the forms that pages and people write.
func TestLookedUpDates(t *testing.T) {
	const first = "2025-12-01..2025-12-01"
	for text, want := range map[string]string{
		"2025-12": "2025-12", "dec 2025": "2025-12", "Dec 2025": "2025-12", "DECEMBER 2025": "2025-12", "2025-12-01": first, "1 Dec 2025": first, "01 dec 2025": first, "Mon 1 Dec 2025": first,
		"Monday, 1 December 2025": first, "Dec 1, 2025": first, "1 Dec 2025 00:01:48": first, "2025-12-01T00:01:48Z": first, "2025-12-01 00:01:48.5 UTC": first, "1 Dec": first, "Mon 1 Dec": first, "1\u00a0Dec\u20092025": first,
		"29 Feb 2024": "2024-02-29..2024-02-29", "29 Feb 2025": "", "32 Dec 2025": "", "dec": "", "2025": "", "25-7": "", "1 Foo 2025": "", "": "", "Bridge 2025": "",
	} {
		period, ok := web.PeriodOf(text, "2025")
		require.Equal(t, want, period, text)
		require.Equal(t, want != "", ok, text)
	}
}

// An amount is a range: all that begins with its digits. Numbers without a point, a unit or a sign that they are cut are
// heights, unless they are as long as amounts in wei.
func TestLookedUpAmounts(t *testing.T) {
	token := console.Token{Symbol: "GLMR"}
	nines := func(decimals string) string { return decimals + strings.Repeat("9", 18-len(decimals)) }
	zeros := func(decimals string) string { return decimals + strings.Repeat("0", 18-len(decimals)) }
	for text, want := range map[string][2]string{
		"28.72": {"28." + zeros("72"), "28." + nines("72")}, "28.718 234…": {"28." + zeros("718234"), "28." + nines("718234")}, "−55.23 GLMR": {"55." + zeros("23"), "55." + nines("23")},
		"1,818.5": {"1818." + zeros("5"), "1818." + nines("5")}, "28 glmr": {"28." + zeros(""), "28." + nines("")}, "28…": {"28." + zeros(""), "28." + nines("")},
		"0.005215236000000000": {"0.005215236000000000", "0.005215236000000000"}, "5215236000000000": {"0.005215236000000000", "0.005215236000000000"}, "1 wei": {"0.000000000000000001", "0.000000000000000001"},
		"12345678901234567890 wei": {"12.345678901234567890", "12.345678901234567890"},
		"25":                       {}, "25-7": {}, "1.2.3": {}, "28 EUR": {}, "0.0": {}, "abc": {}, "0.0052152360000000001": {}, "1.5 wei": {}, strings.Repeat("9", 41) + ".0": {}, "": {}, ".": {},
	} {
		from, to, ok := web.AmountOf(text, token)
		require.Equal(t, want, [2]string{from, to}, text)
		require.Equal(t, want[0] != "", ok, text)
	}
	from, to, ok := web.AmountOf("0.5 DOT", console.Token{Symbol: "DOT", Decimals: 10})
	require.True(t, ok)
	require.Equal(t, [2]string{"0.5000000000", "0.5999999999"}, [2]string{from, to})
}

// Addresses and hashes are found by the ends that pages show.
func TestLookedUpEnds(t *testing.T) {
	for text, want := range map[string][2]string{
		"0x7e9D…3387": {"0x7e9D", "3387"}, "0x7e9D...3387": {"0x7e9D", "3387"}, "5Grw…utQY": {"5Grw", "utQY"}, "0x7e9D": {"0x7e9D", ""},
	} {
		first, last, ok := web.EndsOf(text)
		require.True(t, ok, text)
		require.Equal(t, want, [2]string{first, last}, text)
	}
	for _, text := range []string{"7e9D", "0x", "0xzz…3387 x", "…3387", "Bridge…", "25…"} {
		_, _, ok := web.EndsOf(text)
		require.False(t, ok, text)
	}
}

// Whatever a page shows can be looked up: it leads to its page, or to a list of several.
func TestLookUp(t *testing.T) {
	const other = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	s := served(t, filled(t, "0..27"), func(o *web.Options) {
		o.Ledgers[0].Labels = book(t, "address,label,group\n"+other+",Dec one,ours\n")
	})
	one := parsed(t, get(t, s, "/api/v1/transactions/25-7", nil).text)
	hash, evmHash := one["hash"].(string), one["evm_hash"].(string)
	short := func(name string) string { return name[:6] + "…" + name[len(name)-4:] }
	about := "&period=3..27&accounts=all"
	for text, to := range map[string]string{
		short(alith): "/account/" + alith, strings.ToLower(short(alith)): "/account/" + alith, short(other): "/account/" + other, alith[:9]: "/account/" + alith,
		short(hash): "/tx/25-7", short(evmHash): "/tx/25-7", "1 Jan 2026": "/fees?accounts=all&partial=1&period=2026-01-01..2026-01-01", "jan 2026": "/fees?accounts=all&partial=1&period=2026-01", "Dec one": "/account/" + other,
		"balances.transfer_allow_death": "/transactions?accounts=all&call=balances.transfer_allow_death&partial=1&period=3..27",
	} {
		a := get(t, s, "/lookup?q="+url.QueryEscape(text)+about, nil)
		if strings.HasPrefix(text, "balances.") && a.status == http.StatusNotFound {
			continue // the demo has no such call
		}
		require.Equal(t, http.StatusSeeOther, a.status, "%s\n%s", text, a.text)
		require.Equal(t, to, a.header.Get("Location"), text)
	}
	// 0.005215236000000000 is the fee of 25-7, as the recording of the chain has it.
	for _, text := range []string{"0.005215236000000000", "0.005215…", "0.005 215 236 GLMR", "5215236000000000"} {
		a := get(t, s, "/lookup?q="+url.QueryEscape(text)+about, nil)
		if a.status == http.StatusSeeOther {
			require.Equal(t, "/tx/25-7", a.header.Get("Location"), text)
			continue
		}
		require.Equal(t, http.StatusOK, a.status, text)
		require.Contains(t, a.text, `<a href="tx/25-7">25-7</a>`, text)
		require.Contains(t, a.text, `<data value="5215236000000000">`, text)
		require.Contains(t, a.text, "matches this in 3..27.")
	}
	for _, text := range []string{"0.777777", "0xabcd…ef01", "no.such_call"} {
		a := get(t, s, "/lookup?q="+url.QueryEscape(text)+about, nil)
		require.Equal(t, http.StatusNotFound, a.status, text)
		require.Contains(t, a.text, " in 3..27. Try a height", text)
	}
	elsewhere := get(t, s, "/lookup?q=0.005215236&period=3..4&accounts="+other, nil)
	require.Equal(t, http.StatusNotFound, elsewhere.status, "only what the page is about is searched")
	form := get(t, s, "/fees?period=3..27&accounts="+alith, nil).text
	require.Contains(t, form, `role="search"><input type="hidden" name="accounts" value="`+alith+`"><input type="hidden" name="period" value="3..27">`)
}
