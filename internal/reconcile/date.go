package reconcile

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/sys/dateform"
)

// Numeric date formats.
const (
	unixFormat      = "unix"    // seconds since 1970
	unixMilliFormat = "unix-ms" // milliseconds since 1970
	excelFormat     = "excel"   // spreadsheet days since 1899-12-30
)

// dateReader parses the dates of a column.
type dateReader struct {
	number   string   // the format of numeric dates, "" for text
	layouts  []string // as in package time
	zone     *time.Location
	from1904 bool // the workbook counts days from 1904
}

// usualLayouts are tried if no format is declared. Each begins with the year or contains the month's name, so
// none is ambiguous.
var usualLayouts = func() (layouts []string) {
	days := []string{"2006-1-2", "2006/1/2", "2006.1.2", "2 Jan 2006", "2-Jan-2006", "Jan 2 2006", "Jan-2-2006", "2 January 2006", "January 2 2006"}
	times := []string{"", " 15:04", " 15:04:05"}
	for _, day := range days {
		for _, at := range times {
			layouts = append(layouts, day+at)
		}
	}
	return layouts
}()

// newDateReader returns a reader for a declared format: unix, unix-ms, excel, or a combination of yyyy or yy, mm,
// m or mmm (name), dd or d, HH, MM and SS with characters between them. "" means the usual formats.
func newDateReader(format string, zone *time.Location) (*dateReader, error) {
	r := &dateReader{zone: zone}
	switch format {
	case "":
		r.layouts = usualLayouts
		return r, nil
	case unixFormat, unixMilliFormat, excelFormat:
		r.number = format
		return r, nil
	}
	layout, err := dateform.Layout(format)
	if err != nil {
		return nil, fmt.Errorf("--date-format %w", err)
	}
	r.layouts = []string{layout}
	return r, nil
}

// dateWords removes words between the parts of a date.
var dateWords = strings.NewReplacer(", ", " ", " at ", " ")

var (
	// halfDay matches AM or PM.
	halfDay = regexp.MustCompile(`(?i)\s*\b([ap])\.?m\.?$`)
	// zoneUTC matches the ways in which programs write UTC.
	zoneUTC = regexp.MustCompile(`(?i)\s*(?:\(\s*\+?(?:UTC|GMT)\s*\)|\+?(?:UTC|GMT)(?:[+-]00?:?(?:00)?)?(?:\s+\(Coordinated Universal Time\))?|Z)$`)
	// zoneOffset matches an offset from UTC.
	zoneOffset = regexp.MustCompile(`\s*(?:\(?(?:UTC|GMT))?([+-])([01]?[0-9]):?([0-5][0-9])?\)?$`)
	// weekday matches the name of a weekday before a date.
	weekday = regexp.MustCompile(`^(?i)(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\s+`)
	// timeOfDay matches a time of day with the T of ISO 8601.
	timeOfDay = regexp.MustCompile(`([0-9])T([0-9])`)
	// hasTime finds a time of day.
	hasTime = regexp.MustCompile(`[0-9]:[0-9]{2}`)
	// isDecimal matches a number without a sign.
	isDecimal = regexp.MustCompile(`^[0-9]{1,16}(?:[.,][0-9]{1,20})?$`)
)

// text parses a date written as text. A stated zone or UTC offset takes precedence.
func (r *dateReader) text(text string) (chain.Time, error) {
	at, err := r.textTime(text)
	if err != nil {
		return chain.Time{}, err
	}
	return timeOf(at)
}

func (r *dateReader) textTime(text string) (at time.Time, err error) {
	wrong := fmt.Errorf("%q is not a date in the declared format; declare another with --date-format, such as dd.mm.yyyy, or ignore dates with --map date=", jsonscan.Excerpt(text))
	if r.number != "" {
		if !isDecimal.MatchString(text) {
			return at, wrong
		}
		return r.numberTime(strings.Replace(text, ",", ".", 1))
	}
	plain := dateWords.Replace(sameSeparators.Replace(withoutMarks(text)))
	zone := r.zone
	if hasTime.MatchString(plain) {
		plain, zone = zoneOf(plain, zone)
	} else if rest, ok := strings.CutSuffix(plain, " UTC"); ok {
		plain, zone = rest, time.UTC
	}
	half := halfDay.FindStringSubmatch(plain)
	if half != nil {
		plain = plain[:len(plain)-len(half[0])]
	}
	plain = weekday.ReplaceAllString(strings.Join(strings.Fields(plain), " "), "")
	for _, layout := range r.layouts {
		form := plain
		if !strings.Contains(layout, "T") {
			form = timeOfDay.ReplaceAllString(plain, "$1 $2")
		}
		if at, err = time.ParseInLocation(layout, form, zone); err != nil {
			continue
		}
		if half == nil {
			return at, nil
		}
		return afternoon(at, strings.EqualFold(half[1], "p"), layout, wrong)
	}
	return at, wrong
}

