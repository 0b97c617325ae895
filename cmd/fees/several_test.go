package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/internal/web"
)

// severalChains returns flags for two ledgers of a month: the sample chain's and a recorded hub's, with an address book for
// both, prices, and the gateways of their balances.
func severalChains(t *testing.T) (ledgers, gateways []string) {
	dir, hub, networks := filepath.Join(t.TempDir(), "month"), pairs.HubMonth(t), repository.Path("testdata", "networks", "stack-template-3.json")
	_, stderr, code := fees("demo", dir, "--yes")
	require.Zero(t, code, stderr)
	other := filepath.Join(dir, "hub.db")
	_, stderr, code = fees("sync", "--month", "2026-01", "--gateway", hub, "--network-file", networks, "--ledger", other)
	require.Equal(t, exitFinding, code, stderr)
	labels := filepath.Join(dir, "both.csv")
	require.NoError(t, os.WriteFile(labels, []byte(`address,label,group
mbeam:0x065aDec114AdA927d1a42840405Ca6668D0C0930,Operations,company
mbeam:0x2f5bcC3A78cB7fF9Aa2faBF6c94B4C98A7438c23,Refunds,company
5HYRCKHYJN9z5xUtfFkyMj4JUhsAwWyvuU8vKB1FcnYTf9ZQ,Treasury,company
15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5,Staking,company
`), 0o600))
	return []string{"--ledger", filepath.Join(dir, "fees.db"), "--ledger", other, "--network-file", networks, "--labels", labels},
		[]string{"--gateway", "moonbeam=" + filepath.Join(dir, "gateway"), "--gateway", "stack-template=" + hub}
}

// The first page of several ledgers lists the months of all, and adds up what is known of them in the currency: 1.4834… and
// 3.5414… EUR in January; February is incomplete.
func TestMonthsOfAllLedgers(t *testing.T) {
	flags, _ := severalChains(t)
	tables, err := app.ReadTables(flags[5])
	require.NoError(t, err)
	dir := filepath.Dir(flags[1])
	unit := filepath.Join(dir, "unit.csv")
	require.NoError(t, os.WriteFile(unit, []byte("# source: X\ndate,EUR\n2026-01-01,4.00\n"), 0o600))
	served := []web.Served{{Name: "beam", Network: "moonbeam", Packages: dir}, {Name: "hub", Network: "stack-template", Packages: dir}}
	var tokens []console.Token
	for i := range served {
		d, err := app.Open(t.Context(), flags[1+2*i], tables)
		require.NoError(t, err)
		t.Cleanup(func() { d.Close() })
		served[i].Ledger = d
		token, err := d.Token(t.Context())
		require.NoError(t, err)
		tokens = append(tokens, token)
	}
	get := func(path string) (code int, text string) {
		w := httptest.NewRecorder()
		web.Handler(web.Options{Ledgers: served}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path, nil))
		text = regexp.MustCompile(`</t[dh]>`).ReplaceAllString(w.Body.String(), " | ")
		text = regexp.MustCompile(`</tr>`).ReplaceAllString(text, "\n")
		return w.Code, regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, "")
	}
	code, _ := get("/")
	require.Equal(t, http.StatusFound, code)
	_, page := get("/months")
	require.NotContains(t, page, "total |")
	require.Contains(t, page, "There is no total: fees in different tokens only add up in a currency.")
	in := app.PricesInput{Files: []string{"GLMR/EUR=" + filepath.Join(dir, "prices.csv"), "UNIT/EUR=" + unit}}
	lists, err := app.ReadPricesOf(in, tokens)
	require.NoError(t, err)
	for i := range served {
		served[i].Prices = lists[i]
		files, err := in.Of(lists[i])
		require.NoError(t, err)
		require.Equal(t, in.Files[i:i+1], files)
	}
	none, err := in.Of(nil)
	require.NoError(t, err)
	require.Empty(t, none)
	code, page = get("/months")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, page, "January 2026 | beam | complete | 6.407884493791944834 | GLMR | 1.48 | not compared | closed, version 1 | ")
	require.Contains(t, page, "January 2026 | hub | complete | 0.885351833779 | UNIT | 3.54 | not compared | none | ")
	require.Contains(t, page, "January 2026 | total |  |  |  | 5.02 |  |  | ")
	require.Contains(t, page, "February 2026 | beam | partial | 3.426646519252536881 | GLMR | not known | ")
	require.Contains(t, page, "February 2026 | total |  |  |  | not known |  |  | ")
	code, _ = get("/months?period=2026-01")
	require.Equal(t, http.StatusBadRequest, code)
	part := filepath.Join(dir, "part.db") // without a block in February
	_, stderr, _ := fees("sync", "1..20", "--gateway", pairs.HubMonth(t), "--network-file", flags[5], "--ledger", part)
	d, err := app.Open(t.Context(), part, tables)
	require.NoError(t, err, stderr)
	t.Cleanup(func() { d.Close() })
	whole := served[1].Ledger
	served[1].Ledger = d
	_, page = get("/months")
	require.Contains(t, page, "February 2026 | hub | none | not known | ")
	require.Contains(t, page, "January 2026 | total |  |  |  | not known |  |  | ")
	served[1].Ledger = whole
	code, page = get("/hub/overview")
	require.Equal(t, http.StatusOK, code)
	require.Regexp(t, `All\s*beam\s*hub`, page)
}

// Accounting programs read the journals of two chains in one file, and check the balances in both tokens.
func TestProgramsReadSeveralChains(t *testing.T) {
	ledgers, gateways := severalChains(t)
	for form, check := range map[string][]string{
		"hledger": {"hledger", "check", "--strict", "-f"}, "ledger": {"ledger", "bal", "--pedantic", "--args-only", "-f"}, "beancount": {"bean-check"},
	} {
		t.Run(form, func(t *testing.T) {
			path := program.Path(t, program.Accounting, check[0])
			for _, with := range [][]string{{"--with", "fees"}, append([]string{"--with", "movements"}, gateways...)} {
				file := filepath.Join(t.TempDir(), "both.journal")
				args := append(append([]string{"export", "--as", form, "--month", "2026-01", "--accounts", "group:company", "-o", file}, ledgers...), with...)
				_, stderr, code := fees(args...)
				require.Zero(t, code, stderr)
				command := exec.Command(path, append(check[1:], file)...)
				command.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+filepath.Dir(file))
				out, err := command.CombinedOutput()
				require.NoError(t, err, "%s", out)
			}
		})
	}
}
