package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

// A workbook of the demo's transactions reconciles to the wei without a ledger, and leaves no files behind.
func TestReconcileWorkbook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(recordings(t), "moonbeam-2100", "sent.json"))
	require.NoError(t, err)
	var all struct {
		Sent []struct {
			Hash    string `json:"xtHash"`
			From    string `json:"from"`
			Charged string `json:"charged_wei"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &all))
	f := excelize.NewFile()
	require.NoError(t, f.SetSheetName("Sheet1", "Gas"))
	require.NoError(t, f.SetSheetRow("Gas", "A1", &[]string{"Extrinsic hash", "Kosten", "Payer"}))
	for i, s := range all.Sent {
		require.NoError(t, f.SetSheetRow("Gas", "A"+strconv.Itoa(i+2), &[]string{s.Hash, s.Charged, s.From}))
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path := filepath.Join(t.TempDir(), "gas.xlsx")
	require.NoError(t, f.SaveAs(path))

	stdout, stderr, code := fees("reconcile", path, "0..27", "--gateway", "demo", "--sheet", "Gas", "--accounts", accountsOf(t, allSent(t, "moonbeam-2100")), "--map", "fee=Kosten", "--unit", "wei", "--format", "json")
	require.Equal(t, exitOK, code, stderr)
	require.Empty(t, stderr)
	var result struct {
		Reconciled bool
		Total      struct {
			Count        int
			Books, Chain string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &result))
	require.True(t, result.Reconciled)
	require.Equal(t, len(all.Sent), result.Total.Count)
	require.Equal(t, result.Total.Books, result.Total.Chain)
	left, err := filepath.Glob(filepath.Join(dir, "fees-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
