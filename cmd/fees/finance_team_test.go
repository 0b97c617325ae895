//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/chaingen"
)

// team simulates a finance team: it runs commands in a directory, then the commands that messages suggest.
type team struct {
	*testing.T
	made  *chaingen.Chain
	begin time.Time
	every time.Duration
}

// newTeam serves a generated chain and starts in an empty directory.
func newTeam(t *testing.T, begin time.Time, every time.Duration, until time.Time) *team {
	m := &team{T: t, begin: begin, every: every}
	m.made = chaingen.New(chaingen.Options{Seed: 23, Rooted: true, Signed: true, Begin: begin, Every: every, Head: m.lastBefore(until)})
	server := httptest.NewServer(m.made.Handler())
	t.Cleanup(server.Close)
	t.Setenv("FEES_GATEWAY", server.URL)
	t.Chdir(t.TempDir())
	return m
}

// lastBefore returns the last block before a time.
func (m *team) lastBefore(at time.Time) uint64 {
	if !at.After(m.begin) {
		return 0 // it has no time
	}
	return 1 + uint64((at.Sub(m.begin)-1)/m.every)
}

func (m *team) write(name string, text []byte) {
	require.NoError(m, os.WriteFile(name, text, 0o600))
}

// helps matches the command line that a message suggests.
var helps = regexp.MustCompile(`(?:(Read) it with: |")fees ((?:'[^']*'|[^;"'\n])+)`)

// asks runs a command line and then the commands suggested by its messages: a suggested way to read a record, or
// after filling a ledger the same command again. It must end with the code after some number of suggestions,
// which are returned too.
func (m *team) asks(code int, proposals int, line string) (stdout string) {
	m.Helper()
	for range proposals {
		_, stderr, refused := fees(words(line)...)
		require.Contains(m, []int{exitUsage, exitLedger}, refused, "fees %s\n%s", line, stderr)
		found := helps.FindStringSubmatch(stderr)
		require.NotNil(m, found, "fees %s\n%s", line, stderr)
		help := strings.TrimSpace(found[2])
		m.Logf("fees %s\n  -> fees %s", line, help)
		if found[1] == "Read" {
			line = help
			continue
		}
		_, stderr, filled := fees(words(help)...)
		require.Equal(m, exitOK, filled, "fees %s\n%s", help, stderr)
	}
	stdout, stderr, ended := fees(words(line)...)
	require.Equal(m, code, ended, "fees %s\n%s%s", line, stdout, stderr)
	return stdout
}

// asksJSON decodes the output.
func (m *team) asksJSON(into any, proposals int, line string) {
	m.Helper()
	require.NoError(m, json.Unmarshal([]byte(m.asks(exitOK, proposals, line+" --format json")), into))
}

// paid returns the transactions of accounts in a Berlin month from the chain's events: withdrawn less refunded,
// independent of this program's rules.
func (m *team) paid(month time.Month, year int, accounts []chain.Address) (list []sentTransaction) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(m, err)
	from, to := time.Date(year, month, 1, 0, 0, 0, 0, berlin), time.Date(year, month+1, 1, 0, 0, 0, 0, berlin)
	for height := m.lastBefore(from) + 1; height <= m.lastBefore(to); height++ {
		var block struct {
			Extrinsics []struct {
				Hash   string
				Events []struct {
					Method struct{ Pallet, Method string }
					Data   []json.RawMessage
				}
			}
		}
		require.NoError(m, json.Unmarshal(m.made.Block(height), &block))
		for index, x := range block.Extrinsics {
			for _, account := range accounts {
				taken := new(big.Int)
				for _, e := range x.Events {
					if e.Method.Pallet != "balances" || len(e.Data) < 2 || !strings.EqualFold(strings.Trim(string(e.Data[0]), `"`), account.String()) {
						continue
					}
					amount, ok := new(big.Int).SetString(strings.Trim(string(e.Data[1]), `"`), 10)
					switch {
					case ok && e.Method.Method == "Withdraw":
						taken.Add(taken, amount)
					case ok && e.Method.Method == "Deposit":
						taken.Sub(taken, amount)
					}
				}
				if taken.Sign() > 0 {
					list = append(list, sentTransaction{From: account.String(), Hash: x.Hash, Height: height, Index: index, Charged: taken.String()})
				}
			}
		}
	}
	return list
}

// charged returns the sum of the charges of transactions.
func charged(t *testing.T, list []sentTransaction) string {
	amounts := []string{"0"}
	for _, s := range list {
		amounts = append(amounts, s.Charged)
	}
	return sumOf(t, amounts...)
}

