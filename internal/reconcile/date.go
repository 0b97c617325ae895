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
)

// Formats of dates that are numbers.
const (
	unixFormat      = "unix"    // seconds since 1970
	unixMilliFormat = "unix-ms" // milliseconds since 1970
	excelFormat     = "excel"   // days since 1899-12-30, as spreadsheets count them
)

// dateReader reads the dates of a column.
type dateReader struct {
	number   string   // the format of a date that is a number, "" of one that is text
	layouts  []string // as package time has them
	zone     *time.Location
	from1904 bool // in a workbook
}

// usualLayouts are read where no format is declared. Each begins with the year, or has the month's
// name: none can be taken for another.
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

// dateParts are the letters of a declared format, the longer first. Fixed is the layout of a part
// that another one touches, as in yyyymmdd.
var dateParts = []struct{ letters, layout, fixed, part string }{
	{"yyyy", "2006", "2006", "year"}, {"yy", "06", "06", "year"}, {"mmm", "Jan", "Jan", "month"}, {"mm", "1", "01", "month"}, {"dd", "2", "02", "day"},
	{"HH", "15", "15", "hour"}, {"hh", "15", "15", "hour"}, {"MM", "04", "04", "minute"}, {"SS", "05", "05", "second"},
	{"m", "1", "1", "month"}, {"d", "2", "2", "day"},
}

// newDateReader returns a reader of a declared format: unix, unix-ms, excel, or yyyy or yy, mm or
// m (mmm for its name) and dd or d for the date, HH, MM and SS for the time of day, and what stands
// between them. "" is the usual formats.
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
	var layout strings.Builder
	format = strings.ReplaceAll(zoneInFormat.ReplaceAllString(format, ""), ", ", " ")
	has := map[string]bool{}
	touches := false
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
			rest = rest[len(p.letters):]
			if touches = touches || rest != "" && strings.ContainsRune("ymdHMS", rune(rest[0])); touches {
				layout.WriteString(p.fixed)
			} else {
				layout.WriteString(p.layout)
			}
			continue next
		}
		if !strings.ContainsRune(" .,:/-T", rune(rest[0])) {
			return nil, fmt.Errorf("--date-format %q: want yyyy, mm, dd, HH, MM and SS, such as dd.mm.yyyy HH:MM, or unix, unix-ms or excel", format)
		}
		layout.WriteByte(rest[0])
		touches = false
		rest = rest[1:]
	}
	if !has["year"] || !has["month"] || !has["day"] {
		return nil, fmt.Errorf("--date-format %q lacks a year, a month or a day: want yyyy, mm and dd", format)
	}
	r.layouts = []string{layout.String()}
	return r, nil
}

// dateWords takes out what stands between the parts of a date in words.
var dateWords = strings.NewReplacer(", ", " ", " at ", " ")

var (
	// zoneInFormat is what a declared format need not say: a date says it itself.
	zoneInFormat = regexp.MustCompile(`(?i)(?:\s*(?:AM/PM|AM|PM|UTC|GMT|Z))+$`)
	// halfDay is the half of the day that a time of the 12-hour clock names.
	halfDay = regexp.MustCompile(`(?i)\s*\b([ap])\.?m\.?$`)
	// zoneUTC is how programs write that a time is of UTC.
	zoneUTC = regexp.MustCompile(`(?i)\s*(?:\(\s*\+?(?:UTC|GMT)\s*\)|\+?(?:UTC|GMT)(?:[+-]00?:?(?:00)?)?(?:\s+\(Coordinated Universal Time\))?|Z)$`)
	// zoneOffset is a distance from UTC.
	zoneOffset = regexp.MustCompile(`\s*(?:\(?(?:UTC|GMT))?([+-])([01]?[0-9]):?([0-5][0-9])?\)?$`)
	// weekday is the name of a day of the week before a date.
	weekday = regexp.MustCompile(`^(?i)(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*\s+`)
	// timeOfDay is one with the letter that ISO 8601 puts before it.
	timeOfDay = regexp.MustCompile(`([0-9])T([0-9])`)
	// hasTime finds a time of day.
	hasTime = regexp.MustCompile(`[0-9]:[0-9]{2}`)
	// isDecimal is a number without a sign.
	isDecimal = regexp.MustCompile(`^[0-9]{1,16}(?:[.,][0-9]{1,20})?$`)
)

