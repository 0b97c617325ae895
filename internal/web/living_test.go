package web_test

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// living returns the ledger of a chain whose accounts have 32 bytes, with its source. Its prefix of SS58 is 13116.
func living(t *testing.T) (*app.Ledger, *source.Reader) {
	t.Helper()
	text, err := os.ReadFile(repository.Path("network", "tables", "bittensor.json"))
	require.NoError(t, err)
	text = bytes.Replace(text, []byte(`"account_mapping": "hashed",`), []byte(`"account_mapping": "hashed", "ss58_prefix": 13116,`), 1)
	tables, err := network.BuiltIn().With("bittensor-218.json", text)
	require.NoError(t, err)
	src, err := answers.OpenDirectory(pairs.Path(t, "bittensor-218", "gateway"))
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: tables}
	wanted, err := app.PeriodInput{Blocks: "0..4"}.ParseWanted()
	require.NoError(t, err)
	place := filepath.Join(t.TempDir(), "fees.db")
	_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: reader})
	require.NoError(t, err)
	d, err := app.Open(t.Context(), place, tables)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d, reader
}

// Where accounts have 32 bytes and the token 9 decimals, every name of an account leads to it, and amounts are in the
// token. The fee is that of the first transaction that was sent to the chain: 21,000 gas at 60 Gwei.
func TestLivingChain(t *testing.T) {
	d, reader := living(t)
	s := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Network, o.Ledgers[0].Source = "bittensor", reader
		o.Ledgers[0].Labels = book(t, "address,label\n"+alith+",Alith\n5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY,Alice\n")
	})

	const account = "5Fghzk1AJt88PeFEzuRfXzbPchiBbsVGTTXcdx599VdZzkTA" // of alith
	parsed, err := chain.ParseAccount(account)
	require.NoError(t, err)
	for _, name := range []string{account, parsed.SS58(7391), fmt.Sprintf("0x%x", parsed.Bytes()), alith, "Alith"} {
		found := get(t, s, "/lookup?q="+url.QueryEscape(name), nil)
		require.Equal(t, http.StatusSeeOther, found.status, name)
		page := get(t, s, found.header.Get("Location"), nil)
		require.Equal(t, http.StatusOK, page.status, name)
		require.Contains(t, page.text, "Account "+parsed.SS58(13116), name)
		require.Contains(t, page.text, `<data value="1260000">`, name)
		require.Contains(t, shown(page.text), "0.001260000", name)
	}
	require.Contains(t, get(t, s, "/account/"+alith, nil).text, "EVM address "+alith)
	wrong := get(t, s, "/lookup?q="+account[:47]+"B", nil)
	require.NotEqual(t, 200, wrong.status)
	require.Contains(t, wrong.text, "SS58 of 32 bytes with a valid checksum")
	require.Contains(t, shown(get(t, s, "/account/"+account+"/statement", nil).text), "0.001260000")
	require.Contains(t, shown(get(t, s, "/fees?by=account&accounts="+alith, nil).text), "0.001260000")

	// Every page and file that a link leads to shows accounts in the chain's own form.
	own, seen, links := parsed.SS58(13116), map[string]bool{}, []string{"/overview", "/fees?by=account", "/account/" + alith, "/account/" + alith + "/statement", "/accounts", "/accounts/unlabelled", "/transactions"}
	shows := 0
	for len(links) > 0 && len(seen) < 600/tier.Step(3) {
		link := links[0]
		links = links[1:]
		if seen[link] || strings.HasSuffix(link, ".pdf") || strings.HasPrefix(link, "/static/") {
			continue
		}
		seen[link] = true
		page := get(t, s, link, nil)
		for _, other := range []string{account, "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"} {
			for _, shown := range []string{other, console.Ends(other, 4), console.Ends(other, 6)} {
				require.NotContains(t, page.text, shown, link)
			}
		}
		if strings.Contains(page.text, own) || strings.Contains(page.text, console.Ends(own, 4)) {
			shows++
		}
		for _, found := range regexp.MustCompile(`href="([^"#]+)"`).FindAllStringSubmatch(page.text, -1) {
			links = append(links, "/"+strings.TrimPrefix(html.UnescapeString(found[1]), "/"))
		}
	}
	require.Greater(t, shows, 100/tier.Step(3))
}
