package app_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/reconcile"
)

// The token in dollars, and the rates of the days before: 0.25 ÷ 1.25 = 0.20 EUR, and 0.50 ÷ 1.25 = 0.40 EUR.
const (
	dollars = "Date,Open,High,Low,Close,Adj Close,Volume\n2026-01-01,0.2,0.3,0.2,0.25,0.25,1\n2026-11-20,0.5,0.5,0.5,0.5,0.5,1\n"
	euros   = "Date, USD, JPY, GBP, CHF, \n2026-11-19, 1.25, 163, 0.8, 0.9, \n2025-12-31, 1.25, 163, 0.8, 0.9, \n"
)

// A package keeps every price file as given, and is made again from them.
func TestPackageWithSeveralPriceFiles(t *testing.T) {
	place := copied(t)
	d := opened(t, place)
	q := question(t)
	a, b := write(t, "GLMR-USD.csv", dollars), write(t, "rates.csv", euros)
	q.Prices = app.PricesInput{Files: []string{"GLMR/USD=" + a, b}, Fiat: "EUR"}
	_, err := d.MakePackage(t.Context(), q)
	require.ErrorContains(t, err, "no price in EUR for")
	q.Prices.LastKnown = true
	made := packed(t, d, q)
	require.Equal(t, &closing.Prices{Name: "GLMR/USD=GLMR-USD.csv", Currency: "EUR", More: []string{"rates.csv"}, LastKnown: true}, made.Manifest.Options.Prices)
	for name, want := range map[string]string{"prices.csv": dollars, "prices-2.csv": euros} {
		kept, err := os.ReadFile(filepath.Join(made.Dir, "inputs", name))
		require.NoError(t, err)
		require.Equal(t, want, string(kept))
	}
	var made1 struct {
		Prices struct {
			Files []struct{ File, Format, SHA256 string }
			Late  []struct{ Day, From string } `json:"last_known"`
		}
		Groups []map[string]any
	}
	text, err := os.ReadFile(filepath.Join(made.Dir, "report.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &made1))
	require.Equal(t, "Yahoo", made1.Prices.Files[0].Format)
	require.Equal(t, "rates.csv", made1.Prices.Files[1].File)
	require.Equal(t, "rate of 2025-12-31", made1.Prices.Late[0].From)
	require.Equal(t, true, made1.Groups[0]["last_known_eur"])

	require.NoError(t, os.Remove(a))
	require.NoError(t, os.Remove(b))
	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences)
}

// Prices of another token are refused, unless the user says that they are of the network's.
func TestPricesOfAnotherToken(t *testing.T) {
	d := opened(t, copied(t))
	path := write(t, "MOVR-USD.csv", dollars)
	for _, file := range []string{path, "GLMR/USD=" + path} {
		list, err := app.ReadPrices(app.PricesInput{Files: []string{file}})
		require.NoError(t, err)
		_, err = d.Report(t.Context(), app.Request{Period: app.Heights(1, 3), Prices: list}, report.Choice{By: report.Day})
		if file == path {
			require.EqualError(t, err, "prices: prices of MOVR, but the network's token is GLMR. If they are its prices, say so: GLMR/USD=FILE")
			require.Equal(t, failure.NotUnderstood, app.KindOf(err))
			continue
		}
		require.NoError(t, err)
	}
}

// Every operation in a currency refuses prices of another token.
func TestPricesOfAnotherTokenAnywhere(t *testing.T) {
	d := opened(t, copied(t))
	list, err := app.ReadPrices(app.PricesInput{Files: []string{write(t, "MOVR-USD.csv", dollars)}})
	require.NoError(t, err)
	q := app.Request{Period: app.Heights(1, 3), Accounts: []chain.Address{address(t, alith)}, Prices: list}
	src := withBalances(t)
	for name, do := range map[string]func() error{
		"export": func() error { _, err := d.Export(t.Context(), app.ExportRequest{Request: q}); return err },
		"sample": func() error {
			_, err := d.Sample(t.Context(), app.SampleRequest{Request: q, Size: 1, Seed: "a"})
			return err
		},
		"statements": func() error {
			_, err := d.Statements(t.Context(), app.StatementRequest{Request: q, Balances: src})
			return err
		},
		"rollforward": func() error {
			_, err := d.Rollforward(t.Context(), app.RollforwardRequest{Request: q, Balances: src})
			return err
		},
		"reconciliation": func() error {
			_, err := d.Reconcile(t.Context(), nil, q.Period, reconcile.Options{Prices: list, Symbol: "GLMR"})
			return err
		},
	} {
		err := do()
		require.EqualError(t, err, "prices: prices of MOVR, but the network's token is GLMR. If they are its prices, say so: GLMR/USD=FILE", name)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), name)
	}
}

