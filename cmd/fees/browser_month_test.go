package main

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/demo/monthend"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
)

// A month end in the browser gives the same bytes as the command line: reconciliation, annotated record, and
// close package, which is checked again.
func TestMonthInTheBrowser(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, monthend.Write(dir))
	in := func(name string) string { return filepath.Join(dir, name) }
	fees := func(want int, args ...string) {
		t.Helper()
		_, stderr, code := fees(args...)
		require.Equal(t, want, code, "%v\n%s", args, stderr)
	}
	fees(0, "sync", "--month", "2026-01", "--gateway", in("gateway"), "--ledger", in("fees.db"), "--quiet")
	asked := []string{"reconcile", in("company.csv"), "--month", "2026-01", "--accounts", "group:company", "--ledger", in("fees.db"), "--quiet"}
	for _, form := range []string{"json", "csv", "xlsx"} {
		fees(1, append(asked, "--format", form, "-o", in("result."+form))...)
		fees(1, append(asked, "--format", form, "-o", in("all."+form), "--all", "--tolerance", "1 Gwei")...)
	}
	fees(1, append(asked, "--fix", in("company-checked.csv"))...)
	require.NoError(t, os.Mkdir(in("closed"), 0o700))
	fees(0, "close", "--month", "2026-01", "--accounts", "group:company", "--gateway", in("gateway"), "--ledger", in("fees.db"), "-o", in("closed/2026-01"), "--quiet")

	d, err := app.Open(t.Context(), in("fees.db"), network.BuiltIn())
	require.NoError(t, err)
	defer d.Close()
	book, err := app.ReadAddressBook(in("accounts.csv"))
	require.NoError(t, err)
	state, err := d.State(t.Context())
	require.NoError(t, err)
	var working sync.WaitGroup
	s := httptest.NewServer(web.Handler(web.Options{Working: &working, Ledgers: []web.Served{{
		Ledger: d, Network: state.Network, Labels: book, Packages: in("closed"), Open: func(ctx context.Context) (*app.Ledger, error) { return app.Open(ctx, in("fees.db"), network.BuiltIn()) },
	}}}))
	defer s.Close()
	ask := func(method, path, kind string, body io.Reader) (status int, text string, at string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, body)
		require.NoError(t, err)
		r.Header.Set("Content-Type", kind)
		client := *s.Client()
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		a, err := client.Do(r)
		require.NoError(t, err)
		defer a.Body.Close()
		all, err := io.ReadAll(a.Body)
		require.NoError(t, err)
		return a.StatusCode, string(all), a.Header.Get("Location")
	}
	same := func(name, path string) {
		t.Helper()
		want, err := os.ReadFile(in(name))
		require.NoError(t, err)
		status, text, _ := ask(http.MethodGet, path, "", nil)
		require.Equal(t, http.StatusOK, status, text)
		require.Equal(t, string(want), text, path)
	}

	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(t, w.WriteField("period", "2026-01"))
	require.NoError(t, w.WriteField("accounts", "group:company"))
	part, err := w.CreateFormFile("file", "company.csv")
	require.NoError(t, err)
	record, err := os.ReadFile(in("company.csv"))
	require.NoError(t, err)
	_, err = part.Write(record)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	status, text, at := ask(http.MethodPost, "/reconcile", w.FormDataContentType(), &form)
	require.Equal(t, http.StatusSeeOther, status, text)
	token, query, _ := strings.Cut(at, "?")
	for _, form := range []string{"json", "csv", "xlsx"} {
		same("result."+form, token+"/result."+form+"?"+query)
		same("all."+form, token+"/result."+form+"?all=1&tolerance=1+Gwei&"+query)
	}
	same("company-checked.csv", token+"/fixed?"+query)

	same("closed/2026-01/report.json", "/packages/2026-01/v1/report.json")
	status, text, _ = ask(http.MethodPost, "/packages/2026-01/check", "", nil)
	require.Equal(t, http.StatusSeeOther, status, text)
	working.Wait()
	_, text, _ = ask(http.MethodGet, "/packages/2026-01", "", nil)
	require.Contains(t, text, "partly verified")
	require.Contains(t, text, "not compared: statements.json", "the browser asks no gateway for balances")
}
