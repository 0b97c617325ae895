package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A page about an incomplete period leads to what the ledger contains of it, and each total says so; a program must ask
// for a part.
func TestPartsOfPeriods(t *testing.T) {
	s := served(t, filled(t, "3..27"), nil)
	for _, page := range []string{"/fees", "/transactions", "/findings", "/account/" + alith + "/statement"} {
		a := get(t, s, page+"?period=2026-01", nil)
		require.Equal(t, http.StatusSeeOther, a.status, page)
		require.Equal(t, page+"?partial=1&period=2026-01", a.header.Get("Location"))
		require.Equal(t, http.StatusOK, get(t, s, page+"?partial=1&period=2026-01", nil).status, page)
	}
	for _, file := range []string{"/fees.csv", "/fees.json", "/fees.xlsx", "/fees.parquet", "/findings.csv", "/transactions.csv", "/api/v1/report"} {
		require.Equal(t, http.StatusConflict, get(t, s, file+"?period=2026-01", nil).status, file)
	}
	require.Equal(t, http.StatusConflict, get(t, s, "/fees?period=2027-01", nil).status) // nothing of it

	page := get(t, s, "/fees?partial=1&period=2026-01", nil).text
	const part = "known part, 1 Jan 00:00 to 1 Jan 00:05, 0.1 of 31 days"
	require.Contains(t, page, "<dt>fees paid, "+part+"</dt>")
	require.Contains(t, page, ">"+part+"</td>")
	require.Contains(t, page, "Fri 2 Jan 2026 to Sat 31 Jan 2026</td>")
	require.Contains(t, page, ">not in the ledger</text>") // in the chart
	require.Contains(t, page, "00:00 to 00:05</td>")
	require.Contains(t, page, "Known part: January 2026 is incomplete, missing its end: the ledger is sealed up to block 27 (1 Jan 2026 00:05:12 UTC)")
	require.NotContains(t, page, "100.00")

	require.Contains(t, get(t, s, "/chain?period=2026-01", nil).text, "<dt>fees paid, "+part+"</dt>")
	require.Contains(t, get(t, s, "/chain?period=2026-01", nil).text, "Top payers, "+part)
	require.Contains(t, get(t, s, "/overview?period=2026-01", nil).text, " "+part+"</p>")

	lines := strings.Split(get(t, s, "/fees.csv?partial=1&period=2026-01", nil).text, "\n")
	require.Regexp(t, "^2026-01-01,partial,[1-9]", lines[1])
	require.Regexp(t, "^2026-01-02,none,,,", lines[2])
}

// The page of the API shows the request of the view that the reader came from, and nothing of another server.
func TestAboutAPI(t *testing.T) {
	s := served(t, filled(t, "3..27"), nil)
	for view, request := range map[string]string{
		"/fees?by=call&period=3..27&sort=-fee": "/api/v1/report?by=call&period=3..27",
		"/tx/25-7":                             "/api/v1/transactions/25-7",
		"/block/25":                            "/api/v1/blocks/25",
		"/account/" + alith:                    "/api/v1/accounts/" + alith,
		"/account/" + alith + "/statement?period=1..": "/api/v1/accounts/" + alith + "/statement?period=1..",
	} {
		a := get(t, s, "/api?view="+strings.NewReplacer("/", "%2F", "?", "%3F", "=", "%3D", "&", "%26").Replace(view), nil)
		require.Equal(t, http.StatusOK, a.status, view)
		require.Contains(t, strings.ReplaceAll(a.text, "&amp;", "&"), s.URL+request, view)
		require.Contains(t, a.text, "/api/v1/openapi.json")
	}
	for _, view := range []string{"", "/overview", "//example.org/fees", "https://example.org/fees", "/fees/../../x", "%zz"} {
		a := get(t, s, "/api?view="+strings.ReplaceAll(view, "%", "%25"), nil)
		require.Equal(t, http.StatusOK, a.status, view)
		require.NotContains(t, a.text, "curl ", view)
	}
	require.Contains(t, get(t, s, "/fees?period=3..27", nil).text, `href="api?view=%2Ffees%3Fperiod%3D3..27"`)
}

// A transaction leads to those before and after it, across blocks without any.
func TestNeighbours(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	seen, previous := 0, ""
	next := between(get(t, s, "/transactions?limit=1", nil).text, `href="tx/`, `"`)
	require.NotEmpty(t, next)
	for next != "" {
		page := get(t, s, "/tx/"+next, nil).text
		if seen++; previous == "" {
			require.NotContains(t, page, "Previous transaction")
		} else {
			require.Contains(t, page, `<a href="tx/`+previous+`">Previous transaction</a>`)
		}
		previous, next = next, between(page, `Previous transaction</a> <a href="tx/`, `">Next transaction`)
		if seen == 1 {
			next = between(page, `<p class="around"><a href="tx/`, `">Next transaction`)
		}
	}
	require.Greater(t, seen, 20)
}

// between returns the text between two others; "" if they do not follow each other.
func between(text, after, before string) string {
	_, text, ok := strings.Cut(text, after)
	found, _, ends := strings.Cut(text, before)
	if !ok || !ends || strings.ContainsAny(found, "<>\n") {
		return ""
	}
	return found
}
