package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/network"
)

// The period before is the month, the year, or as many days or blocks.
func TestPeriodBefore(t *testing.T) {
	for _, c := range []struct{ of, before app.PeriodInput }{
		{app.PeriodInput{Month: "2026-03"}, app.PeriodInput{Month: "2026-02"}},
		{app.PeriodInput{Month: "2026-01", Timezone: "Asia/Tokyo", Partial: true}, app.PeriodInput{Month: "2025-12", Timezone: "Asia/Tokyo", Partial: true}},
		{app.PeriodInput{Year: "2026"}, app.PeriodInput{Year: "2025"}},
		{app.PeriodInput{From: "2026-03-01", To: "2026-03-07"}, app.PeriodInput{From: "2026-02-22", To: "2026-02-28"}},
		{app.PeriodInput{From: "2024-03-01", To: "2024-03-01"}, app.PeriodInput{From: "2024-02-29", To: "2024-02-29"}},
		{app.PeriodInput{From: "14", To: "27"}, app.PeriodInput{From: "0", To: "13"}},
		{app.PeriodInput{Blocks: "20..24"}, app.PeriodInput{From: "15", To: "19"}},
		{app.PeriodInput{Blocks: "20:+5"}, app.PeriodInput{From: "15", To: "19"}},
	} {
		before, err := c.of.Before()
		require.NoError(t, err)
		require.Equal(t, c.before, before)
	}
	for _, in := range []app.PeriodInput{{}, {Blocks: "3..9"}, {From: "0", To: "0"}, {Month: "2026"}, {Year: "26"}, {From: "x", To: "2026-01-01"}, {From: "2026-01-01", To: "x"}, {Blocks: "9"}} {
		_, err := in.Before()
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), "%+v", in)
	}
}

// A month or a year that is named is of the same time zone.
func TestNamedPeriod(t *testing.T) {
	in := app.PeriodInput{Month: "2026-03", Timezone: "Asia/Tokyo", Partial: true}
	for text, want := range map[string]app.PeriodInput{
		"2025":    {Year: "2025", Timezone: "Asia/Tokyo", Partial: true},
		"2025-02": {Month: "2025-02", Timezone: "Asia/Tokyo", Partial: true},
	} {
		require.True(t, app.IsNamed(text))
		require.Equal(t, want, in.Named(text))
	}
	for _, text := range []string{"", "before", "25-02", "2025-2", "2025-02-01", "20..25", " 2025"} {
		require.False(t, app.IsNamed(text), text)
	}
	_, err := opened(t, copied(t)).Compare(t.Context(), app.ReportQuestion{Question: app.Question{Period: app.Heights(14, 27)}, Choice: report.Choice{By: report.Day}}, in.Named("2025-13"))
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
}

// Two months of a chain beside each other have the same figures as separately. One that the
// ledger lacks is an error with the month that is lacking.
func TestCompareMonths(t *testing.T) {
	long(t)
	reader, place := hourly(t), file(t)
	for _, month := range []string{"2025-02", "2025-01"} {
		_, err := app.Sync(t.Context(), place, wanted(t, app.WantedInput{Month: month}), app.FillOptions{Reader: reader})
		require.NoError(t, err)
		if month == "2025-01" {
			break
		}
		d, err := app.Open(t.Context(), place, network.BuiltIn())
		require.NoError(t, err)
		february := app.PeriodInput{Month: month}
		before, err := february.Before()
		require.NoError(t, err)
		_, err = d.Compare(t.Context(), app.ReportQuestion{Question: app.Question{Period: parsed(t, february)}, Choice: report.Choice{By: report.Day}}, before)
		var missing *app.NotHeldError
		require.ErrorAs(t, err, &missing)
		named, known := missing.Compared.Get()
		require.True(t, known)
		require.Equal(t, "2025-01", named.Month)
		require.NoError(t, d.Close())
	}
	d := opened(t, place)
	q := app.ReportQuestion{Question: app.Question{Period: parsed(t, app.PeriodInput{Month: "2025-02"})}, Choice: report.Choice{By: report.Day}}
	now, err := d.Report(t.Context(), q)
	require.NoError(t, err)
	c, err := d.Compare(t.Context(), q, app.PeriodInput{Month: "2025-01"})
	require.NoError(t, err)
	require.Equal(t, now.Totals, c.Now.Totals)
	require.Len(t, c.Pairs, 31)
	require.Equal(t, "2025-02-28 2025-01-28", c.Pairs[27].Now.Name(console.Token{})+" "+c.Pairs[27].Before.Name(console.Token{}))
	require.False(t, c.Pairs[30].Now.Day.Known())
	require.Equal(t, "2025-01-31", c.Pairs[30].Before.Name(console.Token{}))
	q.By = report.Block
	_, err = d.Compare(t.Context(), q, app.PeriodInput{Month: "2025-01"})
	require.ErrorContains(t, err, "two ranges of heights")
	q.By = report.Label
	_, err = d.Compare(t.Context(), q, app.PeriodInput{Month: "2025-01"})
	require.ErrorContains(t, err, "address book")
}
