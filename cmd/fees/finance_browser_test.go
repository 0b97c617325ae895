//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/browsertest"
)

// withdrawn returns the amount withdrawn for a transaction, from its event.
func (m *team) withdrawn(s *sentTransaction) string {
	var block struct {
		Extrinsics []struct {
			Events []struct {
				Method struct{ Pallet, Method string }
				Data   []json.RawMessage
			}
		}
	}
	require.NoError(m, json.Unmarshal(m.made.Block(s.Height), &block))
	for _, e := range block.Extrinsics[s.Index].Events {
		if e.Method.Pallet == "balances" && e.Method.Method == "Withdraw" {
			return strings.Trim(string(e.Data[1]), `"`)
		}
	}
	require.Fail(m, "nothing was withdrawn for "+s.place())
	return ""
}

// A month end in the browser: the month's fees, a file with a wrong fee, a missing row and an extra row, the
// steps of the wrong fee with its movements, the reconciliation, and a downloaded statement. Differences are
// planted, charges come from the chain's events, and each file equals the command line's, to the byte.
func TestFinanceTeamInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a month in a browser")
	}
	b := browsertest.Start(t)
	m := newTeam(t, time.Date(2025, 12, 25, 0, 0, 0, 0, time.UTC), 4*time.Hour, time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC))
	company := m.made.Accounts()[1:4]
	book := "address,label,group\n"
	for i, a := range company {
		book += fmt.Sprintf("%v,Wallet %d,company\n", a, i+1)
	}
	m.write("accounts.csv", []byte(book))
	prices := "# source: sample\ndate,EUR\n"
	for day := m.begin; day.Before(m.begin.AddDate(0, 2, 0)); day = day.AddDate(0, 0, 1) {
		prices += fmt.Sprintf("%s,%d.25\n", day.Format(time.DateOnly), 1+day.YearDay()%7)
	}
	m.write("prices.csv", []byte(prices))
	const of = " --month 2026-01 --timezone Europe/Berlin --quiet"
	m.asks(exitOK, 1, "report"+of)
	january := m.paid(time.January, 2026, company)
	require.Greater(t, len(january), 10)

	// The colleague's file: a wrong amount, a missing row, and a duplicate.
	const wrong, missing, twice = 2, 5, 7
	file := "Beleg;Kosten\n"
	lines := 1
	line := map[int]int{} // of a transaction
	for i := range january {
		s := january[i]
		cost := s.Charged
		switch i {
		case wrong:
			cost = "1" + cost
		case missing:
			continue
		case twice:
			file += s.Hash + ";" + commaTokens(cost) + "\n"
			lines++
		}
		file += s.Hash + ";" + commaTokens(cost) + "\n"
		lines++
		line[i] = lines
	}
	m.write("colleague.csv", []byte(file))

	p := start(t, "serve", "--ledger", "fees.db", "--listen", "127.0.0.1:0", "--prices", "prices.csv", "--fiat", "EUR", "--gateway", os.Getenv("FEES_GATEWAY"))
	address := p.served(t)
	tab := b.Tab(t, address, browsertest.Options{})

	// The month.
	tab.Open("/")
	tab.Find(browsertest.Link, "Fees").Follow()
	tab.Field("period").Type("2026-01")
	tab.Field("zone").Type("Europe/Berlin")
	tab.Select(`input[name="accounts"][type="text"]`).Type("group:company") // the groups are boxes with the same name
	tab.Enter()
	require.Contains(t, tab.Amounts(), charged(t, january))
	_, got := tab.Select(`a[download][href^="fees.csv"]`).Download()
	require.Equal(t, m.asks(exitOK, 0, "report --accounts group:company --format csv"+of), string(got))

	// The colleague's file. Only the team knows what its columns mean.
	tab.Find(browsertest.Link, "Reconcile").Follow()
	path, err := filepath.Abs("colleague.csv")
	require.NoError(t, err)
	tab.Field("file").Choose(path)
	tab.SubmitRefused("file", 422)
	require.Contains(t, tab.Text(), "The file cannot be read with these settings.")
	tab.Field("map.extrinsic_hash").Type("Beleg")
	tab.Field("map.fee").Type("Kosten")
	tab.Field("unit").Type("token")
	tab.Field("decimal").Type(",")
	tab.Submit("map.fee")
	require.Contains(t, tab.Text(), fmt.Sprintf("3 of %d do not match.", len(january)+1))

	// The command line finds the planted differences.
	reconcile := "reconcile colleague.csv --accounts group:company --map extrinsic_hash=Beleg --map fee=Kosten --unit token --decimal ," + of
	want := m.asks(exitFinding, 0, reconcile+" --format json")
	r := reconciliationOf(t, want)
	require.Equal(t, map[string]int{"matched": len(january) - 2, "amount_differs": 1, "only_on_chain": 1, "duplicate": 1}, r.counts())
	for _, d := range r.Details {
		switch d.Outcome {
		case "amount_differs":
			require.Equal(t, []any{line[wrong], january[wrong].place(), january[wrong].Charged}, []any{d.Line, d.ID, d.Chain})
		case "only_on_chain":
			require.Equal(t, january[missing].place(), d.ID)
		case "duplicate":
			require.Equal(t, january[twice].place(), d.ID)
		}
	}
	_, got = tab.Select(`a[download][href*="/result.json"]`).Download()
	require.Equal(t, want, string(got))
	m.asks(exitFinding, 0, reconcile+" --format xlsx -o reconciled.xlsx")
	written, err := os.ReadFile("reconciled.xlsx")
	require.NoError(t, err)
	_, got = tab.Select(`a[download][href*="/result.xlsx"]`).Download()
	require.Equal(t, written, got)

	// The wrong fee links to its steps and movements.
	place := january[wrong].place()
	found := false
	for _, row := range tab.Rows() {
		if slices.ContainsFunc(row.Links, func(to string) bool { return strings.HasPrefix(to, "tx/"+place+"?") }) {
			require.Contains(t, row.Amounts, january[wrong].Charged)
			found = true
		}
	}
	require.True(t, found, tab.Text())
	tab.Select(`#rows a[href^="tx/` + place + `?"]`).Follow()
	require.Equal(t, "/tx/"+place+"?accounts=group%3Acompany&zone=Europe%2FBerlin", tab.Path())
	require.Contains(t, tab.Amounts(), january[wrong].Charged)
	require.Contains(t, tab.Amounts(), "-"+m.withdrawn(&january[wrong]), "the event of the chain")
	var explained struct{ Steps []struct{ Name string } }
	require.NoError(t, json.Unmarshal([]byte(m.asks(exitOK, 0, "explain "+place+" --format json --quiet")), &explained))
	require.NotEmpty(t, explained.Steps)
	for _, step := range explained.Steps {
		require.Contains(t, tab.Text(), step.Name)
	}

	// The payer, and a statement to download.
	tab.Select(`main a[href^="account/` + january[wrong].From + `?"]`).Follow()
	tab.Find(browsertest.Link, "Statement").Follow()
	tab.Field("period").Type("2026-01")
	tab.Field("zone").Type("Europe/Berlin")
	tab.Enter()
	statement := "statement " + january[wrong].From + of
	_, got = tab.Select(`a[download][href*="/statement.json"]`).Download()
	require.Equal(t, m.asks(exitOK, 0, statement+" --format json"), string(got))
	_, got = tab.Select(`a[download][href*="/statement.csv"]`).Download()
	require.Equal(t, m.asks(exitOK, 0, statement+" --format csv"), string(got))

	p.signal(t, syscall.SIGTERM)
	p.ends(t, exitOK)
}
