package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
)

// A ledger is cut before a month. Reports of the time before say that it is not there, and the
// file has it.
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
		_, stderr, code := fees(t, "sync", "--signatures=false", fmt.Sprintf("%d..%d", first, last), "--gateway", gateway)
		require.Equal(t, exitOK, code, stderr)
		report := func(place string, args ...string) (string, string, int) {
			if place != "" {
				args = append(args, "--ledger", place)
			}
			return fees(t, append([]string{"report", "--format", "json"}, args...)...)
		}
		earlier := fmt.Sprintf("%d..%d", first, boundary-1)
		want, stderr, code := report("", earlier)
		require.Equal(t, exitOK, code, stderr)
		wantLater, _, _ := report("", fmt.Sprintf("%d..%d", boundary, last))

		stdout, stderr, code := fees(t, "ledger", "detach", "--before", month, "--dry-run")
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stdout, fmt.Sprintf("blocks %s (%d) of %s would go, and ", earlier, boundary-first, before))
		require.Contains(t, stdout, fmt.Sprintf(" would begin with block %d\n", boundary))
		file := filepath.Join(t.TempDir(), "earlier.db")
		stdout, stderr, code = fees(t, "ledger", "detach", "--before", month, "-o", file)
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stdout, fmt.Sprintf("blocks %s (%d) are in %s, and ", earlier, boundary-first, file))
		if !ledger.Postgres(at) {
			require.Contains(t, stdout, "is as large as before, and new blocks use the room; fees ledger backup makes a copy without it")
		}
		_, stderr, code = fees(t, "ledger", "verify")
		require.Equal(t, exitOK, code, stderr)
		requireVerified(t, file)

		_, stderr, code = report("", "--month", before)
		require.Equal(t, exitLedger, code)
		require.Contains(t, stderr, fmt.Sprintf("it has blocks %d", boundary))
		have, stderr, code := report(file, earlier)
		require.Equal(t, exitOK, code, stderr)
		require.Equal(t, want, have)
		have, stderr, code = report("", fmt.Sprintf("%d..%d", boundary, last))
		require.Equal(t, exitOK, code, stderr)
		require.Equal(t, wantLater, have)

		// The ledger goes on from there.
		_, stderr, code = fees(t, "sync", "--signatures=false", "--gateway", gateway)
		require.Equal(t, exitOK, code, stderr)
	})
}
