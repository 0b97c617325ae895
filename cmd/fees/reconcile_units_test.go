package main

import (
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// demoFees returns the hashes of the demo's January with the company's fees in wei, as the records of tests state them.
func demoFees(t *testing.T) (list [][2]string) {
	text, err := os.ReadFile(filepath.Join("testdata", "records", "total-row-wrong.csv"))
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`(?m)^(0x[0-9a-f]{64}),0\.([0-9]{18}),`).FindAllStringSubmatch(string(text), -1) {
		list = append(list, [2]string{found[1], strings.TrimLeft(found[2], "0")})
	}
	require.Len(t, list, 16)
	return list
}

// Fees in another unit than their column says, multiplied, or cut are named, and the printed command reads them.
func TestFeesInAnotherUnit(t *testing.T) {
	list := demoFees(t)
	records, err := filepath.Abs(filepath.Join("testdata", "records"))
	require.NoError(t, err)
	demoMonth(t)
	tokens := func(wei string) string {
		whole := strings.Repeat("0", max(0, 19-len(wei))) + wei
		return whole[:len(whole)-18] + "." + whole[len(whole)-18:]
	}
	times := func(wei string, n, of int64) string {
		product, _ := new(big.Int).SetString(wei, 10)
		return product.Mul(product, big.NewInt(n)).Quo(product, big.NewInt(of)).String()
	}
	for name, c := range map[string]struct {
		column string
		write  func(wei string) string
		note   string // "" for none
		lines  int    // printed command lines, of which each leads to the next
		last   string // headline of the last
	}{
		"wei as Gwei":      {"Fee (Gwei)", func(wei string) string { return wei }, `16 of 16 fees are 10^9 times the chain's: the column "Fee (Gwei)" looks like wei.`, 1, "all 16 match"},
		"wei as tokens":    {"Fee (GLMR)", func(wei string) string { return wei }, `16 of 16 fees are 10^18 times the chain's: the column "Fee (GLMR)" looks like wei.`, 1, "all 16 match"},
		"tokens as Gwei":   {"Fee (Gwei)", func(wei string) string { return tokens(wei)[:8] }, `16 of 16 fees are about 10^-9 times the chain's: the column "Fee (Gwei)" looks like the network's token.`, 2, "all 16 match"},
		"Gwei as wei":      {"fee_wei", func(wei string) string { return wei[:len(wei)-9] }, `16 of 16 fees are about 10^-9 times the chain's: the column "fee_wei" looks like gwei.`, 2, "all 16 match"},
		"tokens as wei":    {"fee_wei", tokens, "", 1, "all 16 match"},
		"cut":              {"Fee (GLMR)", func(wei string) string { return tokens(wei)[:8] }, "16 of the differing fees are the chain's, cut after 6 decimals. To accept them, add --cut-decimals 6.", 1, "all 16 match"},
		"a thousand times": {"Fee (GLMR)", func(wei string) string { return tokens(times(wei, 1000, 1)) }, "16 of 16 fees are 10^3 times the chain's. Check the unit and the separators of the export.", 0, ""},
		"twice":            {"Fee (GLMR)", func(wei string) string { return tokens(times(wei, 2, 1)) }, "16 of 16 fees are 2 times the chain's. Check whether the column is in another currency, or contains a surcharge.", 0, ""},
		"a tax, cut":       {"Fee (GLMR)", func(wei string) string { return tokens(times(wei, 119, 100))[:9] }, "16 of 16 fees are about 1.19 times the chain's. Check whether", 0, ""},
		"right":            {"fee_wei", func(wei string) string { return wei }, "", 0, ""},
	} {
		text := "hash," + c.column + "\n"
		for _, fee := range list {
			text += fee[0] + "," + c.write(fee[1]) + "\n"
		}
		require.NoError(t, os.WriteFile("own.csv", []byte(text), 0o600))
		args := []string{"reconcile", "own.csv", "--month", "2026-01", "--accounts", "group:company", "--quiet"}
		stdout, stderr, _ := fees(args...)
		folded := strings.Join(strings.Fields(stdout), " ")
		require.Contains(t, folded, c.note, name)
		require.Equal(t, c.note != "", strings.Contains(folded, "the chain's"), name)
		for range c.lines {
			lines := printedLines(stderr)
			require.Len(t, lines, 1, "%s: %s", name, stderr)
			stdout, stderr, _ = fees(splitQuoted(strings.TrimPrefix(lines[0], "fees "))...)
		}
		require.Empty(t, printedLines(stderr), name)
		require.Contains(t, stdout, c.last, name)
	}
	// The headline counts what remains after the cut.
	stdout, stderr, code := fees("reconcile", filepath.Join(records, "german-sep.csv"), "--month", "2026-01", "--accounts", "group:company", "--quiet")
	require.Equal(t, exitFinding, code)
	require.Contains(t, stdout, "4 of 18 do not match; 14 more are cut after 6 decimals\n")
	require.Contains(t, stdout, "read with --decimal , --date-format 'dd.mm.yyyy HH:MM',")
	stdout, _, code = fees(splitQuoted(strings.TrimPrefix(printedLines(stderr)[0], "fees "))...)
	require.Equal(t, exitFinding, code)
	require.Contains(t, stdout, "4 of 18 do not match\n")
}
