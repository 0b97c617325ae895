package web_test

import (
	"encoding/csv"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web"
)

// steps returns the checklist of an overview with its heading: the state and the next action of each step.
func steps(t *testing.T, page, heading string) map[string][2]string {
	t.Helper()
	_, rest, found := strings.Cut(page, heading+"</h2>")
	require.True(t, found, page)
	list, _, _ := strings.Cut(rest, "</table>")
	matched := regexp.MustCompile(`(?s)<tr role="row"><td role="rowheader"[^>]*>(.*?)</td><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td></tr>`).FindAllStringSubmatch(list, -1)
	made := map[string][2]string{}
	for _, row := range matched {
		made[row[1]] = [2]string{row[2], row[3]}
	}
	require.Len(t, made, 5)
	return made
}

// The overview says what is missing until a month is closed, and where to do it.
func TestChecklist(t *testing.T) {
	d, dir, labels := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(shelf, 0o700))
	open := get(t, served(t, d, func(o *web.Options) {
		o.Ledgers[0].Place, o.Ledgers[0].Source, o.Ledgers[0].Gateway = "fees.db", nil, ""
	}), "/overview", nil)
	require.Equal(t, http.StatusOK, open.status, open.text)
	before := steps(t, open.text, `<h2 class="ok">January 2026 can be closed`)
	require.Equal(t, [2]string{"complete", ""}, before["in the ledger"])
	require.Equal(t, "none", before["findings"][0])
	require.Equal(t, `<a href="findings?period=2026-01">Findings</a>`, before["findings"][1])
	require.Equal(t, [2]string{"not checked", "fees serve --gateway URL --ledger fees.db"}, before["statements"])
	require.Equal(t, [2]string{"not compared", `<a href="reconcile?period=2026-01">Reconcile</a>`}, before["reconciled"])
	require.Equal(t, [2]string{"not closed", "fees close --month 2026-01 --accounts FILE -o 2026-01 --ledger fees.db"}, before["closed"])

	closeMonth(t, d, labels, filepath.Join(shelf, "2026-01"), "Operations")
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels, o.Ledgers[0].Packages = labels, shelf })
	after := steps(t, get(t, s, "/overview?period=2026-01", nil).text, `<h2 class="ok">January 2026 is closed`)
	require.Equal(t, [2]string{"version 1", `<a href="packages/2026-01">Package</a>`}, after["closed"])
	require.Equal(t, "closed without balances", after["statements"][0])
	require.Equal(t, "not compared", after["reconciled"][0])
}

// The page of the chain has the days of a month, the largest payers and contracts of all accounts. Its figures are those of
// the report, whatever accounts it passes on.
func TestChainOfAMonth(t *testing.T) {
	s := view(t, "ours")
	page := pageAt(t, s.url+"/chain?period=2025-02&accounts=group:ours")
	require.Contains(t, page, "<h1>Chain, February 2025</h1>")
	require.Contains(t, page, `<a class="turn" href="chain?accounts=group%3Aours&amp;period=2025-01" rel="prev"`)
	require.Contains(t, page, `<a class="turn" href="chain?accounts=group%3Aours&amp;period=2025-03" rel="next"`)
	require.Contains(t, page, `Fees by day: 28 bars`)
	require.Contains(t, page, `<a href="fees?accounts=all&amp;by=account&amp;partial=1&amp;period=2025-02-01..2025-02-01" tabindex="-1">`)
	for title, by := range map[string]string{"Top payers": "account", "Top contracts": "contract"} {
		_, rest, found := strings.Cut(page, "<h2>"+title+"</h2>")
		require.True(t, found)
		list, _, _ := strings.Cut(rest, "</table>")
		only := "&layer=evm"
		if by == "account" {
			only = ""
		}
		rows := rowsAt(t, s.url+"/fees.csv?period=2025-02&by="+by+only)
		require.Greater(t, len(rows), 7, title)
		at := slices.Index(rows[0], "fee")
		for i, row := range rows[1:] { // by fee, the largest first
			require.Equal(t, i < 5, strings.Contains(list, `<data value="`+row[at]+`">`), "%s %v", title, row)
		}
		require.Contains(t, list, ">others<")
	}
	require.Contains(t, pageAt(t, s.url+"/chain?period=2024-01"), "The ledger has no blocks of period=2024-01. Choose a month from 2025-01 to 2025-03.")
}

// pageAt returns the body of a response.
func pageAt(t *testing.T, url string) string {
	t.Helper()
	answer, err := http.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

// rowsAt returns the rows of a CSV file.
func rowsAt(t *testing.T, url string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(pageAt(t, url))).ReadAll()
	require.NoError(t, err)
	return rows
}
