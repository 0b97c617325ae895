package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const alith = "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac"

// altered returns a recording with a changed file, and a ledger of its blocks 3 and 4.
func altered(t *testing.T, file string, change func(string) string) (recording, place string) {
	recording = t.TempDir()
	require.NoError(t, os.CopyFS(recording, os.DirFS(filepath.Join(recordings(t), "moonbeam-2100"))))
	path := filepath.Join(recording, file)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := change(string(text))
	require.NotEqual(t, string(text), changed)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	place = filepath.Join(recording, "fees.db")
	_, stderr, code := fees("sync", "3..4", "--gateway", recording, "--ledger", place, "--quiet")
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	return recording, place
}

// An undetermined fee is listed, excluded from totals, and makes the exit code 1.
func TestExportUndetermined(t *testing.T) {
	t.Parallel()
	_, place := altered(t, "blocks/3.json", func(text string) string {
		return strings.NewReplacer(`"Executed"`, `"Forgotten"`, `"Withdraw"`, `"Frozen"`).Replace(text)
	})
	for _, form := range []string{"hledger", "koinly", "csv"} {
		stdout, stderr, code := fees("export", "--as", form, "--accounts", alith, "--ledger", place)
		require.Equal(t, exitFinding, code, stderr)
		require.Contains(t, stderr, "fees are undetermined and not in any total:\n  3-4, ")
		switch form {
		case "csv": // the list has it, without a fee
			require.Contains(t, stdout, ",3,2026-01-01T00:00:24Z,4,")
		case "hledger":
			require.Contains(t, stdout, "; Undetermined: ")
			fallthrough
		default:
			require.NotContains(t, stdout, "block 3-4")
			require.Contains(t, stdout, "block 4-4")
		}
	}
}

// If movements do not lead to a balance, the block is named and nothing is written.
func TestExportDifference(t *testing.T) {
	t.Parallel()
	recording, place := altered(t, "balance-info/"+strings.ToLower(alith)+"/4.json", func(text string) string {
		return strings.Replace(text, `"free":"9`, `"free":"8`, 1)
	})
	stdout, stderr, code := fees("export", "--as", "ledger", "--with", "movements", "--accounts", alith, "--ledger", place, "--gateway", recording)
	require.Equal(t, exitFinding, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "block 4: the balance of "+alith+" exceeds its movements by -100000000000000000000 wei free and 0 wei reserved")
}
