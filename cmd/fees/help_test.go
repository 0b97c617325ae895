package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// The manuals of the ledger's commands, and the first one, fit into a terminal.
func TestHelpFits(t *testing.T) {
	for _, command := range []string{"", "sync", "follow", "worker", "ledger", "ledger status", "ledger verify", "ledger backup", "ledger detach", "ledger upgrade", "close", "gateway serve", "serve", "serve password", "proof", "proof check"} {
		stdout, stderr, code := fees(t, append(strings.Fields(command), "--help")...)
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stdout, "Usage:")
		for line := range strings.Lines(stdout) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 81, "fees %s: %s", command, line)
		}
	}
}
