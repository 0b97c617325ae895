package money

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/sys/csvlist"
	"github.com/feeledger/fees/internal/sys/plain"
)

// reader reads a price file in our own form.
type reader struct {
	*part
	asked     Currency // of a column price that does not name its currency
	source    string   // of lines that do not name one
	currency  Currency // of the column price, "" if not declared
	decimal   byte
	declared  bool // the file declares its decimal separator
	doubt     doubt
	separator rune
	skipped   int // bytes before the CSV rows
	columns   []column
	stepped   bool // whether the file has days or hours is known
}

// read reads the file.
func (r *reader) read(text []byte) error {
	r.decimal = '.'
	if err := r.readHead(text); err != nil {
		return err
	}
	return r.readRows(text)
}

// column describes a column of the file.
type column struct {
	field    string
	currency Currency // of a price column named after its currency
}

// The fields of a line.
const (
	fieldDate     = "date"
	fieldCurrency = "currency"
	fieldPrice    = "price"
	fieldSource   = "source"
)

// readHead reads the lines before the first row, and detects the column separator.
func (r *reader) readHead(text []byte) error {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		content := strings.TrimSpace(string(line))
		if separator, ok := strings.CutPrefix(content, "sep="); ok && number == 1 && len(separator) == 1 {
			r.separator, r.skipped = rune(separator[0]), len(line) // this line tells Excel the separator
			continue
		}
		remark, ok := csvlist.Remark(content)
		if !ok && content != "" {
			if r.separator == 0 {
				r.separator = cmp.Or(csvlist.Separator(content, separators), ',')
			}
			return nil
		}
		if err := r.readRemark(remark); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return errNoPrices
}

// separators are the possible column separators.
const separators = ";\t|,"

// readRemark reads a line such as "# timezone: Europe/Berlin". Other lines are comments.
func (r *reader) readRemark(text string) (err error) {
	name, value, ok := strings.Cut(text, ":")
	if value = strings.TrimSpace(value); !ok || value == "" {
		return nil
	}
	switch strings.ToLower(strings.TrimSpace(name)) {
	case fieldSource:
		r.source, err = sourceName(value)
	case fieldCurrency:
		r.currency, err = ParseCurrency(value)
	case "timezone":
		if r.Zone, err = time.LoadLocation(value); err != nil || value == "Local" {
			err = fmt.Errorf("unknown timezone %q; use a name such as Europe/Berlin", value)
		}
	case "decimal":
		r.declared = true
		switch value {
		case "point":
			r.decimal = '.'
		case "comma":
			r.decimal = ','
		default:
			err = fmt.Errorf("decimal %q must be point or comma", value)
		}
	}
	return err
}

const (
	maxSourceName = 200 // bytes of the name of a source
	maxSources    = 20
)

func sourceName(text string) (string, error) {
	text = strings.TrimSpace(plain.Line(text))
	if len(text) > maxSourceName {
		return "", fmt.Errorf("the name of a source is longer than %d bytes", maxSourceName)
	}
	return text, nil
}

// maxWrongLines limits the lines listed in an error.
const maxWrongLines = 20

var (
	errMore     = errors.New("possibly more")
	errNoPrices = errors.New("it contains no prices; lines must look like 2026-01-31,0.1234")
)

func (r *reader) readRows(text []byte) error {
	if !strings.ContainsRune(separators, r.separator) {
		return fmt.Errorf("line 1: the separator %q must be a comma, semicolon, tab or bar", r.separator)
	}
	before := 0
	if r.skipped > 0 {
		before = 1
	}
	var wrong []error
	for row, err := range csvlist.Rows(text[r.skipped:], r.separator) {
		var form *csvlist.FormError
		if errors.As(err, &form) {
			return errors.Join(append(wrong, fmt.Errorf("line %d: %w", form.Line+before, form.Err))...)
		}
		if err != nil {
			return err
		}
		line, fields := row.Line+before, row.Cut(max(len(r.columns), 2))
		if r.columns == nil {
			if named, err := r.readColumns(fields); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			} else if named {
				continue
			}
		}
		if err := r.add(line, fields); err != nil {
			if wrong = append(wrong, fmt.Errorf("line %d: %w", line, err)); len(wrong) == maxWrongLines {
				wrong = append(wrong, errMore)
				break
			}
		}
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	return r.doubt.err(`add the line "# decimal: point" at the top if it is, or write it without the point`)
}

// doubt is about a separator in prices that may be one of decimals or of thousands, as in 1.234. Another price can settle
// it.
type doubt struct {
	text    string // the first such price
	line    int
	settled bool
}

// thousandsForm matches a number whose only separator may be one of thousands.
var thousandsForm = regexp.MustCompile(`^[1-9][0-9]{0,2}[.,][0-9]{3}$`)

// note notes a price with the separator in doubt.
func (d *doubt) note(line int, text string) {
	switch {
	case !thousandsForm.MatchString(text):
		d.settled = true
	case d.text == "":
		d.text, d.line = text, line
	}
}

// err returns an error if a price remains in doubt.
func (d *doubt) err(remedy string) error {
	if d.text == "" || d.settled {
		return nil
	}
	return fmt.Errorf("line %d: it is not clear whether %c in the price %q is the decimal separator; %s", d.line, d.text[len(d.text)-4], d.text, remedy)
}

