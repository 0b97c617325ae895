package app_test

import (
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
)

// The queries of docs/analytics.md over a large dataset in the directory FEES_LAKE, which was exported from the ledgers
// FEES_LEDGERS (comma-separated, each with its network file after = if it has one). It logs the time of each query beside
// that of the ledger's reports by month and by
// contract, and compares the sums.
//
//	FEES_LAKE=lake FEES_LEDGERS=a.db,b.db FEES_WITH=duckdb go test ./internal/app -run - -bench Warehouse -benchtime 1x -v
func BenchmarkWarehouse(b *testing.B) {
	dir, ledgers := os.Getenv("FEES_LAKE"), os.Getenv("FEES_LEDGERS")
	if dir == "" {
		b.Skip("FEES_LAKE names no dataset")
	}
	document := analytics(b)
	queries := statements(b, strings.ReplaceAll(document["Queries"], "year = 2026", "year = 2025"), dir) // that of made-up ledgers
	for b.Loop() {
		reported := new(big.Int)
		for _, place := range strings.Split(ledgers, ",") {
			place, file, _ := strings.Cut(place, "=")
			tables, err := app.ReadTables(file)
			require.NoError(b, err)
			d, err := app.Open(b.Context(), place, tables)
			require.NoError(b, err)
			b.Cleanup(func() { d.Close() })
			for _, by := range []report.By{report.Month, report.Contract} {
				begin := time.Now()
				made, err := d.Report(b.Context(), app.Request{Period: app.Period{All: true}}, report.Choice{By: by})
				require.NoError(b, err)
				b.Logf("%s: report by %v: %v", place, by, time.Since(begin).Round(time.Millisecond))
				if by == report.Month {
					reported.Add(reported, made.Totals.Fee.Big())
				}
			}
		}
		for _, e := range []*engine{&duckDB, &clickHouse} {
			setup := views(b, document[e.name], dir)
			for i, query := range queries {
				begin := time.Now()
				rows := e.ask(b, append(setup, query)...)[len(setup)]
				b.Logf("%s: query %d: %v, %d rows", e.name, i+1, time.Since(begin).Round(time.Millisecond), len(rows))
				if i == 0 {
					sum := new(big.Int)
					for _, r := range rows {
						sum.Add(sum, bigNumber(b, r.text(b, "fees")))
					}
					require.Equal(b, reported.String(), sum.String(), e.name)
				}
			}
		}
	}
}
