package web_test

import (
	"bytes"
	"fmt"
	"html"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web"
)

// columnAt returns a column of a CSV file.
func columnAt(t *testing.T, url, name string) (values []string) {
	t.Helper()
	rows := rowsAt(t, url)
	at := slices.Index(rows[0], name)
	require.GreaterOrEqual(t, at, 0, name)
	for _, row := range rows[1:] {
		values = append(values, row[at])
	}
	return values
}

// sumAt adds up a column of wei.
func sumAt(t *testing.T, url, name string) *big.Int {
	t.Helper()
	sum := new(big.Int)
	for _, text := range columnAt(t, url, name) {
		if text == "" { // a day that the ledger lacks
			continue
		}
		n, ok := new(big.Int).SetString(text, 10)
		require.True(t, ok, text)
		sum.Add(sum, n)
	}
	return sum
}

// The overview answers what the accounts paid in a month, and how that compares with the month before. The expected figures
// are sums of transactions, each read from the downloads.
func TestOverviewOfAMonth(t *testing.T) {
	s := view(t, "ours")
	for _, accounts := range []string{"all", "group%3Aours"} {
		about := "&accounts=" + accounts
		fees := map[string]*big.Int{}
		for _, month := range []string{"2025-01", "2025-02"} {
			fees[month] = sumAt(t, s.url+"/transactions.csv?period="+month+about, "fee")
		}
		count := len(columnAt(t, s.url+"/transactions.csv?period=2025-02"+about, "id"))
		page := pageAt(t, s.url+"/overview?period=2025-02"+about)
		require.Contains(t, page, "<h1>Overview, February 2025</h1>")
		_, rest, found := strings.Cut(page, `<section class="answer" aria-label="February 2025">`)
		require.True(t, found)
		answer, _, _ := strings.Cut(rest, "</section>")
		require.Contains(t, answer, `February 2025: <data value="`+fees["2025-02"].String()+`">`)
		require.Contains(t, answer, fmt.Sprintf(`<a href="transactions?accounts=%s&amp;period=2025-02">%d transaction`, accounts, count))
		require.Contains(t, answer, map[string]string{"all": " of all accounts", "group%3Aours": ">1 account</a>"}[accounts])
		apart := new(big.Int).Sub(fees["2025-02"], fees["2025-01"])
		require.NotZero(t, apart.Sign())
		percent, _ := new(big.Rat).SetFrac(new(big.Int).Mul(apart, big.NewInt(100)), fees["2025-01"]).Float64()
		sign := map[bool]string{true: "+", false: "−"}[apart.Sign() > 0]
		require.Contains(t, answer, `<data value="`+apart.String()+`">`+sign)
		require.Contains(t, answer, sign+strings.TrimPrefix(fmt.Sprintf("%.2f", percent), "-")+" %</a> against")
		require.Contains(t, answer, `<a href="overview?accounts=`+accounts+`&amp;period=2025-01">January 2025</a>`)

		_, rest, _ = strings.Cut(page, "<h2>Months</h2>")
		months, _, _ := strings.Cut(rest, "</table>")
		for month, fee := range fees {
			require.Contains(t, months, `<a href="fees?accounts=`+accounts+`&amp;period=`+month+`"><data value="`+fee.String()+`">`)
		}
		require.Contains(t, answer, ">"+feesInEUR(t, s.url+"/fees.json?by=month&price=EUR&period=2025-02"+about)+" EUR</a>")
	}
	partial := pageAt(t, s.url+"/overview?period=2025-03&accounts=all")
	require.NotContains(t, partial, "against", "a partial month is not compared")
	require.Contains(t, partial, "known part")
	require.Equal(t, [2]string{"partial", "fees sync --month 2025-03 --gateway http://127.0.0.1:1"}, steps(t, partial, `<h2 class="bad">March 2025 cannot be closed yet`)["in the ledger"])
	require.Contains(t, pageAt(t, s.url+"/overview?period=2024-01"), "The ledger has no blocks of period=2024-01. Choose a month from 2025-01 to 2025-03.")
	require.Contains(t, pageAt(t, s.url+"/overview?period=2025-02-01..2025-02-03"), "<h1>Fees of moonbeam by day", "the overview is of months")
}

// feesInEUR returns the value of the fees in a report.
func feesInEUR(t *testing.T, url string) string {
	t.Helper()
	return parsed(t, pageAt(t, url))["totals"].(map[string]any)["fee_eur"].(string)
}

