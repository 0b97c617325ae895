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

// A package's timestamp is verified offline.
func TestCloseTimestamp(t *testing.T) {
	filled(t, newLedgerFile(t))
	address, certificates := tsatest.Serve(t, time.Now().Add(time.Hour))
	_, others := tsatest.Serve(t, time.Now().Add(time.Hour))
	dir := filepath.Join(t.TempDir(), "january")
	stdout, _ := closed(t, dir, "--no-balances", "--timestamp", address)
	require.Regexp(t, `(?m)^timestamp: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, authority not checked; check it with --check --tsa-ca FILE$`, stdout)
	check := func(want int, line string, flags ...string) {
		t.Helper()
		stdout, stderr, code := fees(append([]string{"close", "--check", dir}, flags...)...)
		require.Equal(t, want, code, stdout+stderr)
		require.Regexp(t, "(?m)^"+line, stdout)
	}
	check(exitOK, "timestamp: .*, authority not checked")
	check(exitOK, "timestamp: .*, CN=a test's clock$", "--tsa-ca", certificates)
	check(exitFinding, "manifest.json.tsr: the timestamp is not by a listed authority", "--tsa-ca", others)

	t.Run("without a ledger", func(t *testing.T) {
		t.Setenv("FEES_LEDGER", "")
		t.Chdir(t.TempDir())
		check(exitOK, "timestamp: .*, CN=a test's clock\n(.*\n)*not compared: the blocks and all figures, because no ledger was given$", "--tsa-ca", certificates, "--offline")
		check(exitLedger, "partly verified: ", "--tsa-ca", certificates)
		check(exitFinding, "manifest.json.tsr: the timestamp is not by a listed authority", "--tsa-ca", others)
	})
	stamp, err := os.ReadFile(filepath.Join(dir, "manifest.json.tsr"))
	require.NoError(t, err)
	stdout, _ = closed(t, dir, "--no-balances", "--timestamp", "http://127.0.0.1:1") // already timestamped: no request
	require.Contains(t, stdout, "unchanged: every byte is the same")
	stdout, _ = closed(t, dir, "--no-balances", "--as", "ledger")
	require.Contains(t, stdout, "no timestamp, but version 1 had one; get one with --timestamp\n")
	check(exitFinding, "no timestamp: the package contains no manifest.json.tsr$", "--tsa-ca", certificates)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.json.tsr"), stamp, 0o600))
	check(exitFinding, "manifest.json.tsr: the timestamp is for other bytes or was altered$")
}

// If the authority does not respond, no package is created.
func TestCloseWithoutTimestamp(t *testing.T) {
	filled(t, newLedgerFile(t))
	dir := filepath.Join(t.TempDir(), "january")
	refused := func(want int, message string, flags ...string) {
		t.Helper()
		_, stderr, code := fees(append([]string{"close", "--month", "2026-01", "--partial", "--no-balances", "--accounts", alith, "-o", dir}, flags...)...)
		require.Equal(t, want, code, stderr)
		require.Contains(t, stderr, message)
		require.NoDirExists(t, dir)
		require.NoDirExists(t, dir+".closing")
	}
	refused(exitGateway, "the time-stamping authority returned no timestamp: ", "--timestamp", "http://127.0.0.1:1")
	refused(exitUsage, "--timestamp: not an http or https URL of a time-stamping authority", "--timestamp", "somewhere")
	refused(exitUsage, "add --check DIR", "--tsa-ca", "somewhere")
	_, stderr, code := fees("close", "--check", dir, "--tsa-ca", filepath.Join(dir, "none"))
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "--tsa-ca: ")
}
