//go:build unix

package main

import (
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the page and the API of fees serve say is what the command line says, to the byte, of a
// ledger that is written meanwhile; a signal ends it.
func TestServe(t *testing.T) {
	t.Parallel()
	place := newLedgerFile(t)
	_, stderr, code := ran("sync", "0..27", "--gateway", "demo", "--ledger", place, "--quiet")
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	p := start(t, "serve", "--ledger", place, "--listen", "127.0.0.1:0", "--labels", "none")
	address := ""
	eventually(t, "it does not serve", func() bool {
		_, after, ok := strings.Cut(p.stderr.String(), " is at ")
		address = strings.TrimSpace(after)
		return ok && strings.HasSuffix(after, "\n")
	})
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
		"/api/v1/report?period=3..27&by=account": {"report", "3..27", "--by", "account"},
		"/api/v1/transactions/25-7":              {"tx", "25-7"},
		"/api/v1/accounts/" + alith:              {"account", alith},
		"/api/v1/blocks/25":                      {"show", "25"},
	} {
		stdout, stderr, code := ran(append(command, "--ledger", place, "--labels", "none", "--format", "json", "--quiet")...)
		require.Equal(t, exitOK, code, stderr)
		require.Equal(t, stdout, get(path), path)
	}
	require.Contains(t, get("/fees?period=3..27"), "fees report 3..27 --ledger "+place)
	_, stderr, code = ran("sync", "0..27", "--gateway", "demo", "--ledger", place, "--quiet") // a writer is not kept away
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	p.signal(t, syscall.SIGTERM)
	p.ends(t, exitOK)
}
