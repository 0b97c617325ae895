package table

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/spill"
)

// WriteXLSX writes a workbook with one worksheet per sheet: title and notes, a frozen header with a filter,
// the rows, and the totals.
//
// Headings name the unit: "Fee, GLMR" is the token amount as a number, which spreadsheets round to 15 digits. The last
// columns contain the exact amounts as text: "Fee, wei, as text". Totals of numbers are formulas. The total of a currency
// is the sum of unrounded values and not a formula. Integers, prices and totals of more than 15 digits are text.
//
// It prints in landscape, fitted to the page width, with the header on each page. Times are UTC. Text is
// never a formula; text beyond a cell's 32,767 characters ends in "…".
//
// Nothing is written to w before the workbook is complete: an error in the rows, or more lines than a sheet
// can hold (1,048,576 with everything above and below the rows), leaves w untouched. Until then the workbook
// is a temporary file in [os.TempDir].
func WriteXLSX(w io.Writer, sheets ...*Sheet) error {
	if len(sheets) == 0 {
		return errors.New("a workbook needs at least one sheet")
	}
	for _, s := range sheets {
		if err := s.check(); err != nil {
			return err
		}
	}
	file, err := spill.NewFile()
	if err != nil {
		return err
	}
	defer spill.CloseFile(file)
	b, err := newWorkbook(file, sheets)
	if err != nil {
		return err
	}
	for i, s := range sheets {
		if err := b.writeSheet(b.Sheets[i], s); err != nil {
			return err
		}
	}
	if err := b.finish(); err != nil {
		return err
	}
	_, err = io.Copy(w, io.NewSectionReader(file, 0, math.MaxInt64))
	return err
}

// Limits of spreadsheets.
const (
	maxLines    = 1 << 20
	maxCellText = 32_767 // UTF-16 code units
)

// maxNotes limits the notes at the top, so that the frozen part leaves space for rows. Others follow the
// rows.
const maxNotes = 8

// lines writes the lines of a sheet, cell by cell.
type lines struct {
	out     *bufio.Writer // keeps its first error
	book    *workbook
	sheet   *Sheet
	formats []string // of the columns' numbers
	last    int      // the number of the last line
	column  int      // the number of its last cell
}

func (b *workbook) writeSheet(in *bookSheet, s *Sheet) error {
	part, err := b.create(in.part())
	if err != nil {
		return err
	}
	l := &lines{out: bufio.NewWriter(part), book: b, sheet: s}
	headers := s.bookHeadings()
	for i, header := range headers {
		width := exactWidth
		if i < len(s.Columns) {
			l.formats = append(l.formats, s.numberFormat(s.Columns[i]))
			width = widths[s.Columns[i].Kind]
		}
		in.Widths = append(in.Widths, max(width, utf8.RuneCountInString(header)+4)) // plus the filter button
	}
	above, below := s.Notes, []string(nil)
	if len(above) > maxNotes {
		above, below = above[:maxNotes], above[maxNotes:]
	}
	in.Head = len(above) + 1
	if s.Title != "" {
		in.Head++
	}
	// How many lines follow is unknown yet, and some readers would trust a wrong number.
	_, err = l.out.WriteString(in.start())
	if err == nil && s.Title != "" {
		err = l.writeTexts(style{textFormat, true}, s.Title)
	}
	if err := cmp.Or(err, l.writeNotes(above), l.writeTexts(style{generalFormat, true}, headers...)); err != nil {
		return err
	}
	t, err := newTotals(s)
	if err != nil {
		return err
	}
	asText := make([]bool, len(s.Columns)) // columns with an integer written as text
	err = s.each(func(row []any) error {
		for i, value := range row {
			n, ok := value.(integer)
			asText[i] = asText[i] || ok && !fits(string(n))
		}
		if err := t.add(row); err != nil {
			return err
		}
		return l.write(func() {
			for i, value := range row {
				l.writeValue(l.formats[i], value)
			}
			for i, c := range s.Columns {
				if c.isAmount() {
					l.writeExact(row[i])
				}
			}
		})
	})
	if err != nil {
		return err
	}
	last := l.last
	in.Filter = fmt.Sprintf("$A$%d:$%s$%d", in.Head, ColumnName(len(in.Widths)), last)
	if err := cmp.Or(l.writeTotals(t, asText, in.Head+1, last), l.writeNotes(below)); err != nil {
		return err
	}
	if _, err := l.out.WriteString(in.end()); err != nil {
		return err
	}
	return l.out.Flush()
}

