package reconcile

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// usualLayouts are read where no format is declared. None can be taken for another.
var usualLayouts = []string{time.RFC3339, time.DateOnly, time.DateTime, "2006-01-02T15:04:05"}

// dateParts are the letters of a declared format, the longer first.
var dateParts = []struct{ letters, layout, part string }{
	{"yyyy", "2006", "year"}, {"mm", "01", "month"}, {"dd", "02", "day"},
	{"HH", "15", "hour"}, {"MM", "04", "minute"}, {"SS", "05", "second"},
	{"m", "1", "month"}, {"d", "2", "day"},
}

// dateLayouts are a declared format as package time has it: yyyy, mm or m, and dd or d
// for the date, HH, MM and SS for the time of day, and what stands between them.
func dateLayouts(format string) ([]string, error) {
	if format == "" {
		return usualLayouts, nil
	}
	var layout strings.Builder
	has := map[string]bool{}
next:
	for rest := format; rest != ""; {
		for _, p := range dateParts {
			if !strings.HasPrefix(rest, p.letters) {
				continue
			}
			if has[p.part] {
				return nil, fmt.Errorf("--date-format %q has the %s twice", format, p.part)
			}
			has[p.part] = true
			layout.WriteString(p.layout)
			rest = rest[len(p.letters):]
			continue next
		}
		if !strings.ContainsRune(" .,:/-T", rune(rest[0])) {
			return nil, fmt.Errorf("--date-format %q: want yyyy, mm, dd, HH, MM and SS, such as dd.mm.yyyy HH:MM", format)
		}
		layout.WriteByte(rest[0])
		rest = rest[1:]
	}
	if !has["year"] || !has["month"] || !has["day"] {
		return nil, fmt.Errorf("--date-format %q lacks a year, a month or a day: want yyyy, mm and dd", format)
	}
	return []string{layout.String()}, nil
}

// parseDate reads a date by one of the layouts.
func parseDate(text string, layouts []string, zone *time.Location) (chain.Time, error) {
	for _, layout := range layouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return timeOf(at)
		}
	}
	return chain.Time{}, fmt.Errorf("%q is not a date as declared: --date-format dd.mm.yyyy says how dates are written, --map date= leaves them out", wire.Excerpt(text))
}

// timeOf is a time as the chain has it.
func timeOf(at time.Time) (chain.Time, error) {
	ms := at.UnixMilli()
	if ms < 0 {
		return chain.Time{}, fmt.Errorf("%s is before 1970", at.Format(time.DateOnly))
	}
	return chain.TimeAt(uint64(ms))
}

// A spreadsheet counts days from 1899-12-30, or from 1904-01-01.
var (
	epoch1900 = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	epoch1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)

// dateOfNumber reads a date that a spreadsheet keeps as a number of days.
func dateOfNumber(raw string, from1904 bool, zone *time.Location) (chain.Time, error) {
	days, err := strconv.ParseFloat(raw, 64)
	const latest = 2_958_466 // 9999-12-31, and a day
	if err != nil || !number.MatchString(raw) || days < 61 || days >= latest {
		return chain.Time{}, errors.New(strconv.Quote(wire.Excerpt(raw)) + " is not a date of a spreadsheet")
	}
	epoch := epoch1900
	if from1904 {
		epoch = epoch1904
	}
	const secondsInDay = 86_400
	at := epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round((days-math.Trunc(days))*secondsInDay)) * time.Second)
	return timeOf(time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, zone))
}
