package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// againFrom returns the command line of a command with these arguments.
func againFrom(t *testing.T, arguments ...string) string { return againWithout(t, nil, arguments...) }

func againWithout(t *testing.T, unread []string, arguments ...string) (line string) {
	t.Helper()
	c := &cobra.Command{Use: "report", RunE: func(c *cobra.Command, args []string) error {
		line = PerformAgain(c, args, unread...)
		return nil
	}}
	for _, name := range []string{"ledger", "gateway", "month", "output", "labels"} {
		c.Flags().String(name, "", "")
	}
	c.Flags().StringSlice("accounts", nil, "")
	c.Flags().Bool("about", false, "")
	c.Flags().Bool("quiet", false, "")
	c.Flags().Bool("partial", false, "")
	root := &cobra.Command{Use: "fees"}
	root.AddCommand(c)
	root.SetArgs(append([]string{"report"}, arguments...))
	require.NoError(t, root.Execute())
	return line
}

func TestPerformAgain(t *testing.T) {
	t.Setenv("FEES_LEDGER", "")
	t.Setenv("FEES_ACCOUNTS", "")
	t.Setenv("FEES_GATEWAY", "")
	t.Setenv("GATEWAY_NODE_URL", "")
	require.Equal(t, "fees report 1..2 --month 2026-01 --partial", againFrom(t, "1..2", "--month", "2026-01", "--partial", "--about", "--quiet", "--output", "x"))
	require.Equal(t, "fees report -- -1", againFrom(t, "--", "-1"))
	for _, hidden := range []struct{ given, want string }{
		{"https://user:secret@host/path", "https://host"}, {"https://host/v1/0123456789abcdef0123secret", "https://host"}, {"https://host/?apikey=secret", "https://host"},
		{"postgres://user:secret@host/fees?password=secret", "postgres://host/fees"}, {"https://host/path", "https://host/path"},
	} {
		require.Equal(t, "fees report --gateway "+hidden.want, againFrom(t, "--gateway", hidden.given))
		require.Equal(t, "fees report --accounts "+hidden.want, againFrom(t, "--accounts", hidden.given))
	}
	t.Setenv("FEES_LEDGER", "postgres://user:secret@host/fees?password=secret")
	t.Setenv("FEES_ACCOUNTS", "our accounts.csv")
	require.Equal(t, "fees report --ledger postgres://host/fees --labels 'our accounts.csv'", againFrom(t))
	require.Equal(t, "fees report --labels none --ledger a.db", againFrom(t, "--ledger", "a.db", "--labels", "none"))

	// A flag that the command does not take from the environment is left out, and the specification's name comes second.
	t.Setenv("FEES_ACCOUNTS", "")
	t.Setenv("GATEWAY_NODE_URL", "http://user:secret@b")
	require.Equal(t, "fees report --gateway http://b", againWithout(t, []string{"ledger"}))
	t.Setenv("FEES_GATEWAY", "http://a")
	require.Equal(t, "fees report --gateway http://a", againWithout(t, []string{"ledger"}))
	require.Equal(t, "fees report --ledger postgres://host/fees", againWithout(t, []string{"gateway"}))
	require.Equal(t, "fees report --ledger postgres://host/fees --gateway http://a", againFrom(t))
	t.Setenv("FEES_LEDGER", "")
	t.Setenv("FEES_GATEWAY", "")
	t.Setenv("GATEWAY_NODE_URL", "")
	// A shell reads the words as they were given.
	hostile := []string{"$(touch x)", "it's", "a b\n", `\`, `"`, "group:Gehälter", "a,b", "*"}
	for _, text := range hostile {
		line := againFrom(t, "--month", text, "--labels", "none", text)
		said, err := exec.Command("sh", "-c", "printf '%s\\0' "+strings.TrimPrefix(line, "fees report ")).Output()
		require.NoError(t, err)
		require.Equal(t, []string{text, "--labels", "none", "--month", text, ""}, strings.Split(string(said), "\x00"))
	}
}
