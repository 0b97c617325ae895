package main

import (
	"cmp"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/test/repository"
)

// synonyms are names that lists do not use, with the names that they use.
var synonyms = map[string]string{
	"height": "block", "block_number": "block", "extrinsic": "index", "extrinsic_index": "index", "extrinsic_hash": "hash", "tx_hash": "hash",
	"sender": "from", "recipient": "to", "with": "counterparty", "address": "account", "final": "finalized", "zone": "timezone",
	"from_name": "from_label", "to_name": "to_label", "payer_name": "payer_label", "account_label": "label", "account_group": "group", "type_or_call": "type and call",
}

// otherColumns are the columns that are not named after the key of their JSON, or have another name than in other lists, with
// the reason.
var otherColumns = map[string]map[string]string{
	"block":       {"block_hash": "the JSON object of a block calls it hash; in a row, hash is the transaction's"},
	"reconcile":   {"extrinsic_hash": "a record states either hash, so the result names both"},
	"rollforward": {"currency": "the JSON states it once, in prices"},
}

// unlistedColumns are the commands with CSV that [keptOutputs] does not run, with the reason.
var unlistedColumns = map[string]string{
	"watch": "has the columns and the JSON of block",
}

// ownRows are the lists without a list in JSON, whose rows in JSON lines have the columns of the CSV.
var ownRows = []string{"accounts check", "sample", "statement"}

// inSQL are the names of words that SQL reserves, and of the block, in datasets.
var inSQL = map[string]string{"height": "block", "extrinsic": "index", "sender": "from", "recipient": "to"}

// onlyInSQL are the columns of datasets that no JSON has as such, with the reason.
var onlyInSQL = map[string]string{
	"position": "the row's number in its block, a part of the key", "multiplier": "in JSON, an object with its block",
	"data": "unrecognised events are findings in JSON", "fee_asset": "in JSON, parts of asset_fee", "asset_fee": "in JSON, only if there is one",
	"asset_fee_tip": "in JSON, a part of asset_fee", "asset_fee_equivalent": "in JSON, a part of asset_fee",
}

// TestColumnsAreKeys checks the names in testdata/contracts/outputs.txt: each column of a CSV file is a key of the same row in
// JSON, or of the objects around it, with nested keys joined by "_". Of an amount in wei, there is also one in the token.
func TestColumnsAreKeys(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/contracts/outputs.txt")
	require.NoError(t, err)
	columns, keys := map[string][]string{}, map[string][]string{}
	for line := range strings.Lines(string(text)) {
		command, of, found := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "fees ")), ": ")
		require.True(t, found, line)
		if name, isColumn := strings.CutPrefix(of, "column "); isColumn {
			columns[command] = append(columns[command], strings.Fields(name)[1])
		} else {
			path, _, _ := strings.Cut(of, " ")
			keys[command] = append(keys[command], path)
		}
	}

	for c := range cli.Explained(newRoot(io.Discard, io.Discard)) {
		name := strings.TrimPrefix(c.CommandPath(), "fees ")
		format := c.Flags().Lookup("format")
		if format == nil || !regexp.MustCompile(`\bcsv\b`).MatchString(format.Usage) || unlistedColumns[name] != "" {
			continue
		}
		require.True(t, slices.ContainsFunc(keptOutputs, func(k struct{ command, formats string }) bool {
			return (k.command == name || strings.HasPrefix(k.command, name+" ")) && slices.Contains(strings.Fields(k.formats), "csv")
		}), "no command of keptOutputs writes the CSV of fees %s", name)
	}

	for command, list := range columns {
		isOther := func(column string) bool { return otherColumns[strings.Fields(command)[0]][column] != "" }
		for _, column := range list {
			require.True(t, synonyms[column] == "" || isOther(column), "fees %s: name the column %s %s, as in other lists", command, column, synonyms[column])
		}
		if keys[command] == nil {
			require.True(t, slices.ContainsFunc(ownRows, func(name string) bool { return strings.HasPrefix(command, name) }), "fees %s has no JSON", command)
			continue
		}
		known := keyNames(keys[command])
		for _, column := range list {
			wei, isToken := strings.CutSuffix(column, "_token")
			require.True(t, known[column] || isToken && known[wei] || isOther(column), "fees %s: the column %s is not a key of the JSON", command, column)
		}
	}
	for command, list := range keys {
		for _, path := range list {
			steps := strings.Split(strings.ReplaceAll(path, "[]", ""), ".")
			name := steps[len(steps)-1]
			require.True(t, synonyms[name] == "" || otherColumns[strings.Fields(command)[0]][name] != "", "fees %s: name the key %s %s, as in other lists", command, path, synonyms[name])
		}
	}
}

// TestDatasetsHaveTheNamesOfJSON checks the columns in docs/analytics.md, which are those of the files.
func TestDatasetsHaveTheNamesOfJSON(t *testing.T) {
	t.Parallel()
	outputs, err := os.ReadFile("testdata/contracts/outputs.txt")
	require.NoError(t, err)
	text, err := os.ReadFile(repository.Path("docs", "analytics.md"))
	require.NoError(t, err)
	tables := regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	require.Len(t, tables, 5)
	for _, table := range tables {
		for column := range strings.SplitSeq(table[1], ",") {
			name := strings.Fields(column)
			if len(name) == 0 || !regexp.MustCompile(`^[a-z_]+$`).MatchString(name[0]) || onlyInSQL[name[0]] != "" { // 0) of DECIMAL(38,0)
				continue
			}
			word := cmp.Or(inSQL[name[0]], name[0])
			require.Regexp(t, `(?m)[. \]]`+word+`( |$)`, string(outputs), "no JSON has the column %s", name[0])
		}
	}
}

// keyNames returns the names of columns for the keys of JSON: of rows, and of the objects around them.
func keyNames(paths []string) map[string]bool {
	names := map[string]bool{}
	for _, path := range paths {
		for row := range strings.SplitSeq(path, "[]") {
			names[strings.ReplaceAll(strings.TrimPrefix(row, "."), ".", "_")] = true
		}
	}
	return names
}
