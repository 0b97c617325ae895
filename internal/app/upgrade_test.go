package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/network"
)

// A ledger of an earlier version is refused with the command that helps, which brings it up to
// date; where there is none, none is made.
func TestUpgrade(t *testing.T) {
	place := file(t)
	ledgertest.Unzip(t, "../ledger/testdata/layout-2.db.gz", place)

	_, err := app.Open(t.Context(), place, network.BuiltIn())
	require.ErrorIs(t, err, ledger.ErrOlder)
	require.ErrorContains(t, err, "(its layout is 2, this program's is 6)")
	for range 2 { // the second time there is nothing to do
		shown, err := app.Upgrade(t.Context(), place, app.Progress{})
		require.NoError(t, err)
		require.Equal(t, place, shown)
	}
	require.NoError(t, verified(t, place, nil).Err())
	require.Equal(t, "1786951749384991759", statusOf(t, place).Totals.Fee.String())

	none := file(t)
	_, err = app.Upgrade(t.Context(), none, app.Progress{})
	require.Equal(t, failure.NotFound, app.KindOf(err))
	require.NoFileExists(t, none)
}
