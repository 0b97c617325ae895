package ledger

import "time"

// Day is a UTC day, as the number of days since 1970-01-01.
type Day int64

// DayOf returns the UTC day of a time.
func DayOf(t time.Time) Day {
	return Day(floorDiv(t.UnixMilli(), dayMS))
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// Start returns when the day begins.
func (d Day) Start() time.Time { return time.UnixMilli(int64(d) * dayMS).UTC() }

// String returns the day as YYYY-MM-DD.
func (d Day) String() string { return d.Start().Format(time.DateOnly) }
