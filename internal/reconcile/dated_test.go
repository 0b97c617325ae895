package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/reconcile"
)

// The date of a row is compared with the period, in the file's time zone: a day without a time of day is in the period if
// a part of it is. Block 25 is of 2026-01-01T00:04:48Z, its transaction 25-4 was charged 2,100,000,000,000,000 wei.
func TestDatesInThePeriod(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	require.NoError(t, err)
	for _, c := range []struct {
		date, from, to string
		zone           *time.Location
		want           reconcile.Outcome
		notes          int // of rows dated more than a day apart
	}{
		{"2026-01-01", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", time.UTC, reconcile.Matched, 0},
		{"2026-01-01 00:04:48", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", time.UTC, reconcile.Matched, 0},
		{"2026-01-31", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", time.UTC, reconcile.Matched, 1},
		{"2026-02-01", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", time.UTC, reconcile.DatedOutside, 0},
		{"2025-12-31", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", time.UTC, reconcile.DatedOutside, 0},
		{"2025-12-31 23:59:59", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", time.UTC, reconcile.DatedOutside, 0},
		{"2025-12-31", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", newYork, reconcile.Matched, 0},
		{"2025-12-30", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", newYork, reconcile.DatedOutside, 0},
		{"2025-12-31", "2025-12-01T05:00:00Z", "2026-01-01T00:00:00Z", time.UTC, reconcile.OutsidePeriod, 0},
		{"", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", time.UTC, reconcile.Matched, 0},
	} {
		text := fmt.Sprintf("id,fee_wei,date\n25-4,2100000000000000,%s\n", c.date)
		o := reconcile.Options{RowsOnly: true, Partial: true, Zone: c.zone, Period: times(t, c.from, c.to)}
		r := match(t, book(t, "moonbeam-2100"), read(t, text, reconcile.Options{Zone: c.zone, Columns: map[reconcile.Field]string{reconcile.ID: "id"}}), o)
		require.Equal(t, map[reconcile.Outcome]int{c.want: 1}, counts(r), "%s %v", c.date, c.zone)
		require.Equal(t, c.want == reconcile.Matched, r.Agrees())
		late := 0
		for _, n := range r.Notes {
			if n == "1 row is dated more than a day from the transaction: line 2." {
				late++
			}
		}
		require.Equal(t, c.notes, late, c.date)
	}
	// A wrong amount stays the difference; the date is a note. In a period of heights, the day of a row is noted.
	o := reconcile.Options{RowsOnly: true, Partial: true, Period: times(t, "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")}
	r := match(t, book(t, "moonbeam-2100"), read(t, "Extrinsic ID,fee_wei,date\n25-4,7,2025-06-01\n", reconcile.Options{}), o)
	require.Equal(t, map[reconcile.Outcome]int{reconcile.AmountDiffers: 1}, counts(r))
	require.Contains(t, items(t, r)[0].Notes, "the row is dated 2025-06-01, outside the period")
	o.Period = heights(25, 25)
	r = match(t, book(t, "moonbeam-2100"), read(t, "Extrinsic ID,fee_wei,date\n25-4,2100000000000000,2025-06-01\n", reconcile.Options{}), o)
	require.Contains(t, r.Notes, "1 row is dated more than a day from the transaction: line 2.")
}