// exactUnit marks the columns of exact amounts.
const exactUnit = ", as text"

// percentile matches a percentile of gas prices in a name.
var percentile = regexp.MustCompile(`\b(gas price) ([0-9]{2})\b`)

// bookHeadings returns the headings of the columns, then those of the exact amounts: "Fee, GLMR", "Fee, wei, as text".
func (s *Sheet) bookHeadings() (headings []string) {
	var exact []string
	for _, c := range s.Columns {
		name, unit := c.heading(s.Symbol)
		switch c.Kind {
		case GasPrice:
			unit = "wei"
		case TokenAmount:
			unit = "smallest unit, as text"
		}
		if name = percentile.ReplaceAllString(Words(name), "$1, ${2}th percentile"); name == "" {
			name, unit = unit, ""
		}
		name = strings.ToUpper(name[:1]) + name[1:] // the names are ASCII
		if c.isAmount() {
			exact = append(exact, name+", "+s.Unit()+exactUnit)
		}
		if unit != "" {
			name += ", " + unit
		}
		headings = append(headings, CellText(name))
	}
	return append(headings, exact...)
}

// exactWidth is the width of the columns of exact amounts.
const exactWidth = 28

// widths of columns, in digits.
var widths = map[Kind]int{
	Text: 24, Integer: 14, Wei: 28, SignedWei: 28, TokenAmount: 28, GasPrice: 18, Time: 20, Date: 12, Hash: 70, Address: 46, Boolean: 10, Fiat: 16, Percent: 12,
}

// numberFormat returns the format of a column's numbers.
func (s *Sheet) numberFormat(c Column) string {
	switch c.Kind {
	case Wei, SignedWei:
		return decimalFormat(s.Places())
	case Time:
		return timeFormat
	case Date:
		return dateFormat
	}
	decimals, _ := c.decimals()
	return decimalFormat(decimals)
}

// writeTexts writes a line of texts.
func (l *lines) writeTexts(s style, texts ...string) error {
	return l.write(func() {
		for _, text := range texts {
			l.text(s, text)
		}
	})
}

func (l *lines) writeNotes(notes []string) error {
	for _, note := range notes {
		if err := l.writeTexts(style{textFormat, false}, "note: "+note); err != nil {
			return err
		}
	}
	return nil
}

// write writes the next line. Cells calls text, number or skip for each cell.
func (l *lines) write(cells func()) error {
	if l.last == maxLines {
		return fmt.Errorf("sheet %q has more rows than XLSX can hold (%d lines with header and totals); write CSV or Parquet, or only part of the rows", l.sheet.Name, maxLines)
	}
	l.last++
	l.column = 0
	fmt.Fprintf(l.out, `<row r="%d">`, l.last)
	cells()
	_, err := l.out.WriteString("</row>")
	return err
}

// skip leaves cells empty.
func (l *lines) skip(cells int) { l.column += cells }

// start starts the next cell. The kind of a number is empty.
func (l *lines) start(s style, kind string) {
	l.column++
	l.out.WriteString(`<c r="` + cellName(l.column, l.last))
	if id := l.book.style(s); id > 0 {
		l.out.WriteString(`" s="` + strconv.Itoa(id))
	}
	if kind != "" {
		l.out.WriteString(`" t="` + kind)
	}
	l.out.WriteString(`">`)
}

// text writes a text, which is never a formula.
func (l *lines) text(s style, text string) {
	l.start(s, "inlineStr")
	text = CellText(text)
	if strings.Trim(text, " ") == text {
		l.out.WriteString("<is><t>")
	} else {
		l.out.WriteString(`<is><t xml:space="preserve">`)
	}
	EscapeText(l.out, text)
	l.out.WriteString("</t></is></c>")
}

