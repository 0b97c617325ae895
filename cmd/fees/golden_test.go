package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// networks are the recordings, with the number of their blocks.
var networks = map[string]int{"moonbeam-2100": 28, "moonbeam-1701": 22}

// TestGolden compares every recorded block in every format with a golden file, so that no change goes
// unnoticed. TestCharged checks the figures.
func TestGolden(t *testing.T) {
	t.Parallel()
	for network, blocks := range networks {
		for height := range blocks {
			for format, ending := range map[string]string{"table": "txt", "json": "json", "csv": "csv"} {
				name := fmt.Sprintf("%s/%d.%s", network, height, ending)
				t.Run(name, func(t *testing.T) {
					got, _, code := fees("block", strconv.Itoa(height), "--gateway", filepath.Join(recordings(t), network), "--format", format)
					require.Contains(t, []int{exitOK, exitFinding}, code)
					path := filepath.Join("../../testdata/golden", name)
					if *update {
						require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
						require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
					}
					want, err := os.ReadFile(path)
					require.NoError(t, err)
					require.Equal(t, string(want), got, "run the test with -update if the change is intended")
				})
			}
		}
	}
}

// sent is a transaction with its charge, determined from balance events and account balances when the blocks
// were recorded.
type sent struct {
	Family  string `json:"family"`
	Height  int    `json:"height"`
	Index   int    `json:"index"`
	Charged string `json:"charged_wei"`
	EthHash string `json:"ethHash"`
	XtHash  string `json:"xtHash"`
	From    string `json:"from"`
}

func sentIn(t *testing.T, network string) []sent {
	text, err := os.ReadFile(filepath.Join(recordings(t), network, "sent.json"))
	require.NoError(t, err)
	var file struct {
		Sent []sent `json:"sent"`
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Sent)
	return file.Sent
}

// TestCharged compares the fees in JSON and CSV with the chain's charges for every recorded transaction. Native
// fees of runtime 1701 have no event and are "cash only".
func TestCharged(t *testing.T) {
	t.Parallel()
	for network, blocks := range networks {
		t.Run(network, func(t *testing.T) {
			expected := sentIn(t, network)
			seen := 0
			for height := range blocks {
				inJSON, inCSV := printed(t, network, height)
				require.Len(t, inCSV, len(inJSON))
				seen += len(inJSON)
				for i, row := range inJSON {
					k := slices.IndexFunc(expected, func(s sent) bool { return s.Height == height && s.Index == row.Index })
					require.GreaterOrEqual(t, k, 0, "block %d, extrinsic %d was never sent", height, row.Index)
					want := expected[k]
					where := fmt.Sprintf("block %d, extrinsic %d", height, row.Index)
					require.Equal(t, want.Family, row.Layer, where)
					require.Equal(t, want.XtHash, row.Hash, where)
					require.Equal(t, want.From, row.From, where)
					verdict := "match"
					if network == "moonbeam-1701" && row.Layer == "native" {
						verdict = "cash_only"
					}
					require.Equal(t, verdict, row.Verdict, where)
					require.Equal(t, want.Charged, row.Charged, where)
					require.NotNil(t, row.Fee, where)
					require.Equal(t, want.Charged, *row.Fee, where)
					require.Equal(t, want.Charged, inCSV[i]["fee"], where)
					require.Equal(t, want.Charged, wei(inCSV[i]["fee_token"]), where)
					require.Equal(t, want.From, row.Payer, where)
					if row.Layer == "evm" {
						require.Equal(t, want.EthHash, row.EVMHash, where)
					}
				}
			}
			require.Equal(t, len(expected), seen, "transactions in the reports")
			t.Logf("%s: %d transactions", network, seen)
		})
	}
}

// wei converts a token amount with 18 decimals to wei, as text.
func wei(tokens string) string {
	whole, fraction, _ := strings.Cut(tokens, ".")
	if len(fraction) != 18 {
		return "not 18 decimals: " + tokens
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0"
	}
	return digits
}

