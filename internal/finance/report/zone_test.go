package report

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// Hours, days and months follow the zone's clocks: the hour repeated at the end of summer time counts as
// two, the one skipped at its start does not exist, and a zone may be offset by three quarters of an hour.
func TestZones(t *testing.T) {
	for _, c := range []struct{ utc, zone, hour, day, month string }{
		{"2026-10-24T23:30:00Z", "Europe/Berlin", "2026-10-25T01:00:00+02:00", "2026-10-25", "2026-10"},
		{"2026-10-25T00:30:00Z", "Europe/Berlin", "2026-10-25T02:00:00+02:00", "2026-10-25", "2026-10"},
		{"2026-10-25T01:30:00Z", "Europe/Berlin", "2026-10-25T02:00:00+01:00", "2026-10-25", "2026-10"},
		{"2026-03-29T00:59:59Z", "Europe/Berlin", "2026-03-29T01:00:00+01:00", "2026-03-29", "2026-03"},
		{"2026-03-29T01:00:00Z", "Europe/Berlin", "2026-03-29T03:00:00+02:00", "2026-03-29", "2026-03"},
		{"2026-01-31T18:14:59Z", "Asia/Kathmandu", "2026-01-31T23:00:00+05:45", "2026-01-31", "2026-01"},
		{"2026-01-31T18:15:00Z", "Asia/Kathmandu", "2026-02-01T00:00:00+05:45", "2026-02-01", "2026-02"},
		{"2026-01-01T04:59:59Z", "America/New_York", "2025-12-31T23:00:00-05:00", "2025-12-31", "2025-12"},
		{"1970-01-01T00:00:00Z", "America/New_York", "1969-12-31T19:00:00-05:00", "1969-12-31", "1969-12"},
	} {
		at, err := time.Parse(time.RFC3339, c.utc)
		require.NoError(t, err)
		converted, err := chain.TimeAt(uint64(at.UnixMilli()))
		require.NoError(t, err)
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		x := ofCost(&ledger.Cost{Time: chain.Some(converted)})
		var names []string
		for _, by := range []By{Hour, Day, Month} {
			k := by.timed(&x, zone)
			names = append(names, k.Name(console.Token{}))
		}
		require.Equal(t, []string{c.hour, c.day, c.month}, names, "%s in %s", c.utc, c.zone)
	}
}

// The two hours of the same name are in chronological order.
func TestTheHourThatComesTwice(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	group := func(hour int) *Group {
		return &Group{Key: Hour.timeKey(time.Date(2026, 10, 25, hour, 30, 0, 0, time.UTC).In(berlin))}
	}
	require.Negative(t, Hour.compare(group(0), group(1)))
	require.NotEqual(t, group(0).Key, group(1).Key)
	require.Negative(t, Hour.compare(&Group{}, group(0))) // what has no time is first
}
