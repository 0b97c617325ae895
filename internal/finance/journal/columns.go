package journal

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/sys/plain"
)

// cell returns the text of a column for a line of an entry.
type cell func(e *Entry, l *Line) string

// columns are a layout as CSV with a row for each line.
type columns struct {
	settings
	dates     string // layout of dates
	separator rune
	decimals  int
	comma     bool // decimals have a comma
	headings  []string
	cells     []cell
	named     []string // their fields
	carries   []chart.Target
}

// columnsOf returns comma-separated columns, such as "Date = date, Text = description, account". More are fields in
// addition to those that every layout has.
func (s settings) columnsOf(date, list string, more map[string]cell) (*columns, error) {
	c := &columns{settings: s, separator: ',', decimals: 2}
	var err error
	if c.dates, err = s.dateLayout(date); err != nil {
		return nil, err
	}
	return c, c.add(list, more)
}

// add adds columns.
func (c *columns) add(list string, more map[string]cell) error {
	fields := c.fields()
	for one := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ';' }) {
		heading, field, named := strings.Cut(one, "=")
		heading, field = strings.TrimSpace(heading), strings.TrimSpace(field)
		if !named {
			field = heading
		}
		shown := fields[field]
		if own := more[field]; own != nil {
			shown = own
		}
		if shown == nil {
			return c.wrong(settingColumns, fmt.Sprintf("%q is not a field: want %s", plain.Line(field), strings.Join(slices.Sorted(maps.Keys(fields)), ", ")))
		}
		if t := chart.Target(field); slices.Contains(dimensions, t) {
			c.carries = append(c.carries, t)
		}
		c.headings, c.cells, c.named = append(c.headings, heading), append(c.cells, shown), append(c.named, field)
	}
	return nil
}

// fields are the possible fields of a column, without those of one layout.
func (c *columns) fields() map[string]cell {
	fields := map[string]cell{
		"number":      func(e *Entry, _ *Line) string { return e.Reference },
		"date":        func(e *Entry, _ *Line) string { return e.Date.Format(c.dates) },
		"memo":        func(e *Entry, _ *Line) string { return plain.Cell(e.Memo) },
		"description": func(_ *Entry, l *Line) string { return c.describe(l) },
		"account":     func(_ *Entry, l *Line) string { return string(l.Account) },
		"debit":       func(_ *Entry, l *Line) string { return ifTrue(l.Debit, c.amount(l.Amount)) },
		"credit":      func(_ *Entry, l *Line) string { return ifTrue(!l.Debit, c.amount(l.Amount)) },
		"amount":      func(_ *Entry, l *Line) string { return c.amount(l.signed()) },
		"currency":    func(*Entry, *Line) string { return string(c.Prices.Currency) },
		"token":       func(_ *Entry, l *Line) string { return c.decimal(c.Tokens(l.Wei)) },
		"wei":         func(_ *Entry, l *Line) string { return l.Wei.String() },
		"symbol":      func(*Entry, *Line) string { return plain.Cell(text(c.Symbol)) },
		"fees":        func(_ *Entry, l *Line) string { return strconv.FormatUint(l.Fees, 10) },
		"hash":        func(_ *Entry, l *Line) string { return l.Hash },
		"network":     func(*Entry, *Line) string { return plain.Cell(text(c.Network)) },
	}
	for _, t := range dimensions {
		fields[string(t)] = func(_ *Entry, l *Line) string { return l.Value(t) }
	}
	return fields
}

func ifTrue(condition bool, text string) string {
	if condition {
		return text
	}
	return ""
}

// amount is an amount with its decimals.
func (c *columns) amount(a decimal.Decimal) string {
	return c.decimal(a.StringFixed(int32(c.decimals)))
}

