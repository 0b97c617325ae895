package console

import (
	"strings"
	"time"
)

// PeriodName returns the name of a period for people: January 2026 for 2026-01, 5 Jan 2026 to 9 Jan 2026 for its days. Other
// names, such as those of blocks, are unchanged.
func PeriodName(name string) string {
	text, zone, zoned := strings.Cut(name, " in ")
	first, last, several := strings.Cut(text, " to ")
	if text = dayName(first); several && first != last {
		text += " to " + dayName(last)
	}
	if zoned {
		text += " in " + zone
	}
	return text
}

// dayName returns a month or a day for people.
func dayName(text string) string {
	for _, form := range [][2]string{{"2006-01", "January 2006"}, {time.DateOnly, "2 Jan 2006"}} {
		if at, err := time.Parse(form[0], text); err == nil {
			return at.Format(form[1])
		}
	}
	return text
}
