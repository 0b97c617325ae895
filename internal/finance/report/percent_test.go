package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// Percentages are rounded half up, away from zero, and 0 has none.
func TestPercent(t *testing.T) {
	for _, c := range []struct {
		now, before uint64
		want        string
	}{
		{20_001, 20_000, "0.01"}, {19_999, 20_000, "-0.01"}, // half of a hundredth
		{200_009, 200_000, "0.00"}, {199_991, 200_000, "0.00"}, // less
		{3, 3, "0.00"}, {0, 7, "-100.00"}, {2, 3, "-33.33"}, {5, 3, "66.67"}, {18_446_744_073_709_551_615, 1, "1844674407370955161400.00"},
	} {
		got, known := percent(c.now, c.before).Get()
		require.True(t, known)
		require.Equal(t, c.want, got, "%d and %d", c.now, c.before)
	}
	require.False(t, percent(uint64(1), uint64(0)).Known())
	require.False(t, percent(chain.Some(chain.NewWei(1)), chain.Optional[chain.Wei]{}).Known())
	_, err := difference(uint64(18_446_744_073_709_551_615), uint64(0))
	require.ErrorIs(t, err, chain.ErrOverflow)
	_, err = difference(chain.Some(chain.NewGas(0)), chain.Some(chain.NewGas(18_446_744_073_709_551_615)))
	require.ErrorIs(t, err, chain.ErrOverflow)
	_, err = difference("a", "b")
	require.Error(t, err)
}

// A repeated hour counts as two, and only the second is marked as repeated.
func TestIsAgain(t *testing.T) {
	for _, c := range []struct {
		zone, hour string
		want       bool
	}{
		{"Europe/Berlin", "2026-10-25T02:00:00+02:00", false}, {"Europe/Berlin", "2026-10-25T02:00:00+01:00", true}, {"Europe/Berlin", "2026-10-25T03:00:00+01:00", false},
		{"Europe/Berlin", "2026-03-29T03:00:00+02:00", false},
		{"Australia/Lord_Howe", "2026-04-05T01:00:00+11:00", false}, {"Australia/Lord_Howe", "2026-04-05T01:00:00+10:30", true}, {"Australia/Lord_Howe", "2026-04-05T02:00:00+10:30", false},
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		at, err := time.Parse(time.RFC3339, c.hour)
		require.NoError(t, err)
		require.Equal(t, c.want, isAgain(at, zone), c.hour)
	}
}
