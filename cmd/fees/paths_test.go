package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
)

// - is standard output. A command whose result standard output cannot take says so, and makes no file with this name.
func TestResultsThatStandardOutputCannotTake(t *testing.T) {
	t.Chdir(t.TempDir())
	commands := []string{
		"archive join a b -o -", "archive record 1..3 -o -", "close --month 2026-01 --accounts accounts.csv -o -", "demo - --yes", "export --partitioned -",
		"ledger backup -", "ledger detach --before 2026-02 -o -",
	}
	for c := range cli.Explained(newRoot(io.Discard, io.Discard)) {
		if out := c.Flags().Lookup("output"); out == nil || strings.Contains(out.Usage, "standard output") {
			continue
		}
		name, found := strings.TrimPrefix(c.CommandPath(), "fees "), false
		for _, command := range commands {
			found = found || strings.HasPrefix(command, name+" ") && strings.HasSuffix(command, " -o -")
		}
		require.True(t, found, name)
	}
	for _, command := range commands {
		stdout, stderr, code := fees(strings.Fields(command)...)
		require.Equal(t, exitUsage, code, "%s: %s", command, stderr)
		require.Empty(t, stdout, command)
		require.Regexp(t, `(?m)^fees\b.* -: standard output cannot take this result\. Name a file or directory$`, stderr, command)
		files, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Empty(t, files, command)
	}
}
