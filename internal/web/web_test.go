package web_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
)

// everyPage is each kind of page.
var everyPage = []string{
	"/overview", "/chain", "/fees", "/fees?period=3..27&by=account", "/fees?period=2026-01&partial=1&zone=Europe%2FBerlin", "/tx/25-7", "/tx/3-4", "/block/25", "/block/0",
	"/account/" + alith, "/account/" + alith + "/statement?balances=none", "/account/" + alith + "/rollforward?period=1..27&balances=none", "/contract/" + alith,
	"/transactions", "/accounts", "/accounts/rollforward?accounts=" + alith + "&balances=none", "/findings",
	"/deposits", "/deposits?part=changes&period=3..27",
	"/variance?period=14..27", "/variance?period=20..27&against=3..10&step=gas&accounts=" + alith,
}

// A page needs no other host, has no inline script, is small, and is cached by the browser.
func TestPages(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	for _, path := range everyPage {
		a := get(t, s, path, nil)
		require.Equal(t, http.StatusOK, a.status, "%s\n%s", path, a.text)
		require.Equal(t, "text/html; charset=utf-8", a.header.Get("Content-Type"))
		require.Contains(t, a.header.Get("Content-Security-Policy"), "default-src 'none'")
		require.NotContains(t, foreign(a.text), "<script")
		require.NotContains(t, a.text, " style=")
		require.Empty(t, regexp.MustCompile(`(?:src|href|action)="(?:https?:)?//`).FindString(a.text), "nothing comes from elsewhere")
		require.Less(t, len(a.text), 150_000, path)
		require.Contains(t, a.text, "sealed blocks 0..27")
		require.Equal(t, 1, strings.Count(a.text, "<h1>"))
		tag := a.header.Get("ETag")
		require.NotEmpty(t, tag, path)
		again := get(t, s, path, func(r *http.Request) { r.Header.Set("If-None-Match", `"other", W/`+tag) })
		require.Equal(t, http.StatusNotModified, again.status)
		require.Empty(t, again.text)
	}
	require.Contains(t, get(t, s, "/style.css", nil).text, "prefers-color-scheme: dark")
	require.Equal(t, "ok\n", get(t, s, "/healthz", nil).text)
	require.Equal(t, "ok\n", get(t, s, "/readyz", nil).text)
	require.Equal(t, "/overview", get(t, s, "/", nil).header.Get("Location"))
}

// Answers about a past period stay the same while the chain grows, and are the same on a server started later; all
// others change.
func TestPeriodsThatAreOver(t *testing.T) {
	place := filepath.Join(t.TempDir(), "fees.db")
	fill(t, place, "0..20")
	d, err := app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	s := served(t, d, nil)
	over := []string{"/fees?period=3..15", "/fees?period=3..15&by=account", "/api/v1/report?period=3..15", "/transactions?period=3..15", "/api/v1/transactions?period=3..15", "/contract/" + alith + "?period=3..15", "/findings?period=0..3", "/findings.csv?period=0..3"}
	grows := []string{"/fees", "/fees?period=3..20", "/fees?period=3..27&partial=1", "/api/v1/report?period=2026-01&partial=1", "/overview", "/block/25", "/account/" + alith}
	before := map[string]got{}
	for _, path := range slices.Concat(over, grows) {
		before[path] = get(t, s, path, nil)
	}
	require.Contains(t, before[over[0]].text, "sealed blocks 3..15, last hash 0x")
	fill(t, place, "0..27")
	later := served(t, d, nil)
	for _, path := range over {
		was := before[path]
		require.Equal(t, http.StatusNotModified, get(t, s, path, func(r *http.Request) { r.Header.Set("If-None-Match", was.header.Get("ETag")) }).status, path)
		require.Equal(t, was.text, get(t, later, path, nil).text, path)
	}
	for _, path := range grows {
		now := get(t, s, path, func(r *http.Request) { r.Header.Set("If-None-Match", before[path].header.Get("ETag")) })
		require.Equal(t, http.StatusOK, now.status, path)
		require.Equal(t, get(t, later, path, nil).text, now.text, path)
	}
}

