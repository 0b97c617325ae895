package money

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/csvlist"
)

// Read reads a file of prices in a currency. It reads those in other currencies too, and holds
// them to the same. The error has what is wrong, with the lines.
func Read(text []byte, currency string) (*List, error) {
	code, err := ParseCurrency(currency)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	if text, err = csvlist.Text(text); err != nil {
		return nil, err
	}
	r := reader{
		list:   &List{Currency: code, Zone: time.UTC, SHA256: hex.EncodeToString(sum[:]), prices: map[Moment]price{}},
		others: map[Currency]map[Moment]price{}, sources: map[string]bool{}, decimal: '.',
	}
	if err := r.readHead(text); err != nil {
		return nil, err
	}
	if err := r.readRows(text); err != nil {
		return nil, err
	}
	return r.result()
}

// reader reads a file.
type reader struct {
	list      *List
	others    map[Currency]map[Moment]price // that were not asked for
	sources   map[string]bool
	source    string   // of lines that do not name one
	currency  Currency // of the column price, "" where that is not said
	decimal   byte
	separator rune
	skipped   int // lines before those that are CSV
	columns   []column
	stepped   bool // it is known whether it has days or hours
}

// column is what a column of the file has.
type column struct {
	field    string
	currency Currency // of a column of prices that is named by it
}

// The fields of a line.
const (
	fieldDate     = "date"
	fieldCurrency = "currency"
	fieldPrice    = "price"
	fieldSource   = "source"
)

// readHead reads the lines before the first row, and finds what separates columns.
func (r *reader) readHead(text []byte) error {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		content := strings.TrimSpace(string(line))
		if separator, ok := strings.CutPrefix(content, "sep="); ok && number == 1 && len(separator) == 1 {
			r.separator, r.skipped = rune(separator[0]), len(line) // how Excel is told the separator
			continue
		}
		remark, ok := strings.CutPrefix(strings.TrimRight(string(line), "\r\n"), "#")
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
	return errors.New("it has no price: want lines such as 2026-01-31,0.1234")
}

// separators are those between columns.
const separators = ";\t|,"

// readRemark reads a line such as "# timezone: Europe/Berlin". What is none of those is a comment.
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
		if r.list.Zone, err = time.LoadLocation(value); err != nil || value == "Local" {
			err = fmt.Errorf("timezone %q: want one such as Europe/Berlin", value)
		}
	case "decimal":
		switch value {
		case "point":
			r.decimal = '.'
		case "comma":
			r.decimal = ','
		default:
			err = fmt.Errorf("decimal %q: want point or comma", value)
		}
	}
	return err
}

const (
	mostSourceName = 200 // bytes of the name of a source
	mostSources    = 20
)

func sourceName(text string) (string, error) {
	text = strings.TrimSpace(console.Printable(text))
	if len(text) > mostSourceName {
		return "", fmt.Errorf("the name of a source is longer than %d bytes", mostSourceName)
	}
	return text, nil
}

// mostWrongLines is how many of them an error names.
const mostWrongLines = 20

func (r *reader) readRows(text []byte) error {
	if !strings.ContainsRune(separators, r.separator) {
		return fmt.Errorf("line 1: the separator %q: want a comma, a semicolon, a tab or a bar", r.separator)
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
			if wrong = append(wrong, fmt.Errorf("line %d: %w", line, err)); len(wrong) == mostWrongLines {
				wrong = append(wrong, errors.New("and perhaps more"))
				break
			}
		}
	}
	return errors.Join(wrong...)
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
				return false, fmt.Errorf("the column %q: want date, price, currency, source, or a currency such as EUR", console.Printable(name))
			}
			c.field = fieldPrice
		}
		if seen[c] {
			return false, fmt.Errorf("the column %q is there twice", console.Printable(name))
		}
		seen[c] = true
		r.columns = append(r.columns, c)
	}
	single, several := seen[column{field: fieldPrice}], slices.ContainsFunc(r.columns, func(c column) bool { return c.currency != "" })
	switch {
	case !seen[column{field: fieldDate}]:
		return false, errors.New("no column is called date")
	case single == several:
		return false, errors.New("want a column price, or a column for each currency, such as EUR")
	case several && seen[column{field: fieldCurrency}]:
		return false, errors.New("the columns of prices are named by currencies, and there is a column currency too")
	}
	return true, nil
}

