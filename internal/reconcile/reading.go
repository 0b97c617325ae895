package reconcile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"
)

// readings are the ways to interpret the cells of a column that cannot be read as declared. Those that fail for a cell
// are dropped.
type readings struct {
	of      []*reading // nil before the first cell
	example string     // the first cell
}

// reading is one way to interpret cells.
type reading struct {
	settings []Setting
	read     func(text string) (value string, ok bool)
	first    string    // how it interprets the example
	all      hash.Hash // of all interpreted values
}

// learn drops the readings that cannot interpret a cell.
func (r *readings) learn(text string) {
	first := r.example == ""
	if first {
		r.example = text
	}
	kept := r.of[:0]
	for _, x := range r.of {
		value, ok := x.read(text)
		if !ok {
			continue
		}
		if first {
			x.first, x.all = value, sha256.New()
		}
		_, _ = io.WriteString(x.all, value+"\n") // a hash never fails
		kept = append(kept, x)
	}
	r.of = kept
}

// maxReadings limits the proposed readings.
const maxReadings = 3

// ways returns the distinct readings, the simplest of those that interpret all cells alike. Their meaning is stated if
// there are several.
func (r *readings) ways() (list []Way) {
	seen := map[string]bool{}
	for _, x := range r.of {
		if x.all == nil { // no cell was seen
			return nil
		}
		sum := string(x.all.Sum(nil))
		if seen[sum] || len(list) == maxReadings {
			continue
		}
		seen[sum] = true
		list = append(list, Way{fmt.Sprintf("%q is %s", shownName(strings.TrimPrefix(r.example, numberMark)), x.first), x.settings})
	}
	if len(list) == 1 {
		list[0].Means = ""
	}
	return list
}

// amountReadings returns the combinations of separators, simplest first.
func amountReadings(declared amountForm) (list []*reading) {
	for _, decimal := range ".," {
		for _, thousands := range "\x00,.' _" {
			if thousands == decimal {
				continue
			}
			f := declared
			f.decimal, f.thousands = decimal, thousands
			if f.unit == "" {
				f.unit = Token // the unit is detected separately
			}
			var settings []Setting
			if decimal != declared.decimal {
				settings = append(settings, Setting{"decimal", string(decimal)})
			}
			if thousands != declared.thousands && thousands != 0 {
				settings = append(settings, Setting{"thousands", string(thousands)})
			}
			list = append(list, &reading{settings: settings, read: func(text string) (string, bool) {
				if _, err := f.read(text); err != nil && !errors.Is(err, errNegative) {
					return "", false
				}
				plain, _, _, _ := f.split(text) // it was read
				plain = strings.ReplaceAll(sameSeparators.Replace(plain), string(thousands), "")
				return strings.ReplaceAll(plain, string(decimal), "."), true
			}})
		}
	}
	return list
}

// dateFormats are the formats to try. Dates with points start with the day.
var dateFormats = func() (list []string) {
	for _, day := range []string{"dd.mm.yyyy", "dd/mm/yyyy", "mm/dd/yyyy", "dd-mm-yyyy", "mm-dd-yyyy", "dd.mm.yy", "dd/mm/yy", "mm/dd/yy", "yyyymmdd"} {
		for _, at := range []string{"", " HH:MM", " HH:MM:SS"} {
			list = append(list, day+at)
		}
	}
	return append(list, "yyyymmddHHMMSS", unixFormat, unixMilliFormat, excelFormat)
}()

// numberMark marks the text of a cell that a spreadsheet stores as a number.
const numberMark = "\x00"

// dateReadings returns the possible date formats.
func dateReadings(declared *dateReader) (list []*reading) {
	for _, format := range dateFormats {
		r, err := newDateReader(format, declared.zone)
		if err != nil {
			continue
		}
		r.from1904 = declared.from1904
		list = append(list, &reading{settings: []Setting{{"date-format", format}}, read: func(text string) (string, bool) {
			read := r.text
			number, isNumber := strings.CutPrefix(text, numberMark)
			if isNumber {
				read = r.cell
			}
			at, err := read(number)
			if err != nil {
				return "", false
			}
			local := at.Std().In(declared.zone)
			const firstYear, lastYear = 2009, 2100 // of chains
			if local.Year() < firstYear || local.Year() > lastYear {
				return "", false
			}
			return strings.TrimSuffix(local.Format(time.DateTime), " 00:00:00"), true
		}})
	}
	return list
}
