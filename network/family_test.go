package network_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/repository"
	"github.com/feeledger/fees/network"
)

// Every table of the family is accepted. A table that was not compared with its chain says so in each report: its rows
// are not certain, whatever the runtime, and each figure that is missing has a note.
func TestFamily(t *testing.T) {
	files, err := filepath.Glob(repository.Path("testdata", "networks", "*.json"))
	require.NoError(t, err)
	family, hub := linesOf(t, "family.md"), linesOf(t, "hub.md")
	verified := map[string]bool{"stack-template-3.json": true}
	unverified := 0
	for _, file := range files {
		name := filepath.Base(file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		tables, err := network.BuiltIn().With(name, text)
		require.NoError(t, err, name)
		var table struct{ Networks []network.Network }
		require.NoError(t, json.Unmarshal(text, &table), name)
		require.Len(t, table.Networks, 1, name)
		n, known := tables.Named(table.Networks[0].Name)
		require.True(t, known, name)
		rules, err := n.Rules(n.LastRuntime)
		require.NoError(t, err, name)
		require.Equal(t, verified[name], rules.Certain, name)
		link := fmt.Sprintf("[%d](../testdata/networks/%s)", n.LastRuntime, name)
		rows := family
		if n.AccountMapping == network.PaddedAccount {
			rows = hub
		}
		at := slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, link) })
		require.Positive(t, at, "%s has no row", link)
		require.Equal(t, verified[name], !strings.Contains(rows[at], "unverified"), rows[at])
		require.Contains(t, rows[at], cmp.Or(string(n.AccountMapping), "20 bytes"))
		if n.Decimals != 0 {
			require.Contains(t, rows[at], fmt.Sprintf("%d decimals", n.Decimals))
		}
		if verified[name] {
			continue
		}
		unverified++
		require.Equal(t, n.Name+"-"+regexp.MustCompile(`[0-9]+`).FindString(rules.Name)+".json", name)
		require.True(t, strings.HasSuffix(rules.Name, "?"), name)
		require.Contains(t, rules.Notes[0], "unverified: the table of "+n.Name+" in "+name+" was not compared with the chain's blocks; figures ")
		require.Contains(t, rules.Notes[0], "2026-11-25", "the date of reading")
		for _, row := range rowsOf(t, text) {
			require.NotEmpty(t, row["source"], name)
			if row["unknown"] == true {
				require.NotEmpty(t, row["note"], name)
			}
		}
	}
	require.Equal(t, 9, unverified)
	for _, name := range []string{"vflow-testnet", "creditcoin", "bittensor"} { // verified, and built in
		n, _ := network.BuiltIn().Named(name)
		link := fmt.Sprintf("[%d](../network/tables/%s.json)", n.LastRuntime, name)
		require.True(t, slices.ContainsFunc(family, func(row string) bool { return strings.Contains(row, link) && strings.Contains(row, "fees") }), link)
		require.Empty(t, n.Unverified)
	}
	for _, name := range []string{"polkadot-hub", "kusama-hub", "passet-hub"} {
		require.True(t, slices.ContainsFunc(hub, func(row string) bool { return strings.Contains(row, "(../network/tables/"+name+".json)") }), name)
	}
}

// linesOf returns the lines of a page of docs.
func linesOf(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(repository.Path("docs", page))
	require.NoError(t, err)
	return strings.Split(string(text), "\n")
}

// rowsOf returns the rows of all lists of a table.
func rowsOf(t *testing.T, text []byte) (rows []map[string]any) {
	t.Helper()
	var table struct{ Networks []map[string]any }
	require.NoError(t, json.Unmarshal(text, &table))
	for _, member := range table.Networks[0] {
		list, _ := member.([]any)
		for _, row := range list {
			rows = append(rows, row.(map[string]any))
		}
	}
	return rows
}

// Figures of facts/frontier.md, which the tables must result in: the base fee at a multiplier of 1, or the lowest one.
func TestFiguresOfTheFamily(t *testing.T) {
	one := chain.NewMultiplier(1_000_000_000_000_000_000)
	for file, c := range map[string]struct {
		perGas  uint64 // picoseconds
		lowest  string
		atOne   string // of a base fee that is not stored
		decimal int
		size    int
	}{
		"astar-2300":      {25_000, "800000000000", "", 18, 32},
		"creditcoin-4":    {20_000, "0", "", 18, 32},
		"shiden-2300":     {25_000, "8000000000", "", 18, 32},
		"creditcoin-131":  {50_000, "500000000", "", 18, 32},
		"bittensor-425":   {40_000, "10000000000", "", 9, 32},
		"neuroweb-121":    {25_000, "0", "", 12, 32},
		"peaq-103":        {25_000, "0", "1000000000000", 18, 32}, // 1,000 Gwei
		"tanssi-evm-1700": {25_000, "0", "", 18, 20},
		"vflow-1000000":   {66_666, "333330000000", "333330000000", 18, 20}, // 333.33 Gwei
	} {
		text, err := os.ReadFile(repository.Path("testdata", "networks", file+".json"))
		require.NoError(t, err)
		tables, err := network.BuiltIn().With("f.json", text)
		require.NoError(t, err)
		name, _, _ := strings.Cut(strings.Replace(file, "tanssi-evm", "tanssi_evm", 1), "-")
		n, known := tables.Named(strings.Replace(name, "_", "-", 1))
		require.True(t, known, file)
		rules, err := n.Rules(n.LastRuntime)
		require.NoError(t, err)
		require.EqualValues(t, c.perGas, rules.WeightPerGas, file)
		require.Equal(t, c.lowest, rules.MinGasPrice.String(), file)
		require.Equal(t, c.decimal, rules.TokenDecimals(), file)
		require.Equal(t, c.size, rules.AccountMapping.Size(), file)
		require.Equal(t, c.atOne == "", rules.BaseFee.Stored.Known(), file)
		if c.atOne != "" {
			base, err := one.Of(rules.BaseFee.Constant)
			require.NoError(t, err)
			require.Equal(t, c.atOne, base.String(), file)
		}
	}
}

// The treasury's account has the size of the chain's native accounts.
func TestSizeOfTheTreasury(t *testing.T) {
	const table = `{"networks": [{"name": "n", "symbol": "N", %MAPPING% "treasury": "0x%ACCOUNT%", "last_runtime": 1, "rows": [{"from_runtime": 1, "static_base_fee": "1", "source": "s"}]}]}`
	small, large := "6d6f646c506f745374616b650000000000000000", "6d6f646c506f745374616b650000000000000000000000000000000000000000"
	for _, c := range []struct{ mapping, account, want string }{
		{``, small, ""}, {`"account_mapping": "hashed",`, large, ""},
		{``, large, "want 20 bytes, as the chain's native accounts"}, {`"account_mapping": "hashed",`, small, "want 32 bytes, as the chain's native accounts"},
	} {
		_, err := network.BuiltIn().With("n.json", []byte(strings.NewReplacer("%MAPPING%", c.mapping, "%ACCOUNT%", c.account).Replace(table)))
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.want)
	}
}
