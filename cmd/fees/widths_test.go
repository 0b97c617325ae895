package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/archive/demo/monthend"
	"github.com/feeledger/fees/internal/test/gatewaytest"
)

// widthCommand is a command whose output must fit, with texts that must not be shortened: outcomes, kinds, verdicts,
// amounts.
type widthCommand struct {
	command string
	whole   []string
}

// widthCommands run in a directory of fees demo with a synced month.
var widthCommands = []widthCommand{
	{"block 25 --gateway demo", []string{"0.002096278556229452", "succeeded", "match"}},
	{"block 17 --gateway demo", nil},
	{"block 26 --gateway demo --all", []string{"0.002125925925690000", "succeeded"}},
	{"verify 1..27 --gateway demo", []string{"block.parent", "84 of 84 fees match"}},
	{"explain 25-7 --gateway demo", []string{"0.005215236000000000 GLMR"}},
	{"suggest --gateway demo", []string{"max priority fee"}},
	{"networks", []string{"moonriver", "static"}},
	{"networks moonbeam --sources", nil},
	{"networks moonriver", []string{"balances.Withdraw"}},
	{"networks polkadot-hub", []string{"no EVM", "staking pot"}},
	{"gateway header 25 --gateway URL", []string{"25"}},
	{"gateway multiplier 24 --gateway URL", nil},
	{"gateway version --gateway URL", []string{"moonbeam"}},
	{"gateway balance 0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac --at 5 --gateway URL", []string{"997.893700000000000000"}},
	{"gateway head --gateway URL", nil},
	{"gateway block 25 --gateway URL", nil},
	{"gateway spec 24 --gateway URL", nil},
	{"node methods --node NODE", []string{"chain_getBlockHash"}},
	{"node header --node NODE 0x10866dab25f8c8402083bb7efa5e39dc929ef8d019d05d76f5787ebac971a43b", nil},
	{"node block --node NODE 0x10866dab25f8c8402083bb7efa5e39dc929ef8d019d05d76f5787ebac971a43b", nil},
	{"node finalized-head --node NODE", nil},
	{"node query-info 0x1234 --node NODE", []string{"1296463115960925"}},
	{"node fee-history 2 --percentile 25 --node NODE", nil},
	{"estimate --extrinsic 0x1234 --node NODE/3702", []string{"0.001296463115960925 GLMR"}},
	{"archive record 0..3 -o kept-WIDTH --gateway URL", nil},
	{"archive verify kept-80", nil},
	{"sync 0..48 --gateway gateway --ledger new-WIDTH.db", []string{"49 stored"}},
	{"sync 0..48 --gateway gateway --ledger other-WIDTH.db --dry-run", nil},
	{"export --partitioned parts-WIDTH --partial", []string{"written"}},
	{"export --partitioned parts-80 --check", nil},
	{"ledger backup copy-WIDTH.db", nil},
	{"ledger status", []string{"EVM transactions", "evidence", " GLMR"}},
	{"ledger verify", []string{"nothing was altered"}},
	{"report", []string{"2026-01-31"}},
	{"report --by account --labels accounts.csv", nil},
	{"report --by label --labels accounts.csv", nil},
	{"report --by status", []string{"succeeded", "reverted"}},
	{"report --by type", []string{"eip1559"}},
	{"report --by contract", nil},
	{"report --by block", nil},
	{"report --by hour --percentiles", nil},
	{"report --by day --prices prices.csv --fiat EUR", nil},
	{"report 25..48 --compare --by label", []string{"difference"}},
	{"statement Payroll --month 2026-01 --gateway gateway", []string{"opening", "closing", "transfer-out", "2026-01-31"}},
	{"rollforward --accounts group:company --month 2026-01 --gateway gateway", []string{"opening", "closing"}},
	{"rollforward --accounts group:company --month 2026-01 --no-balances --list all", nil},
	{"reconcile company.csv --month 2026-01 --accounts group:company", []string{"amount_differs", "only_on_chain", "only_in_books", "duplicate"}},
	{"reconcile company.csv --month 2026-01 --accounts group:company --all", []string{"matched"}},
	{"account Payroll", nil},
	{"show 2026-01-31", nil},
	{"show 3", nil},
	{"tx 0x2be578b75fee9f4bf0e88f95e47c602056300c253987c192f8d9efcd281fa5f5", []string{"succeeded", "match"}},
	{"close --month 2026-01 --accounts group:company --gateway gateway -o package-WIDTH", []string{"final and sealed"}},
	{"close --check package-80 --gateway gateway", []string{"proved"}},
}

// TestWidths runs each command at several widths: no line is wider, and protected texts are complete.
func TestWidths(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred and sixty outputs")
	}
	server := httptest.NewServer(gatewaytest.Handler(filepath.Join(recordings(t), "moonbeam-2100")))
	t.Cleanup(server.Close)
	node := httptest.NewServer(recordedNode(t))
	t.Cleanup(node.Close)
	directory := t.TempDir()
	require.NoError(t, monthend.Write(directory))
	t.Chdir(directory)
	_, stderr, code := fees("sync", "--from", "2026-01-31", "--to", "2026-02-01", "--gateway", "gateway", "--quiet")
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	for _, c := range widthCommands {
		for _, width := range []int{60, 80, 120} {
			t.Run(c.command+" at "+strconv.Itoa(width), func(t *testing.T) {
				command := strings.NewReplacer("WIDTH", strconv.Itoa(width), "URL", server.URL, "NODE", node.URL).Replace(c.command)
				stdout, stderr, code := feesAt(t, width, strings.Fields(command)...)
				require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
				fits(t, stdout, width)
				for _, text := range c.whole {
					require.Contains(t, stdout, text)
				}
			})
		}
	}
}

// feesAt runs the program with a terminal width.
func feesAt(t *testing.T, width int, args ...string) (stdout, stderr string, code int) {
	t.Setenv("COLUMNS", strconv.Itoa(width))
	defer os.Unsetenv("COLUMNS")
	return fees(args...)
}

// fits requires that no line is wider.
func fits(t *testing.T, output string, width int) {
	t.Helper()
	for line := range strings.Lines(output) {
		require.LessOrEqual(t, text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")), width, "%s\nof\n%s", line, output)
	}
}

// The help of each command fits a terminal, except single long words such as a hash in an example.
func TestHelpWidths(t *testing.T) {
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		path := strings.Fields(c.CommandPath())[1:]
		for _, width := range []int{60, 80, 120} {
			if testing.Short() && width != 60 {
				continue
			}
			stdout, stderr, code := feesAt(t, width, append(path, "--help-all")...)
			require.Equal(t, exitOK, code, stderr)
			for line := range strings.Lines(stdout) {
				line = strings.TrimSuffix(line, "\n")
				isWord := !strings.Contains(strings.TrimSuffix(strings.TrimSpace(line), ` \`), " ")
				if text.StringWidthWithoutEscSequences(line) > width && !isWord {
					t.Errorf("%s at %d: %s", c.CommandPath(), width, line)
				}
			}
		}
		for _, sub := range c.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				visit(sub)
			}
		}
	}
	visit(newRoot(new(bytes.Buffer), new(bytes.Buffer)))
}