// number writes a number, the result of a formula unless that is empty.
func (l *lines) number(s style, formula, digits string) {
	l.start(s, "")
	if formula != "" {
		l.out.WriteString("<f>" + formula + "</f>")
	}
	l.out.WriteString("<v>" + digits + "</v></c>")
}

// writeValue writes the cell of a value.
func (l *lines) writeValue(format string, value any) {
	text, digits := exact(value), "" // as a number
	switch v := value.(type) {
	case nil, unknownAmount:
		l.skip(1)
		return
	case bool:
		digit := "0"
		if v {
			digit = "1"
		}
		l.start(style{generalFormat, false}, "b")
		l.out.WriteString("<v>" + digit + "</v></c>")
		return
	case chain.SignedWei:
		digits = rounded(l.sheet.Tokens(v))
	case chain.Time:
		digits = dayNumber(v.Std())
	case date:
		digits = dayNumber(v.start)
	case money.Amount, percent, integer, chain.GasPrice:
		if fits(text) {
			digits = rounded(text)
		}
	case worth:
		if format = decimalFormat(v.Currency().Decimals()); fits(text) {
			digits = rounded(text)
		}
	case Worded:
		text = v.Words()
	}
	if digits != "" {
		l.number(style{format, false}, "", digits)
	} else {
		l.text(style{textFormat, false}, text)
	}
}

// writeExact writes the cell of an exact amount.
func (l *lines) writeExact(value any) {
	switch value.(type) {
	case nil, unknownAmount:
		l.skip(1)
	default:
		l.text(style{textFormat, false}, exact(value))
	}
}

// writeTotals writes the totals of the rows in lines first to last. A sum that would be rounded, or would
// skip integers written as text, is text.
func (l *lines) writeTotals(t *totals, asText []bool, first, last int) error {
	if !t.exist() {
		return nil
	}
	labelled := false
	text := style{textFormat, true}
	return l.write(func() {
		for i := range l.sheet.Columns {
			sum := fmt.Sprintf("SUM(%s:%s)", cellName(i+1, first), cellName(i+1, last))
			if last < first || !t.isSum(i) {
				sum = "" // no rows: the total is 0
			}
			figure := style{l.formats[i], true}
			switch v := t.of(i).(type) {
			case chain.SignedWei:
				l.number(figure, sum, rounded(l.sheet.Tokens(v)))
			case money.Amount: // the sum of the rounded lines may differ
				if digits := v.String(); fits(digits) {
					l.number(figure, "", rounded(digits))
				} else {
					l.text(text, digits)
				}
			case integer:
				if fits(string(v)) && !asText[i] {
					l.number(figure, sum, string(v))
				} else {
					l.text(text, string(v))
				}
			case percent:
				l.writeValue(l.formats[i], v)
			default:
				if v == notKnown {
					l.text(text, notKnown)
				} else if !labelled {
					l.text(text, t.name())
					labelled = true
				} else {
					l.skip(1)
				}
			}
		}
		for i, c := range l.sheet.Columns {
			if !c.isAmount() {
				continue
			}
			switch v := t.of(i).(type) {
			case chain.SignedWei:
				l.text(text, v.String())
			default:
				if v == notKnown {
					l.text(text, notKnown)
				} else {
					l.skip(1)
				}
			}
		}
	})
}

// fits reports whether a spreadsheet keeps all digits of a decimal number.
func fits(number string) bool {
	return len(number)-strings.Count(number, "-")-strings.Count(number, ".") <= 15
}

// rounded returns an amount as the nearest spreadsheet number. The last columns have the exact amount.
func rounded(amount string) string {
	number, err := strconv.ParseFloat(amount, 64)
	if err != nil {
		panic(err) // a decimal number of some 40 digits always parses
	}
	return decimal(number)
}

// dayNumber returns a time as a spreadsheet's number: days since 30 December 1899.
func dayNumber(t time.Time) string {
	const day, epoch = 24 * 60 * 60 * 1000, 25_569 // milliseconds; days up to 1970
	ms := t.UnixMilli()
	return decimal(float64(epoch+ms/day) + float64(ms%day)/day)
}

// decimal returns a spreadsheet's number in digits.
func decimal(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }
