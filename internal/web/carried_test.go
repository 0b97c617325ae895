package web_test

import (
	"html"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	aMain, aLink := regexp.MustCompile(`(?s)<main.*</main>`), regexp.MustCompile(` href="([^"]*)"`)
	noAccounts := regexp.MustCompile(`/(statement|rollforward|unlabelled)$`)
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
		require.Equal(t, http.StatusOK, a.status, "%s: %s", at, aMain.FindString(a.text))
		for _, found := range aLink.FindAllStringSubmatch(aMain.FindString(a.text), -1) {
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
			require.True(t, q.Has("accounts") || noAccounts.MatchString(to.Path) || !strings.Contains(at, "accounts="), "%s on %s", to, at)
			own := strings.Contains(to.Path, "/") && (first == "tx" || first == "block" || first == "packages" || first == "close")
			require.True(t, q.Has("period") || own || first == "overview" || first == "chain", "%s on %s", to, at)
			kind := first + "/" + filepath.Base(to.Path)[:min(4, len(filepath.Base(to.Path)))]
			if next := to.String(); !seen[next] && followed[kind] < 4 {
				seen[next] = true
				followed[kind]++
				queue = append(queue, next)
			}
		}
	}
	require.Greater(t, len(followed), 20)
}