func (c *columns) decimal(number string) string {
	if c.comma {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}

// line is a line of CSV, without its end.
func (c *columns) line(cells []string) string {
	var line strings.Builder
	w := csv.NewWriter(&line)
	w.Comma = c.separator
	if err := w.Write(cells); err != nil {
		panic(err) // the separator is one of ours
	}
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// stated returns whether debits and credits have columns, or else amounts.
func (c *columns) stated() (sides, amounts bool) {
	sides = slices.Contains(c.named, "debit") && slices.Contains(c.named, "credit")
	return sides, !sides && slices.Contains(c.named, "amount")
}

// sums returns the debits and credits that a line of CSV states, in its columns for both, or for amounts.
func (c *columns) sums(row string) (debit, credit decimal.Decimal, err error) {
	r := csv.NewReader(strings.NewReader(row))
	r.Comma, r.FieldsPerRecord = c.separator, len(c.named)
	cells, err := r.Read()
	if err != nil {
		return debit, credit, err
	}
	number := func(field string) (n decimal.Decimal) {
		text := cells[slices.Index(c.named, field)]
		if c.comma {
			text = strings.Replace(text, ",", ".", 1)
		}
		if text != "" && err == nil {
			n, err = decimal.NewFromString(text)
		}
		return n
	}
	sides, amounts := c.stated()
	switch {
	case sides:
		debit, credit = number("debit"), number("credit")
	case amounts:
		amount := number("amount")
		debit, credit = decimal.Max(amount, decimal.Zero), decimal.Max(amount.Neg(), decimal.Zero)
	}
	return debit, credit, err
}

// complete completes a layout with the columns. Check, if not nil, verifies the limits of an entry.
func (c *columns) complete(l layout, check func(*Entry, []*Line) error) *layout {
	l.carries, l.sums = append(l.carries, c.carries...), c.sums
	l.head = func(*Entry) []string { return []string{c.line(c.headings)} }
	l.rows = func(e *Entry) (rows []string, err error) {
		lines, err := e.Lines()
		if !l.zeroLines {
			lines = slices.DeleteFunc(lines, func(l *Line) bool { return l.Amount.IsZero() })
		}
		if err == nil && check != nil {
			err = check(e, lines)
		}
		for _, l := range lines {
			cells := make([]string, len(c.cells))
			for i, cell := range c.cells {
				cells[i] = cell(e, l)
			}
			rows = append(rows, c.line(cells))
		}
		return rows, err
	}
	return &l
}

// Settings of the CSV with columns of the user's choice.
const (
	settingColumns  = "columns"
	settingDecimal  = "decimal"
	settingLineEnd  = "line end"
	settingEncoding = "encoding"
	settingRows     = "rows per file"
)

// newCSV is a CSV whose columns, separators, dates and numbers the chart chooses. It has the lines
// of zero too: their tokens are in them.
func newCSV(s settings) (*layout, error) {
	c, err := s.columnsOf("YYYY-MM-DD", "", nil)
	if err != nil {
		return nil, err
	}
	if c.separator, err = s.separator(); err != nil {
		return nil, err
	}
	second := func(name string, words ...string) (is bool) { // the second of two words
		word := ""
		if err == nil {
			word, err = s.choice(name, words...)
		}
		return word == words[1]
	}
	l := layout{zeroLines: true}
	c.decimals, c.comma, l.lf = s.Prices.Currency.Decimals(), second(settingDecimal, "point", "comma"), second(settingLineEnd, "crlf", "lf")
	if second(settingEncoding, "utf-8", "windows-1252") {
		l.encode = toWindows1252
	}
	if value := s.get(settingRows); value != "" && err == nil {
		l.maxRows, err = s.number(settingRows, value, 2, 1<<31-1, "want a number of rows, 2 or more")
	}
	standard := "number,date,memo,account,debit,credit,currency"
	for _, t := range dimensions {
		standard += "," + string(t)
	}
	if err == nil {
		err = c.add(cmp.Or(s.get(settingColumns), standard+",description,token,symbol,fees,hash"), nil)
	}
	if sides, amounts := c.stated(); !sides && !amounts {
		err = cmp.Or(err, s.wrong(settingColumns, "want debit and credit, or amount"))
	}
	for _, heading := range c.headings {
		err = cmp.Or(err, chart.CheckName(settingColumns, heading))
	}
	return c.complete(l, nil), err
}
