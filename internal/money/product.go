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
)

// recognised is a file in a known format.
type recognised struct {
	*format
	*part
	header    []string
	separator rune
	skipped   int // bytes before the rows
	before    int // lines before the rows
	pair      Pair
	comma     bool // prices have a decimal comma
	point     bool
	doubt     doubt
	mine      bool // the user names the columns
}

// recognise finds the format of a file. The user's own is the last; nil means our own form.
func recognise(name string, text []byte, own *format) *recognised {
	all := formats
	if own != nil {
		all = append(slices.Clip(formats), own)
	}
	skipped, lines, remarks := 0, 0, false
	for line := range bytes.Lines(text) {
		content := strings.TrimSpace(string(line))
		_, remark := csvlist.Remark(content)
		remarks = remarks || remark
		if separator := csvlist.Separator(content, separators); separator != 0 && lines < maxHeading {
			in := csv.NewReader(strings.NewReader(content))
			in.Comma, in.LazyQuotes = separator, true
			fields, _ := in.Read() // a line that is not CSV is not a header
			for i := range fields {
				fields[i] = folded(fields[i])
			}
			for _, f := range all {
				if len(fields) > maxColumns {
					break
				}
				r := &recognised{format: f, header: fields, separator: separator, skipped: skipped + len(line), before: lines + 1, mine: f == own}
				switch {
				case f.file != nil && lines == 0 && f.file.MatchString(name) && len(fields) == len(f.columns):
					r.header, r.skipped, r.before = f.columns, 0, 0
					return r
				case (f.wide || f == own) && remarks: // our own form
				case f.fits(fields):
					if _, err := parseDay(fields[place(fields, f.date...)], f.layout); err == nil { // columns by number need no header
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
	if extra := fields[min(len(fields), len(r.header)):]; slices.ContainsFunc(extra, func(cell string) bool { return cell != "" }) || len(fields)+1 < len(r.header) {
		return fmt.Errorf("%d fields for %d columns", len(fields), len(r.header))
	}
	first, err := parseDay(r.cell(fields, r.date...), r.layout)
	if err != nil {
		return err
	}
	if day := first.Truncate(24 * time.Hour); !day.Equal(first) {
		if r.eve {
			r.left++
			return nil
		}
		return fmt.Errorf("%s is not the beginning of a day in UTC; use the file with prices by day", first.Format(time.RFC3339))
	}
	if r.eve {
		first = first.AddDate(0, 0, -1)
	}
	last := first
	if r.until != nil {
		if last, err = parseDay(r.cell(fields, r.until...), r.layout); err != nil {
			return err
		}
		if last.Before(first) || last.Sub(first) > 366*24*time.Hour {
			return fmt.Errorf("%s to %s is not a period of at most a year", first.Format(time.DateOnly), last.Format(time.DateOnly))
		}
	}
	if r.columns != nil {
		if err := r.plausible(fields); err != nil {
			return err
		}
	}
	if r.wide {
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

// rates adds a row of exchange rates.
func (r *recognised) rates(m Moment, line int, fields []string) error {
	for i, name := range r.header {
		if name == "" || name == r.date[0] || i >= len(fields) {
			continue
		}
		rate, err := r.number(fields[i])
		if err == nil && rate != "" {
			err = r.add(Pair{r.base, Currency(strings.ToUpper(name))}, m, rate, line)
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

// pairOf returns the pair of a row. A cell and the user must not contradict each other.
func (r *recognised) pairOf(fields []string) (pair Pair, err error) {
	pair = r.pair
	stated := Pair{}
	switch {
	case r.code != "":
		code, err := ParseCurrency(r.cell(fields, r.code))
		if err != nil {
			return pair, err
		}
		if r.base != "" {
			return Pair{r.base, code}, nil
		}
		stated.Quote = code
	case r.symbol != "":
		text := r.cell(fields, r.symbol)
		var ok bool
		if stated, ok = pairIn(text); !ok && r.pair == (Pair{}) {
			return pair, fmt.Errorf("%q does not state the token and the currency; %s", plain.Line(text), r.hint())
		}
	case r.id != "":
		stated.Quote = r.ids[r.cell(fields, r.id)]
	}
	for _, one := range []struct {
		have *Currency
		says Currency
	}{{&pair.Base, stated.Base}, {&pair.Quote, stated.Quote}} {
		switch {
		case *one.have == "":
			*one.have = one.says
		case one.says != "" && one.says != *one.have:
			return pair, fmt.Errorf("the price is of %s, not of %s", one.says, *one.have)
		}
	}
	if pair.Base == "" || pair.Quote == "" {
		return pair, fmt.Errorf("the file does not state its token and currency; %s", r.hint())
	}
	return pair, nil
}

func (r *recognised) hint() string { return "name them, as in --prices TOKEN/USD=" + r.File }

// noPrice are the words for a day without a price.
var noPrice = []string{"", "null", "n/a", "-", "."}

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

var unixForm = regexp.MustCompile(`^[0-9]{9,10}(000|\.0)?$`)

// dayLayouts are the accepted forms of a day or its beginning, in UTC.
var dayLayouts = []string{time.DateOnly, time.RFC3339, "2006-01-02 15:04:05 UTC", time.DateTime, "02.01.2006"}

// parseDay parses a day or its beginning, in seconds or milliseconds since 1970, too.
func parseDay(text, layout string) (time.Time, error) {
	if layout != "" {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	if unixForm.MatchString(text) {
		text = strings.TrimSuffix(text, ".0")
		seconds, err := strconv.ParseInt(text, 10, 64)
		if len(text) > 10 {
			seconds /= 1000
		}
		return time.Unix(seconds, 0).UTC(), err
	}
	for _, layout := range dayLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a day such as 2026-01-31", plain.Line(text))
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
