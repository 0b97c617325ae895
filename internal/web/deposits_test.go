package web_test

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/source"
)

// The accounts of 8-5 and 8-6 of the recording: Charleth paid a deposit, Dorothy cleared the slot and got it.
const charleth, dorothy = "5Ep5dBwRE7mhFsH69SLRTSHYJ7yugeTycZHeT8Ez4DPACvqz", "5Em1NEHgVvpXYBEzWeNf9JzuLyvuyyn3ZLifywLQPGdqFVU2"

// What reads much of the ledger waits for its own queue, so that other pages never wait for it.
func TestLongReadsHaveAQueue(t *testing.T) {
	defer web.SetLongReads(web.SetLongReads(0))
	d := filled(t, "3..27")
	at := func(o *web.Options) {
		o.Time, o.Ledgers[0].Labels = 100*time.Millisecond, book(t, "address,label\n"+alith+",Alith\n")
	}
	s := served(t, d, at)
	for _, path := range []string{
		"/accounts", "/deposits", "/deposits?part=changes", "/deposits.csv", "/accounts/unlabelled", "/accounts/unlabelled.csv", "/account/" + alith,
		"/account/" + alith + "/statement?balances=none", "/account/" + alith + "/statement.csv?balances=none", "/account/" + alith + "/rollforward?balances=none", "/account/" + alith + "/rollforward.pdf?balances=none", "/accounts/rollforward?balances=none", "/accounts/rollforward.json?balances=none",
		"/api/v1/accounts/" + alith + "/statement?balances=none", "/api/v1/accounts/" + alith + "/rollforward?balances=none", "/api/v1/accounts/" + alith,
		"/fees?by=account", "/contract/" + alith, "/variance?period=15..27", "/variance.csv?period=15..27", "/transactions?sort=-fee", "/transactions.csv", "/lookup?q=0.1", "/chain?period=2026-01",
	} {
		require.Contains(t, []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusGatewayTimeout}, get(t, s, path, nil).status, path)
	}
	for _, path := range []string{"/fees", "/transactions", "/block/3", "/tx/25-7", "/reconcile", "/api/v1/blocks/3"} {
		require.Equal(t, http.StatusOK, get(t, s, path, nil).status, path)
	}
}

// The page of deposits lists what the command lists, with the transaction that took each, and accounts link to it where
// transactions pay deposits.
func TestDepositsPage(t *testing.T) {
	src, err := answers.OpenDirectory(pairs.Path(t, "stack-template-3", "gateway"))
	require.NoError(t, err)
	place, tables := filepath.Join(t.TempDir(), "fees.db"), pairs.HubTables(t)
	reader := &source.Reader{Source: src, Tables: tables}
	wanted, err := app.PeriodInput{Blocks: "0..9"}.ParseWanted()
	require.NoError(t, err)
	_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: reader})
	require.NoError(t, err)
	d, err := app.Open(t.Context(), place, tables)
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	s := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Network, o.Ledgers[0].Source, o.Ledgers[0].Place = "stack-template", reader, "fees.db"
		o.Ledgers[0].Labels = book(t, "address,label\n"+charleth+",Charleth\n")
	})

	a := get(t, s, "/deposits?period=0..9", nil)
	require.Equal(t, http.StatusOK, a.status, a.text)
	rows, err := csv.NewReader(strings.NewReader(get(t, s, "/deposits.csv?period=0..9", nil).text)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rowsOf(a.text), len(rows)-1)
	require.Greater(t, len(rows), 5)
	require.Contains(t, shown(a.text), `<a href="tx/5-2">5-2</a>`)
	require.Contains(t, a.text, "revive.CodeUploadDepositReserve")
	require.Contains(t, a.text, "fees deposits 0..9 --ledger fees.db")
	require.Contains(t, a.text, `<a href="accounts?period=0..9" aria-current="true">Accounts</a>`)

	changes := get(t, s, "/deposits?period=8..8&part=changes&accounts=Charleth", nil)
	list := rowsOf(changes.text)
	require.Len(t, list, 2, "8-5 took it, 8-6 gave it to another")
	require.Contains(t, list[0], "tx/8-5")
	require.Contains(t, list[1], "tx/8-6")
	require.Contains(t, list[1], "account/"+dorothy)
	require.Contains(t, list[1], "<td>yes</td>")
	require.Contains(t, changes.text, "fees deposits --changes 8..8 --accounts Charleth")

	account, err := chain.ParseAccount(charleth)
	require.NoError(t, err)
	made, err := d.Deposits(t.Context(), app.DepositsRequest{Request: app.Request{Period: app.Heights(0, 9), Accounts: []chain.Address{account}, Labels: book(t, "address,label\n"+charleth+",Charleth\n").Book}})
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, made.Write(&want, "json", 0))
	for _, path := range []string{"/deposits.json", "/api/v1/deposits"} {
		require.Equal(t, want.String(), get(t, s, path+"?period=0..9&accounts=Charleth", nil).text, path)
	}

	empty := get(t, s, "/deposits?period=0..3", nil).text
	require.Contains(t, empty, "No deposits are open after these blocks.")
	require.NotContains(t, empty, "<table")
	require.Contains(t, get(t, s, "/deposits?period=0..3&part=changes", nil).text, "No deposits were taken or given back in these blocks.")
	require.Equal(t, http.StatusBadRequest, get(t, s, "/deposits?part=some", nil).status)

	link := `<a href="deposits?accounts=` + charleth + `">Deposits</a>`
	for path, link := range map[string]string{"/account/" + charleth: link, "/account/" + charleth + "/statement": link, "/account/" + charleth + "/rollforward": link, "/accounts": `<a href="deposits">Deposits</a>`} {
		require.Contains(t, get(t, s, path, nil).text, link, path)
	}
	// Transactions of other networks pay none; what accounts reserve is listed all the same.
	other := served(t, filled(t, "0..27"), nil)
	require.NotContains(t, get(t, other, "/account/"+alith, nil).text, ">Deposits</a>")
	require.Equal(t, http.StatusOK, get(t, other, "/deposits", nil).status)
}
