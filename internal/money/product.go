package money

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/sys/csvlist"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Limits of the search for a header.
const (
	maxHeading = 30 // lines
	maxColumns = 1000
	maxZones   = 2 // summer time and not
)

// recognised is a file in a known format.
type recognised struct {
	*format
	*part
	header     []string
	separator  rune
	skipped    int  // bytes before the rows
	before     int  // lines before the rows
	stated     Pair // by the user, or by the name of the file
	comma      bool // prices have a decimal comma
	point      bool
	doubt      doubt
	mine       bool     // the user names the columns
	source     string   // that a remark names
	multiplied bool     // the lines before state another multiplier than 1
	began      bool     // a row with a day was read
	asked      Currency // of prices whose currency nothing states
	zones      []string // of the days, such as UTC+01:00
}

// recognise finds the format of a file. The user's own is the last but that of candles of any product; nil means our own form.
func recognise(name string, text []byte, own *format) *recognised {
	all := formats
	if own != nil {
		all = slices.Insert(slices.Clone(formats), len(formats)-1, own)
	}
	skipped, lines, remarks, multiplied, source := 0, 0, false, false, ""
	for line := range bytes.Lines(text) {
		content := strings.TrimSpace(string(line))
		text, remark := csvlist.Remark(content)
		if remarks = remarks || remark; remark {
			if name, value, ok := strings.Cut(text, ":"); ok && strings.EqualFold(strings.TrimSpace(name), fieldSource) {
				source, _ = sourceName(value)
			}
		}
		if separator := csvlist.Separator(content, separators); separator != 0 && lines < maxHeading {
			in := csv.NewReader(strings.NewReader(content))
			in.Comma, in.LazyQuotes = separator, true
			fields, _ := in.Read() // a line that is not CSV is not a header
			for i := range fields {
				fields[i] = folded(fields[i])
			}
			multiplied = multiplied || len(fields) > 1 && strings.HasPrefix(fields[0], "multiplier") && slices.ContainsFunc(fields[1:], func(by string) bool { return by != "1" })
			for _, f := range all {
				if len(fields) > maxColumns {
					break
				}
				r := &recognised{format: f, header: fields, separator: separator, skipped: skipped + len(line), before: lines + 1, mine: f == own, source: source, multiplied: multiplied}
				switch {
				case lines == 0 && len(fields) == len(f.columns) && (f.file != nil && f.file.MatchString(name) || f.first != nil && f.first(fields)):
					r.header, r.skipped, r.before = f.columns, 0, 0
					return r
				case f.all && remarks: // our own form
				case f.fits(fields):
					if _, _, err := parseDay(fields[place(fields, f.date...)], f.layout); err == nil { // columns by number need no header
						r.skipped, r.before = skipped, lines
					}
					return r
				}
			}
		}
		skipped += len(line)
		if lines++; lines >= maxHeading {
			break
		}
	}
	return nil
}

// read reads the rows.
func (r *recognised) read(text []byte) error {
	if r.multiplied {
		return errors.New("its prices have a multiplier other than 1; use the file without it")
	}
	var wrong []error
	for row, err := range csvlist.Rows(text[r.skipped:], r.separator) {
		var form *csvlist.FormError
		if errors.As(err, &form) {
			return errors.Join(append(wrong, fmt.Errorf("line %d: %w", form.Line+r.before, form.Err))...)
		}
		if err != nil {
			return err
		}
		if err := r.row(row.Line+r.before, row.Fields); err != nil {
			if wrong = append(wrong, fmt.Errorf("line %d: %w", row.Line+r.before, err)); len(wrong) == maxWrongLines {
				return errors.Join(append(wrong, errMore)...)
			}
		}
	}
	if len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	if r.zones != nil { // days are those of the file
		r.Day = strings.Replace(r.Day, "UTC", strings.Join(r.zones, ", "), 1)
	}
	return r.doubt.err("write it with another number of decimals, or without separators")
}

// cell returns the cell of the first of the columns that exists, "" for none.
func (r *recognised) cell(fields []string, names ...string) string {
	if i := place(r.header, names...); i >= 0 && i < len(fields) {
		return fields[i]
	}
	return ""
}

