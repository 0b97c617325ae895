package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/network"
)

// A package that was made with prices keeps their file, and is made again with it.
func TestPackageWithPrices(t *testing.T) {
	place := copied(t)
	d := opened(t, place)
	q := question(t)
	const text = "# source: made up\ndate,price\n2026-01-01,0.25\n2026-11-20,0.5\n"
	q.Prices = app.PricesInput{Files: []string{write(t, "eur.csv", text)}, Fiat: "EUR"}
	made := packed(t, d, q)
	kept, err := os.ReadFile(filepath.Join(made.Dir, "inputs", "prices.csv"))
	require.NoError(t, err)
	require.Equal(t, text, string(kept))
	compared, err := os.ReadFile(filepath.Join(made.Dir, "reconciliation.json"))
	require.NoError(t, err)
	require.Regexp(t, `"total": \{[^}]*"books_worth": "[0-9]+\.[0-9]{2}"`, string(compared))
	require.NoError(t, os.Remove(q.Prices.Files[0]))
	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences)

	q.Prices = app.PricesInput{Files: []string{write(t, "eur.csv", text)}, Fiat: ""}
	_, err = d.MakePackage(t.Context(), q)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
}

// A ledger that was closed answers none of the look-ups, and no rollforward and comparison.
func TestLookupsOfAClosedLedger(t *testing.T) {
	d, err := app.Open(t.Context(), copied(t), network.BuiltIn())
	require.NoError(t, err)
	require.NoError(t, d.Close())
	heights := app.Heights(1, 27)
	for name, ask := range map[string]func() error{
		"rollforward": func() error {
			_, err := d.Rollforward(t.Context(), app.RollforwardRequest{Request: app.Request{Period: heights}, By: app.ByPeriod})
			return err
		},
		"comparison": func() error {
			_, err := d.Compare(t.Context(), app.Request{Period: heights}, report.Choice{By: report.Day}, app.PeriodInput{Blocks: "1..3"})
			return err
		},
		"account": func() error {
			_, err := d.Account(t.Context(), app.AccountRequest{Account: address(t, alith)})
			return err
		},
		"transaction": func() error { _, err := d.Transaction(t.Context(), "25-7"); return err },
		"hash":        func() error { _, err := d.Transaction(t.Context(), "0x"+strings.Repeat("ab", 32)); return err },
	} {
		require.Error(t, ask(), name)
	}
}

// A list, and what is for Koinly, want a price for each day that a fee was paid on, unless a part
// will do; so does a rollforward for each day of a movement.
func TestPricesThatAreMissing(t *testing.T) {
	d := opened(t, copied(t))
	list, err := app.ReadPrices(app.PricesInput{Files: []string{write(t, "eur.csv", "# source: made up\ndate,price\n2025-01-01,0.25\n")}, Fiat: "EUR"})
	require.NoError(t, err)
	for _, partial := range []bool{false, true} {
		period := parsed(t, app.PeriodInput{Blocks: "1..27", Partial: partial})
		x := exported(t, d, app.ExportRequest{Request: app.Request{Prices: list, Period: period, Accounts: []chain.Address{address(t, alith)}}, With: app.WithFees})
		_, listed := x.List(t.Context())
		_, koinly := x.Writer(t.Context(), "koinly")
		r, rolled := d.Rollforward(t.Context(), app.RollforwardRequest{Request: app.Request{Period: period, Accounts: []chain.Address{address(t, alith)}, Prices: list}, By: app.ByPeriod})
		for _, err := range []error{listed, koinly, rolled} {
			if partial {
				require.NoError(t, err)
				continue
			}
			require.ErrorContains(t, err, "no price in EUR for 1 day: 2026-01-01")
			require.Equal(t, failure.NotUnderstood, app.KindOf(err))
		}
		if partial {
			require.Contains(t, strings.Join(r.Style.Notes, "\n"), "Not valued: no price in EUR for 1 day")
		}
	}
}
