package web_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web"
)

// The months of the picker have the states of the ledger, and a month with a close package is closed. Only a complete
// month is opened without partial.
func TestMonthsOfTheBar(t *testing.T) {
	d, dir, labels := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels, o.Ledgers[0].Packages = labels, shelf })
	page := get(t, s, "/fees?period=2026-01&partial=1", nil).text
	require.Contains(t, page, `<a href="fees?period=2026-01" class="complete" aria-current="true">Jan <small>✓ complete</small></a>`)
	require.Contains(t, page, `<a href="fees?partial=1&amp;period=2026-02" class="partial">Feb <small>partial</small></a>`)
	require.Contains(t, page, `<span class="state complete">complete</span>`)
	require.Equal(t, http.StatusSeeOther, get(t, s, "/fees?period=2026-02", nil).status, "it is partial")
	closeMonth(t, d, labels, filepath.Join(shelf, "2026-01"), "group:company")
	require.Contains(t, get(t, s, "/fees?period=2026-01&partial=1", nil).text, `class="closed" aria-current="true">Jan <small>■ closed</small></a>`, "the page is not an old one")
}

// Everything chosen is in the address: checkboxes are a list, days are a period, and each chip removes what it names.
func TestBarAddresses(t *testing.T) {
	const account = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	d := filled(t, "0..27")
	labels := book(t, "address,label,group\n"+account+",Payments,ours\n"+alith+",Alith,ours\n")
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = labels })
	listed := get(t, s, "/api/v1/report?accounts="+account+","+alith, nil).text
	require.Equal(t, listed, get(t, s, "/api/v1/report?accounts="+account+"&accounts="+alith+"&accounts=", nil).text)
	require.Equal(t, http.StatusBadRequest, get(t, s, "/fees?zone=UTC&zone=UTC", nil).status, "other parameters are given once")
	require.Equal(t, http.StatusBadRequest, get(t, s, "/fees?period=3..27&from=2026-01-01&to=2026-01-01", nil).status)

	page := get(t, s, "/fees?period=3..27&status=reverted&by=account&accounts="+url.QueryEscape("group:ours")+","+alith, nil).text
	for text, to := range map[string]string{"Status: reverted": "fees?accounts=group%3Aours%2C" + alith + "&amp;by=account&amp;period=3..27", "Account: ours": "fees?accounts=" + alith + "&amp;by=account&amp;period=3..27&amp;status=reverted"} {
		require.Contains(t, page, `<a class="chip" href="`+to+`">`+text+" ")
	}
	require.Contains(t, page, `<input name="accounts" type="checkbox" value="group:ours" checked> ours`)
	require.Contains(t, get(t, s, "/fees?period=2026-01&partial=1&compare=2026-02", nil).text, ">Compare with: February 2026 ")
	require.NotContains(t, strings.Split(page, `<input name="accounts" type="text" value="`)[1][:5], "0x", "a label is a choice")
}

// Pages without a period have no view bar, and the months of the overview are overviews.
func TestPagesWithoutABar(t *testing.T) {
	d, dir, labels := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	closeMonth(t, d, labels, filepath.Join(shelf, "2026-01"), "Operations")
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels, o.Ledgers[0].Packages = labels, shelf })
	const bar = `<section class="bar"`
	for _, path := range []string{"/packages", "/packages/2026-01", "/accounts", "/account/" + alith, "/block/5", "/tx/9999-1", "/fees?period=2031-01", "/nothing", "/reconcile"} {
		require.NotContains(t, get(t, s, path, nil).text, bar, path)
	}
	for _, path := range []string{"/overview", "/fees", "/transactions", "/findings", "/account/" + alith + "/statement?balances=none"} {
		require.Contains(t, get(t, s, path, nil).text, bar, path)
	}
	page := get(t, s, "/overview?period=2026-01", nil).text
	require.Contains(t, page, `<a href="overview?period=2026-02" class="partial">Feb `)
	require.Contains(t, page, `<a class="turn" href="overview?period=2026-02" rel="next"`)
}