// line is what a line says.
type line struct {
	date, source string
	currency     Currency // of the column price
	number       int
}

// add takes a line.
func (r *reader) add(number int, fields []string) (err error) {
	if len(fields) != len(r.columns) {
		return fmt.Errorf("%d fields, and there are %d columns", len(fields), len(r.columns))
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
	if r.stepped && hourly != r.list.Hourly {
		return fmt.Errorf("%q: the lines before have %ss: want one or the other", x.date, r.list.Step())
	}
	r.stepped, r.list.Hourly = true, hourly
	for i, c := range r.columns {
		if text := fields[i]; c.field == fieldPrice && text != "" {
			currency := c.currency
			if currency == "" {
				currency = x.currency
			}
			if currency == "" {
				currency = r.list.Currency // nothing says otherwise
			}
			if err := r.addPrice(&x, currency, m, text); err != nil {
				return err
			}
		}
	}
	return nil
}

var priceForm = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,18})?$`)

// addPrice takes a price.
func (r *reader) addPrice(x *line, currency Currency, m Moment, text string) error {
	written := text
	if r.decimal == ',' {
		if strings.Contains(text, ".") {
			return fmt.Errorf("%q: want a price such as 0,1234, as the file says", console.Printable(text))
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	if !priceForm.MatchString(text) {
		hint := ""
		if strings.Contains(written, ",") {
			hint = `; prices with a comma need the line "# decimal: comma" at the top`
		}
		return fmt.Errorf("%q: want a price such as 0.1234, of at most 18 decimals%s", console.Printable(written), hint)
	}
	value := decimal.RequireFromString(text)
	switch {
	case value.IsZero():
		return fmt.Errorf("%q: a price of 0 is none: leave it empty", written)
	case x.source == "":
		return errors.New(`nobody says where the price is from: want a line such as "# source: Example Exchange, daily close" at the top, or a column source`)
	}
	into := r.list.prices
	if currency != r.list.Currency {
		if into = r.others[currency]; into == nil {
			into = map[Moment]price{}
			r.others[currency] = into
		}
	}
	if other, twice := into[m]; twice {
		if !other.value.Equal(value) {
			return fmt.Errorf("%s costs %s %s here, and %s on line %d", r.list.Name(m), text, currency, other.text, other.line)
		}
		return nil
	}
	into[m] = price{value, text, x.number}
	if currency == r.list.Currency {
		r.sources[x.source] = true
	}
	return nil
}

// hourLayouts are how an hour is written. Without its distance from UTC, it is one of UTC.
var hourLayouts = []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05 UTC"}

// moment reads a day or an hour.
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
		case i > 1 && r.list.Zone != time.UTC:
			return 0, true, fmt.Errorf("%q: an hour of a time zone comes twice when clocks are put back: write it with its distance from UTC, such as 2026-01-31T13:00:00+01:00", text)
		case at.Unix()%hourSeconds != 0 || at.Nanosecond() != 0:
			return 0, true, fmt.Errorf("%q: want the beginning of an hour of UTC", text)
		}
		return Moment(at.Unix() / hourSeconds), true, nil
	}
	return 0, false, fmt.Errorf("%q: want a day such as 2026-01-31, or an hour such as 2026-01-31T13:00:00Z", console.Printable(text))
}

// result is the list, once all is read.
func (r *reader) result() (*List, error) {
	if len(r.list.prices) == 0 {
		if len(r.others) == 0 {
			return nil, errors.New("it has no price: want lines such as 2026-01-31,0.1234")
		}
		var codes []string
		for code := range r.others {
			codes = append(codes, string(code))
		}
		slices.Sort(codes)
		if len(codes) > mostNamed {
			codes = append(codes[:mostNamed], "…")
		}
		return nil, fmt.Errorf("it has no price in %s: it has %s", r.list.Currency, strings.Join(codes, ", "))
	}
	r.list.Sources = slices.Sorted(maps.Keys(r.sources))
	if n := len(r.list.Sources) - mostSources; n > 0 {
		return nil, fmt.Errorf("its prices are by %d sources: %d can be named", n+mostSources, mostSources)
	}
	return r.list, nil
}
