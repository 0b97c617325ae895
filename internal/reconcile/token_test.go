package reconcile_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/internal/reconcile"
)

// A token with 9 decimals: amounts are read in it, and its smallest unit is what wei are to other tokens.
func TestOtherDecimals(t *testing.T) {
	tao := reconcile.Options{Symbol: "TAO", Decimals: 9}
	for _, c := range []struct {
		column, text string
		unit         reconcile.Unit
		want, wrong  string
	}{
		{"fee (TAO)", "0.00126", "", "1260000", ""},
		{"fee (TAO)", "12.000000001", "", "12000000001", ""},
		{"fee (TAO)", "1.26E-3", "", "1260000", ""},
		{"fee_token", "0.5", "", "500000000", ""},
		{"fee_wei", "1260000", "", "1260000", ""},
		{"fee", "1 TAO", "", "1000000000", ""},
		{"fee", "7 wei", "", "7", ""},
		{"fee", "2", reconcile.Token, "2000000000", ""},
		{"fee", "0x10", reconcile.Wei, "16", ""},
		{"fee (TAO)", "0.0000000001", "", "", "has 10 decimals, but an amount in token has at most 9"},
		{"fee", "5 gwei", "", "", "is in gwei, which only tokens with 18 decimals have"},
		{"fee_gwei", "5", "", "", "is in gwei, which only tokens with 18 decimals have"},
		{"fee", "5", reconcile.Gwei, "", "--unit gwei: TAO has 9 decimals"},
	} {
		o := tao
		o.Unit = c.unit
		rows, err := readAll(strings.NewReader(grid{{"Extrinsic ID", c.column}, {"1-1", c.text}}.csv(',')), o)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong, "%s %s", c.column, c.text)
			continue
		}
		require.NoError(t, err, "%s %s", c.column, c.text)
		require.Equal(t, c.want, rows[0].Fee.String(), "%s %s", c.column, c.text)
	}
	// The EVM counts in 18 decimals, whatever the token has. What is less than the smallest unit is cut off.
	for _, c := range []struct {
		decimals     int
		column, text string
		unit         reconcile.Unit
		want         string
	}{
		{10, "fee (planck)", "140367", "", "140367"},
		{12, "fee_planck", "140367", "", "140367"},
		{10, "fee", "140367 Planck", "", "140367"},
		{10, "fee", "1403670000", reconcile.EVMWei, "14"},
		{10, "fee", "14036700000000", reconcile.EVMWei, "140367"},
		{12, "fee", "140367999999", reconcile.EVMWei, "140367"},
		{18, "fee", "140367", reconcile.EVMWei, "140367"},
		{20, "fee", "140367", reconcile.EVMWei, "14036700"},
		{12, "fee", "999999", reconcile.EVMWei, "0"},
		{12, "fee", "0xf4240", reconcile.EVMWei, "1"},
		{12, "fee", "1.5e6", reconcile.EVMWei, "1"},
	} {
		rows, err := readAll(strings.NewReader(grid{{"Extrinsic ID", c.column}, {"1-1", c.text}}.csv(',')), reconcile.Options{Symbol: "DOT", Decimals: c.decimals, Unit: c.unit})
		require.NoError(t, err, "%s %s", c.column, c.text)
		require.Equal(t, c.want, rows[0].Fee.String(), "%s %s", c.column, c.text)
	}
	cells := grid{{"Extrinsic ID", "fee"}, {"1-1", "14036700000000"}}.xlsx(t, func(f *excelize.File) { require.NoError(t, f.SetCellFloat("Sheet1", "B2", 14036700000000, -1, 64)) })
	stored, err := readAll(strings.NewReader(cells), reconcile.Options{Symbol: "DOT", Decimals: 10, Unit: reconcile.EVMWei})
	require.NoError(t, err)
	require.Equal(t, "140367", stored[0].Fee.String())

	sheet := grid{{"Extrinsic ID", "fee (TAO)"}, {"1-1", "0.00126"}}.xlsx(t, func(f *excelize.File) { require.NoError(t, f.SetCellFloat("Sheet1", "B2", 0.00126, -1, 64)) })
	rows, err := readAll(strings.NewReader(sheet), tao)
	require.NoError(t, err)
	require.Equal(t, "1260000", rows[0].Fee.String())

	for text, want := range map[string]string{"5": "5", "0.000001 TAO": "1000", "2 token": "2000000000"} {
		w, _, err := reconcile.ParseTolerance(text, 9)
		require.NoError(t, err)
		require.Equal(t, want, w.String())
	}
	for _, text := range []string{"0.0000000001 TAO", "1 Gwei"} {
		_, _, err := reconcile.ParseTolerance(text, 9)
		require.ErrorContains(t, err, "such as", text)
	}
	tao.CutDecimals = 9
	_, err = readAll(strings.NewReader("hash,fee (TAO)\n"), tao)
	require.ErrorContains(t, err, "--cut-decimals 9 must be between 1 and 8")
}

// Results state amounts in the token, with its decimals, and find fees that were cut to fewer.
func TestResultsInOtherDecimals(t *testing.T) {
	list := allSent(t, "moonbeam-2100")[:3]
	g := grid{{"Extrinsic ID", "fee (TAO)"}}
	for i, s := range list {
		charged := strings.Repeat("0", 10) + s.Charged
		whole, fraction := strings.TrimLeft(charged[:len(charged)-9], "0"), charged[len(charged)-9:]
		if i == 2 {
			fraction = fraction[:4]
		}
		g = append(g, []string{s.place(), "0" + whole + "." + fraction})
	}
	o := reconcile.Options{Symbol: "TAO", Decimals: 9, CutDecimals: 4}
	r := match(t, book(t, "moonbeam-2100"), read(t, g.csv(','), o), o)
	cut := list[2].Charged[len(list[2].Charged)-5:]
	want := map[reconcile.Outcome]int{reconcile.Matched: 2, reconcile.WithinRounding: 1}
	if cut == "00000" {
		want = map[reconcile.Outcome]int{reconcile.Matched: 3}
	}
	require.Equal(t, want, counts(r))
	var out bytes.Buffer
	require.NoError(t, r.WriteJSON(&out, true))
	var written struct {
		Total   struct{ Chain string }
		Details []struct {
			Chain      string
			ChainToken string `json:"chain_token"`
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &written), out.String())
	for i, item := range written.Details {
		require.Equal(t, list[i].Charged, item.Chain)
		require.Equal(t, list[i].Charged, strings.TrimLeft(strings.Replace(item.ChainToken, ".", "", 1), "0"))
		require.Equal(t, 9, len(item.ChainToken)-1-strings.Index(item.ChainToken, "."))
	}
	require.Len(t, written.Details, 3)
	require.Equal(t, total(list), written.Total.Chain)
}
