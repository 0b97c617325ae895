package app_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/tier"
)

// A comparison of incomplete periods compares what the ledger contains of both: the totals are those of the same part, and
// the differences of the rows add up to that of the totals.
func TestCompareParts(t *testing.T) {
	begin, every := time.Date(2025, 1, 10, 0, 0, 0, 0, time.UTC), 3*time.Hour
	entries, blocks := entriesOf(t, chaingen.Options{Seed: 11, Head: 640, Begin: begin, Every: every}, 20, 640)
	place := ledgerOf(t, entries)
	to := begin.Add(639 * every) // 30 March 21:00; the first block is of 12 January 09:00

	between := func(first, last time.Time) *big.Int {
		sum := new(big.Int)
		for _, b := range blocks {
			if !b.at.Before(first) && !b.at.After(last) {
				sum.Add(sum, b.fee)
			}
		}
		return sum
	}
	height := func(n uint64) time.Time { return begin.Add(time.Duration(n-1) * every) }
	date := func(month time.Month, day, hour int) time.Time {
		return time.Date(2025, month, day, hour, 0, 0, 0, time.UTC)
	}
	for _, c := range []struct {
		period, with, part string
		now, before        [2]time.Time
	}{
		{"2025-03", "2025-02", "to 30 Mar 21:00, 29.9 of 31 days, against all 28 days of February 2025", [2]time.Time{date(3, 1, 0), to}, [2]time.Time{date(2, 1, 0), date(2, 28, 21)}},
		{"2025-02", "2025-01", "from 12 Feb 09:00, 16.6 of 28 days, against 19.6 of 31 days of January 2025", [2]time.Time{date(2, 12, 9), date(2, 28, 21)}, [2]time.Time{date(1, 12, 9), date(1, 31, 21)}},
		{"2025-03", "2025-01", "12 Mar 09:00 to 30 Mar 21:00, 18.5 of 31 days", [2]time.Time{date(3, 12, 9), to}, [2]time.Time{date(1, 12, 9), date(1, 30, 21)}},
		{"2025-03-20..2025-04-02", "before", "to 30 Mar 21:00, 10.9 of 14 days", [2]time.Time{date(3, 20, 0), to}, [2]time.Time{date(3, 6, 0), date(3, 16, 21)}},
		{"2025-03-11..2025-04-10", "2025-03-01..2025-03-31", "to 30 Mar 21:00, 19.9 of 31 days", [2]time.Time{date(3, 11, 0), to}, [2]time.Time{date(3, 1, 0), date(3, 20, 21)}},
		{"601..700", "401..500", "blocks 601..640, 40 of 100 blocks", [2]time.Time{height(601), to}, [2]time.Time{height(401), height(440)}},
		{"101..200", "1..100", "blocks 120..200, 81 of 100 blocks", [2]time.Time{height(120), height(200)}, [2]time.Time{height(20), height(100)}},
		{"601..700", "1..100", "blocks 620..640, 21 of 100 blocks", [2]time.Time{height(620), to}, [2]time.Time{height(20), height(40)}},
	} {
		in := app.PeriodInput{Partial: true}
		in.Set(c.period)
		period, err := in.Parse()
		require.NoError(t, err)
		other, groupings := against(t, in, c.with), tier.Some(3, []report.By{report.Account, report.Month, report.Day, report.Hour, report.Call})
		if period.Asked.Heights.Known() {
			groupings = append(groupings, report.Block)
		}
		v, err := opened(t, place).Variance(t.Context(), app.VarianceRequest{Request: app.Request{Period: period}, Against: other})
		require.NoError(t, err)
		require.Equal(t, []string{between(c.now[0], c.now[1]).String(), between(c.before[0], c.before[1]).String()}, []string{v.Now.Fee.String(), v.Before.Fee.String()}, "%s with %s", c.period, c.with)
		require.Contains(t, v.Partial, console.PeriodName(v.Period.Name)+" and "+console.PeriodName(v.Other.Name)+": compared, part known of both, "+c.part)
		require.Contains(t, v.Words()[0], "Of the part known of both ("+c.part+"), fees ")
		require.NotContains(t, strings.Join(v.AllNotes(), "\n"), "differ in length")
		for _, by := range groupings {
			title := fmt.Sprintf("%s with %s by %s", c.period, c.with, by)
			r, err := opened(t, place).Compare(t.Context(), app.Request{Period: period}, report.Choice{By: by}, other)
			require.NoError(t, err, title)
			require.Equal(t, "compared, part known of both, "+c.part, r.Part(), title)
			require.Equal(t, between(c.now[0], c.now[1]).String(), r.Totals.Now.Fee.String(), title)
			require.Equal(t, between(c.before[0], c.before[1]).String(), r.Totals.Before.Fee.String(), title)

			sum := new(big.Int)
			sheet := r.Sheet()
			at := slices.IndexFunc(sheet.Columns, func(c table.Column) bool { return c.Name == "fee_difference" })
			_, err = sheet.Each(func(row []table.Cell) error {
				if difference, known := row[at].Wei(); known {
					n, _ := new(big.Int).SetString(difference.String(), 10)
					sum.Add(sum, n)
				}
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, r.Totals.Now.Fee.Difference(r.Totals.Before.Fee).String(), sum.String(), title)
		}
	}

	// Parts of periods of different lengths are at no same places: they are set apart, and no variance explains them.
	for _, c := range [][2]string{{"601..700", "1..90"}, {"601..700", "2025-02"}, {"2025-03", "401..500"}, {"2025-03", "2025-02-01..2025-02-20"}, {"2025", "2025-02"}, {"601..700", "1..19"}} {
		in := app.PeriodInput{Partial: true}
		in.Set(c[0])
		period, err := in.Parse()
		require.NoError(t, err)
		other, title := against(t, in, c[1]), c[0]+" with "+c[1]
		r, err := opened(t, place).Compare(t.Context(), app.Request{Period: period}, report.Choice{By: report.Call}, other)
		if c[1] == "1..19" {
			require.Equal(t, failure.NotCovered, app.KindOf(err), title)
			continue
		}
		require.NoError(t, err, title)
		require.Equal(t, app.NotCompared, r.Part(), title)
		sheet := r.Sheet()
		for i, column := range sheet.Columns {
			if strings.HasSuffix(column.Name, "_difference") || strings.HasSuffix(column.Name, "_percent") {
				_, err := sheet.Each(func(row []table.Cell) error {
					require.False(t, row[i].Known(), "%s: %s", title, column.Name)
					return nil
				})
				require.NoError(t, err)
			}
		}
		_, err = opened(t, place).Variance(t.Context(), app.VarianceRequest{Request: app.Request{Period: period}, Against: other})
		require.Equal(t, failure.NotUnderstood, app.KindOf(err), title)
		require.ErrorContains(t, err, "the ledger contains no same part of both")
	}
}

// against is the other period of a comparison: the one before, or any other.
func against(t *testing.T, in app.PeriodInput, text string) app.PeriodInput {
	t.Helper()
	if text == app.PeriodBefore {
		text = ""
	}
	other, err := in.Against(text)
	require.NoError(t, err)
	return other
}

// Days that the shorter month does not have are compared only if the part known of both contains them.
func TestCompareDaysOfOneMonth(t *testing.T) {
	entries, _ := entriesOf(t, chaingen.Options{Seed: 12, Head: 330, Begin: time.Date(2024, 12, 30, 0, 0, 0, 0, time.UTC), Every: 3 * time.Hour}, 1, 330)
	in := app.PeriodInput{Month: "2025-02", Partial: true}
	r, err := opened(t, ledgerOf(t, entries)).Compare(t.Context(), app.Request{Period: parsed(t, in)}, report.Choice{By: report.Day}, app.PeriodInput{Month: "2025-01", Partial: true})
	require.NoError(t, err)
	require.Contains(t, r.Part(), "compared, part known of both, to 9 Feb ")
	alone := 0
	for _, row := range rowsOf(t, r.Sheet()) {
		if row["day"] == "" {
			alone++
			require.NotEmpty(t, row["fee_before"], row["day_before"])
			require.Empty(t, row["fee_difference"]+row["fee_percent"], row["day_before"])
		}
	}
	require.Equal(t, 3, alone)
}
