package app_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// winter is a ledger of the blocks 20 to 640 of a chain with a block every three hours from 10 January 2025 on: from 12 January
// 09:00 to 30 March 21:00.
func winter(t *testing.T) *app.Ledger {
	t.Helper()
	chain := chaingen.New(chaingen.Options{Seed: 11, Head: 640, Begin: time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC), Every: 3 * time.Hour})
	place := file(t)
	_, err := app.Sync(t.Context(), place, blocks(t, "20..640"), app.FillOptions{Reader: &source.Reader{Source: chain.Source(), Tables: network.BuiltIn()}})
	require.NoError(t, err)
	return opened(t, place)
}

// The part of a period that the ledger contains is named by its ends, with the year if the period is of several.
func TestPartOfAPeriod(t *testing.T) {
	d := winter(t)
	for text, want := range map[string]string{
		"2025-02":                "",
		"2025-03":                "known part, to 30 Mar 21:00, 29.9 of 31 days",
		"2025-01":                "known part, from 12 Jan 09:00, 19.6 of 31 days",
		"2025-01-12":             "known part, from 12 Jan 09:00, 15.0 of 24 hours",
		"2024-12-31..2025-01-13": "known part, from 12 Jan 2025 09:00, 1.6 of 14 days",
		"2025":                   "known part, 12 Jan 09:00 to 30 Mar 21:00, 77.5 of 365 days",
		"10..30":                 "known part, blocks 20..30, 11 of 21 blocks",
		"30..40":                 "",
	} {
		in := app.PeriodInput{Partial: true}
		in.Set(text)
		r, err := d.Report(t.Context(), app.Request{Period: parsed(t, in)}, report.Choice{By: report.Layer})
		require.NoError(t, err, text)
		require.Equal(t, want, r.Part, text)
	}
}

// Two periods without a common part are not compared: no difference is stated, neither of the totals nor of a row.
func TestComparePartsThatDiffer(t *testing.T) {
	d := winter(t)
	for _, c := range [][2]string{
		{"2025-03-20..2025-04-02", "2025-02"}, // only one begins with a month
		{"2025-01-01..2025-01-20", "2025-03"}, // days and a month
	} {
		in := app.PeriodInput{Partial: true}
		in.Set(c[0])
		with := app.PeriodInput{Partial: true}
		with.Set(c[1])
		for _, by := range []report.By{report.Layer, report.Day} {
			r, err := d.Compare(t.Context(), app.Request{Period: parsed(t, in)}, report.Choice{By: by}, with)
			require.NoError(t, err, c)
			require.Equal(t, "not compared, the ledger contains no same part of both", r.Part(), "%v by %s", c, by)
			if by == report.Layer {
				for _, row := range rowsOf(t, r.Sheet()) {
					require.NotEmpty(t, row["fee"])
					require.Empty(t, row["fee_difference"], "%v", c)
					require.Empty(t, row["fee_percent"], "%v", c)
				}
			}
		}
	}
}
