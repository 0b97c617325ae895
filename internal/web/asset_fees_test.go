package web_test

import (
	"html"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// Each page with a total of fees names those that were paid in assets beside it. The equivalent is the sum of the deposits
// to the pot in blocks 37 to 39.
func TestFeesInAssetsOnPages(t *testing.T) {
	const payer = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
	const named = `3 fees were paid in an asset, and in no total: 1253232 of the asset {"parents":"0","interior":{"x2":[{"palletInstance":"50"},{"generalIndex":"1984"}]}}; 0.0124879751 PAS were credited for it`
	src, err := answers.OpenDirectory(pairs.Path(t, "passet-1019002", "gateway"))
	require.NoError(t, err)
	reader := &source.Reader{Source: src, Tables: network.BuiltIn()}
	d := hubLedger(t, hubBlocks{"36..39", src})
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Network, o.Ledgers[0].Source = "passet-hub", reader })
	for _, path := range []string{"/overview", "/fees", "/fees?by=account", "/transactions", "/transactions?sort=-fee&accounts=" + payer, "/fees?compare=before&period=39..39", "/account/" + payer, "/account/" + payer + "/statement", "/account/" + payer + "/rollforward"} {
		page := get(t, s, path, nil)
		require.Equal(t, http.StatusOK, page.status, path)
		if path == "/fees?compare=before&period=39..39" {
			require.Contains(t, html.UnescapeString(page.text), "1 fee was paid in an asset, and in no total: 476690 of the asset", path)
			continue
		}
		require.Contains(t, html.UnescapeString(page.text), named, path)
	}
	// So does each file, in which a fee of 0 alone would mislead.
	for _, path := range []string{"/fees.csv", "/fees.json?by=account", "/fees.csv?by=call", "/account/" + payer + "/statement.csv", "/account/" + payer + "/rollforward.csv", "/account/" + payer + "/rollforward.json", "/transactions.csv", "/transactions.jsonl?accounts=" + payer} {
		file := get(t, s, path, nil)
		require.Equal(t, http.StatusOK, file.status, path)
		require.Regexp(t, `asset_fee|paid in an asset`, file.text, path)
		require.Contains(t, file.text, "1984", path)
	}
	require.NotContains(t, get(t, s, "/transactions?layer=evm", nil).text, "paid in an asset")
	none := get(t, s, "/transactions.csv?period=36..36", nil)
	require.NotContains(t, none.text, "asset_fee")
}

// The list of accounts has an account's fees in assets beside its fee, and says of an address of another chain that nothing
// is known. Where fees in assets were not compared with a record, no page says that all is well.
func TestFeesInAssetsInLists(t *testing.T) {
	const payer = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
	src, err := answers.OpenDirectory(pairs.Path(t, "passet-1019002", "gateway"))
	require.NoError(t, err)
	d := hubLedger(t, hubBlocks{"1..39", src})
	labels := book(t, "address,label,group\n"+payer+",Bob,ours\n")
	record := filepath.Join(t.TempDir(), "record.csv")
	rows := "hash,fee\n"
	of := pageAt(t, served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = labels }).URL+"/accounts")
	require.Contains(t, of, `and fees in assets`)
	require.Contains(t, html.UnescapeString(of), "Bob: 3 fees were paid in an asset, and in no total: 1253232 of the asset")
	list, err := d.Transactions(t.Context(), app.TransactionsRequest{Period: app.Heights(1, 39), Limit: 1000})
	require.NoError(t, err)
	for _, x := range list.List {
		if charged, known := x.Charged.Get(); known && !x.InAsset() && x.Payer.Known() && !charged.IsZero() {
			rows += x.Hash.String() + "," + charged.String() + "\n"
		}
	}
	writeFile(t, record, rows)
	shelf := t.TempDir()
	payers := []string{}
	for _, x := range list.List {
		if payer, known := x.Payer.Get(); known && !slices.Contains(payers, payer.String()) {
			payers = append(payers, payer.String())
		}
	}
	made, err := d.MakePackage(t.Context(), app.PackageRequest{
		Dir: filepath.Join(shelf, "2026-01"), PeriodInput: app.PeriodInput{Month: "2026-01", Partial: true}, Journal: "hledger", With: app.WithFees,
		PackageInputs:  app.PackageInputs{Accounts: payers, Books: app.BooksInput{Path: record, Reading: closing.Reading{Unit: "wei"}}},
		PackageOptions: app.PackageOptions{Program: "a test"},
	})
	require.NoError(t, err)
	require.Zero(t, made.Manifest.Findings.Differences)
	s := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Network, o.Ledgers[0].Labels, o.Ledgers[0].Packages = "passet-hub", labels, shelf
	})
	require.Contains(t, pageAt(t, s.URL+"/overview"), "3 fees in assets not compared")
	require.Contains(t, pageAt(t, s.URL+"/packages/2026-01"), "fees in assets not compared: 3")
	made.Manifest.Findings = closing.Findings{InAssets: 3} // without the failed checks of the recording
	require.Equal(t, []string{"3 fees in assets not compared", "is closed, but fees in assets were not compared"}, web.VerdictsOn(made.Manifest))
	made.Manifest.Findings = closing.Findings{NothingCompared: true}
	require.Equal(t, "nothing to compare", web.VerdictsOn(made.Manifest)[0])
}