// Several ledgers are served below their names: their pages link to each other, and other links stay within
// the ledger.
func TestSeveralLedgers(t *testing.T) {
	first, second := filled(t, "0..27"), filled(t, "0..24")
	s := served(t, first, func(o *web.Options) {
		o.Ledgers[0].Name, o.Ledgers[0].Place = "one", "one.db"
		o.Ledgers = append(o.Ledgers, web.Served{Name: "two", Ledger: second, Network: "moonbeam", Place: "two.db"})
	})
	require.Equal(t, "/months", get(t, s, "/", nil).header.Get("Location"))
	months := get(t, s, "/months", nil).text
	require.Contains(t, months, `<a class="ledger" href="/months" aria-current="true">All</a>`)
	require.Contains(t, months, "There is no total: two ledgers are of the same chain, and its fees would count twice.")
	require.Contains(t, months, `<a href="two/fees?`)
	require.Equal(t, http.StatusBadRequest, get(t, s, "/months?x=1", nil).status)
	require.Equal(t, "/two/overview", get(t, s, "/two/", nil).header.Get("Location"))
	require.Equal(t, "/two/block/24", get(t, s, "/two/lookup?q=24", nil).header.Get("Location"))
	page := get(t, s, "/two/overview", nil).text
	require.Contains(t, page, `<base href="/two/">`)
	require.Contains(t, page, `<a class="ledger" href="/one/overview">one</a>`)
	require.Contains(t, page, `<a class="ledger" href="/two/overview" aria-current="true">two</a>`)
	require.Contains(t, page, "sealed blocks 0..24")
	require.Contains(t, get(t, s, "/one/fees", nil).text, "fees report --ledger one.db")
	require.Equal(t, http.StatusNotFound, get(t, s, "/two/block/25", nil).status)
	require.Equal(t, http.StatusOK, get(t, s, "/one/block/25", nil).status)
	for _, path := range []string{"/fees", "/three/fees", "/two/nothing"} {
		require.Equal(t, http.StatusNotFound, get(t, s, path, nil).status, path)
	}
	require.Equal(t, "application/problem+json", get(t, s, "/two/api/v1/blocks/25", nil).header.Get("Content-Type"))
	require.Equal(t, "ok\n", get(t, s, "/readyz", nil).text)
	require.Contains(t, get(t, s, "/two/style.css", nil).text, "prefers-color-scheme")
}

// The table, the files and the JSON have the same source: package app, like the command line.
func TestFeesAreTheReport(t *testing.T) {
	d := filled(t, "0..27")
	s := served(t, d, nil)
	for _, by := range report.Groupings() {
		if by.Labelled() {
			continue
		}
		made, err := d.Report(t.Context(), app.Request{Period: app.Heights(3, 27)}, report.Choice{By: by})
		require.NoError(t, err)
		var want bytes.Buffer
		require.NoError(t, made.Document().JSON(&want))
		query := "?period=3..27&by=" + string(by)
		require.Equal(t, want.String(), get(t, s, "/api/v1/report"+query, nil).text)
		require.Equal(t, want.String(), get(t, s, "/fees.json"+query, nil).text)

		rows, err := csv.NewReader(strings.NewReader(get(t, s, "/fees.csv"+query, nil).text)).ReadAll()
		require.NoError(t, err)
		fee := slices.Index(rows[0], "fee")
		page := get(t, s, "/fees"+query, nil).text
		page = bare(page)
		table := page[strings.Index(page, "<tbody>"):strings.Index(page, "</tbody>")]
		require.Equal(t, len(rows)-1, strings.Count(table, "<tr>"), by)
		for i, line := range strings.Split(table, "<tr>")[1:] {
			require.Contains(t, line, `<data value="`+rows[i+1][fee]+`">`, by)
		}
		sums := page[strings.Index(page, "<tfoot>"):]
		require.Contains(t, sums, `<data value="`+made.Totals.Fee.String()+`">`)
		require.Contains(t, page, "fees report 3..27"+map[bool]string{true: "", false: " --by " + string(by)}[by == report.Day])
	}
	a := get(t, s, "/fees.xlsx?period=3..27", nil)
	require.Equal(t, "PK", a.text[:2])
	require.Equal(t, "attachment; filename=fees.xlsx", a.header.Get("Content-Disposition"))
}

