package app_test

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/finance/variance"
)

// varied asks for a variance of two ranges of heights.
func varied(t testing.TB, d *app.Ledger, now, before string, accounts ...chain.Address) *variance.Report {
	t.Helper()
	against, err := app.PeriodInput{}.Against(before)
	require.NoError(t, err)
	period, err := app.PeriodInput{Blocks: now}.Parse()
	require.NoError(t, err)
	v, err := d.Variance(t.Context(), app.VarianceRequest{Request: app.Request{Period: period, Accounts: accounts}, Against: against})
	require.NoError(t, err)
	return v
}

// The steps of any two periods and any accounts of a ledger add up to the difference of the reports, which read the
// ledger's totals.
func TestVarianceOfReports(t *testing.T) {
	long(t)
	const head = 400
	_, reader := made(56, head)
	place := file(t)
	_, err := app.Sync(t.Context(), place, blocks(t, fmt.Sprintf("0..%d", head)), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	d := opened(t, place)
	all, err := d.Report(t.Context(), app.Request{Period: app.Heights(0, head)}, report.Choice{By: report.Account})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(5, 6))
	fee := func(first, last uint64, accounts []chain.Address) *big.Int {
		of, err := d.Report(t.Context(), app.Request{Period: app.Heights(first, last), Accounts: accounts}, report.Choice{By: report.Layer})
		require.NoError(t, err)
		return of.Totals.Fee.Big()
	}
	for range 60 {
		var ends [2][2]uint64
		for i := range ends {
			ends[i][0] = r.Uint64N(head)
			ends[i][1] = ends[i][0] + r.Uint64N(head+1-ends[i][0])
		}
		var accounts []chain.Address
		for range r.IntN(4) {
			account, _ := all.Groups[r.IntN(min(len(all.Groups), 40))].Account.Get()
			accounts = append(accounts, account)
		}
		text := func(i int) string { return fmt.Sprintf("%d..%d", ends[i][0], ends[i][1]) }
		v := varied(t, d, text(0), text(1), accounts...)
		want := new(big.Int).Sub(fee(ends[0][0], ends[0][1], accounts), fee(ends[1][0], ends[1][1], accounts))
		sum := new(big.Int)
		for _, l := range v.Steps {
			amount, known := l.Amount.Get()
			require.True(t, known)
			part := amount.Size().Big()
			if amount.Sign() < 0 {
				part.Neg(part)
			}
			sum.Add(sum, part)
		}
		require.Zero(t, sum.Cmp(want), "%s against %s: %v, not %v", text(0), text(1), sum, want)
	}
}

// A period is explained by the one before, or by any other that is named.
func TestAgainst(t *testing.T) {
	for text, want := range map[string]app.PeriodInput{
		"": {Month: "2026-01"}, "2025-02": {Month: "2025-02"}, "2025": {Year: "2025"}, "1..9": {Blocks: "1..9"}, "2026-01-03": {From: "2026-01-03", To: "2026-01-03"},
	} {
		want.Timezone, want.Partial = "Asia/Tokyo", true
		other, err := app.PeriodInput{Month: "2026-02", Timezone: "Asia/Tokyo", Partial: true}.Against(text)
		require.NoError(t, err)
		require.Equal(t, want, other)
	}
	for _, c := range []struct {
		in   app.PeriodInput
		text string
	}{{app.PeriodInput{}, ""}, {app.PeriodInput{Month: "2026-02"}, "before"}, {app.PeriodInput{Blocks: "3..9"}, ""}} {
		_, err := c.in.Against(c.text)
		var wrong *app.InputError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, "--against", wrong.Naming(func(f app.Field) string { return "--" + string(f) })[:9])
	}
}

// Months of different lengths, incomplete months, accounts without fees and days without a price are named. A period that
// the ledger lacks is an error.
func TestVarianceNotes(t *testing.T) {
	long(t)
	d := opened(t, threeMonths(t))
	march := app.VarianceRequest{Against: app.PeriodInput{Month: "2026-02", Partial: true}}
	var err error
	march.Period, err = app.PeriodInput{Month: "2026-03", Partial: true}.Parse()
	require.NoError(t, err)
	march.Accounts = []chain.Address{address(t, alith), address(t, "0x0000000000000000000000000000000000000042")}
	march.Prices, err = app.ReadPrices(app.PricesInput{Files: []string{write(t, "eur.csv", "# source: a test\ndate,price\n2026-03-01,0.5\n")}, Fiat: "EUR"})
	require.NoError(t, err)
	v, err := d.Variance(t.Context(), march)
	require.NoError(t, err)
	require.Len(t, v.Partial, 2)
	require.Contains(t, v.Words()[0], "Of the part known of both (to 1 Mar 00:00, 0.1 of 31 days), fees ")
	notes := v.AllNotes()
	require.NotContains(t, strings.Join(notes, "\n"), "differ in length")
	february := app.VarianceRequest{Against: app.PeriodInput{Month: "2026-01"}}
	february.Period = parsed(t, app.PeriodInput{Month: "2026-02"})
	whole, err := d.Variance(t.Context(), february)
	require.NoError(t, err)
	require.Contains(t, whole.AllNotes(), "the periods differ in length: 28 days and 31 days")
	require.Contains(t, strings.Join(notes, "\n"), "0x0000000000000000000000000000000000000042")
	require.True(t, v.Period.Worth.Known())
	require.False(t, v.Other.Worth.Known())

	march.Period.Partial = false
	march.Against.Partial = false
	_, err = d.Variance(t.Context(), march)
	require.Equal(t, failure.NotCovered, app.KindOf(err))
	march.Period.Partial, march.Against = true, app.PeriodInput{Month: "2025-12", Partial: true}
	_, err = d.Variance(t.Context(), march)
	var lacking *app.NotHeldError
	require.ErrorAs(t, err, &lacking)
	with, _ := lacking.Compared.Get()
	require.Equal(t, "2025-12", with.Month)
	march.Against = app.PeriodInput{Month: "2026"}
	_, err = d.Variance(t.Context(), march)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
}

// The same request gives the same bytes.
func TestVarianceBytes(t *testing.T) {
	d := opened(t, copied(t))
	for _, form := range []string{"json", "csv", "xlsx", "jsonl", "table"} {
		var first, second bytes.Buffer
		require.NoError(t, varied(t, d, "14..27", "3..13").Document().Write(&first, form, 100))
		require.NoError(t, varied(t, d, "14..27", "3..13").Document().Write(&second, form, 100))
		require.Equal(t, first.String(), second.String())
	}
}

// BenchmarkVariance explains the difference of the two halves of 59,000 transactions.
func BenchmarkVariance(b *testing.B) {
	const head = 13_550
	_, reader := made(7, head)
	place := file(b)
	_, err := app.Sync(b.Context(), place, blocks(b, fmt.Sprintf("0..%d", head)), app.FillOptions{Reader: reader})
	require.NoError(b, err)
	d := opened(b, place)
	b.ResetTimer()
	for b.Loop() {
		v := varied(b, d, fmt.Sprintf("%d..%d", head/2, head), fmt.Sprintf("0..%d", head/2-1))
		b.ReportMetric(float64(v.Now.Transactions+v.Before.Transactions), "transactions")
		require.NoError(b, v.Document().Write(io.Discard, "json", 0))
	}
}