// text reads a date that is written as text. A time that names UTC, or its distance from it, is of
// that zone.
func (r *dateReader) text(text string) (chain.Time, error) {
	at, err := r.textTime(text)
	if err != nil {
		return chain.Time{}, err
	}
	return timeOf(at)
}

func (r *dateReader) textTime(text string) (at time.Time, err error) {
	wrong := fmt.Errorf("%q is not a date as declared: --date-format dd.mm.yyyy says how dates are written, --map date= leaves them out", jsonscan.Excerpt(text))
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

// zoneOf takes the zone from the end of a time; otherwise it is of the given one.
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
		minutes, _ := strconv.Atoi(group(3)) // likewise, or none
		seconds := hours*3600 + minutes*60
		if group(1) == "-" {
			seconds = -seconds
		}
		return text[:at[0]], time.FixedZone("", seconds)
	}
	return text, zone
}

// afternoon is a time of the 12-hour clock, which has the hours 12 and 1 to 11.
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

// timeOf is a time as the chain has it.
func timeOf(at time.Time) (chain.Time, error) {
	ms := at.UnixMilli()
	if ms < 0 {
		return chain.Time{}, fmt.Errorf("%s is before 1970", at.Format(time.DateOnly))
	}
	return chain.TimeAt(uint64(ms))
}

// cell reads a date that a spreadsheet keeps as a number.
func (r *dateReader) cell(raw string) (chain.Time, error) {
	at, err := r.textTime(raw) // 20260131, where that is declared
	if err != nil {
		at, err = r.numberTime(raw)
	}
	if err != nil {
		return chain.Time{}, err
	}
	return timeOf(at)
}

// A spreadsheet counts days from 1899-12-30, or from 1904-01-01.
var (
	epoch1900 = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	epoch1904 = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
)

// numberTime reads a date that is a number, of days where nothing else is declared.
func (r *dateReader) numberTime(raw string) (at time.Time, err error) {
	if r.number == unixFormat || r.number == unixMilliFormat {
		return r.unixTime(raw)
	}
	days, err := strconv.ParseFloat(raw, 64)
	const latest = 2_958_466 // 9999-12-31, and a day
	if err != nil || !number.MatchString(raw) || days < 61 || days >= latest {
		return at, errors.New(strconv.Quote(jsonscan.Excerpt(raw)) + " is not a date of a spreadsheet: --date-format unix or unix-ms reads seconds or milliseconds since 1970, --map date= leaves dates out")
	}
	epoch := epoch1900
	if r.from1904 {
		epoch = epoch1904
	}
	const secondsInDay = 86_400
	at = epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round((days-math.Trunc(days))*secondsInDay)) * time.Second)
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, r.zone), nil
}

// unixTime reads seconds or milliseconds since 1970, which are of UTC. What is neither near our
// time is refused: the other unit was meant.
func (r *dateReader) unixTime(raw string) (at time.Time, err error) {
	whole, fraction, _ := strings.Cut(raw, ".")
	if r.number == unixFormat {
		whole += (fraction + "000")[:3]
	}
	ms, err := strconv.ParseInt(whole, 10, 64)
	at = time.UnixMilli(ms).UTC()
	if err != nil || at.Year() < 2000 || at.Year() > 2200 {
		return at, fmt.Errorf("%q is not a time of %s between 2000 and 2200: --date-format says how dates are written, --map date= leaves them out", jsonscan.Excerpt(raw), r.number)
	}
	return at, nil
}
