package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

// The auditor's Python script computes seals and fees from the output of fees export --as records, using only the
// documentation: for the ledger, a month and its package. Changed data gives another seal or is rejected.
func TestSealsByPython(t *testing.T) {
	t.Parallel()
	python := program.Path(t, program.Python, "python3")
	dir := t.TempDir()
	place, records := filepath.Join(dir, "fees.db"), filepath.Join(dir, "records.jsonl")
	bySeals := func(file string, seals ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), python, append([]string{"../../docs/verify_seal.py", file}, seals...)...).CombinedOutput()
		return string(out), err
	}
	_, stderr, _ := fees("sync", "0..27", "--gateway", "demo", "--ledger", place) // one check does not hold
	outputOf(t, exitOK, "export", "--as", "records", "0..27", "--ledger", place, "-o", records)
	sealed := regexp.MustCompile(`(?m)^seal +([0-9a-f]{64})$`).FindStringSubmatch(outputOf(t, exitOK, "ledger", "status", "--ledger", place))
	require.NotNil(t, sealed, stderr)
	said, err := bySeals(records, sealed[1])
	require.NoError(t, err, said)
	require.Contains(t, said, "verified: "+sealed[1])
	require.Contains(t, said, "fees 1786951749384991759 wei\n") // by the report, too:
	require.Contains(t, outputOf(t, exitFinding, "report", "--by", "month", "0..27", "--ledger", place, "--format", "csv"), ",1786951749384991759,")

	outputOf(t, exitFinding, "close", "--month", "2026-01", "--partial", "--no-balances", "--accounts", "0xf24ff3a9cf04c71dbc94d0b566f7a27b94566cac", "--ledger", place, "-o", filepath.Join(dir, "package"))
	manifest, err := os.ReadFile(filepath.Join(dir, "package", "manifest.json"))
	require.NoError(t, err)
	month := regexp.MustCompile(`"seal": "([0-9a-f]{64})"`).FindSubmatch(manifest)
	require.NotNil(t, month)
	said, err = bySeals(records, string(month[1]))
	require.NoError(t, err, said)

	text, err := os.ReadFile(records)
	require.NoError(t, err)
	first := strings.LastIndex(string(text), `"record":"`) + len(`"record":"`)
	for at := first; at < len(text)-4; at += (len(text) - first) / 8 { // one digit of the last block's record at a time
		changed := []byte(string(text))
		if changed[at]++; changed[at] == '9'+1 {
			changed[at] = '0'
		} else if changed[at] == 'f'+1 {
			changed[at] = 'e'
		}
		file := filepath.Join(dir, "changed.jsonl")
		require.NoError(t, os.WriteFile(file, changed, 0o644))
		said, err := bySeals(file, sealed[1])
		require.Error(t, err, "%d: %s", at, said)
		require.NotContains(t, said, "Traceback")
	}
	said, err = bySeals(filepath.Join(dir, "nothing"))
	require.Error(t, err)
	require.Contains(t, said, "not verified: ")
	require.NotContains(t, said, "Traceback")
}
