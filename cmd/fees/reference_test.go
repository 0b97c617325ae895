package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
)

// TestReference holds docs/reference.md to the commands; -update writes it.
func TestReference(t *testing.T) {
	root := newRoot(io.Discard, io.Discard)
	var out strings.Builder
	out.WriteString(referenceHead)
	group := ""
	for c := range cli.Explained(root) {
		if c == root {
			continue
		}
		if title := groupOf(c); title != group {
			group = title
			out.WriteString("\n**" + strings.TrimSuffix(title, ":") + "**\n\n| command | what it does |\n|---|---|\n")
		}
		if c.HasSubCommands() && !c.Runnable() {
			continue
		}
		out.WriteString("| `" + strings.ReplaceAll(strings.TrimSuffix(c.UseLine(), " [flags]"), "|", `\|`) + "` | " + c.Short + " |\n")
	}
	out.WriteString(referenceFoot)
	const page = "../../docs/reference.md"
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(out.String()), 0o666))
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, string(text), out.String(), "run the test with -update")
	for _, name := range []string{"FEES_GATEWAY", "GATEWAY_NODE_URL", "FEES_LEDGER", "FEES_ACCOUNTS", "FEES_NODE", "FEES_API_KEY", "PGPASSWORD"} {
		require.Contains(t, out.String(), "| `"+name+"` |")
	}
}

// groupOf is the title of the group that a command is in, or the one above it.
func groupOf(c *cobra.Command) string {
	for c.Parent().HasParent() {
		c = c.Parent()
	}
	if c.GroupID == "" {
		return "And"
	}
	return c.GroupID
}

const referenceHead = `# Reference

All commands. ` + "`fees help COMMAND`" + ` explains one with its flags and examples, ` + "`fees help --all`" + ` prints all of that in one page, and ` + "`man fees-COMMAND`" + ` is the same where a package was installed.
A test keeps this page as the program is.
`

const referenceFoot = `
## Exit codes

| code | what it means |
|---|---|
| 0 | all is well |
| 1 | shown, but something does not hold: an undetermined fee, a drift, a difference, a check that is broken |
| 2 | a wrong argument or flag, an unknown network, a ledger of another chain |
| 3 | the gateway or the node |
| 4 | a ledger or an archive is damaged, locked, or lacks what was asked for; or a disk is full |
| 130 | stopped by a signal |

## Environment

| variable | what it says, where no flag does |
|---|---|
| ` + "`FEES_GATEWAY`" + ` | where blocks come from: a gateway's or node's URL, a directory, an archive, ` + "`demo`" + ` |
| ` + "`GATEWAY_NODE_URL`" + ` | the same, where ` + "`FEES_GATEWAY`" + ` is not set |
| ` + "`FEES_NODE`" + ` | the node that tells when blocks are final, and that ` + "`fees node`" + ` asks |
| ` + "`FEES_API_KEY`" + ` | the key that a hosted gateway or node wants |
| ` + "`FEES_LEDGER`" + ` | the ledger: a file, or ` + "`postgres://HOST/DATABASE`" + ` |
| ` + "`FEES_ACCOUNTS`" + ` | the address book |
| ` + "`NO_COLOR`" + `, ` + "`TERM`" + `, ` + "`COLUMNS`" + ` | colours and widths of tables |
| ` + "`PGPASSWORD`" + ` | the password of the PostgreSQL server; it stands in no URL then |
| ` + "`FEES_KEY_PASSPHRASE`" + `, ` + "`SSH_AUTH_SOCK`" + ` | the passphrase of the key that signs a package; the agent that has the key |
| ` + "`GOGC`" + `, ` + "`GOMEMLIMIT`" + ` | as for any Go program: how much memory it may take |
`
