package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
)

// TestReference requires docs/reference.md to name every command, environment variable and exit
// code.
func TestReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reference.md")
	require.NoError(t, err)
	page := string(text)
	root := newRoot(io.Discard, io.Discard)
	for c := range cli.Explained(root) {
		if c.HasSubCommands() {
			continue
		}
		require.True(t, strings.Contains(page, "`"+c.CommandPath()+"`"), "docs/reference.md does not name %s", c.CommandPath())
	}
	for _, name := range []string{
		"FEES_GATEWAY", "GATEWAY_NODE_URL", "FEES_LEDGER", "FEES_ACCOUNTS", "FEES_NODE", "FEES_API_KEY", "FEES_KEY_PASSPHRASE", "PGPASSWORD",
	} {
		require.True(t, strings.Contains(page, "| `"+name+"`"), "docs/reference.md does not explain %s", name)
	}
	for _, code := range []string{"0", "1", "2", "3", "4", "130"} {
		require.True(t, strings.Contains(page, "\n| "+code+" | "), "docs/reference.md does not explain exit code %s", code)
	}
}
