package app_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/network"
)

// The blocks before a month become a ledger of their own, and both are whole. What cannot be
// detached is said, with what is wrong, and nothing is changed.
func TestDetach(t *testing.T) {
	const last = 40 * 24 / hoursApart // until the tenth of February
	place := newSlow(15).fill(t, file(t), last)
	whole := statusOf(t, place)
	detach := func(place, before, to string) (*app.Detachment, error) {
		return app.Detach(t.Context(), app.DetachOptions{Place: place, Before: before, File: to})
	}
	to := filepath.Join(t.TempDir(), "january.db")

	for before, kind := range map[string]failure.Kind{"February": failure.NotUnderstood, "2024-01": failure.NotCovered, "2024-03": failure.NotCovered} {
		_, err := app.Detachable(t.Context(), place, before)
		require.Equal(t, kind, app.KindOf(err), before)
		_, err = detach(place, before, to)
		require.Equal(t, kind, app.KindOf(err), before)
	}
	none := file(t)
	for _, ask := range []func() error{
		func() error { _, err := app.Detachable(t.Context(), none, "2024-02"); return err },
		func() error { _, err := detach(none, "2024-02", to); return err },
	} {
		require.Equal(t, failure.NotFound, app.KindOf(ask()))
		require.NoFileExists(t, none)
	}
	busy, err := app.OpenWriter(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	_, err = detach(place, "2024-02", to)
	require.Equal(t, failure.Busy, app.KindOf(err))
	require.ErrorContains(t, err, "detaching needs exclusive access")
	require.NoError(t, busy.Close())
	require.Equal(t, whole, statusOf(t, place))
	require.NoFileExists(t, to)

	would, err := app.Detachable(t.Context(), place, "2024-02")
	require.NoError(t, err)
	const january = 31*24/hoursApart + 1 // and block 0, which has no time
	require.Equal(t, chain.Heights{Last: january - 1}, would.Span)
	require.EqualValues(t, january, would.Begins)
	require.True(t, would.File)
	did, err := detach(place, "2024-02", to)
	require.NoError(t, err)
	require.Equal(t, would, did)
	earlier, later := statusOf(t, to), statusOf(t, place)
	require.Equal(t, whole.Blocks, earlier.Blocks+later.Blocks)
	require.EqualValues(t, january, earlier.Blocks)
	require.EqualValues(t, january, later.First)
	sum, err := earlier.Totals.Fee.Add(later.Totals.Fee)
	require.NoError(t, err)
	require.Equal(t, whole.Totals.Fee, sum)
	for _, at := range []string{to, place} {
		require.NoError(t, verified(t, at, nil).Err())
	}
}
