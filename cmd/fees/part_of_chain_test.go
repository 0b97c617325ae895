package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/gatewaytest"
)

// A gateway with part of the chain fills a ledger like the directory that it serves, by heights and by days, to the
// same seal.
func TestPartOfChain(t *testing.T) {
	t.Parallel()
	whole := httptest.NewServer(gatewaytest.Handler(filepath.Join(recordings(t), "moonbeam-2100")))
	t.Cleanup(whole.Close)
	for _, blocks := range []string{"10..20", "1..20"} {
		directory := filepath.Join(t.TempDir(), "part")
		_, stderr, code := fees("archive", "record", blocks, "-o", directory, "--gateway", whole.URL, "--quiet")
		require.Equal(t, exitOK, code, stderr)
		kept, err := answers.OpenDirectory(directory)
		require.NoError(t, err)
		asked := 0
		handler := answers.Handler(kept)
		part := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			handler.ServeHTTP(w, r)
		}))
		t.Cleanup(part.Close)
		for _, wanted := range [][]string{{blocks}, {"--from", "2026-01-01", "--to", "2026-01-01"}, {"--month", "2026-01"}, {"--from", "10"}} {
			var said []string
			for _, gateway := range []string{directory, part.URL} {
				book := filepath.Join(t.TempDir(), "fees.db")
				_, stderr, ended := fees(append([]string{"sync", "--ledger", book, "--gateway", gateway, "--quiet", "--concurrency", "1"}, wanted...)...)
				require.Contains(t, []int{exitOK, exitFinding}, ended, "%v: %s", wanted, stderr) // block 1's time is wrong
				status, _, code := fees("ledger", "status", "--ledger", book, "--format", "json")
				require.Equal(t, exitOK, code)
				said = append(said, fmt.Sprint(ended, strings.ReplaceAll(status, book, "")))
			}
			require.Equal(t, said[0], said[1], wanted)
		}
		_, stderr, code = fees("sync", "0..20", "--ledger", filepath.Join(t.TempDir(), "fees.db"), "--gateway", part.URL)
		require.Equal(t, exitGateway, code)
		require.Contains(t, stderr, "block 0: no such block")
		require.Less(t, asked, 400)
	}
}
