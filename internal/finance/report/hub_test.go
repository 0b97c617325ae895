package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/source"
)

// hub opens a recorded chain with pallet revive.
func hub(t *testing.T, name string) *source.Reader {
	t.Helper()
	src, err := answers.OpenDirectory(pairs.Path(t, name, "gateway"))
	require.NoError(t, err)
	return &source.Reader{Source: src, Tables: pairs.HubTables(t)}
}

// Fees of pallet revive do not follow from gas, so the gas is unknown, not 0: in the totals, in the lists, and in a
// comparison with a period that has no Ethereum transaction.
func TestUnknownGas(t *testing.T) {
	book, _ := kept(t, hub(t, "stack-template-3"), 37)
	r := made(t, book, report.Request{Period: heights(5, 5), Choice: report.Choice{By: report.Account}})
	require.False(t, r.Totals.Gas.Known())
	require.EqualValues(t, 6, r.Totals.EVM)
	var out bytes.Buffer
	require.NoError(t, r.Document().Write(&out, "csv", 0))
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	column := -1
	for i, name := range strings.Split(lines[0], ",") {
		if name == "gas" {
			column = i
		}
	}
	require.Positive(t, column)
	require.Empty(t, strings.Split(lines[1], ",")[column])

	native := made(t, book, report.Request{Period: heights(20, 20), Choice: report.Choice{By: report.Account}})
	require.Equal(t, chain.Some(chain.NewGas(0)), native.Totals.Gas, "no Ethereum transaction: 0 is right")
	c := halves(t, book, report.Request{Choice: report.Choice{By: report.Account}}, heights(5, 5), heights(20, 20), 0)
	out.Reset()
	require.NoError(t, c.Document().Write(&out, "csv", 0))
	require.Contains(t, out.String(), "gas_difference")
	out.Reset()
	require.NoError(t, c.Document().Write(&out, "json", 0))
	require.Contains(t, out.String(), `"gas": null,`)
	require.Contains(t, out.String(), `"gas_before": "0",`)
	require.Contains(t, out.String(), `"gas_difference": null,`)
}

// Fees paid in assets are in a note, and in no total of the token.
func TestFeesInAssets(t *testing.T) {
	book, _ := kept(t, hub(t, "passet-1019002"), 39)
	r := made(t, book, report.Request{Period: heights(37, 39), Choice: report.Choice{By: report.Account}})
	require.Equal(t, chain.Wei{}, r.Totals.Fee)
	var out bytes.Buffer
	require.NoError(t, r.Document().Write(&out, "json", 0))
	require.Contains(t, out.String(), `"amount": "1253232"`)
	require.Contains(t, out.String(), `"equivalent": "124879751"`)

	// Files without notes have them in a column, by group: from the ledger's totals, from transactions, and in a group of others.
	const asset = `{""parents"":""0"",""interior"":{""x2"":[{""palletInstance"":""50""},{""generalIndex"":""1984""}]}}`
	for _, choice := range []report.Choice{{By: report.Account}, {By: report.Status}, {By: report.Block}, {By: report.Account, Top: 1}, {By: report.Call, Top: 1}} {
		r := made(t, book, report.Request{Period: heights(34, 39), Choice: choice})
		require.Equal(t, 3, r.AssetFees[0].Transactions)
		out.Reset()
		require.NoError(t, r.Document().Write(&out, "csv", 0))
		require.Contains(t, out.String(), "gas_price_average,asset_fees\n")
		require.Equal(t, len(r.Groups), strings.Count(out.String(), "\n")-1)
		want := []string{"1253232"}
		if choice.By == report.Block {
			want = []string{"387766", "388776", "476690"}
		}
		require.Equal(t, len(want), strings.Count(out.String(), asset), choice)
		for _, amount := range want {
			require.Contains(t, out.String(), `,"`+amount+" of the asset "+asset+"; 0.")
		}
		out.Reset()
		require.NoError(t, table.WriteTable(&out, r.Shown(), 400))
		require.Contains(t, out.String(), "of the asset {")
		out.Reset()
		require.NoError(t, r.Document().Write(&out, "html", 0))
		require.Regexp(t, `asset.fees</th>`, out.String())
		require.Contains(t, out.String(), " were credited for it</td>")
		out.Reset()
		require.NoError(t, r.Document().Write(&out, "json", 0))
		require.Equal(t, len(r.Groups) > 1, strings.Contains(out.String(), `"asset_fees": []`), "a group without")
	}
	for _, top := range []int{0, 1} {
		for i, spans := range [][2]report.Request{{{Period: heights(39, 39)}, {Period: heights(38, 38)}}, {{Period: heights(36, 36)}, {Period: heights(38, 38)}}, {{Period: heights(34, 35)}, {Period: heights(33, 34)}}} {
			c := halves(t, book, report.Request{Choice: report.Choice{By: report.Account}}, spans[0].Period, spans[1].Period, top)
			out.Reset()
			require.NoError(t, c.Document().Write(&out, "csv", 0))
			require.Equal(t, i < 2, strings.Contains(out.String(), ",asset_fees,asset_fees_before\n"))
			require.Equal(t, 2-i, strings.Count(out.String(), asset))
			out.Reset()
			require.NoError(t, c.Document().Write(&out, "json", 0))
			require.Equal(t, 2*(2-i), strings.Count(out.String(), `"amount": "`), "in a group, and beside the totals")
		}
	}
}

// A comparison of parts states the fees in assets of the parts, as its totals are: in JSON, in notes and in the list.
func TestFeesInAssetsOfAPart(t *testing.T) {
	book, _ := kept(t, hub(t, "passet-1019002"), 39)
	of := func(first, last uint64) *report.Report {
		return made(t, book, report.Request{Period: heights(first, last), Choice: report.Choice{By: report.Account}, Compared: true})
	}
	whole := of(34, 39)
	require.Len(t, whole.AssetFees.Notes(whole.Amount), 1)
	require.Contains(t, whole.Notes, whole.AssetFees.Notes(whole.Amount)[0])
	part := of(38, 38)
	require.Equal(t, 1, part.AssetFees[0].Transactions)
	c, err := report.Compare(whole, of(28, 33), &report.Same{Now: part, Before: of(32, 32), Part: "a part", Sides: [2]string{"block 38", "block 32"}}, 0)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, c.Document().Write(&out, "json", 0))
	require.Equal(t, 2, strings.Count(out.String(), `"amount": "`+part.AssetFees[0].Amount.String()+`"`), "in a group, and beside the totals")
	require.NotContains(t, out.String(), `"amount": "`+whole.AssetFees[0].Amount.String()+`"`)
	require.Contains(t, strings.Join(c.Notes, "\n"), part.AssetFees.Notes(whole.Amount)[0])
	require.NotContains(t, strings.Join(c.Notes, "\n"), whole.AssetFees.Notes(whole.Amount)[0])
	out.Reset()
	require.NoError(t, c.Document().Write(&out, "csv", 0))
	require.Contains(t, out.String(), ",asset_fees,asset_fees_before,part,part_before\n")
	require.Contains(t, out.String(), ",block 38,block 32\n")
}
