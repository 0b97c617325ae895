package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/network"
)

// The last month of an ended chain is closed as complete, although the ledger does not reach the month's end.
// The package names the last block; fees watch and follow report it.
func TestCloseAnEndedChain(t *testing.T) {
	const last = 27 // of the demo
	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	end := uint64(last)
	moonbeam.LastBlock, moonbeam.Anchors = &end, nil
	text, err := json.Marshal(map[string]any{"networks": []network.Network{*moonbeam}})
	require.NoError(t, err)
	table := filepath.Join(t.TempDir(), "ended.json")
	require.NoError(t, os.WriteFile(table, text, 0o600))
	t.Setenv("FEES_LEDGER", newLedgerFile(t))
	t.Setenv("FEES_GATEWAY", "demo")
	ran := func(code int, args ...string) (stdout, stderr string) {
		t.Helper()
		stdout, stderr, have := fees(append(args, "--network-file", table)...)
		require.Equal(t, code, have, stderr)
		return stdout, stderr
	}
	ran(exitFinding, "sync", "0..27", "--quiet") // block 1 is younger than block 2
	const over = "fees: the chain ended at block 27"
	_, stderr := ran(exitOK, "follow")
	require.Contains(t, stderr, over+"\n")
	_, stderr = ran(exitOK, "watch", "--from", "26")
	require.Contains(t, stderr, over+"\n")

	dir := filepath.Join(t.TempDir(), "january")
	month := []string{"close", "--month", "2026-01", "--accounts", "0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac", "--no-balances", "-o", dir}
	stdout, _ := ran(exitFinding, month...)
	block, err := os.ReadFile(filepath.Join(recordings(t), "moonbeam-2100", "blocks", "27.json"))
	require.NoError(t, err)
	var told struct{ Hash string }
	require.NoError(t, json.Unmarshal(block, &told))
	require.Contains(t, stdout, "chain's end   block 27, "+told.Hash+": the last block of the chain\n")
	p, err := closing.Open(dir)
	require.NoError(t, err)
	require.True(t, p.Manifest.Period.Complete)
	require.Equal(t, &closing.ChainEnd{Block: last, Hash: told.Hash}, p.Manifest.Period.ChainEnd)
	stdout, stderr, code := fees("close", "--check", dir) // by the table in the package
	require.Equal(t, exitOK, code, stdout+stderr)

	_, stderr, code = fees(append(month[:len(month)-1], filepath.Join(t.TempDir(), "partial"))...)
	require.Equal(t, exitLedger, code, stderr) // in the built-in table the chain has not ended
}
