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

// A part is never said to be all, nor all to be a part: in months and days whose clocks change, too.
func TestShareOfAPeriod(t *testing.T) {
	ledgerOf := func(begin time.Time, every time.Duration, first, last uint64) *app.Ledger {
		entries, _ := entriesOf(t, chaingen.Options{Seed: 11, Head: last, Begin: begin, Every: every}, first, last)
		return opened(t, ledgerOf(t, entries))
	}
	winter := ledgerOf(time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC), 3*time.Hour, 20, 460)   // from 12 January 09:00 to 8 March 09:00
	spring := ledgerOf(time.Date(2025, 3, 29, 0, 0, 0, 0, time.UTC), 11*time.Minute, 2, 380) // to 31 March 21:29
	for _, c := range []struct {
		d                               *app.Ledger
		period, with, zone, part, words string
	}{
		// March 2025 has 743 hours in Berlin, of which 177 are known; the ledger has all of February.
		{winter, "2025-03", "2025-02", "Europe/Berlin", "known part, to 8 Mar 10:00, 7.4 of 31 days", "to 8 Mar 10:00, 7.4 of 31 days"},
		{winter, "2025-02", "2025-03", "Europe/Berlin", "", "to 8 Feb 10:00, 7.4 of 28 days"},
		{winter, "2025-01", "2025-02", "UTC", "known part, from 12 Jan 09:00, 19.6 of 31 days", "from 12 Jan 09:00, 19.6 of 31 days, against 16.6 of 28 days of February 2025"},
		{winter, "2025-03-01..2025-03-08", "2025-02-01..2025-02-08", "UTC", "known part, to 8 Mar 09:00, 7.4 of 8 days", "to 8 Mar 09:00, 7.4 of 8 days"},
		{winter, "2025-03-08", "2025-03-07", "UTC", "known part, to 8 Mar 09:00, 9.0 of 24 hours", "to 8 Mar 09:00, 9.0 of 24 hours"},
		{spring, "2025-03-31", "2025-03-30", "Europe/Berlin", "known part, to 31 Mar 23:29, 23.5 of 24 hours", "to 31 Mar 23:29, 23.5 of 24 hours, against all 23 hours of 30 Mar 2025 in Europe/Berlin"},
		{spring, "2025-03-30", "2025-03-31", "Europe/Berlin", "", "all 23 hours, against 23.5 of 24 hours of 31 Mar 2025 in Europe/Berlin"},
	} {
		in, with := app.PeriodInput{Partial: true, Timezone: c.zone}, app.PeriodInput{Partial: true, Timezone: c.zone}
		in.Set(c.period)
		with.Set(c.with)
		made, err := c.d.Compare(t.Context(), app.Request{Period: parsed(t, in)}, report.Choice{By: report.Layer}, with)
		require.NoError(t, err)
		require.Equal(t, c.part, made.Now.Part, c.period)
		require.Equal(t, "compared, part known of both, "+c.words, made.Part(), c.period)
	}
}
