package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/archive/demo/monthend"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/contracts"
)

// TestCommandsAreKept checks that no command, flag, type or default that scripts rely on changes.
func TestCommandsAreKept(t *testing.T) {
	t.Parallel()
	var now []string
	for c := range cli.Explained(newRoot(io.Discard, io.Discard)) {
		now = append(now, c.CommandPath())
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			shorthand := ""
			if f.Shorthand != "" {
				shorthand = "-" + f.Shorthand + " "
			}
			now = append(now, fmt.Sprintf("%s %s--%s %s %q", c.CommandPath(), shorthand, f.Name, f.Value.Type(), f.DefValue))
		})
	}
	for code, meaning := range map[int]string{exitOK: "ok", exitFinding: "finding", exitUsage: "usage", exitGateway: "gateway", exitLedger: "ledger", exitInterrupted: "interrupted"} {
		now = append(now, fmt.Sprintf("exit code %d: %s", code, meaning))
	}
	contracts.Kept(t, "testdata/contracts/commands.txt", now, *update)
}

// keptOutputs are commands with JSON and CSV output, run in a directory of fees demo with a ledger.
var keptOutputs = []struct{ command, formats string }{
	{"block 25 --gateway demo", "json csv"},
	{"verify 1..27 --gateway demo", "json"},
	{"explain 25-7 --gateway demo", "json"},
	{"suggest --gateway demo", "json"},
	{"networks moonriver", "json"},
	{"version", "json"},
	{"ledger status", "json"},
	{"ledger verify", "json"},
	{"report", "json csv"},
	{"report --by account --percentiles", "json csv"},
	{"report --by contract --prices prices.csv --fiat EUR", "json csv"},
	{"report 25..48 --compare --by label", "json csv"},
	{"variance 25..48 --accounts group:company --prices prices.csv --fiat EUR --top 5", "json csv"},
	{"statement Payroll --month 2026-01 --gateway gateway", "json csv"},
	{"rollforward --accounts group:company --month 2026-01 --gateway gateway", "json csv"},
	{"deposits", "json csv"},
	{"deposits --changes", "json csv"},
	{"reconcile company.csv --month 2026-01 --accounts group:company --all", "json csv"},
	{"account Payroll", "json"},
	{"show 2026-01-31", "json"},
	{"show 25", "json"},
	{"tx 3-4", "json"},
	{"ledger trail", "json csv"},
	{"statement Payroll --month 2026-01 --gateway gateway --part summary", "csv"},
	{"statement Payroll --month 2026-01 --gateway gateway --part fees", "csv"},
	{"statement Payroll --month 2026-01 --gateway gateway --part transfers", "csv"},
	{"rollforward --accounts group:company --month 2026-01 --gateway gateway --list fees", "json csv"},
	{"sample --size 2 --seed a --accounts group:company --month 2026-01", "csv"},
	{"accounts check --chart chart.csv --accounts group:company --month 2026-01", "csv"},
}

// TestOutputsAreKept checks that JSON keys with their types, and CSV columns with their positions, do not change.
func TestOutputsAreKept(t *testing.T) {
	list, err := filepath.Abs("testdata/contracts/outputs.txt") // before changing the directory
	require.NoError(t, err)
	directory := t.TempDir()
	require.NoError(t, monthend.Write(directory))
	t.Chdir(directory)
	_, stderr, code := fees("sync", "0..48", "--gateway", "gateway", "--quiet")
	require.Contains(t, []int{exitOK, exitFinding}, code, stderr)
	trail, err := ledger.OpenTrail(t.Context(), "fees.db")
	require.NoError(t, err)
	_, err = trail.Record(t.Context(), ledger.Act{User: "carol", Kind: ledger.Labelled, Account: alith, EntryBefore: "a", EntryAfter: "b"}, nil)
	require.NoError(t, err)
	require.NoError(t, trail.Close())
	var now []string
	for _, c := range keptOutputs {
		for _, format := range strings.Fields(c.formats) {
			stdout, stderr, code := fees(append(strings.Fields(c.command), "--format", format)...)
			require.Contains(t, []int{exitOK, exitFinding}, code, "%s: %s", c.command, stderr)
			if format == "csv" {
				header, _, _ := strings.Cut(stdout, "\n")
				for i, column := range strings.Split(header, ",") {
					now = append(now, fmt.Sprintf("fees %s: column %02d %s", c.command, i+1, column))
				}
				continue
			}
			values := json.NewDecoder(strings.NewReader(stdout))
			for {
				var value any
				err := values.Decode(&value)
				if err == io.EOF {
					break
				}
				require.NoError(t, err, c.command)
				for _, key := range keys("", value) {
					now = append(now, fmt.Sprintf("fees %s: %s", c.command, key))
				}
			}
		}
	}
	contracts.Kept(t, list, withoutNull(now), *update)
}

// keys returns the paths in a JSON value with the types of their values.
func keys(path string, value any) (list []string) {
	switch v := value.(type) {
	case map[string]any:
		for key, of := range v {
			list = append(list, keys(path+"."+key, of)...)
		}
	case []any:
		if len(v) == 0 {
			list = append(list, path+"[] null")
		}
		for _, of := range v {
			list = append(list, keys(path+"[]", of)...)
		}
	case nil:
		list = append(list, path+" null")
	default:
		list = append(list, fmt.Sprintf("%s %T", path, v))
	}
	return list
}

// withoutNull removes null entries of paths that also have values.
func withoutNull(list []string) []string {
	return slices.DeleteFunc(list, func(line string) bool {
		path, isNull := strings.CutSuffix(line, " null")
		return isNull && slices.ContainsFunc(list, func(other string) bool { return other != line && strings.HasPrefix(other, path+" ") })
	})
}