func (r *recognised) row(line int, fields []string) error {
	if extra := fields[min(len(fields), len(r.header)):]; slices.ContainsFunc(extra, func(cell string) bool { return cell != "" }) || !r.heading && len(fields)+1 < len(r.header) {
		return fmt.Errorf("%d fields for %d columns", len(fields), len(r.header))
	}
	first, zone, err := parseDay(r.cell(fields, r.date...), r.layout)
	if err != nil && r.heading && (!r.began || !slices.ContainsFunc(fields, productForm.MatchString)) {
		return r.head(fields)
	}
	if err != nil {
		return err
	}
	r.began = true
	if day := first.Truncate(24 * time.Hour); !day.Equal(first) {
		if r.eve {
			r.left++
			return nil
		}
		return fmt.Errorf("%s is not the beginning of a day; use the file with prices by day", first.Format(time.DateTime)+" "+cmp.Or(zone, "UTC"))
	}
	if zone = cmp.Or(zone, "UTC"); !slices.Contains(r.zones, zone) {
		if r.zones = append(r.zones, zone); len(r.zones) > maxZones {
			return fmt.Errorf("its days are of more than %d time zones; use the file of one place", maxZones)
		}
	}
	if r.eve {
		first = first.AddDate(0, 0, -1)
	}
	last := first
	if r.until != nil {
		if last, _, err = parseDay(r.cell(fields, r.until...), r.layout); err != nil {
			return err
		}
		if last.Before(first) || last.Sub(first) > 366*24*time.Hour {
			return fmt.Errorf("%s to %s is not a period of at most a year", first.Format(time.DateOnly), last.Format(time.DateOnly))
		}
	}
	for column, want := range r.only {
		if have := r.cell(fields, column); have != want {
			return fmt.Errorf("%s is %q, not %q; use the daily rates for 1 %s", strings.ToUpper(column), plain.Line(have), want, r.base)
		}
	}
	if r.end != nil {
		if open, end := r.cell(fields, r.date...), r.cell(fields, r.end...); unixForm.MatchString(open) && !isDayLong(open, end) {
			return fmt.Errorf("its candle from %s to %s does not last a day; use the file with prices by day", open, plain.Line(end))
		}
	}
	if r.columns != nil {
		if err := r.plausible(fields); err != nil {
			return err
		}
	}
	if r.pair != nil {
		return r.rates(dayOf(first), line, fields)
	}
	pair, err := r.pairOf(fields)
	if err != nil {
		return err
	}
	text := r.cell(fields, r.price...)
	price, err := r.number(text)
	if err != nil || price == "" {
		return err
	}
	// Where commas separate columns, they seldom separate decimals; where semicolons do, points seldom do.
	if r.separator == ',' && strings.Contains(text, ",") || r.separator == ';' && r.mine && strings.Contains(text, ".") {
		r.doubt.note(line, text)
	}
	for m := dayOf(first); m <= dayOf(last); m++ {
		if err := r.add(pair, m, price, line); err != nil {
			return err
		}
	}
	return nil
}

// head reads a line before or after the rows of a day.
func (r *recognised) head(fields []string) error {
	if name, values := folded(fields[0]), fields[1:]; name == "ticker" && len(values) > 0 {
		if slices.ContainsFunc(values, func(other string) bool { return other != "" && other != values[0] }) {
			return errors.New("the file has prices of several tickers; use a file for each")
		}
		if named, ok := pairIn(values[0]); ok {
			return r.is(named)
		}
	}
	return nil
}

// is sets the pair that the file states. The user must not contradict it.
func (r *recognised) is(stated Pair) error {
	if r.stated != (Pair{}) && r.stated != stated {
		return fmt.Errorf("the prices are of %v, not of %v", stated, r.stated)
	}
	r.stated = stated
	return nil
}

