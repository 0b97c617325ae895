package console_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/console"
)

// A shell reads a quoted argument as the original text.
func TestArgument(t *testing.T) {
	for text, want := range map[string]string{
		"fees.db": "fees.db", "group:ours": "group:ours", "my ledger.db": "'my ledger.db'", "": "''", "it's": `'it'\''s'`, "$(rm x)": "'$(rm x)'", "é": "'é'", "a\nb": "'a\nb'",
	} {
		require.Equal(t, want, console.Argument(text))
		out, err := exec.Command("/bin/sh", "-c", "printf %s "+want).Output()
		require.NoError(t, err)
		require.Equal(t, text, string(out))
	}
}
