package booking

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Settings of the CSV with columns of the user's choice.
const (
	settingColumns  = "columns"
	settingDecimal  = "decimal"
	settingLineEnd  = "line end"
	settingEncoding = "encoding"
	settingRows     = "rows per file"
)

// cell returns the text of a column for a line.
type cell func(w *csvWriter, e *Entry, l *Line) string

// csvFields are the possible fields of a column.
var csvFields = map[string]cell{
	"number":      func(_ *csvWriter, e *Entry, _ *Line) string { return e.Number },
	"date":        func(w *csvWriter, e *Entry, _ *Line) string { return e.Date.Format(w.layout) },
	"memo":        func(_ *csvWriter, e *Entry, _ *Line) string { return plain.Cell(e.Memo) },
	"description": func(w *csvWriter, _ *Entry, l *Line) string { return w.describe(l) },
	"account":     func(_ *csvWriter, _ *Entry, l *Line) string { return l.Account },
	"debit": func(w *csvWriter, _ *Entry, l *Line) string {
		debit, _ := l.sides(w.amount(l.Amount))
		return debit
	},
	"credit": func(w *csvWriter, _ *Entry, l *Line) string {
		_, credit := l.sides(w.amount(l.Amount))
		return credit
	},
	"amount":   func(w *csvWriter, _ *Entry, l *Line) string { return w.amount(l.signed()) },
	"currency": func(w *csvWriter, _ *Entry, _ *Line) string { return string(w.Prices.Currency) },
	"token":    func(w *csvWriter, _ *Entry, l *Line) string { return w.number(w.Tokens(l.Wei)) },
	"wei":      func(_ *csvWriter, _ *Entry, l *Line) string { return l.Wei.String() },
	"symbol":   func(w *csvWriter, _ *Entry, _ *Line) string { return plain.Cell(text(w.Symbol)) },
	"fees":     func(_ *csvWriter, _ *Entry, l *Line) string { return strconv.FormatUint(l.Fees, 10) },
	"hash":     func(_ *csvWriter, _ *Entry, l *Line) string { return l.Hash },
	"network":  func(w *csvWriter, _ *Entry, _ *Line) string { return plain.Cell(text(w.Network)) },
}

// dimensionFields adds the dimensions to the fields.
var dimensionFields = func() (names []string) {
	for _, t := range chart.DimensionTargets() {
		csvFields[string(t)] = func(_ *csvWriter, _ *Entry, l *Line) string { return l.Value(t) }
		names = append(names, string(t))
	}
	return names
}()

// standardColumns are those where the chart does not choose.
var standardColumns = append([]string{"number", "date", "memo", "account", "debit", "credit", "currency"},
	append(slices.Clone(dimensionFields), "description", "token", "symbol", "fees", "hash")...)

// csvWriter writes lines in columns of the user's choice.
type csvWriter struct {
	settings
	layout  string
	comma   bool // decimals have a comma
	cells   []cell
	heading []string
	carries []chart.Target
}

// newCSV is a CSV whose columns, separators, dates and numbers the chart chooses. It has the lines
// of zero too: their tokens are in them.
func newCSV(s settings) (*Format, error) {
	w := &csvWriter{settings: s}
	f := &Format{ZeroLines: true}
	var separator rune
	var decimals, end, encoding string
	var err error
	for _, set := range []func() error{
		func() error { w.layout, err = s.dateLayout("YYYY-MM-DD"); return err },
		func() error { separator, err = s.separator(); return err },
		func() error { decimals, err = s.choice(settingDecimal, "point", "comma"); return err },
		func() error { end, err = s.choice(settingLineEnd, "crlf", "lf"); return err },
		func() error { encoding, err = s.choice(settingEncoding, "utf-8", "windows-1252"); return err },
		func() error { f.maxRows, err = s.rowsPerFile(); return err },
		w.readColumns,
	} {
		if err := set(); err != nil {
			return nil, err
		}
	}
	f.carries = w.carries
	w.comma, f.crlf = decimals == "comma", end == "crlf"
	if encoding == "windows-1252" {
		f.encode = toWindows1252
	}
	head := csvLine(separator, w.heading...)
	f.head = sameHead(head)
	f.rows = func(e *Entry) (rows []string, err error) {
		lines, err := e.Lines()
		for _, l := range lines {
			fields := make([]string, len(w.cells))
			for i, cell := range w.cells {
				fields[i] = cell(w, e, l)
			}
			rows = append(rows, csvLine(separator, fields...))
		}
		return rows, err
	}
	return f, nil
}

// readColumns reads a setting such as "Date = date, Text = description, account".
func (w *csvWriter) readColumns() error {
	list := w.get(settingColumns)
	if list == "" {
		list = strings.Join(standardColumns, ",")
	}
	for one := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || r == ';' }) {
		heading, field, named := strings.Cut(one, "=")
		heading, field = strings.TrimSpace(heading), strings.TrimSpace(field)
		if !named {
			field = heading
		}
		cell, known := csvFields[field]
		if !known {
			return w.wrong(settingColumns, fmt.Sprintf("%q is not a field: want %s", console.Printable(field), strings.Join(slices.Sorted(maps.Keys(csvFields)), ", ")))
		}
		if err := chart.CheckName(settingColumns, heading); err != nil {
			return err
		}
		if t := chart.Target(field); slices.Contains(chart.DimensionTargets(), t) {
			w.carries = append(w.carries, t)
		}
		w.heading, w.cells = append(w.heading, heading), append(w.cells, cell)
	}
	return nil
}

func (s settings) rowsPerFile() (int, error) {
	value := s.get(settingRows)
	if value == "" {
		return 0, nil
	}
	rows, err := strconv.ParseUint(value, 10, 31)
	if err != nil || rows < 2 {
		return 0, s.wrong(settingRows, "want a number of rows, 2 or more")
	}
	return int(rows), nil
}

// amount is an amount with the decimals of the currency.
func (w *csvWriter) amount(a decimal.Decimal) string {
	return w.number(a.StringFixed(int32(w.Prices.Currency.Decimals())))
}

func (w *csvWriter) number(text string) string {
	if w.comma {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}
