//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/tsatest"
)

// A package's timestamp is proved without the authority that gave it.
func TestCloseTimestamp(t *testing.T) {
	filled(t, newLedgerFile(t))
	address, certificates := tsatest.Serve(t, time.Now().Add(time.Hour))
	_, others := tsatest.Serve(t, time.Now().Add(time.Hour))
	dir := filepath.Join(t.TempDir(), "january")
	stdout, _ := closed(t, dir, "--no-balances", "--timestamp", address)
	require.Regexp(t, `(?m)^timestamp: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, checked against nobody: --check with --tsa-ca says by whose word$`, stdout)
	check := func(want int, line string, flags ...string) {
		t.Helper()
		stdout, stderr, code := fees(t, append([]string{"close", "--check", dir}, flags...)...)
		require.Equal(t, want, code, stdout+stderr)
		require.Regexp(t, "(?m)^"+line, stdout)
	}
	check(exitOK, "timestamp: .*, checked against nobody")
	check(exitOK, "timestamp: .*, CN=a test's clock$", "--tsa-ca", certificates)
	check(exitFinding, "manifest.json.tsr: the timestamp is not by a listed authority", "--tsa-ca", others)

	t.Run("alone", func(t *testing.T) {
		t.Setenv("FEES_LEDGER", "")
		t.Chdir(t.TempDir())
		check(exitOK, "timestamp: .*, CN=a test's clock\n(.*\n)*note: not compared, for there is no ledger", "--tsa-ca", certificates)
		check(exitFinding, "manifest.json.tsr: the timestamp is not by a listed authority", "--tsa-ca", others)
	})
	stamp, err := os.ReadFile(filepath.Join(dir, "manifest.json.tsr"))
	require.NoError(t, err)
	stdout, _ = closed(t, dir, "--no-balances", "--timestamp", "http://127.0.0.1:1") // it has one: nobody is asked
	require.Contains(t, stdout, "nothing has changed")
	stdout, _ = closed(t, dir, "--no-balances", "--as", "ledger")
	require.Contains(t, stdout, "no timestamp: version 1 had one, and --timestamp asks for this one's\n")
	check(exitFinding, "no timestamp: there is no manifest.json.tsr$", "--tsa-ca", certificates)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.json.tsr"), stamp, 0o600))
	check(exitFinding, "manifest.json.tsr: the timestamp is of other bytes, or was altered$")
}

// Where no authority answers, nothing is made.
func TestCloseWithoutTimestamp(t *testing.T) {
	filled(t, newLedgerFile(t))
	dir := filepath.Join(t.TempDir(), "january")
	refused := func(want int, message string, flags ...string) {
		t.Helper()
		_, stderr, code := fees(t, append([]string{"close", "--month", "2026-01", "--partial", "--no-balances", "--accounts", alith, "-o", dir}, flags...)...)
		require.Equal(t, want, code, stderr)
		require.Contains(t, stderr, message)
		require.NoDirExists(t, dir)
		require.NoDirExists(t, dir+".closing")
	}
	refused(exitGateway, "the time-stamping authority gives no timestamp: ", "--timestamp", "http://127.0.0.1:1")
	refused(exitUsage, "--timestamp: want the http or https URL", "--timestamp", "somewhere")
	refused(exitUsage, "want --check DIR beside it", "--tsa-ca", "somewhere")
	_, stderr, code := fees(t, "close", "--check", dir, "--tsa-ca", filepath.Join(dir, "none"))
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "--tsa-ca: open ")
}