// rates adds a row of exchange rates.
func (r *recognised) rates(m Moment, line int, fields []string) error {
	for i, name := range r.header {
		pair, ok := r.pair(name)
		if !ok || i >= len(fields) {
			continue
		}
		rate, err := r.number(fields[i])
		if err == nil && rate != "" {
			err = r.add(pair, m, rate, line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// plausible checks the order of open, high, low and close, as no header states it.
func (r *recognised) plausible(fields []string) error {
	var prices []decimal.Decimal
	for _, name := range []string{"open", "high", "low", "close"} {
		text, err := r.number(r.cell(fields, name))
		if err != nil || text == "" {
			return cmp.Or(err, fmt.Errorf("column %s has no price", name))
		}
		prices = append(prices, decimal.RequireFromString(text))
	}
	open, high, low, last := prices[0], prices[1], prices[2], prices[3]
	if high.LessThan(decimal.Max(open, low, last)) || low.GreaterThan(decimal.Min(open, last)) {
		return fmt.Errorf("its columns are not %s in this order", strings.Join(r.columns, ", "))
	}
	return nil
}

// pairOf returns the pair of a row. A cell and the user must not contradict each other. Where neither states the currency,
// it is the one asked for; where neither states the token, it is the network's.
func (r *recognised) pairOf(fields []string) (pair Pair, err error) {
	pair = r.stated
	row := Pair{}
	switch {
	case r.code != "":
		code, err := ParseCurrency(r.cell(fields, r.code))
		if err != nil {
			return pair, err
		}
		if r.base != "" {
			return Pair{r.base, code}, nil
		}
		row.Quote = code
	case r.symbol != "":
		text := r.cell(fields, r.symbol)
		var ok bool
		if row, ok = pairIn(text); !ok && pair == (Pair{}) {
			return pair, fmt.Errorf("%q does not state the token and the currency; %s", plain.Line(text), r.hint())
		}
	case r.id != "":
		id := r.cell(fields, r.id)
		if row.Quote = r.ids[id]; row.Quote == "" && id != "" && pair.Quote == "" {
			return pair, fmt.Errorf("%q does not state a known currency; %s", plain.Line(id), r.hint())
		}
	}
	for _, one := range []struct {
		have *Currency
		says Currency
	}{{&pair.Base, row.Base}, {&pair.Quote, row.Quote}} {
		switch {
		case *one.have == "":
			*one.have = one.says
		case one.says != "" && one.says != *one.have:
			return pair, fmt.Errorf("the price is of %s, not of %s", one.says, *one.have)
		}
	}
	if pair.Quote = cmp.Or(pair.Quote, r.asked); pair.Quote == "" {
		return pair, fmt.Errorf("the file does not state its currency; name it with --fiat, or %s", r.hint())
	}
	return pair, nil
}

func (r *recognised) hint() string { return "name the pair, as in --prices TOKEN/USD=" + r.File }

// noPrice are the words for a day without a price.
var noPrice = []string{"", "null", "n/a", "nd", "-", "."}

var productForm = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?$`)

// Limits of a price in a product's file.
const (
	maxWhole = 15 // digits before the decimal point
	maxExact = 30 // decimals
)

// number returns a price as a decimal number with a point; "" for none.
func (r *recognised) number(text string) (string, error) {
	if slices.Contains(noPrice, strings.ToLower(text)) {
		return "", nil
	}
	point := text
	if strings.Contains(text, ",") && (r.separator != ',' || !strings.Contains(text, ".")) {
		r.comma, point = true, strings.Replace(text, ",", ".", 1)
	}
	r.point = r.point || strings.Contains(text, ".")
	if !productForm.MatchString(point) || r.comma && r.point {
		return "", fmt.Errorf("%q is not a price such as 0.1234 with one kind of decimal separator", plain.Line(text))
	}
	value := decimal.RequireFromString(point)
	switch {
	case value.IsZero():
		return "", fmt.Errorf("price %q is 0; leave it empty if the price is unknown", text)
	case value.Exponent() < -maxExact || value.NumDigits()+int(value.Exponent()) > maxWhole:
		return "", fmt.Errorf("price %q has more than %d digits or %d decimals", text, maxWhole, maxExact)
	}
	return value.String(), nil
}

// unixForm is a time in seconds, milliseconds or microseconds since 1970.
var unixForm = regexp.MustCompile(`^([0-9]{9,10})(000|000000|\.0)?$`)

// isDayLong reports whether a candle lasts a day, less the last unit of its end.
func isDayLong(open, end string) bool {
	from, noFrom := strconv.ParseInt(strings.TrimSuffix(open, ".0"), 10, 64)
	to, noTo := strconv.ParseInt(strings.TrimSuffix(end, ".0"), 10, 64)
	day := int64(daySeconds)
	for n := from; n > maxSeconds; n /= 1000 {
		day *= 1000
	}
	return noFrom == nil && noTo == nil && (to == from+day || to == from+day-1)
}

// maxSeconds limits times that are in seconds.
const maxSeconds = 9_999_999_999

// isKline reports whether a row is a candle of Binance. Its times are in milliseconds, since 2025 in microseconds.
func isKline(row []string) bool {
	return len(row) > 6 && len(row[0]) > 10 && unixForm.MatchString(row[0]) && len(row[6]) == len(row[0]) && numberForm.MatchString(row[6])
}

var numberForm = regexp.MustCompile(`^[0-9]+$`)

// dayLayouts are the accepted forms of a day or its beginning. Without a UTC offset it is UTC.
var dayLayouts = []string{
	time.DateOnly, time.RFC3339, "2006-01-02 15:04:05 UTC", time.DateTime, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00", "2006-01-02 15:04",
	"02.01.2006", "2 Jan 2006", "2-Jan-2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006",
}

// parseDay parses a day or its beginning. A time with an offset is one of its zone; the zone is "" for UTC.
func parseDay(text, layout string) (day time.Time, zone string, err error) {
	if layout != "" {
		if at, err := time.Parse(layout, strings.ReplaceAll(text, ", ", " ")); err == nil {
			return at, "", nil
		}
	}
	if match := unixForm.FindStringSubmatch(text); match != nil {
		seconds, err := strconv.ParseInt(match[1], 10, 64)
		return time.Unix(seconds, 0).UTC(), "", err
	}
	for _, layout := range dayLayouts {
		at, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		if _, offset := at.Zone(); offset != 0 {
			zone = at.Format("UTC-07:00")
		}
		year, month, date := at.Date()
		hour, minute, second := at.Clock()
		return time.Date(year, month, date, hour, minute, second, at.Nanosecond(), time.UTC), zone, nil
	}
	return time.Time{}, "", fmt.Errorf("%q is not a day such as 2026-01-31", plain.Line(text))
}

// unzipped returns the only file of a zip archive, as the ECB publishes it; another text is returned as it is.
func unzipped(text []byte) ([]byte, error) {
	if !bytes.HasPrefix(text, []byte("PK\x03\x04")) {
		return text, nil
	}
	archive, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	if len(archive.File) != 1 {
		return nil, fmt.Errorf("the archive contains %d files; unpack the one with the prices", len(archive.File))
	}
	in, err := archive.File[0].Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, MaxFileBytes+1))
	if err == nil && len(content) > MaxFileBytes {
		err = fmt.Errorf("the archive unpacks to more than %d bytes", MaxFileBytes)
	}
	return content, err
}
