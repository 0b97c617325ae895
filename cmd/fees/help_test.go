package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// Help fits the width of a terminal, and the first screen is at most 40 lines.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "sync", "follow", "worker", "ledger", "ledger status", "ledger verify", "ledger backup", "ledger detach", "ledger upgrade", "close", "gateway serve", "serve", "serve password", "proof", "proof check", "proof finality"} {
		stdout, stderr, code := fees(append(strings.Fields(command), "--help")...)
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stdout, "Usage:")
		if command == "" {
			require.LessOrEqual(t, strings.Count(stdout, "\n"), 40)
		}
		for line := range strings.Lines(stdout) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 81, "fees %s: %s", command, line)
		}
	}
}
