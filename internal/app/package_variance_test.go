package app_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// february is the request for the package of a complete month, after another one.
func february(t testing.TB) app.PackageRequest {
	q := question(t)
	q.Dir, q.Month, q.Partial, q.Books = filepath.Join(t.TempDir(), "february"), "2026-02", false, app.BooksInput{}
	return q
}

// feesIn adds up the fees of the accounts of a package's request by the report.
func feesIn(t testing.TB, d *app.Ledger, month string) *big.Int {
	period, err := app.PeriodInput{Month: month}.Parse()
	require.NoError(t, err)
	r, err := d.Report(t.Context(), app.Request{Period: period, Accounts: []chain.Address{address(t, alith), address(t, baltathar)}}, report.Choice{By: report.Layer})
	require.NoError(t, err)
	return r.Totals.Fee.Big()
}

// The package of a month explains the difference from the month before, if the ledger contains that. The check makes the
// files again; with a ledger that lacks the month before, it names them.
func TestPackageVariance(t *testing.T) {
	long(t)
	place := threeMonths(t)
	d, q := opened(t, place), february(t)
	made := packed(t, d, q)
	require.Equal(t, "2026-01", made.Manifest.Options.Variance.Against)
	require.EqualValues(t, 1, made.Manifest.Options.Variance.First)
	var v struct {
		Difference string
		Steps      []struct{ Amount string }
		Words      []string
	}
	text, err := os.ReadFile(filepath.Join(q.Dir, "variance.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	want := new(big.Int).Sub(feesIn(t, d, "2026-02"), feesIn(t, d, "2026-01"))
	require.Equal(t, want.String(), v.Difference)
	sum := new(big.Int)
	for _, step := range v.Steps {
		amount, ok := new(big.Int).SetString(step.Amount, 10)
		require.True(t, ok)
		sum.Add(sum, amount)
	}
	require.Equal(t, want, sum)
	require.NotEmpty(t, v.Words)
	text, err = os.ReadFile(filepath.Join(q.Dir, "variance.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Contains(t, rows[0], "amount_token")

	c := checked(t, q.Dir, place, q.PackageOptions)
	require.Empty(t, c.Differences)
	require.False(t, c.Partly())

	without := changedUpTo(t, "8..27", ofThreeMonths)
	c = checked(t, q.Dir, without, q.PackageOptions)
	require.Empty(t, c.Differences)
	require.Equal(t, []string{"variance.csv (the ledger lacks 2026-01)", "variance.json (the ledger lacks 2026-01)"}, c.NotCompared)
	_, err = opened(t, without).ClosePrepared(t.Context(), q.Dir, filepath.Join(t.TempDir(), "closed"), q.PackageOptions, func(context.Context) ([]ledger.Act, error) {
		return nil, errors.New("it must not be called")
	})
	require.ErrorAs(t, err, new(*app.StaleError))

	reseal(t, q.Dir, func(name string, text []byte) []byte {
		if name == "variance.json" {
			return []byte(strings.Replace(string(text), v.Difference, v.Difference+"0", 1))
		}
		return text
	}, nil)
	require.Equal(t, []string{"variance.json differs from the file made from the ledger"}, checked(t, q.Dir, place, q.PackageOptions).Differences)
	reseal(t, q.Dir, nothing, func(m *closing.Manifest) { m.Options.Variance.First = m.Blocks.First })
	_, err = check(t, q.Dir, place, q.PackageOptions)
	require.ErrorContains(t, err, "the period before is inconsistent")
}

func nothing(_ string, text []byte) []byte { return text }

// Without a complete month before, or of an incomplete month, a package has no variance.
func TestPackageWithoutVariance(t *testing.T) {
	long(t)
	d := opened(t, threeMonths(t))
	january, march := february(t), february(t)
	january.Month, march.Month, march.Partial = "2026-01", "2026-03", true
	for _, q := range []app.PackageRequest{january, march} {
		made := packed(t, d, q)
		require.Nil(t, made.Manifest.Options.Variance)
		require.Empty(t, made.Manifest.Named([]string{"variance.csv", "variance.json"}))
	}
}
