package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
)

// Blocks before a month are detached. Reports on earlier periods fail, except with the new file.
func TestLedgerDetach(t *testing.T) {
	if testing.Short() {
		t.Skip("a chain of a month")
	}
	const first, last = 223_120, 223_270
	const boundary = 31*7_200 + 1 // block 1 is of 2025-01-01T00:00:00Z, and the next ones follow every 12 seconds
	const month, before = "2025-02", "2025-01"
	_, gateway := generated(t, 71, last)
	places(t, func(t *testing.T, place func() string) {
		at := place()
		t.Setenv("FEES_LEDGER", at)
		_, stderr, code := fees("sync", "--signatures=false", fmt.Sprintf("%d..%d", first, last), "--gateway", gateway)
		require.Equal(t, exitOK, code, stderr)
		report := func(place string, args ...string) (string, string, int) {
			if place != "" {
				args = append(args, "--ledger", place)
			}
			return fees(append([]string{"report", "--format", "json"}, args...)...)
		}
		earlier := fmt.Sprintf("%d..%d", first, boundary-1)
		want, stderr, code := report("", earlier)
		require.Equal(t, exitOK, code, stderr)
		wantLater, _, _ := report("", fmt.Sprintf("%d..%d", boundary, last))

		stdout, stderr, code := fees("ledger", "detach", "--before", month, "--dry-run")
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stdout, fmt.Sprintf("would move blocks %s (%d) of %s; ", earlier, boundary-first, before))
		require.Contains(t, stdout, fmt.Sprintf(" would start at block %d\n", boundary))
		file := filepath.Join(t.TempDir(), "earlier.db")
		stdout, stderr, code = fees("ledger", "detach", "--before", month, "-o", file)
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stdout, fmt.Sprintf("moved blocks %s (%d) to %s; ", earlier, boundary-first, file))
		if !ledger.Postgres(at) {
			require.Contains(t, stdout, "keeps its size and reuses the space; fees ledger backup makes a smaller copy")
		}
		_, stderr, code = fees("ledger", "verify")
		require.Equal(t, exitOK, code, stderr)
		requireVerified(t, file)

		_, stderr, code = report("", "--month", before)
		require.Equal(t, exitLedger, code)
		require.Contains(t, stderr, fmt.Sprintf("the ledger contains blocks %d", boundary))
		have, stderr, code := report(file, earlier)
		require.Equal(t, exitOK, code, stderr)
		require.Equal(t, want, have)
		have, stderr, code = report("", fmt.Sprintf("%d..%d", boundary, last))
		require.Equal(t, exitOK, code, stderr)
		require.Equal(t, wantLater, have)

		// The ledger continues from there.
		_, stderr, code = fees("sync", "--signatures=false", "--gateway", gateway)
		require.Equal(t, exitOK, code, stderr)
	})
}
