package app_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/finance/report"
)

// A package holds after its ledger was extended downwards: what came below the month is not of it.
func TestMonthAfterTheLedgerWasExtendedDownwards(t *testing.T) {
	long(t)
	reader, place := hourly(t), file(t)
	sync := func(month string) {
		_, err := app.Sync(t.Context(), place, wanted(t, app.PeriodInput{Month: month}), app.FillOptions{Reader: reader})
		require.NoError(t, err)
	}
	sync("2025-02")
	first := statusOf(t, place).First
	d := opened(t, place)
	month, err := d.Report(t.Context(), app.Request{Period: parsed(t, app.PeriodInput{Month: "2025-02"})}, report.Choice{By: report.Account})
	require.NoError(t, err)
	payer, known := month.Groups[0].Account.Get()
	require.True(t, known)
	dir := filepath.Join(t.TempDir(), "february")
	q := app.PackageRequest{Dir: dir, PeriodInput: app.PeriodInput{Month: "2025-02"}, Journal: "hledger", With: app.WithFees, PackageInputs: app.PackageInputs{Accounts: []string{payer.String()}}, PackageOptions: app.PackageOptions{Program: "a test"}}
	closed := packed(t, d, q)
	require.True(t, closed.Manifest.Period.Complete)
	require.NoError(t, d.Close())

	sync("2025-01")
	require.NotEqual(t, first, statusOf(t, place).First, "the ledger begins lower")
	c := checked(t, dir, place, q.PackageOptions)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences)
	require.Empty(t, c.Notes)
	require.False(t, c.Partly())
	again := packed(t, opened(t, place), q)
	require.True(t, again.Changed)
	changes, err := closing.Compare(closed.Manifest, again.Manifest)
	require.NoError(t, err)
	var files []string
	for _, f := range changes.Files {
		files = append(files, f.Name)
	}
	require.Equal(t, []string{"about.txt", "cover.pdf", "variance.csv", "variance.json"}, files, "only the variance, which needs January, is new")
}
