package main

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/answers"
)

// A gateway with a key in the query of its URL fills ledgers, archives and close packages. The key is in no output and no
// file. The ledger remembers the gateway's host.
func TestKeyInTheGatewaysQuery(t *testing.T) {
	const key = "S3CRET-0123456789"
	recordings, err := answers.OpenDirectory(recorded(t))
	require.NoError(t, err)
	broken := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken || r.URL.Query().Get("apikey") != key {
			http.Error(w, `{"message":"no access with `+r.URL.RawQuery+`"}`, http.StatusForbidden)
			return
		}
		http.StripPrefix("/moonbeam", answers.Handler(recordings)).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Chdir(t.TempDir())
	t.Setenv("FEES_GATEWAY", server.URL+"/moonbeam/?apikey="+key)
	require.NoError(t, os.WriteFile("accounts.csv", []byte("0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac,Mine\n"), 0o644))
	ran := func(want int, args ...string) string {
		t.Helper()
		stdout, stderr, code := fees(args...)
		require.Equal(t, want, code, "%v: %s", args, stderr)
		require.NotContains(t, stdout+stderr, key, args)
		return stdout + stderr
	}
	ran(exitOK, "gateway", "head")
	ran(exitOK, "sync", "3..20")
	ran(exitOK, "archive", "record", "3..20", "-o", "archive")
	ran(exitOK, "report", "3..20", "--about", "-o", "report.csv", "--format", "csv")
	ran(exitOK, "rollforward", "3..20", "--accounts", "accounts.csv", "-o", "rollforward.csv", "--format", "csv")
	ran(exitOK, "close", "--month", "2026-01", "--partial", "--accounts", "accounts.csv", "-o", "package")
	require.Contains(t, ran(exitUsage, "block", "5", "--gateway", server.URL+"/?apikey="+key), "put the URL in the environment variable FEES_GATEWAY")
	broken = true
	require.Contains(t, ran(exitGateway, "sync", "21..25"), "status 403 Forbidden")

	lacks := ran(exitLedger, "report", "3..25")
	require.Contains(t, lacks, `Run "fees sync 3..25", or`, "the environment names the gateway")
	t.Setenv("FEES_GATEWAY", "demo")
	lacks = ran(exitLedger, "report", "3..25")
	require.Contains(t, lacks, `Run "fees sync 3..25 --gateway '`+server.URL+`/…'", or`)
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotContains(t, string(text), key, path)
		}
		return err
	}))

	t.Setenv("FEES_GATEWAY", "")
	ran(exitOK, "sync", "3..21", "--gateway", "demo")
	require.Contains(t, ran(exitLedger, "report", "3..25"), `Run "fees sync 3..25 --gateway demo", or`, "the last source")
}
