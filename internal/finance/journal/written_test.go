package journal

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/money"
)

// The sums of a file are those of its lines as written, not those of the entries: a line that was altered in between shows.
func TestSumsOfFilesAreThoseOfTheLines(t *testing.T) {
	const rules = "# suspense: 9999\n# asset: 1500\n# rounding: 6859\n# xero tax rate: x\n# datev consultant: 29098\n# datev client: 55003\n# datev account length: 4\n" +
		"# quickbooks account 6810: Gas\n# quickbooks account 1500: Wallet\n"
	prices, err := money.Read([]byte("# source: test\n2026-01-01,1\n"), "EUR")
	require.NoError(t, err)
	for _, c := range []struct {
		format                 Format
		settings, debit, other string // the debit of a line, and what it is altered to
		sums                   [2]string
	}{
		{Xero, "", ",12.34", ",22.34", [2]string{"22.34", "12.34"}}, {Xero, "", ",-12.34", ",-2.34", [2]string{"12.34", "2.34"}},
		{QuickBooks, "", ",12.34,,", ",,12.34,", [2]string{"0", "24.68"}}, {NetSuite, "", ",12.34,", ",12.35,", [2]string{"12.35", "12.34"}},
		{DATEV, "", "12,34;", "112,34;", [2]string{"112.34", "112.34"}}, {DATEV, "", `;"S";`, `;"H";`, [2]string{"", `the amounts of the line`}}, {DATEV, "", "12,34;", "12,3;", [2]string{"", "want an amount and S"}},
		{CSV, "# separator: semicolon\n# decimal: comma\n# columns: account, amount\n", ";12,34", ";10,34", [2]string{"10.34", "12.34"}},
		{CSV, "", ",12.34,", ",12.3x,", [2]string{"", "cannot be read"}}, {CSV, "", ",12.34,", ",", [2]string{"", "wrong number of fields"}},
	} {
		list, err := chart.Read([]byte(rules + c.settings + "account\n6810\n"))
		require.NoError(t, err)
		q := Request{Format: c.format, Prices: prices, By: ByDay}
		q.Chart = list
		l, err := c.format.open(settings{&q})
		require.NoError(t, err)
		amount := decimal.RequireFromString("12.34")
		entry := &Entry{head: head{Reference: "FEE-1"}, Date: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Postings: []*Posting{{Key: Key{Account: "6810", Contra: "1500"}, Amount: amount}}}
		plain := &Summary{layout: l}
		require.NoError(t, plain.plan(entry))
		require.Equal(t, []string{"12.34", "12.34"}, []string{plain.Files[0].Debit.String(), plain.Files[0].Credit.String()}, c.format.Name)

		altered, done := *l, false
		altered.rows = func(e *Entry) ([]string, error) {
			rows, err := l.rows(e)
			for i, row := range rows {
				if strings.Contains(row, c.debit) && !done {
					rows[i], done = strings.Replace(row, c.debit, c.other, 1), true
				}
			}
			return rows, err
		}
		other := &Summary{layout: &altered}
		err = other.plan(entry)
		require.True(t, done, "%s: %s", c.format.Name, c.debit)
		if c.sums[0] == "" {
			require.ErrorContains(t, err, c.sums[1], c.format.Name)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.sums, [2]string{other.Files[0].Debit.String(), other.Files[0].Credit.String()}, c.format.Name)
	}
}
