package app_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
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

// A text sets the field of its form and leaves the zone; what has no form of a period is an error.
func TestSetPeriod(t *testing.T) {
	for text, want := range map[string]app.PeriodInput{
		"2025": {Year: "2025"}, "2025-02": {Month: "2025-02"}, "2025-13": {Month: "2025-13"},
		"2025-02-03": {From: "2025-02-03", To: "2025-02-03"}, "2025-02-03..2025-02-07": {From: "2025-02-03", To: "2025-02-07"},
		"20..25": {Blocks: "20..25"}, "2025..2026": {Blocks: "2025..2026"}, "2025:+3": {Blocks: "2025:+3"},
	} {
		in := app.PeriodInput{Timezone: "Asia/Tokyo", Partial: true}
		want.Timezone, want.Partial = in.Timezone, in.Partial
		in.Set(text)
		require.Equal(t, want, in)
		require.True(t, app.IsPeriod(text))
		require.Equal(t, want.Year+want.Month != "", app.IsNamed(text), text)
	}
	for _, text := range []string{"", "before", "25", "25-02", "2025-2", " 2025", "2025-02-03-04", "25-7"} {
		require.False(t, app.IsPeriod(text), text)
		if text != "" {
			_, err := app.PeriodInput{Blocks: text}.Parse()
			require.EqualError(t, err, fmt.Sprintf("period %q: want heights such as 100..199 or 100:+100, days such as 2026-01-05..2026-01-09, a month such as 2026-01, or a year", text))
		}
	}
	two := app.PeriodInput{Month: "2026-03"}
	two.Set("2026-04")
	_, err := two.Parse()
	require.ErrorContains(t, err, "in one way only")
	in := app.PeriodInput{Month: "2026-03", Timezone: "Asia/Tokyo", Partial: true}
	beside, err := in.Beside("2025")
	require.NoError(t, err)
	require.Equal(t, chain.Some(app.PeriodInput{Year: "2025", Timezone: "Asia/Tokyo", Partial: true}), beside)
	_, err = opened(t, copied(t)).Compare(t.Context(), app.Request{Period: app.Heights(14, 27)}, report.Choice{By: report.Day}, app.PeriodInput{Month: "2025-13"})
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
}

// Two months of a chain beside each other have the same figures as separately. One that the
// ledger lacks is an error with the month that is lacking.
func TestCompareMonths(t *testing.T) {
	long(t)
	reader, place := hourly(t), file(t)
	for _, month := range []string{"2025-02", "2025-01"} {
		_, err := app.Sync(t.Context(), place, wanted(t, app.PeriodInput{Month: month}), app.FillOptions{Reader: reader})
		require.NoError(t, err)
		if month == "2025-01" {
			break
		}
		d, err := app.Open(t.Context(), place, network.BuiltIn())
		require.NoError(t, err)
		february := app.PeriodInput{Month: month}
		before, err := february.Before()
		require.NoError(t, err)
		_, err = d.Compare(t.Context(), app.Request{Period: parsed(t, february)}, report.Choice{By: report.Day}, before)
		var missing *app.NotHeldError
		require.ErrorAs(t, err, &missing)
		named, known := missing.Compared.Get()
		require.True(t, known)
		require.Equal(t, "2025-01", named.Month)
		require.NoError(t, d.Close())
	}
	d := opened(t, place)
	q, choice := app.Request{Period: parsed(t, app.PeriodInput{Month: "2025-02"})}, report.Choice{By: report.Day}
	now, err := d.Report(t.Context(), q, choice)
	require.NoError(t, err)
	c, err := d.Compare(t.Context(), q, choice, app.PeriodInput{Month: "2025-01"})
	require.NoError(t, err)
	require.Equal(t, now.Totals, c.Now.Totals)
	require.Len(t, c.Pairs, 31)
	require.Equal(t, "2025-02-28 2025-01-28", c.Pairs[27].Now.Name(console.Token{})+" "+c.Pairs[27].Before.Name(console.Token{}))
	require.False(t, c.Pairs[30].Now.Day.Known())
	require.Equal(t, "2025-01-31", c.Pairs[30].Before.Name(console.Token{}))
	choice.By = report.Block
	_, err = d.Compare(t.Context(), q, choice, app.PeriodInput{Month: "2025-01"})
	require.ErrorContains(t, err, "two ranges of heights")
	choice.By = report.Label
	_, err = d.Compare(t.Context(), q, choice, app.PeriodInput{Month: "2025-01"})
	require.ErrorContains(t, err, "address book")
}
