package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/demo/monthend"
)

// notRun are the examples that need what only a user has: what they contain, and why they are not run.
var notRun = []struct{ contains, why string }{
	{"HOST", "a gateway or node elsewhere"},
	{"postgres://", "a PostgreSQL server"},
	{"http://127.0.0.1:8080", "a gateway on this machine"},
	{"127.0.0.1:9944", "a node on this machine"},
	{"fees node ", "a node"},
	{"fees gateway ", "a gateway that is asked over HTTP"},
	{"fees estimate ", "a node, and an extrinsic"},
	{"fees tx sign ", "a draft, and the user's own key"},
	{"fees proof check ", "a proof of a node's"},
	{"fees proof finality ", "evidence that the user collected"},
	{"fees follow", "a gateway or node that goes on: it does not end"},
	{"fees archive record ", "a gateway that is asked over HTTP"},
	{"fees archive verify ", "an archive that the user recorded"},
	{"fees archive serve ", "it serves until it is stopped"},
	{"fees serve ", "it serves until it is stopped"},
	{"fees archive join ", "archives that the user recorded of a node"},
	{"fees block 150 --gateway march", "an archive that the user recorded"},
	{"mine.json", "a network table of the user's own"},
	{"--sign id_ed25519", "the user's SSH key"},
	{"--signers allowed_signers", "the user's list of signers"},
	{"0xHASH", "a block that the user trusts"},
	{"--classes ours.csv", "the user's own classes"},
	{"--names names.csv", "the user's own names"},
	{"--tags tags.csv", "the user's own tags"},
	{"march.xlsx", "the user's own workbook"},
	{"river.db", "the user's own ledger of another chain"},
	{"fees demo  ", "it waits for Enter"},
}

// TestExamples runs every example in the help of every command, as a shell does, in a directory
// of fees demo whose ledger is filled. Each ends with 0, or with 1 where it shows what does not
// hold. Those of one command are run one after the other, and may build on each other.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred programs")
	}
	t.Setenv("FEES_GATEWAY", "gateway")
	prepared := t.TempDir()
	require.NoError(t, monthend.Write(prepared))
	inDirectory(t, prepared, "fees sync 0..48")
	inDirectory(t, prepared, "fees sync 3..27 --gateway demo --ledger demo.db")
	inDirectory(t, prepared, "fees export --as datev --chart chart.csv --month 2026-01 --accounts group:company --prices prices.csv --fiat EUR -o EXTF_january.csv")

	used := map[string]bool{}
	ran := 0
	for c := range commands(newRoot(io.Discard, io.Discard)) {
		t.Run(strings.ReplaceAll(c.CommandPath(), " ", "_"), func(t *testing.T) {
			directory := t.TempDir()
			require.NoError(t, os.CopyFS(directory, os.DirFS(prepared)))
			for _, example := range examples(t, c) {
				i := slices.IndexFunc(notRun, func(n struct{ contains, why string }) bool { return strings.Contains(example.line, n.contains) })
				if i >= 0 {
					used[notRun[i].contains] = true
					continue
				}
				inDirectory(t, directory, example.command)
				ran++
			}
		})
	}
	require.Greater(t, ran, 60)
	for _, n := range notRun {
		require.True(t, used[n.contains], "no example has %q: take it off the list", n.contains)
	}
}

// commands are a command and all below it.
func commands(c *cobra.Command) func(yield func(*cobra.Command) bool) {
	return func(yield func(*cobra.Command) bool) {
		for list := []*cobra.Command{c}; len(list) > 0; list = list[1:] {
			list = append(list, list[0].Commands()...)
			if !yield(list[0]) {
				return
			}
		}
	}
}

// example is one in the help of a command: its line, and the command in it without what is said
// of it behind two spaces.
type example struct{ line, command string }

func examples(t *testing.T, c *cobra.Command) (list []example) {
	if c.Example == "" {
		return nil
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(c.Example, "\\\n      ", ""), "\n") {
		line, indented := strings.CutPrefix(line, "  ")
		require.True(t, indented, "%s: %q is no example", c.CommandPath(), line)
		command, _, _ := strings.Cut(line, "  ")
		list = append(list, example{line, command})
	}
	return list
}

// inDirectory runs a command line, which must end with 0 or 1.
func inDirectory(t *testing.T, directory, command string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.Dir = directory
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == exitFinding) {
		t.Errorf("%s: %v\n%s", command, err, out[:min(len(out), 2000)])
	}
	require.FileExists(t, filepath.Join(directory, "README.txt"), "it is a directory of fees demo")
}

// pagesThatRun maps pages whose commands are run in order to the minimum number of commands.
var pagesThatRun = map[string]int{"closing.md": 21, "reference.md": 15, "journals.md": 5}

// TestMonthEnd runs the commands of these pages in a directory of fees demo, one after the
// other. Each ends with the exit code that the page says.
func TestMonthEnd(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("some eighty programs")
	}
	for name, least := range pagesThatRun {
		t.Run(name, func(t *testing.T) {
			page, err := os.ReadFile("../../docs/" + name)
			require.NoError(t, err)
			directory := t.TempDir()
			require.NoError(t, monthend.Write(directory))
			ran := 0
			for line := range strings.SplitSeq(string(page), "\n") {
				command, ok := strings.CutPrefix(line, "    fees ")
				if !ok {
					continue
				}
				command, said, _ := strings.Cut(command, "  # exit code ")
				c := exec.CommandContext(t.Context(), "sh", "-c", "fees "+command)
				c.Dir = directory
				out, err := c.CombinedOutput()
				if err != nil {
					require.ErrorAs(t, err, new(*exec.ExitError))
				}
				require.Equal(t, cmp.Or(said, "0"), strconv.Itoa(c.ProcessState.ExitCode()), "fees %s\n%s", command, out)
				ran++
			}
			require.Greater(t, ran, least)
		})
	}
}