// A package keeps an archive of prices as an archive, and reads it again.
func TestPackageWithZippedPrices(t *testing.T) {
	place := copied(t)
	q := question(t)
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("eurofxref-hist.csv")
	require.NoError(t, err)
	_, err = io.WriteString(w, euros)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	rates := write(t, "rates.ZIP", archive.String())
	q.Prices = app.PricesInput{Files: []string{write(t, "GLMR-USD.csv", dollars), rates}, LastKnown: true}
	q.Prices.Fiat = "EUR"
	made := packed(t, opened(t, place), q)
	kept, err := os.ReadFile(filepath.Join(made.Dir, "inputs", "prices-2.zip"))
	require.NoError(t, err)
	require.Equal(t, archive.Bytes(), kept)
	require.NoError(t, os.Remove(rates))
	require.Empty(t, checked(t, q.Dir, place, q.PackageOptions).Differences)
}

// Wrong input names its field.
func TestPricesInput(t *testing.T) {
	good, bad := write(t, "GLMR-USD.csv", dollars), write(t, "bad.csv", "x,y\n")
	for want, in := range map[string]app.PricesInput{
		"prices and fiat must be given together":             {Fiat: "EUR"},
		"last-known needs prices":                            {LastKnown: true},
		"price-map needs prices":                             {Columns: []string{"date=a"}},
		`fiat: currency "eur" must be`:                       {Files: []string{good}, Fiat: "eur"},
		`price-map: "date=a" must name`:                      {Files: []string{good}, Columns: []string{"date=a"}},
		"prices bad.csv: line 1: unknown column":             {Files: []string{good, bad}, Fiat: "USD"},
		"prices " + bad + ": line 1: unknown column":         {Files: []string{bad}, Fiat: "USD"},
		"it contains no prices in EUR, only in USD":          {Files: []string{good}, Fiat: "EUR"},
		"prices: nowhere.csv does not exist":                 {Files: []string{good, "GLMR/USD=nowhere.csv"}},
		"prices: glmr/usd=nowhere.csv does not exist":        {Files: []string{"glmr/usd=nowhere.csv"}},
		"contains nothing that prices in USD need; leave it": {Files: []string{good, write(t, "rates.csv", euros)}, Fiat: "USD"},
	} {
		_, err := app.ReadPrices(in)
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	}
}

// Files of the same name in several directories are told apart by their content.
func TestPriceFilesOfTheSameName(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "prices.csv"), filepath.Join(t.TempDir(), "prices.csv")
	for path, price := range map[string]string{a: "7", b: "8"} {
		require.NoError(t, os.WriteFile(path, []byte("# source: a test\ndate,price\n2026-01-01,"+price+"\n"), 0o600))
	}
	in := app.PricesInput{Files: []string{"GLMR/EUR=" + a, "MOVR/EUR=" + b}}
	lists, err := app.ReadPricesOf(in, []console.Token{{Symbol: "GLMR"}, {Symbol: "MOVR"}})
	require.NoError(t, err)
	for i, list := range lists {
		files, err := in.Of(list)
		require.NoError(t, err)
		require.Equal(t, in.Files[i:i+1], files)
	}
	require.NoError(t, os.Remove(b))
	_, err = in.Of(lists[0])
	require.ErrorContains(t, err, "prices.csv does not exist")
}
