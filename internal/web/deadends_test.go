package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web"
)

// An error page has the form as it was typed, and a remedy that works: each of its links leads to a page, and the form's
// own fields give the same error, not another.
func TestDeadEnds(t *testing.T) {
	s := served(t, filled(t, "0..27"), func(o *web.Options) { o.Ledgers[0].Labels = book(t, "address,label,group\n"+alith+",Alith,ours\n") })
	for path, want := range map[string]struct {
		status int
		has    []string
	}{
		"/fees?period=2026-01&partial=0":                  {http.StatusConflict, []string{`name="period" type="text" value="2026-01"`, "Show the part that the ledger contains", "fees sync --month 2026-01"}},
		"/fees?period=2026-01&by=colour":                  {http.StatusBadRequest, []string{`name="by" type="text" value="colour"`, `name="period" type="text" value="2026-01"`}},
		"/transactions?period=jan%22%3E":                  {http.StatusBadRequest, []string{`name="period" type="text" value="jan&#34;&gt;"`}},
		"/fees?accounts=Alice&zone=UTC":                   {http.StatusBadRequest, []string{`name="accounts" type="text" value="Alice"`, `name="zone" type="text" value="UTC"`}},
		"/account/" + alith + "/statement?period=2026-13": {http.StatusBadRequest, []string{`action="account/` + alith + `/statement"`}},
		"/tx/25-99":        {http.StatusNotFound, []string{`<a href="block/25">Block 25</a>`}},
		"/block/99":        {http.StatusNotFound, []string{`<a href="block/27">Block 27, the last sealed one</a>`}},
		"/nothing":         {http.StatusNotFound, []string{`<a href="overview">Overview</a>`}},
		"/lookup?q=nobody": {http.StatusNotFound, []string{`value="nobody"`, "a label"}},
	} {
		a := get(t, s, path, nil)
		require.Equal(t, want.status, a.status, path)
		for _, text := range want.has {
			require.Contains(t, a.text, text, path)
		}
		_, ways, some := strings.Cut(a.text, `<ul class="ways">`)
		require.True(t, some, path)
		ways, _, _ = strings.Cut(ways, "</ul>")
		for _, part := range strings.Split(ways, `<a href="`)[1:] {
			to, _, _ := strings.Cut(part, `"`)
			require.Equal(t, http.StatusOK, get(t, s, "/"+strings.ReplaceAll(to, "&amp;", "&"), nil).status, to)
		}
	}
}

// A part of a label, a group or an address is enough for the look-up, and a list is shown where several match.
func TestLookUpParts(t *testing.T) {
	labels := "address,label,group\n" + alith + ",Bridge one,Bridges\n0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0,Bridge two,\n"
	s := served(t, filled(t, "0..27"), func(o *web.Options) { o.Ledgers[0].Labels = book(t, labels) })
	for text, to := range map[string]string{"one": "/account/" + alith, "0xF24f": "/account/" + alith, "group:bridges": "/fees?accounts=group%3ABridges", "2026-01-01": "/fees?partial=1&period=2026-01-01..2026-01-01"} {
		a := get(t, s, "/lookup?q="+url.QueryEscape(text), nil)
		require.Equal(t, http.StatusSeeOther, a.status, text)
		require.Equal(t, to, a.header.Get("Location"))
	}
	a := get(t, s, "/lookup?q=bridge", nil)
	require.Equal(t, http.StatusOK, a.status)
	rows := tableOfList(t, a.text)
	require.Len(t, rows, 4, "the heading, a group and two accounts")
	require.Contains(t, a.text, `<option value="Bridge two">`, "the field suggests it")
}

// The remedies of a period that the ledger lacks keep all accounts, and a complete month replaces a range of days.
func TestDeadEndOfDays(t *testing.T) {
	const account = "0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0"
	d, _, labels := monthEnd(t)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = labels })
	a := get(t, s, "/fees?from=2026-02-01&to=2026-02-10&accounts="+alith+"&accounts="+account+"&accounts=&by=month&partial=0", nil)
	require.Equal(t, http.StatusConflict, a.status, a.text)
	accounts := "fees?accounts=" + alith + "%2C" + account + "&amp;by=month&amp;"
	for text, to := range map[string]string{
		"Show the part that the ledger contains":     accounts + "partial=1&amp;period=2026-02-01..2026-02-10",
		"Show January 2026, the last complete month": accounts + "period=2026-01",
	} {
		require.Contains(t, a.text, `<a href="`+to+`">`+text+`</a>`)
		require.Equal(t, http.StatusOK, get(t, s, "/"+strings.ReplaceAll(to, "&amp;", "&"), nil).status, to)
	}
}

// Where the months could not be read, nothing says that there are none.
func TestMonthsThatCannotBeRead(t *testing.T) {
	d := filled(t, "3..27")
	s := served(t, d, nil)
	require.NoError(t, d.Close())
	for _, path := range []string{"/lookup?q=0.1", "/lookup?q=Balances.transfer", "/overview"} {
		require.GreaterOrEqual(t, get(t, s, path, nil).status, http.StatusInternalServerError, path)
	}
}