// Pages whose address names no accounts are those of the company: of the server, or the one chosen in the browser. The
// address then names it, and links keep it.
func TestCompany(t *testing.T) {
	d := filled(t, "0..27")
	labels := book(t, "address,label,group\n"+alith+",Alith,ours\n0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0,Baltathar,theirs\n")
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels, o.Ledgers[0].Company = labels, "group:ours" })
	to := func(path string, change func(*http.Request)) string {
		t.Helper()
		a := get(t, s, path, change)
		if a.status != http.StatusSeeOther {
			require.Equal(t, http.StatusOK, a.status, a.text)
			return ""
		}
		return a.header.Get("Location")
	}
	for path, want := range map[string]string{
		"/overview":                       "/overview?accounts=group%3Aours",
		"/fees?period=3..27&by=call":      "/fees?period=3..27&by=call&accounts=group%3Aours",
		"/transactions":                   "/transactions?accounts=group%3Aours",
		"/reconcile":                      "/reconcile?accounts=group%3Aours",
		"/fees?accounts=all":              "",
		"/fees?accounts=":                 "",
		"/fees?accounts=" + alith:         "",
		"/fees.csv":                       "", // files and programs get what they ask for
		"/api/v1/report":                  "",
		"/chain":                          "",
		"/accounts?accounts=group%3Aours": "",
	} {
		require.Equal(t, want, to(path, nil), path)
	}
	for _, path := range []string{"/overview?accounts=group:ours", "/fees?accounts=group:ours&period=3..27&zone=Europe/Berlin", "/accounts?accounts=group:ours&partial=1&period=2026-01"} {
		page := get(t, s, path, nil).text
		for _, other := range []string{"overview", "fees", "transactions", "accounts", "findings", "reconcile", "chain"} {
			require.Regexp(t, `<a href="`+other+`\?accounts=group%3Aours`, page, path)
		}
	}
	require.Contains(t, get(t, s, "/accounts?partial=1&period=2026-01&accounts=all&price=", nil).text, `href="fees?accounts=all&amp;partial=1&amp;period=2026-01"`)
	require.Equal(t, http.StatusOK, get(t, s, "/findings?accounts=group:ours", nil).status, "findings are of all accounts, and pass these on")

	company := func(page string, fields url.Values) got { return sendFields(t, s, "/company/"+page, fields, nil) }
	chosen := company("fees", url.Values{"accounts": {"group:theirs", ""}, "period": {"3..27"}})
	require.Equal(t, http.StatusSeeOther, chosen.status, chosen.text)
	require.Equal(t, "/fees?accounts=group%3Atheirs&period=3..27", chosen.header.Get("Location"))
	cookie := chosen.header.Get("Set-Cookie")
	require.Contains(t, cookie, "Path=/; ")
	value, _, _ := strings.Cut(cookie, ";")
	with := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Cookie", value) }
	}
	require.Equal(t, "/overview?accounts=group%3Atheirs", to("/overview", with(value)))
	all := company("overview", url.Values{"accounts": {""}}).header.Get("Set-Cookie")
	value, _, _ = strings.Cut(all, ";")
	require.Empty(t, to("/overview", with(value)), "all accounts, chosen in the browser")
	for _, odd := range []string{"company=group%3Agone", "company=%zz", "company=", "company=/etc/passwd", "company=" + strings.Repeat("a", 5000)} {
		require.Equal(t, "/overview?accounts=group%3Aours", to("/overview", with(odd)), "the company of the server")
	}
	require.Equal(t, http.StatusBadRequest, company("fees", url.Values{"accounts": {"nobody"}}).status)
	require.NotContains(t, company("%2f%2fevil.example", url.Values{"accounts": {"all"}}).header.Get("Location"), "//")
	require.NotEqual(t, http.StatusSeeOther, get(t, s, "/company/fees?accounts=all", nil).status, "a link chooses nothing")
	elsewhere := sendFields(t, s, "/company/fees", url.Values{"accounts": {"all"}}, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	require.Equal(t, http.StatusForbidden, elsewhere.status)
	require.Empty(t, elsewhere.header.Get("Set-Cookie"))
}

// Of the two buttons of the menu of accounts, one also stores them.
func TestCompanyIsChosenInTheMenu(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	page := get(t, s, "/fees?period=3..27", nil).text
	require.Contains(t, page, `<button formmethod="post" formaction="company/fees" name="token" value="" class="plain">`)
	require.True(t, bytes.Contains([]byte(get(t, s, "/overview", nil).text), []byte(`formaction="company/overview"`)))
}

// Each row of a report links to what it adds up: the fees there are those of the row.
func TestRowsLinkToWhatTheyAddUp(t *testing.T) {
	s := view(t, "ours")
	link := regexp.MustCompile(`<tr role="row"><td role="rowheader"[^>]*><a href="((?:fees|transactions)[^"]*)">`)
	amount := regexp.MustCompile(`<data value="([0-9]+)">`)
	for _, by := range []string{"month", "day", "label", "group", "layer", "status", "type", "call"} {
		page := pageAt(t, s.url+"/fees?period=2025&partial=1&by="+by+"&accounts=group:ours")
		body, _, _ := strings.Cut(page[strings.Index(page, "<tbody"):], "</tbody>")
		count := 0
		for _, row := range strings.SplitAfter(body, "</tr>") {
			found := link.FindStringSubmatch(row)
			if found == nil {
				continue
			}
			path, query, _ := strings.Cut(html.UnescapeString(found[1]), "?")
			require.Equal(t, amount.FindStringSubmatch(row)[1], sumAt(t, s.url+"/"+path+".csv?"+query, "fee").String(), found[1])
			if count++; count == 5 {
				break
			}
		}
		require.NotZero(t, count, by)
	}
}

// A comparison is chosen from a list, its columns are named by their period, and rows and bars stay links.
func TestComparisonIsChosen(t *testing.T) {
	s := view(t, "ours")
	page := pageAt(t, s.url+"/fees?period=2025-02&compare=before")
	_, list, _ := strings.Cut(page, `<select name="compare">`)
	list, _, _ = strings.Cut(list, "</select>")
	require.Equal(t, `<option value="">nothing</option><option value="before" selected>the period before: January 2025</option><option value="2025-03">March 2025</option><option value="2025-01">January 2025</option><option value="2025">2025</option>`, list)
	require.Contains(t, page, "fee in January 2025, GLMR")
	require.NotContains(t, page, "fee before")
	day := `<a href="fees?by=account&amp;partial=1&amp;period=2025-02-03..2025-02-03"`
	require.Equal(t, 2, strings.Count(page, day), "the row and the bar")
	require.Contains(t, pageAt(t, s.url+"/fees?period=2025-02-02..2025-02-03&compare=2025-01"), `<option value="2025-01" selected>January 2025</option>`)
	require.Contains(t, pageAt(t, s.url+"/fees?period=2025-02&compare=2024-07"), "2024-07")
}