// The JSON of a transaction, an account and a block equals package app's result, and the pages link to each other.
func TestLinks(t *testing.T) {
	s := served(t, filled(t, "0..27"), func(o *web.Options) {
		o.Ledgers[0].Labels = book(t, "address,label,group\n"+alith+",Alith & <b>Co</b>,ours\n")
	})
	tx := get(t, s, "/tx/25-7", nil).text
	require.Contains(t, tx, `<a href="block/25">`)
	require.Contains(t, tx, `<a href="account/`+alith+`?partial=1&amp;period=2026-01">Alith &amp; &lt;b&gt;Co&lt;/b&gt;</a>`)
	require.Contains(t, shown(tx), `<data value="5215236000000000">0.005215236000000000</data> <span class="unit">GLMR</span>`) // as the recording of the chain has it
	require.Contains(t, get(t, s, "/block/25", nil).text, `<a href="tx/25-7">25-7</a>`)
	account := get(t, s, "/account/"+alith, nil).text
	require.Contains(t, account, "<h1>Alith &amp; &lt;b&gt;Co&lt;/b&gt;</h1>")
	require.Contains(t, account, "Account "+alith+". ")
	require.NotContains(t, account, "<b>Co")
	require.Contains(t, get(t, s, "/fees?by=label&accounts=group:ours", nil).text, "Alith &amp;")
	day := get(t, s, "/fees?period=2026-01-01&partial=1", nil).text // beside the days before and after
	require.Contains(t, day, `"fees?partial=1&amp;period=2025-12-31..2025-12-31"`)
	require.Contains(t, day, `"fees?partial=1&amp;period=2026-01-02..2026-01-02"`)
	accounts := get(t, s, "/accounts", nil).text
	require.Contains(t, accounts, `<a href="account/`+alith+`">`+console.Ends(alith, 4)+`</a>`)
	require.Contains(t, accounts, `<a href="fees?accounts=group%3Aours">ours</a>`)

	one := parsed(t, get(t, s, "/api/v1/transactions/25-7", nil).text)
	require.Equal(t, "5215236000000000", one["charged"])
	require.Equal(t, "Alith & <b>Co</b>", one["payer_label"])
	hash := one["evm_hash"].(string)
	require.Equal(t, one, parsed(t, get(t, s, "/api/v1/transactions/"+hash, nil).text))
	require.Equal(t, float64(25), parsed(t, get(t, s, "/api/v1/blocks/25", nil).text)["number"])
	require.Equal(t, alith, parsed(t, get(t, s, "/api/v1/accounts/"+alith, nil).text)["account"])
	for text, to := range map[string]string{
		"25": "/block/25", "25-7": "/tx/25-7", " 25-7 ": "/tx/25-7", hash: "/tx/25-7", alith: "/account/" + alith, "Alith & <b>Co</b>": "/account/" + alith, "2026-01": "/fees?partial=1&period=2026-01",
	} {
		a := get(t, s, "/lookup?q="+url.QueryEscape(text), nil)
		require.Equal(t, http.StatusSeeOther, a.status, text)
		require.Equal(t, to, a.header.Get("Location"))
	}
}