// readColumns reads the header. Without one, the columns are date and price.
func (r *reader) readColumns(fields []string) (named bool, err error) {
	if _, _, err := r.moment(fields[0]); err == nil {
		r.columns = []column{{field: fieldDate}, {field: fieldPrice}}
		return false, nil
	}
	seen := map[column]bool{}
	for _, name := range fields {
		c := column{field: strings.ToLower(name)}
		switch c.field {
		case fieldDate, fieldCurrency, fieldPrice, fieldSource:
		case "time", "hour", "day":
			c.field = fieldDate
		default:
			if c.currency, err = ParseCurrency(name); err != nil {
				return false, fmt.Errorf("unknown column %q; name it date, price, currency, source, or after a currency such as EUR; "+mapHint, plain.Line(name))
			}
			c.field = fieldPrice
		}
		if seen[c] {
			return false, fmt.Errorf("column %q occurs twice", plain.Line(name))
		}
		seen[c] = true
		r.columns = append(r.columns, c)
	}
	single, several := seen[column{field: fieldPrice}], slices.ContainsFunc(r.columns, func(c column) bool { return c.currency != "" })
	switch {
	case !seen[column{field: fieldDate}]:
		return false, errors.New("no column is named date")
	case single == several:
		return false, errors.New("use either a column price, or a column for each currency, such as EUR")
	case several && seen[column{field: fieldCurrency}]:
		return false, errors.New("the price columns are named after currencies; remove the column currency")
	}
	return true, nil
}

// mapHint says how files in no known format are read.
const mapHint = "or say which columns there are: --price-map date=NAME,price=NAME"

// line is a parsed line.
type line struct {
	date, source string
	currency     Currency // of the column price
	number       int
}

// add adds a line.
func (r *reader) add(number int, fields []string) (err error) {
	if len(fields) != len(r.columns) {
		return fmt.Errorf("%d fields for %d columns", len(fields), len(r.columns))
	}
	x := line{source: r.source, currency: r.currency, number: number}
	for i, c := range r.columns {
		switch text := fields[i]; {
		case c.field == fieldDate:
			x.date = text
		case c.field == fieldCurrency:
			x.currency, err = ParseCurrency(text)
		case c.field == fieldSource && text != "":
			x.source, err = sourceName(text)
		}
		if err != nil {
			return err
		}
	}
	m, hourly, err := r.moment(x.date)
	if err != nil {
		return err
	}
	if r.stepped && hourly != r.Hourly {
		return fmt.Errorf("%q follows lines with %ss; use either days or hours", x.date, r.Step())
	}
	r.stepped, r.Hourly = true, hourly
	for i, c := range r.columns {
		if text := fields[i]; c.field == fieldPrice && text != "" {
			currency := c.currency
			if currency == "" {
				currency = x.currency
			}
			if currency == "" {
				currency = r.asked // the default
			}
			if err := r.addPrice(&x, currency, m, text); err != nil {
				return err
			}
		}
	}
	return nil
}

var priceForm = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,18})?$`)

// addPrice adds a price.
func (r *reader) addPrice(x *line, currency Currency, m Moment, text string) error {
	written := text
	if r.decimal == ',' {
		if strings.Contains(text, ".") {
			return fmt.Errorf("price %q must use a decimal comma, as the file declares", plain.Line(text))
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	if !priceForm.MatchString(text) {
		hint := ""
		if strings.Contains(written, ",") {
			hint = `; for decimal commas, add the line "# decimal: comma" at the top`
		}
		return fmt.Errorf("%q is not a price such as 0.1234 with at most 18 decimals%s", plain.Line(written), hint)
	}
	if r.separator == ';' && !r.declared && strings.Contains(text, ".") { // programs write semicolons where commas separate decimals
		r.doubt.note(x.number, text)
	}
	switch {
	case decimal.RequireFromString(text).IsZero():
		return fmt.Errorf("price %q is 0; leave it empty if the price is unknown", written)
	case currency == "":
		return errors.New(`the price has no currency; name it with --fiat, or add a line such as "# currency: EUR" at the top`)
	case x.source == "":
		return errors.New(`the price has no source; add a line such as "# source: Example Exchange, daily close" at the top, or a column source`)
	}
	if err := r.part.add(Pair{Quote: currency}, m, text, x.number); err != nil {
		return err
	}
	if r.sources[currency] == nil {
		r.sources[currency] = map[string]bool{}
	}
	r.sources[currency][x.source] = true
	return nil
}

// hourLayouts are the accepted forms of an hour. Without a UTC offset it is UTC.
var hourLayouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05 UTC"}

// moment parses a day or an hour.
func (r *reader) moment(text string) (m Moment, hourly bool, err error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return dayOf(day), false, nil
	}
	for i, layout := range hourLayouts {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		switch {
		case i > 1 && r.Zone != time.UTC:
			return 0, true, fmt.Errorf("%q is ambiguous when clocks go back; add the UTC offset, such as 2026-01-31T13:00:00+01:00", text)
		case at.Unix()%hourSeconds != 0 || at.Nanosecond() != 0:
			return 0, true, fmt.Errorf("%q is not a full hour in UTC", text)
		}
		return Moment(at.Unix() / hourSeconds), true, nil
	}
	return 0, false, fmt.Errorf("%q is not a day such as 2026-01-31, or an hour such as 2026-01-31T13:00:00Z", plain.Line(text))
}
