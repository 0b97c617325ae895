package ledger

import "time"

// Day is a day as UTC has it: so many days after 1970 began.
type Day int64

// DayOf is the UTC day of a time.
func DayOf(t time.Time) Day {
	return Day(floorDiv(t.UnixMilli(), dayMS))
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// Start is when the day begins.
func (d Day) Start() time.Time { return time.UnixMilli(int64(d) * dayMS).UTC() }

// String is the day as YYYY-MM-DD.
func (d Day) String() string { return d.Start().Format(time.DateOnly) }
