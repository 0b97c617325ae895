//go:build unix

package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pages and API of fees serve match the command line, to the byte, while the ledger is written; a signal stops the
// server.
func TestServe(t *testing.T) {
	t.Parallel()
	place := newLedgerFile(t)
	prices := filepath.Join(t.TempDir(), "prices.csv")
	require.NoError(t, os.WriteFile(prices, []byte("day,price,currency,source\n2026-01-01,0.2315,EUR,a bank\n2026-11-20,0.5,EUR,a bank\n"), 0o600))
	_, stderr, code := fees("sync", "0..27", "--gateway", "demo", "--ledger", place, "--quiet")
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	p := start(t, "serve", "--ledger", place, "--listen", "127.0.0.1:0", "--labels", "none", "--gateway", "demo", "--prices", prices, "--fiat", "EUR")
	address := p.served(t)
	get := func(path string) string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, nil)
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, answer.StatusCode, "%s", text)
		return string(text)
	}
	for path, command := range map[string][]string{
		"/api/v1/report?period=3..27&by=account":                                         {"report", "3..27", "--by", "account"},
		"/api/v1/transactions/25-7":                                                      {"tx", "25-7"},
		"/api/v1/accounts/" + alith:                                                      {"account", alith},
		"/api/v1/blocks/25":                                                              {"show", "25"},
		"/api/v1/report?period=14..27&by=layer&compare=before&price=EUR":                 {"report", "14..27", "--by", "layer", "--compare", "--prices", prices, "--fiat", "EUR"},
		"/api/v1/report?period=3..27&by=type&layer=evm&status=reverted":                  {"report", "3..27", "--by", "type", "--only", "layer=evm,status=reverted"},
		"/api/v1/transactions/25-7/explanation":                                          {"explain", "25-7", "--gateway", "demo"},
		"/api/v1/accounts/" + alith + "/statement?period=1..24&balances=none":            {"statement", alith, "1..24", "--no-balances"},
		"/api/v1/accounts/" + alith + "/rollforward?period=1..24&balances=none":          {"rollforward", "--accounts", alith, "1..24", "--no-balances"},
		"/account/" + alith + "/statement.csv?period=1..24&balances=none&part=fees":      {"statement", alith, "1..24", "--no-balances", "--format", "csv", "--part", "fees"},
		"/account/" + alith + "/statement.pdf?period=1..24&balances=none":                {"statement", alith, "1..24", "--no-balances", "--format", "pdf"},
		"/account/" + alith + "/rollforward.pdf?period=1..24&balances=none&paper=letter": {"rollforward", "--accounts", alith, "1..24", "--no-balances", "--format", "pdf", "--paper", "letter"},
		"/fees.csv?period=3..27&by=call":                                                 {"report", "3..27", "--by", "call", "--format", "csv"},
	} {
		command = append(command, "--ledger", place, "--labels", "none", "--quiet")
		if !slices.Contains(command, "--format") {
			command = append(command, "--format", "json")
		}
		stdout, stderr, code := fees(command...)
		require.Contains(t, []int{exitOK, exitFinding}, code, stderr) // a statement without balances is not proved
		require.Equal(t, stdout, get(path), path)
	}
	require.Contains(t, get("/fees?period=3..27"), "fees report 3..27 --ledger "+place)
	_, stderr, code = fees("sync", "0..27", "--gateway", "demo", "--ledger", place, "--quiet") // a writer is not kept away
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	p.signal(t, syscall.SIGTERM)
	p.ends(t, exitOK)
}
