package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/program"
)

// An assetFee is what the recording states of a fee that was paid in an asset: the data of AssetTxFeePaid.
type assetFee struct {
	Height, Index int
	Payer         string
	Amount        int
}

// assetFees returns the fees of a recording that were paid in assets.
func assetFees(t *testing.T, name string) (list []assetFee) {
	text, err := os.ReadFile(pairs.Path(t, name, "gateway", "sent.json"))
	require.NoError(t, err)
	var all struct {
		Sent []struct {
			Height, Index int
			Payer         string
			AssetFee      []json.RawMessage `json:"asset_fee"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &all))
	for _, s := range all.Sent {
		if len(s.AssetFee) > 0 {
			x := assetFee{Height: s.Height, Index: s.Index, Payer: s.Payer}
			require.NoError(t, json.Unmarshal(s.AssetFee[1], &x.Amount))
			list = append(list, x)
		}
	}
	return list
}

// A fee that was paid in an asset is in the ledger, in totals by asset, and in no total of the token. The equivalents are
// the deposits to the pot in blocks 37 to 39.
func TestFeesPaidInAssets(t *testing.T) {
	t.Parallel()
	const name, asset, equivalent = "passet-1019002", `{"parents":"0","interior":{"x2":[{"palletInstance":"50"},{"generalIndex":"1984"}]}}`, 38_660_075 + 38_760_435 + 47_459_241
	recorded, dir := pairs.Path(t, name, "gateway"), t.TempDir()
	place := filepath.Join(dir, "fees.db")
	out, stderr, _ := fees("sync", "34..39", "--gateway", recorded, "--ledger", place)
	require.Regexp(t, sealIn, out, stderr)
	sealed := sealIn.FindStringSubmatch(out)[1]
	said, stderr, code := fees("ledger", "verify", "--ledger", place, "--gateway", recorded)
	require.Zero(t, code, said+stderr)

	paid := assetFees(t, name)
	require.Len(t, paid, 3)
	sum := 0
	for _, x := range paid {
		sum += x.Amount
		at := fmt.Sprintf("%d-%d", x.Height, x.Index)
		out, stderr, _ := fees("show", at, "--format", "json", "--ledger", place)
		var shown struct {
			Fee      chain.Wei
			AssetFee struct{ Asset, Amount string } `json:"asset_fee"`
		}
		require.NoError(t, json.Unmarshal([]byte(out), &shown), stderr)
		require.Zero(t, shown.Fee)
		require.Equal(t, asset, shown.AssetFee.Asset)
		require.Equal(t, fmt.Sprint(x.Amount), shown.AssetFee.Amount)
		out, _, _ = fees("explain", at, "--gateway", recorded)
		require.Contains(t, out, fmt.Sprintf("fee in the asset       %d of its smallest units", x.Amount))
		out, _, _ = fees("block", fmt.Sprint(x.Height), "--gateway", recorded)
		require.Regexp(t, fmt.Sprintf(`(?m)^\{"parents".*\}\} +1 +%d +0\.00`, x.Amount), out)
	}
	type totals struct {
		Totals struct{ Fee, Charged string }
		Assets []struct {
			Asset, Amount, Equivalent string
			Transactions              int
		} `json:"asset_fees"`
	}
	read := func(args ...string) (x totals) {
		out, stderr, _ := fees(append(args, "--format", "json", "--ledger", place)...)
		require.NoError(t, json.Unmarshal([]byte(out), &x), stderr)
		return x
	}
	payer := paid[0].Payer
	for _, args := range [][]string{
		{"report", "34..39"}, {"report", "--by", "account", "34..39", "--accounts", payer}, {"report", "34..39", "--only", "layer=native"},
		{"statement", payer, "34..39", "--no-balances"},
	} {
		x := read(args...)
		require.Len(t, x.Assets, 1, args)
		require.Equal(t, asset, x.Assets[0].Asset)
		require.Equal(t, len(paid), x.Assets[0].Transactions)
		require.Equal(t, fmt.Sprint(sum), x.Assets[0].Amount)
		require.Equal(t, fmt.Sprint(equivalent), x.Assets[0].Equivalent)
	}
	var inSQL int
	require.NoError(t, opened(t, place).QueryRow("SELECT sum(CAST(asset_fee AS INTEGER)) FROM book_transactions WHERE fee_asset = ?", asset).Scan(&inSQL))
	require.Equal(t, sum, inSQL)
	require.Equal(t, "0", read("report", "37..39", "--only", "layer=native").Totals.Fee)
	require.Empty(t, read("report", "34..36").Assets)
	require.Empty(t, read("report", "34..39", "--only", "layer=evm").Assets)
	require.Empty(t, read("report", "--by", "account", "34..39", "--accounts", "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY").Assets)

	// Every total names them beside it: of the ledger, of an account, of a rollforward, of a package and of its page.
	named := fmt.Sprintf("3 fees were paid in an asset, and in no total: %d of the asset %s; 0.0124879751 PAS were credited for it", sum, asset)
	for _, args := range [][]string{
		{"ledger", "status"}, {"account", payer}, {"rollforward", "34..39", "--accounts", payer, "--gateway", recorded}, {"sample", "34..39", "--accounts", payer, "--size", "1", "--seed", "1"},
		{"close", "--month", "2026-01", "--partial", "--no-balances", "--accounts", payer, "-o", filepath.Join(dir, "january")},
	} {
		out, stderr, _ := fees(append(args, "--ledger", place)...)
		require.Contains(t, strings.Join(strings.Fields(out), " "), named, "%v: %s", args, stderr)
	}
	for _, args := range [][]string{{"ledger", "status"}, {"account", payer}} {
		require.Equal(t, fmt.Sprint(sum), read(args...).Assets[0].Amount, args)
	}
	text, err := os.ReadFile(filepath.Join(dir, "january", "manifest.json"))
	require.NoError(t, err)
	var manifest totals
	var inside struct{ Totals json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &inside))
	require.NoError(t, json.Unmarshal(inside.Totals, &manifest))
	require.Equal(t, fmt.Sprint(sum), manifest.Assets[0].Amount)
	require.Equal(t, fmt.Sprint(equivalent), manifest.Assets[0].Equivalent)
	require.Contains(t, string(inside.Totals), `"gas": 0,`, "no Ethereum transaction: 0 is right")
	text, err = os.ReadFile(filepath.Join(dir, "january", "about.txt"))
	require.NoError(t, err)
	require.Contains(t, string(text), named)

	// The pot that receives the fees is not called the treasury.
	for _, args := range [][]string{{"report", "34..39"}, {"ledger", "status"}} {
		out, stderr, _ := fees(append(args, "--ledger", place)...)
		require.Regexp(t, `(?m)^staking pot +0\.`, out, stderr)
		require.NotContains(t, out, "treasury")
	}

	// A record in the token cannot have them: a row that names one says so, and the others are named beside.
	record := filepath.Join(dir, "record.csv")
	require.NoError(t, os.WriteFile(record, []byte("extrinsic_id,Fee (PAS)\n37-2,0.0038660075\n"), 0o600))
	out, stderr, code = fees("reconcile", record, "37..39", "--accounts", payer, "--ledger", place)
	require.Equal(t, exitFinding, code, stderr)
	folded := strings.Join(strings.Fields(out), " ")
	require.Contains(t, folded, "1 of 1 do not match")
	require.Contains(t, folded, fmt.Sprintf("the fee was paid in an asset: %d of the asset %s; 0.0038660075 PAS were credited for it", paid[0].Amount, asset))
	require.Contains(t, folded, fmt.Sprintf("note: 2 fees were paid in an asset, and in no total: %d of the asset %s; 0.0086219676 PAS were credited for it.", paid[1].Amount+paid[2].Amount, asset))
	require.NotContains(t, folded, "makes no difference")

	// Files without notes name them in rows: whatever the grouping, the rows add up to the total.
	for _, by := range []string{"block", "hour", "day", "month", "account", "layer", "status", "type", "call", "contract"} {
		for _, more := range [][]string{nil, {"--percentiles"}, {"--top", "1"}} {
			args := append([]string{"report", "34..39", "--by", by, "--ledger", place}, more...)
			out, stderr, _ = fees(append(args, "--format", "csv")...)
			list, err := csv.NewReader(strings.NewReader(out)).ReadAll()
			require.NoError(t, err, stderr)
			last := len(list[0]) - 1
			require.Equal(t, "asset_fees", list[0][last])
			rows := 0
			for _, row := range list[1:] {
				if amount, _, found := strings.Cut(row[last], " of the asset "+asset+"; "); found {
					n, err := strconv.Atoi(amount)
					require.NoError(t, err)
					rows += n
				} else {
					require.Empty(t, row[last])
				}
			}
			require.Equal(t, sum, rows, args)
			var groups struct {
				Groups []struct {
					Assets []struct{ Amount string } `json:"asset_fees"`
				}
			}
			out, stderr, _ = fees(append(args, "--format", "json")...)
			require.NoError(t, json.Unmarshal([]byte(out), &groups), stderr)
			rows = 0
			for _, g := range groups.Groups {
				require.NotNil(t, g.Assets)
				for _, x := range g.Assets {
					n, err := strconv.Atoi(x.Amount)
					require.NoError(t, err)
					rows += n
				}
			}
			require.Equal(t, sum, rows, args)
		}
	}
	for _, args := range [][]string{{"--by", "account"}, {"--by", "call", "--top", "1"}} { // block 39 and the one before it
		args = append([]string{"report", "39..39", "--compare", "--ledger", place}, args...)
		out, stderr, _ = fees(append(args, "--format", "csv")...)
		require.Contains(t, out, ",asset_fees,asset_fees_before\n", stderr)
		for _, x := range paid[1:] {
			require.Contains(t, out, fmt.Sprintf("%d of the asset", x.Amount))
		}
		out, stderr, _ = fees(append(args, "--format", "json")...)
		for _, x := range paid[1:] { // in a group, and beside the totals of its period
			require.Equal(t, 2, strings.Count(out, fmt.Sprintf(`"amount": "%d"`, x.Amount)), "%s%s", out, stderr)
		}
	}
	for _, c := range []struct {
		args []string
		rows int
	}{{[]string{"rollforward", "34..39", "--accounts", payer, "--gateway", recorded}, 1}, {[]string{"statement", payer, "34..39", "--no-balances"}, 3}, {[]string{"sample", "34..39", "--accounts", payer, "--size", "2", "--seed", "1"}, 2}} {
		out, stderr, _ = fees(append(c.args, "--ledger", place, "--format", "csv")...)
		require.Equal(t, c.rows, strings.Count(out, " of the asset "), "%s%s", out, stderr)
	}
	for period, has := range map[string]bool{"34..36": false, "34..39": true} {
		out, stderr, _ = fees("rollforward", period, "--accounts", payer, "--gateway", recorded, "--ledger", place, "--format", "json")
		require.Equal(t, has, strings.Contains(out, `"asset_fees"`), stderr)
		out, stderr, _ = fees("report", period, "--ledger", place, "--format", "csv")
		require.Equal(t, has, strings.Contains(out, "asset_fees"), stderr)
	}

	out, stderr, _ = fees("export", "34..39", "--as", "csv", "--accounts", payer, "--ledger", place)
	require.Contains(t, out, ",fee_asset,asset_fee,asset_fee_equivalent,")
	require.Contains(t, stderr, fmt.Sprintf("3 fees were paid in an asset, and in no total: %d of the asset", sum))
	out, stderr, _ = fees("export", "34..39", "--as", "hledger", "--accounts", payer, "--ledger", place)
	require.Contains(t, out, fmt.Sprintf("paid in an asset: %d of the asset", paid[0].Amount))
	require.Contains(t, stderr, "and in no total")

	records := filepath.Join(dir, "records.jsonl")
	_, stderr, code = fees("export", "--as", "records", "34..39", "--ledger", place, "-o", records)
	require.Zero(t, code, stderr)
	python, err := exec.CommandContext(t.Context(), program.Path(t, program.Python, "python3"), "../../docs/verify_seal.py", records, sealed).CombinedOutput()
	require.NoError(t, err, string(python))
	require.Contains(t, string(python), fmt.Sprintf("fees %d of the asset %s\n", sum, asset))
	require.Contains(t, string(python), "verified: "+sealed)
}

// The reason of a hold is in the ledger, and the same from the gateway and from the node.
func TestReasonsOfHolds(t *testing.T) {
	t.Parallel()
	const name = "passet-1019002"
	dir := t.TempDir()
	node := httptest.NewServer(nodetest.OpenPair(t, name))
	defer node.Close()
	var seals []string
	for i, source := range []string{pairs.Path(t, name, "gateway"), node.URL} {
		place := filepath.Join(dir, fmt.Sprintf("%d.db", i))
		out, stderr, _ := fees("sync", "1..12", "--gateway", source, "--ledger", place)
		require.Regexp(t, sealIn, out, stderr)
		seals = append(seals, sealIn.FindStringSubmatch(out)[1])
		out, stderr, code := fees("ledger", "verify", "--ledger", place)
		require.Zero(t, code, out+stderr)
	}
	require.Equal(t, seals[0], seals[1])
}