// From an empty directory to two closed Berlin months, with a correction. Only flags named in messages or help
// are used.
func TestFinanceTeam(t *testing.T) {
	if testing.Short() {
		t.Skip("some fifty commands")
	}
	m := newTeam(t, time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC), 2*time.Hour, time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC))
	accounts := m.made.Accounts()[1:] // the first is the treasury
	company, payroll := accounts[:3], accounts[3]
	book := "address,label,group,account\n"
	for i, a := range company {
		book += fmt.Sprintf("%v,Wallet %d,company,Assets:Wallet %d\n", a, i+1, i+1)
	}
	m.write("accounts.csv", []byte(book+payroll.String()+",Payroll,,\n"))
	var prices strings.Builder
	prices.WriteString("# source: made up\ndate,EUR\n")
	for day := m.begin; day.Before(m.begin.AddDate(0, 3, 2)); day = day.AddDate(0, 0, 1) {
		fmt.Fprintf(&prices, "%s,%d.%d\n", day.Format(time.DateOnly), 3+day.YearDay()%7, 10_000_000_019-day.Unix()%9_999_999_967)
	}
	m.write("prices.csv", []byte(prices.String()))
	const of = " --month 2026-01 --timezone Europe/Berlin --quiet"
	january := m.paid(time.January, 2026, company)
	require.Greater(t, len(january), 30)

	var report struct {
		Totals struct{ Fee, Charged string }
	}
	_, stderr, code := fees(words("report --accounts group:company" + of)...)
	require.Equal(t, exitUsage, code)
	require.Equal(t, "fees: --accounts group:company: no address book; name one with --labels (pass --labels accounts.csv, or fill the ledger next to it)\n", stderr)
	m.asks(exitOK, 1, "report"+of)
	m.asksJSON(&report, 0, "report --accounts group:company"+of)
	require.Equal(t, charged(t, january), report.Totals.Charged)
	require.Equal(t, charged(t, january), report.Totals.Fee)
	before := m.asks(exitOK, 1, "report --accounts group:company --compare --format json"+of) // the ledger is extended downwards
	december := m.paid(time.December, 2025, company)
	require.Contains(t, before, charged(t, december))
	require.Contains(t, before, charged(t, january))

	m.asks(exitOK, 0, "statement group:company --prices prices.csv --fiat EUR --format csv -o statement.csv"+of)
	for _, u := range uglyFiles(t, january) {
		m.write(u.name, u.make(january))
		line := "reconcile '" + u.name + "' --accounts group:company --all --format json" + of
		if len(u.flags) > 0 { // only the team knows the unit of its fees
			_, stderr, code = fees(words(line)...)
			require.Equal(t, exitUsage, code)
			for _, flag := range u.flags[:1] {
				require.Contains(t, stderr, flag)
			}
			line += " " + strings.Join(u.flags, " ")
		}
		r := reconciliationOf(t, m.asks(exitOK, u.steps, line))
		require.True(t, r.Reconciled, u.name)
		if u.want == nil {
			u.want = map[string]int{"matched": len(january)}
		}
		require.Equal(t, u.want, r.counts(), u.name)
	}
	m.asks(exitOK, 0, "reconcile UTF-16.csv --accounts group:company --all --prices prices.csv --fiat EUR --format csv -o reconciled.csv"+of)
	m.asks(exitOK, 0, "rollforward --accounts group:company --prices prices.csv --fiat EUR --format csv -o rollforward.csv"+of)
	m.asks(exitOK, 0, "rollforward --accounts group:company --prices prices.csv --fiat EUR --list all --format csv -o movements.csv"+of)
	m.asks(exitOK, 0, "export --as csv --accounts group:company --prices prices.csv --fiat EUR -o list.csv"+strings.TrimSuffix(of, " --quiet"))
	t.Run("the amounts in a currency as Python has them", asPythonHasIt)

	closing := "close --accounts group:company --prices prices.csv --fiat EUR --reconcile UTF-16.csv -o january" + of
	require.Contains(t, m.asks(exitOK, 0, closing), "\ncreated\n")
	require.Contains(t, m.asks(exitOK, 0, "close --check january --quiet"), "\nverified: ")
	corrected := strings.Replace(closing, "group:company", "group:company,Payroll", 1)
	require.Contains(t, m.asks(exitFinding, 0, corrected), "\ncreated version 2: see changes.json for the changes; ") // the company's record is without the other account
	var manifest struct {
		Totals   struct{ Charged string }
		Findings struct{ Differences int }
		Period   struct{ Complete bool }
	}
	text, err := os.ReadFile(filepath.Join("january", "manifest.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &manifest))
	of4 := m.paid(time.January, 2026, append(slices.Clone(company), payroll))
	require.Equal(t, charged(t, of4), manifest.Totals.Charged)
	require.Equal(t, len(of4)-len(january), manifest.Findings.Differences)
	require.True(t, manifest.Period.Complete)

	m.made.SetHead(m.lastBefore(time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC))) // a month later
	february := strings.Replace(of, "2026-01", "2026-02", 1)
	m.asksJSON(&report, 1, "report --accounts group:company"+february)
	require.Equal(t, charged(t, m.paid(time.February, 2026, company)), report.Totals.Charged)
	m.asks(exitOK, 0, "close --accounts group:company -o february"+february)
	m.asks(exitOK, 0, "close --accounts group:company -o year --year 2025 --timezone Europe/Berlin --quiet") // the chain began in it
	for _, period := range []string{"january", "february", "year"} {
		require.Contains(t, m.asks(exitOK, 0, "close --check "+period+" --quiet"), "\nverified: ")
	}
}