// Unknown paths and invalid requests get a status, and programs get a problem.
func TestProblems(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	for path, want := range map[string]struct {
		status int
		detail string
	}{
		"/api/v1/report?period=2026-02":                               {http.StatusConflict, "2026-02 is incomplete, missing its end: "},
		"/api/v1/report?period=2026-01":                               {http.StatusConflict, "2026-01 is incomplete, missing its end: "},
		"/api/v1/report?period=x":                                     {http.StatusBadRequest, ""},
		"/api/v1/report?peroid=2026-01":                               {http.StatusBadRequest, `Unknown parameter "peroid"`},
		"/api/v1/report?by=day&by=hour":                               {http.StatusBadRequest, "is repeated"},
		"/api/v1/report?by=x":                                         {http.StatusBadRequest, "want block, hour, day"},
		"/api/v1/report?partial=2":                                    {http.StatusBadRequest, "want 0 or 1"},
		"/api/v1/report?zone=Nowhere":                                 {http.StatusBadRequest, `zone "Nowhere"`},
		"/api/v1/report?accounts=group:x":                             {http.StatusBadRequest, "accounts group:x: no address book; name one with labels"},
		"/api/v1/report?accounts=0x12":                                {http.StatusBadRequest, "is not an address"},
		"/api/v1/report?period=%zz":                                   {http.StatusBadRequest, "cannot be read"},
		"/api/v1/transactions/25-99":                                  {http.StatusNotFound, "block 25 has no transaction 99"},
		"/api/v1/transactions/0x" + strings.Repeat("ab", 32):          {http.StatusNotFound, "no EVM transaction or extrinsic has the hash 0xabab"},
		"/api/v1/transactions/x":                                      {http.StatusBadRequest, "want a block and an index"},
		"/api/v1/blocks/99":                                           {http.StatusNotFound, "block 99 is not in the ledger"},
		"/api/v1/blocks/025":                                          {http.StatusBadRequest, "is not a height"},
		"/api/v1/accounts/0xF24ff3a9cf04c71dbc94d0b566f7a27b94566cac": {http.StatusBadRequest, ""},
		"/api/v1/findings?accounts=x":                                 {http.StatusBadRequest, "Remove the parameter accounts"},
		"/api/v1/nothing":                                             {http.StatusNotFound, "There is no page at"},
	} {
		a := get(t, s, path, nil)
		require.Equal(t, want.status, a.status, "%s\n%s", path, a.text)
		require.Equal(t, "application/problem+json", a.header.Get("Content-Type"), path)
		p := parsed(t, a.text)
		require.Equal(t, float64(want.status), p["status"])
		require.Contains(t, p["detail"], want.detail, path)
		require.NotContains(t, p["detail"], os.TempDir(), path)
		require.Empty(t, a.header.Get("ETag"), path)
	}
	page := get(t, s, "/fees?period=2026-02", nil)
	require.Equal(t, http.StatusSeeOther, page.status)
	require.Equal(t, "/fees?partial=1&period=2026-02", page.header.Get("Location"))
	require.Equal(t, http.StatusNotFound, get(t, s, "/lookup?q=nobody", nil).status)
	require.Contains(t, get(t, s, "/lookup?q=%3Cscript%3E", nil).text, "&lt;script&gt;")
}

// Requests for other hosts, other methods and overlong addresses are rejected.
func TestGuard(t *testing.T) {
	s := served(t, filled(t, "0..3"), func(o *web.Options) { o.Hosts = []string{"Fees.example.org"} })
	for host, status := range map[string]int{
		"evil.example": http.StatusMisdirectedRequest, "evil.example:8787": http.StatusMisdirectedRequest, "192.0.2.1": http.StatusMisdirectedRequest, "localhost.evil.example": http.StatusMisdirectedRequest,
		"localhost": http.StatusOK, "LOCALHOST:1": http.StatusOK, "127.0.0.1:8787": http.StatusOK, "[::1]:8787": http.StatusOK, "fees.example.org": http.StatusOK,
	} {
		require.Equal(t, status, get(t, s, "/overview", func(r *http.Request) { r.Host = host }).status, host)
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		a := get(t, s, "/overview", func(r *http.Request) { r.Method = method })
		require.Equal(t, http.StatusMethodNotAllowed, a.status)
		require.Equal(t, "GET, HEAD", a.header.Get("Allow"))
	}
	require.Equal(t, http.StatusRequestURITooLong, get(t, s, "/fees?accounts="+strings.Repeat("x", 9000), nil).status)
}

// Requests have a timeout, and a limited wait in the queue.
func TestTime(t *testing.T) {
	d := filled(t, "0..27")
	a := get(t, served(t, d, func(o *web.Options) { o.Time = time.Nanosecond }), "/api/v1/report", nil)
	require.Contains(t, []int{http.StatusGatewayTimeout, http.StatusTooManyRequests}, a.status)
	require.NotContains(t, a.text, "context")
}

