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

// A ledger, and a file that is read, are not standard input. Each command with such a flag says so, and makes no file.
func TestInputsThatAreNotPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	reads := []string{"ledger", "labels", "names", "prices", "chart", "tags", "classes", "profile", "network-file", "font"}
	seen := map[string]bool{}
	for c := range cli.Explained(newRoot(io.Discard, io.Discard)) {
		for _, name := range reads {
			if f := c.Flags().Lookup(name); f == nil || !c.Runnable() || f.Value.Type() == "bool" {
				continue
			}
			seen[name] = true
			for _, value := range []string{"-", "A=-"} {
				command := newRoot(io.Discard, io.Discard)
				found, _, err := command.Find(strings.Fields(c.CommandPath())[1:])
				require.NoError(t, err)
				require.NoError(t, found.Flags().Set(name, value))
				err = found.PreRunE(found, nil)
				require.ErrorContains(t, err, "--"+name+" "+value+": ", "%s", c.CommandPath())
			}
		}
	}
	require.Len(t, seen, len(reads))
	for variable, flag := range map[string]string{"FEES_LEDGER": "ledger", "FEES_ACCOUNTS": "labels"} {
		t.Setenv(variable, "-")
		for c := range cli.Explained(newRoot(io.Discard, io.Discard)) {
			if f := c.Flags().Lookup(flag); f == nil || !c.Runnable() || f.Value.Type() == "bool" {
				continue
			}
			require.ErrorContains(t, c.PreRunE(c, nil), variable+" -: ", "%s", c.CommandPath())
		}
		t.Setenv(variable, "")
	}
	for command, want := range map[string]string{
		"sync 1..3 --gateway demo --ledger -":                       "--ledger -: a ledger cannot be a pipe. Name a file or a PostgreSQL database",
		"report 1..3 --gateway demo --labels -":                     "--labels -: this file is not read from standard input. Name a file",
		"report 1..3 --gateway demo --prices GLMR/USD=- --fiat USD": "--prices GLMR/USD=-: this file is not read from standard input. Name a file",
	} {
		stdout, stderr, code := fees(strings.Fields(command)...)
		require.Equal(t, exitUsage, code, "%s: %s", command, stderr)
		require.Empty(t, stdout, command)
		require.Contains(t, stderr, want)
		files, err := os.ReadDir(".")
		require.NoError(t, err)
		require.Empty(t, files, command)
	}
}
