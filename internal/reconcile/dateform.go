package reconcile

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// dateForm is how a column writes its dates.
type dateForm struct {
	number string         // the format of numeric dates, "" for text
	layout string         // as in package time
	zone   *time.Location // of the dates
	reader *dateReader
	days   bool // spreadsheet days without a time of day
}

// zoneSuffixes are the ways in which programs write the zone of a time. Those without a zone state the offset.
var zoneSuffixes = []struct {
	text string
	zone *time.Location
}{
	{" UTC", time.UTC}, {"Z", time.UTC}, {" Z", time.UTC}, {" GMT", time.UTC}, {" (UTC)", time.UTC}, {" +UTC", time.UTC},
	{"-07:00", nil}, {" -07:00", nil}, {"-0700", nil}, {" -0700", nil},
}

// formOf returns the form of a date that the reader can read; of any date, if the example is empty.
func (r *dateReader) formOf(example *cell) (f dateForm, ok bool) {
	f = dateForm{number: r.number, zone: r.zone, reader: r}
	text := example.value()
	if text == "" {
		if r.number == "" {
			f.layout = padded(r.layouts[0])
		}
		return f, true
	}
	read := r.text
	if example.number {
		read = r.cell
	}
	if _, err := read(text); err != nil {
		return f, false
	}
	if _, err := r.textTime(text); r.number == "" && err != nil { // a number
		f.number = excelFormat
	}
	if f.number != "" {
		f.days = !strings.ContainsAny(text, ".,")
		return f, true
	}
	for _, layout := range layoutsLike(r.layouts, text) {
		if at, err := time.ParseInLocation(layout, text, r.zone); err == nil && at.Format(layout) == text {
			f.layout = layout
			return f, true
		}
		for _, suffix := range zoneSuffixes {
			whole := layout + suffix.text
			at, err := time.ParseInLocation(whole, text, r.zone)
			if err != nil || at.Format(whole) != text {
				continue
			}
			f.layout, f.zone = whole, suffix.zone
			if f.zone == nil {
				if f.zone = r.zone; at.In(r.zone).Format(whole) != text {
					f.zone = at.Location()
				}
			}
			return f, true
		}
	}
	f.layout = padded(r.layouts[0])
	if len(r.layouts) > 1 { // the usual forms
		f.layout = time.DateTime
	}
	return f, true
}

// padded returns a layout with days and months of two digits.
func padded(layout string) string {
	return strings.NewReplacer("2006", "2006", "15", "15", "1", "01", "01", "01", "02", "02", "2", "02").Replace(layout)
}

// layoutsLike returns layouts with the variants of their parts that may have written an example.
func layoutsLike(layouts []string, example string) (list []string) {
	for _, layout := range layouts {
		list = append(list, padded(layout), layout)
	}
	vary := func(part, contains string, by ...string) {
		if !strings.Contains(example, contains) {
			return
		}
		for _, layout := range slices.Clone(list) {
			if strings.Contains(layout, part) && !strings.Contains(layout, "PM") {
				for _, other := range by {
					list = append(list, strings.Replace(layout, part, other, 1))
				}
			}
		}
	}
	vary(" 15", "T", "T15")
	vary(" 15", ",", ", 15")
	vary(" 15", " at ", " at 15")
	vary(" 2006", ",", ", 2006")
	vary(":05", ".", ":05.000", ":05.000000")
	vary("15:04:05", "M", "03:04:05 PM", "3:04:05 PM", "03:04:05PM", "3:04:05PM")
	vary("15:04", "M", "03:04 PM", "3:04 PM", "03:04PM", "3:04PM")
	return list
}

// text returns an instant in the form; "" if it would not be read as the same day.
func (f *dateForm) text(at time.Time) string {
	local := at.In(f.zone)
	text := ""
	switch f.number {
	case "":
		text = local.Format(f.layout)
	case unixFormat:
		text = strconv.FormatInt(at.Unix(), 10)
	case unixMilliFormat:
		text = strconv.FormatInt(at.UnixMilli(), 10)
	default:
		text = f.spreadsheetDays(local)
	}
	back, err := f.reader.textTime(text)
	if f.number == excelFormat {
		back, err = f.reader.numberTime(text)
	}
	const longestDay = 25 * time.Hour
	if err != nil || at.Sub(back).Abs() >= longestDay {
		return ""
	}
	return text
}

// spreadsheetDays returns a local time as a spreadsheet stores it.
func (f *dateForm) spreadsheetDays(local time.Time) string {
	epoch := epoch1900
	if f.reader.from1904 {
		epoch = epoch1904
	}
	wall := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
	const day = 24 * time.Hour
	since := wall.Sub(epoch)
	if f.days {
		return strconv.FormatInt(int64(since/day), 10)
	}
	return strconv.FormatFloat(since.Hours()/day.Hours(), 'f', -1, 64)
}