// No URL can name a file on the server, unlike the command line's --accounts.
func TestNoFilesByAddress(t *testing.T) {
	s := served(t, filled(t, "0..27"), nil)
	path := filepath.Join(t.TempDir(), "accounts.csv")
	require.NoError(t, os.WriteFile(path, []byte(alith+"\n"), 0o600))
	for _, name := range []string{path, "/etc/passwd", "./web_test.go", alith + "," + path} {
		a := get(t, s, "/api/v1/report?accounts="+url.QueryEscape(name), nil)
		require.Equal(t, http.StatusBadRequest, a.status, name)
		require.Contains(t, a.text, "Use an address, group:NAME or a label of the address book")
	}
	require.NotContains(t, get(t, s, "/account/"+url.PathEscape(path), nil).text, "first seen")
	page := get(t, s, "/fees?period=2026-02", nil)
	require.Empty(t, page.header.Get("ETag"), "what fails is asked for again")
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
}

// Browsers do not cache answers about unsealed blocks.
func TestUnsealed(t *testing.T) {
	s := served(t, filled(t, "0..3", "6..8"), nil)
	require.NotEmpty(t, get(t, s, "/block/3", nil).header.Get("ETag"))
	for _, path := range []string{"/block/7", "/api/v1/blocks/7", "/chain"} {
		a := get(t, s, path, nil)
		require.Equal(t, http.StatusOK, a.status)
		require.Empty(t, a.header.Get("ETag"), path)
	}
	require.Contains(t, get(t, s, "/chain", nil).text, "Blocks 4..5 are missing.")
}

// The API's description lists each path with exactly the parameters that it accepts.
func TestOpenAPI(t *testing.T) {
	month, dir, book := monthEnd(t)
	closeMonth(t, month, book, filepath.Join(dir, "closed", "january"), "group:company")
	s := served(t, filled(t, "0..27"), func(o *web.Options) { o.Ledgers[0].Packages = filepath.Join(dir, "closed") })
	type parameter struct{ Name, In, Description string }
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Parameters []parameter
			Responses  map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(get(t, s, "/api/v1/openapi.json", nil).text), &doc))
	require.Equal(t, "3.1.0", doc.OpenAPI)
	require.ElementsMatch(t, web.Paths(), keys(doc.Paths))
	examples := map[string]string{"{name}": "25-7", "{address}": alith, "{height}": "25", "{package}": "january"}
	for path, methods := range doc.Paths {
		require.Equal(t, []string{"get"}, keys(methods))
		called := path
		for name, value := range examples {
			called = strings.Replace(called, name, value, 1)
		}
		called += "?"
		taken := methods["get"].Parameters
		if slices.ContainsFunc(taken, func(p parameter) bool { return p.Name == "balances" }) {
			called += "balances=none&" // the demo has none
		}
		given := []string{"balances"}
		if slices.ContainsFunc(taken, func(p parameter) bool { return p.Name == "against" }) {
			called += "period=20..24&" // there is no period before all blocks
			given = append(given, "period")
		}
		require.Equal(t, http.StatusOK, get(t, s, called, nil).status, called)
		for _, p := range taken {
			require.NotEmpty(t, p.Description, p.Name)
			if p.In == "query" && !slices.Contains(given, p.Name) {
				a := get(t, s, called+p.Name+"=", nil)
				require.Equal(t, http.StatusOK, a.status, "%s %s: %s", called, p.Name, a.text)
			}
		}
		require.Equal(t, http.StatusBadRequest, get(t, s, called+"unknown=1", nil).status)
	}
}

func keys[V any](m map[string]V) (names []string) {
	for name := range m {
		names = append(names, name)
	}
	return names
}

// A closed ledger gives an error without its path.
func TestAwayLedger(t *testing.T) {
	d := filled(t, "0..3")
	other, err := app.Open(t.Context(), d.Place, d.Tables)
	require.NoError(t, err)
	s := served(t, other, nil)
	require.NoError(t, other.Close())
	for _, path := range everyPage {
		a := get(t, s, path, nil)
		require.GreaterOrEqual(t, a.status, 400, path)
		require.NotContains(t, a.text, fmt.Sprint(d.Place))
	}
	require.Equal(t, http.StatusServiceUnavailable, get(t, s, "/readyz", nil).status)
}