type printedTransaction struct {
	Index   int     `json:"index"`
	Layer   string  `json:"layer"`
	Hash    string  `json:"hash"`
	EVMHash string  `json:"evm_hash"`
	From    string  `json:"from"`
	Payer   string  `json:"payer"`
	Fee     *string `json:"fee"`
	Charged string  `json:"charged"`
	Verdict string  `json:"verdict"`
}

// printed returns a block's JSON and CSV output.
func printed(t *testing.T, network string, height int) ([]printedTransaction, []map[string]string) {
	args := []string{"block", strconv.Itoa(height), "--gateway", filepath.Join(recordings(t), network), "--format"}
	text, _, _ := fees(append(args, "json")...)
	var report struct {
		Transactions []printedTransaction `json:"transactions"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &report))
	text, _, _ = fees(append(args, "csv")...)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	var byName []map[string]string
	for _, row := range rows[1:] {
		named := map[string]string{}
		for i, name := range rows[0] {
			named[name] = row[i]
		}
		byName = append(byName, named)
	}
	return report.Transactions, byName
}

// TestCSVIsJSON compares every CSV cell with the JSON of the block, and the header with its keys.
func TestCSVIsJSON(t *testing.T) {
	t.Parallel()
	for network, blocks := range networks {
		for height := range blocks {
			args := []string{"block", strconv.Itoa(height), "--all", "--gateway", filepath.Join(recordings(t), network), "--format"}
			text, _, _ := fees(append(args, "json")...)
			var report map[string]any
			require.NoError(t, json.Unmarshal([]byte(text), &report))
			text, _, _ = fees(append(args, "csv")...)
			rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			require.NoError(t, err)
			transactions := report["transactions"].([]any)
			require.Len(t, rows, 1+len(transactions))
			for i, transaction := range transactions {
				want := cells(t, report, transaction.(map[string]any))
				require.Len(t, rows[0], len(want))
				for k, name := range rows[0] {
					value, known := want[name]
					require.True(t, known, "column %s is not a key of the JSON", name)
					require.Equal(t, value, rows[i+1][k], "%s, block %d, line %d: %s", network, height, i+1, name)
				}
			}
		}
	}
}

// cells returns the expected cells of a CSV row, built from the JSON only.
func cells(t *testing.T, report, transaction map[string]any) map[string]string {
	want := map[string]string{}
	for key, value := range report {
		switch key {
		case "transactions", "totals", "notes", "findings", "diagnosis", "evidence": // each line has its level
		case "hash":
			want["block_hash"] = value.(string)
		case "multiplier":
			want["multiplier_at"], want["multiplier_value"] = "", ""
			if m, known := value.(map[string]any); known {
				want["multiplier_at"], want["multiplier_value"] = cellOf(t, m["at"]), cellOf(t, m["value"])
			}
		default:
			want[key] = cellOf(t, value)
		}
	}
	for key, value := range transaction {
		want[key] = cellOf(t, value)
	}
	want["fee_token"] = ""
	if paid := want["fee"]; paid != "" {
		padded := strings.Repeat("0", max(0, 19-len(paid))) + paid
		want["fee_token"] = padded[:len(padded)-18] + "." + padded[len(padded)-18:]
	}
	return want
}

// cellOf returns a JSON value as a CSV cell.
func cellOf(t *testing.T, value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		if len(v) == 0 {
			return ""
		}
	}
	out, err := json.Marshal(value)
	require.NoError(t, err)
	var list []struct {
		Token  string `json:"token"`
		From   string `json:"from"`
		To     string `json:"to"`
		Amount string `json:"amount"`
	}
	if json.Unmarshal(out, &list) == nil { // transfers, in the order of their keys
		out, err = json.Marshal(list)
		require.NoError(t, err)
	}
	return string(out)
}
