package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/internal/web"
)

// Each link of each page keeps what the page is about: the zone and the accounts, as far as its page takes some, and the
// period unless it is a transaction, a block or a package. The page that it leads to understands that.
func TestLinksKeepTheScope(t *testing.T) {
	d, dir, labels := monthEnd(t)
	shelf := filepath.Join(dir, "closed")
	s := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Labels, o.Ledgers[0].Packages, o.Ledgers[0].Source = labels, shelf, nil
	})
	closeMonth(t, d, labels, filepath.Join(shelf, "2026-01"), "group:company")
	aLink := regexp.MustCompile(` href="([^"]*)"`)
	const scope = "accounts=group:company&partial=1&period=2026-01&zone=Europe/Berlin"
	queue := []string{"overview", "chain", "fees", "fees?by=account", "variance?against=2026-01", "transactions", "accounts", "deposits", "findings", "packages", "packages/2026-01", "accounts/rollforward", "reconcile"}
	seen, followed := map[string]bool{}, map[string]int{}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if !strings.Contains(at, "zone=") {
			at += map[bool]string{true: "&", false: "?"}[strings.Contains(at, "?")] + scope
		}
		a := get(t, s, "/"+at, nil)
		for a.status == http.StatusSeeOther {
			a = get(t, s, a.header.Get("Location"), nil)
		}
		if a.status == http.StatusConflict || a.status == http.StatusNotFound { // the ledger lacks a period before, or a block after
			continue
		}
		main := mainOf(a.text)
		require.Equal(t, http.StatusOK, a.status, "%s: %s", at, main)
		for _, found := range aLink.FindAllStringSubmatch(main, -1) {
			to, err := url.Parse(html.UnescapeString(found[1]))
			require.NoError(t, err)
			first, _, _ := strings.Cut(to.Path, "/")
			switch {
			case strings.HasPrefix(to.Path, "/"), strings.Contains(first, "."), strings.HasSuffix(to.Path, ".csv"), first == "api", to.Path == "":
				continue
			case strings.Count(to.Path, "/") > 2, strings.Contains(filepath.Base(to.Path), ".") || first == "lookup":
				continue // files, and searches
			}
			q := to.Query()
			zone := "Europe/Berlin"
			if q.Has("period") && (strings.HasPrefix(at, "packages") || strings.HasPrefix(at, "overview")) && q.Get("zone") == "UTC" {
				zone = "UTC" // the package's own
			}
			require.Equal(t, zone, q.Get("zone"), "%s on %s", to, at)
			require.True(t, q.Has("accounts") || !strings.Contains(at, "accounts="), "%s on %s", to, at)
			own := strings.Contains(to.Path, "/") && (first == "tx" || first == "block" || first == "packages" || first == "close")
			require.True(t, q.Has("period") || own || first == "overview" || first == "chain", "%s on %s", to, at)
			kind := first + "/" + filepath.Base(to.Path)[:min(4, len(filepath.Base(to.Path)))]
			if next := to.String(); !seen[next] && followed[kind] < 4/tier.Step(2) {
				seen[next] = true
				followed[kind]++
				queue = append(queue, next)
			}
		}
	}
	require.Greater(t, len(followed), 20)

	// A page that cannot be shown keeps what can be read of the address, but not a period that the ledger lacks.
	for at, kept := range map[string]string{
		"/fees?typo=1&" + scope:                         "accounts=group%3Acompany&partial=1&period=2026-01&zone=Europe%2FBerlin",
		"/tx/99-1?" + scope:                             "accounts=group%3Acompany&partial=1&period=2026-01&zone=Europe%2FBerlin",
		"/nothing?" + scope:                             "accounts=group%3Acompany&partial=1&period=2026-01&zone=Europe%2FBerlin",
		"/fees?zone=Nowhere&accounts=group:company":     "accounts=group%3Acompany",
		"/fees?zone=Asia/Tokyo&accounts=group:typo":     "zone=Asia%2FTokyo",
		"/fees?period=2031-01&accounts=group:company":   "accounts=group%3Acompany",
		"/block/7000?accounts=group:company&period=now": "accounts=group%3Acompany",
	} {
		page := get(t, s, at, nil)
		require.GreaterOrEqual(t, page.status, 400, at)
		require.Contains(t, html.UnescapeString(page.text), `href="transactions?`+kept+`"`, at)
	}
}

// Accounts show the fees of the period in their address.
func TestAccountsOfThePeriod(t *testing.T) {
	d, _, labels := monthEnd(t)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = labels })
	for period, head := range map[string]string{"2026-01": "January 2026", "2026-02": "February 2026"} {
		page := get(t, s, "/accounts?partial=1&period="+period, nil)
		require.Equal(t, http.StatusOK, page.status)
		require.Contains(t, page.text, "fee "+head, period)
	}
	require.Contains(t, get(t, s, "/accounts", nil).text, "fee February 2026", "the last one")
}

// A page whose list of accounts is too long for its links says so; a group stays a group, however many accounts it has.
func TestLongListsOfAccounts(t *testing.T) {
	var list, file []string
	for i := range 20 {
		list = append(list, fmt.Sprintf("0x%040x", i+1))
		file = append(file, list[i]+","+fmt.Sprint("Wallet ", i)+",many\n")
	}
	s := served(t, filled(t, "0..27"), func(o *web.Options) {
		o.Ledgers[0].Labels = book(t, "address,label,group\n"+alith+",Alith,many\n"+strings.Join(file, ""))
	})
	const said = "The links in this page do not keep the 21 accounts"
	page := get(t, s, "/transactions?period=3..27&accounts="+alith+","+strings.Join(list, ","), nil)
	require.Contains(t, page.text, said)
	require.Less(t, len(page.text), 150_000)
	require.Contains(t, page.text, `href="fees?accounts=`+alith+"%2C"+list[0], "the navigation keeps them")
	page = get(t, s, "/transactions?period=3..27&accounts=group:many", nil)
	require.NotContains(t, page.text, "do not keep")
	require.Regexp(t, `<main(?s:.*)href="tx/[0-9-]+\?accounts=group%3Amany"`, page.text)
}
