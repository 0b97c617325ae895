package web_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/web"
)

// Values at the last known price are marked on the page and in JSON, which name the files of the prices.
func TestLastKnownPrices(t *testing.T) {
	d := filled(t, "0..27")
	path := filepath.Join(t.TempDir(), "GLMR-EUR.csv")
	writeFile(t, path, "Date,Open,High,Low,Close,Adj Close,Volume\n2025-12-30,1,1,1,0.25,1,1\n2026-11-20,1,1,1,0.5,1,1\n")
	list, err := app.ReadPrices(app.PricesInput{Files: []string{path}, LastKnown: true})
	require.NoError(t, err)
	s := served(t, d, func(o *web.Options) {
		o.Ledgers[0].Prices, o.Ledgers[0].PricesFile = list, "GLMR-EUR.csv,b.csv"
	})
	const query = "?period=3..27&by=day&price=EUR"
	page := get(t, s, "/fees"+query, nil).text
	require.Contains(t, page, "--prices GLMR-EUR.csv,b.csv --fiat EUR --last-known")
	require.Contains(t, page, "LAST KNOWN PRICE: 1 day without a price: 1 Jan 2026 (price of 30 Dec 2025)")
	require.Contains(t, page, "source: Yahoo GLMR/EUR (the close of the day (UTC))")
	text := get(t, s, "/api/v1/report"+query, nil).text
	require.Contains(t, text, `"last_known_eur": true`)
	require.Contains(t, text, `"from": "price of 2025-12-30"`)
	require.Contains(t, text, `"file": "GLMR-EUR.csv"`)
}