// zoneOf separates the zone at the end of a time; without one it returns the given zone.
func zoneOf(text string, zone *time.Location) (plain string, _ *time.Location) {
	if at := zoneUTC.FindStringIndex(text); at != nil {
		return text[:at[0]], time.UTC
	}
	if at := zoneOffset.FindStringSubmatchIndex(text); at != nil && hasTime.MatchString(text[:at[0]]) {
		group := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return text[at[2*n]:at[2*n+1]]
		}
		hours, _ := strconv.Atoi(group(2))   // two digits
		minutes, _ := strconv.Atoi(group(3)) // two digits, or none
		seconds := hours*3600 + minutes*60
		if group(1) == "-" {
			seconds = -seconds
		}
		return text[:at[0]], time.FixedZone("", seconds)
	}
	return text, zone
}

// afternoon converts a time of the 12-hour clock.
func afternoon(at time.Time, pm bool, layout string, wrong error) (time.Time, error) {
	hour := at.Hour()
	if !strings.Contains(layout, "15") || hour < 1 || hour > 12 {
		return at, wrong
	}
	if hour %= 12; pm {
		hour += 12
	}
	return time.Date(at.Year(), at.Month(), at.Day(), hour, at.Minute(), at.Second(), at.Nanosecond(), at.Location()), nil
}

// timeOf converts a time to a chain time.
func timeOf(at time.Time) (chain.Time, error) {
	ms := at.UnixMilli()
	if ms < 0 {
		return chain.Time{}, fmt.Errorf("%s is before 1970", at.Format(time.DateOnly))
	}
	return chain.TimeAt(uint64(ms))
}

// cell parses a date that a spreadsheet stores as a number.
func (r *dateReader) cell(raw string) (chain.Time, error) {
	at, err := r.textTime(raw) // 20260131, if that is declared
	if err != nil {
		at, err = r.numberTime(raw)
	}
	if err != nil {
		return chain.Time{}, err
	}
	return timeOf(at)
}

// Spreadsheets count days from 1899-12-30 or from 1904-01-01.
var (
	epoch1900 = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	epoch1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)

// numberTime parses a numeric date; spreadsheet days unless another format is declared.
func (r *dateReader) numberTime(raw string) (at time.Time, err error) {
	if r.number == unixFormat || r.number == unixMilliFormat {
		return r.unixTime(raw)
	}
	days, err := strconv.ParseFloat(raw, 64)
	const latest = 2_958_466 // the day after 9999-12-31
	if err != nil || !number.MatchString(raw) || days < 61 || days >= latest {
		return at, errors.New(strconv.Quote(jsonscan.Excerpt(raw)) + " is not a spreadsheet date; use --date-format unix or unix-ms for seconds or milliseconds since 1970, or ignore dates with --map date=")
	}
	epoch := epoch1900
	if r.from1904 {
		epoch = epoch1904
	}
	const secondsInDay = 86_400
	at = epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round((days-math.Trunc(days))*secondsInDay)) * time.Second)
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, r.zone), nil
}

// unixTime parses seconds or milliseconds since 1970, in UTC. It rejects times outside 2000 to 2200, where the
// other unit was probably meant.
func (r *dateReader) unixTime(raw string) (at time.Time, err error) {
	whole, fraction, _ := strings.Cut(raw, ".")
	if r.number == unixFormat {
		whole += (fraction + "000")[:3]
	}
	ms, err := strconv.ParseInt(whole, 10, 64)
	at = time.UnixMilli(ms).UTC()
	if err != nil || at.Year() < 2000 || at.Year() > 2200 {
		return at, fmt.Errorf("%q is not a %s time between 2000 and 2200; declare another format with --date-format, or ignore dates with --map date=", jsonscan.Excerpt(raw), r.number)
	}
	return at, nil
}
