package app_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/money"
)

// atPrices is a price list of our own form.
func atPrices(t testing.TB, rows string) *money.List {
	t.Helper()
	list, err := app.ReadPrices(app.PricesInput{Files: []string{write(t, "prices.csv", "# source: a test\n"+rows)}, Fiat: "EUR"})
	require.NoError(t, err)
	return list
}

// A journal is compared with the report on the same fees: to the wei, in the currency too if every price is known,
// and not at all if the chain did not record a charge.
func TestSummariesCompared(t *testing.T) {
	accounts := []chain.Address{address(t, alith)}
	sum, count := charges(t, of(alith))
	in, err := app.ReadChart(write(t, "chart.csv", "# asset: 1500\n# rounding: 6859\naccount\n6810\n"), "")
	require.NoError(t, err)
	booked := func(place, prices string, partial bool, in app.ChartInput) (*app.Summary, error) {
		q := app.Request{Period: app.Heights(1, 27), Accounts: accounts}
		q.Period.Partial = partial
		if prices != "" {
			q.Prices = atPrices(t, prices)
		}
		x, err := opened(t, place).Export(t.Context(), app.ExportRequest{Request: q, ChartInput: in, With: app.WithFees, Style: journal.Request{By: journal.ByMonth}})
		require.NoError(t, err)
		return x.Summarise(t.Context(), "netsuite")
	}
	place := copied(t)

	b, err := booked(place, "2026-01-01,2\n", false, in)
	require.NoError(t, err)
	require.Equal(t, count, b.Fees)
	require.Equal(t, sum, b.Wei.String())
	worth := new(big.Rat).SetFrac(new(big.Int).Mul(integer(t, sum), big.NewInt(2)), new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil))
	exact, ok := new(big.Rat).SetString(b.Exact.String())
	require.True(t, ok)
	require.Zero(t, worth.Cmp(exact), "2 EUR for each of 10^18 wei: %v, not %v", worth, exact)
	require.Equal(t, worth.FloatString(2), b.Total.StringFixed(2))
	require.Contains(t, b.Compared, "agrees: ")
	require.Contains(t, b.Compared, " GLMR, ")

	_, err = booked(place, "2025-01-01,2\n", false, in)
	require.ErrorContains(t, err, "no price in EUR for 1 day: 2026-01-01")
	b, err = booked(place, "2025-01-01,2\n", true, in)
	require.NoError(t, err)
	require.Equal(t, count, b.Unpriced.Fees)
	require.Equal(t, sum, b.Unpriced.Wei.String())
	require.Equal(t, "agrees to the wei; its amount in EUR is not known, for prices are missing", b.Compared)

	b, err = booked(changed(t, withoutWithdraws(25)), "2026-01-01,2\n", false, in)
	require.NoError(t, err)
	require.Equal(t, "not compared: the chain recorded no charge for some fees", b.Compared)
	require.Equal(t, sum, b.Wei.String(), "the fees by the rules")

	// What the files lack is said before anything is booked.
	_, err = booked(place, "", false, in)
	require.EqualError(t, err, "a journal is in the currency of the books: name prices and fiat")
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	for rules, want := range map[string]string{
		"# rounding: 6859\naccount\n6810\n":                     "no asset account for " + alith,
		"# asset: 1500\n# rounding: 6859\nlayer,account\nevm,1": "no rule of the chart has an account for the fee of ",
	} {
		in, err := app.ReadChart(write(t, "chart.csv", rules), "")
		require.NoError(t, err)
		_, err = booked(place, "2026-01-01,2\n", false, in)
		require.ErrorContains(t, err, want)
		require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	}
	_, err = app.ReadChart("", write(t, "tags.csv", "25-4,x\n"))
	require.EqualError(t, err, "tags is for rules of a chart: name one with chart")
	in, err = app.ReadChart("", "")
	require.NoError(t, err)
	require.Nil(t, in.Chart)
}

// An unknown fee has no payer to book it to. In a report it is in suspense, and no rule without conditions takes
// it; a check of the chart leaves it to the undetermined. Two tags of one transaction end all of them.
func TestUnknownFeesByAChart(t *testing.T) {
	accounts := []chain.Address{address(t, alith)}
	d := opened(t, changed(t, withoutPayer))
	q := app.Request{Period: app.Heights(1, 27), Accounts: accounts}
	rules := write(t, "chart.csv", "account\n6810\n")
	in, err := app.ReadChart(rules, "")
	require.NoError(t, err)
	r, err := d.Report(t.Context(), app.Request{Period: q.Period}, report.Choice{By: report.AccountCode, Chart: in.Chart, Tags: in.Tags})
	require.NoError(t, err)
	sum, count := charges(t, func(s sent) bool { return s.place() != "25-6" })
	have := map[string]string{}
	for _, g := range r.Groups {
		have[g.Name(console.Token{})] = fmt.Sprint(g.Fee, " ", g.EVM+g.Native, " ", g.Undetermined)
	}
	require.Equal(t, map[string]string{"6810": fmt.Sprint(sum, " ", count, " 0"), report.NoAccountCode: "0 1 1"}, have)
	require.Contains(t, r.Notes[0], "Suspense: no rule of the chart matches 1 transaction, fee 0.000000000000000000 GLMR and 1 undetermined: 25-6")

	x, err := d.Export(t.Context(), app.ExportRequest{Request: q, ChartInput: in, With: app.WithFees})
	require.NoError(t, err)
	c, err := x.CheckChart(t.Context())
	require.NoError(t, err)
	_, count = charges(t, func(s sent) bool { return of(alith)(s) && s.place() != "25-6" })
	require.Equal(t, count, c.Fees)
	require.Zero(t, c.Suspense)
	require.Equal(t, count, c.WithoutAsset, "the chart names no asset account")
	require.False(t, c.Holds())
	for fee, err := range c.Each(t.Context()) {
		require.NoError(t, err)
		require.NotEqual(t, "25-6", fee.Place())
		break
	}
	rows := 0
	for range c.Sheet(t.Context()).Rows {
		if rows++; rows == 2 {
			break
		}
	}
	require.Equal(t, 2, rows)

	var hash string
	for _, s := range allSent(t) {
		if s.place() == "3-4" {
			hash = s.Hash
		}
	}
	in, err = app.ReadChart(rules, write(t, "tags.csv", "3-4,A\n"+hash+",B\n"))
	require.NoError(t, err)
	x, err = d.Export(t.Context(), app.ExportRequest{Request: q, ChartInput: in, With: app.WithFees})
	require.NoError(t, err)
	_, err = x.CheckChart(t.Context())
	require.ErrorContains(t, err, `transaction 3-4 has the tag "A" on line 1, and "B" on line 2`)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
	_, err = d.Report(t.Context(), app.Request{Period: q.Period}, report.Choice{By: report.AccountCode, Chart: in.Chart, Tags: in.Tags})
	require.ErrorContains(t, err, `transaction 3-4 has the tag "A" on line 1, and "B" on line 2`)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
}
