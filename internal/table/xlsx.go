package table

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
)

// WriteXLSX writes a workbook with one worksheet per sheet: title and notes, a frozen header with a filter,
// the rows, and the totals.
//
// Columns have the names and units of [WriteCSV]. A wei column fee becomes fee, the exact amount in wei as
// text, and fee_token, the token amount as a number, which spreadsheets round to 15 digits. Totals are
// formulas, with the exact total in wei next to them; the total of a currency is the sum of unrounded values
// and not a formula. Integers, prices and totals of more than 15 digits are text.
//
// It prints in landscape, fitted to the page width, with the header on each page. Times are UTC. Text is
// never a formula; text beyond a cell's 32,767 characters ends in "…".
//
// Nothing is written to w before the workbook is complete: an error in the rows, or more lines than a sheet
// can hold (1,048,576 with everything above and below the rows), leaves w untouched. Until then the sheets
// are temporary files in [os.TempDir].
func WriteXLSX(w io.Writer, sheets ...*Sheet) error {
	if len(sheets) == 0 {
		return fmt.Errorf("a workbook needs at least one sheet")
	}
	book := excelize.NewFile()
	defer book.Close() // its temporary files
	styles, err := newStyles(book)
	if err != nil {
		return err
	}
	names := sheetNames(sheets)
	if err := book.SetSheetName("Sheet1", names[0]); err != nil {
		return err
	}
	for i, s := range sheets {
		if err := s.check(); err != nil {
			return err
		}
		if i > 0 {
			if _, err := book.NewSheet(names[i]); err != nil {
				return err
			}
		}
		if err := writeSheet(book, names[i], s, styles); err != nil {
			return err
		}
	}
	if err := setProperties(book, sheets[0].Title); err != nil {
		return err
	}
	return writeBook(w, book)
}

// setProperties removes times from the file. No program is asked to compute the formulas when it opens the file: each has
// its value, and a reader could not tell a sum of zero from one that was never computed.
func setProperties(book *excelize.File, title string) error {
	const never = "2000-01-01T00:00:00Z"
	return book.SetDocProps(&excelize.DocProperties{
		Creator: "fees", LastModifiedBy: "fees", Title: cellText(title), Created: never, Modified: never,
	})
}

// styles are the IDs of a workbook's styles.
type styles struct {
	bold, text, whole, token, time, date, totalText, totalWhole, totalToken int
	fixed, totalFixed                                                       map[int]int // by decimals: of currencies and percents
	book                                                                    *excelize.File
}

func newStyles(book *excelize.File) (s styles, err error) {
	s.book, s.fixed, s.totalFixed = book, map[int]int{}, map[int]int{}
	for _, style := range []struct {
		id     *int
		format string
		bold   bool
	}{
		{&s.bold, "General", true},
		{&s.text, "@", false},
		{&s.whole, "0", false},
		{&s.token, "0.000000000000000000", false},
		{&s.time, "yyyy-mm-dd hh:mm:ss", false},
		{&s.date, "yyyy-mm-dd", false},
		{&s.totalText, "@", true},
		{&s.totalWhole, "0", true},
		{&s.totalToken, "0.000000000000000000", true},
	} {
		if *style.id, err = newStyle(book, style.format, style.bold); err != nil {
			return s, err
		}
	}
	return s, nil
}

func newStyle(book *excelize.File, format string, bold bool) (int, error) {
	return book.NewStyle(&excelize.Style{CustomNumFmt: &format, Font: &excelize.Font{Bold: bold, Size: 11, Family: "Calibri"}})
}

// add adds the styles that only some sheets need.
func (s *styles) add(sheet *Sheet) (err error) {
	for _, c := range sheet.Columns {
		decimals, ok := c.decimals()
		if c.isAmount() && sheet.Places() != console.TokenDecimals {
			decimals, ok = sheet.Places(), true
		}
		if _, there := s.fixed[decimals]; !ok || there {
			continue
		}
		format := "0"
		if decimals > 0 {
			format += "." + strings.Repeat("0", decimals)
		}
		if s.fixed[decimals], err = newStyle(s.book, format, false); err != nil {
			return err
		}
		if s.totalFixed[decimals], err = newStyle(s.book, format, true); err != nil {
			return err
		}
	}
	return nil
}

// maxLines is the number of lines of a sheet.
const maxLines = excelize.TotalRows

// maxNotes limits the notes at the top, so that the frozen part leaves space for rows. Others follow the
// rows.
const maxNotes = 8

// lines writes a sheet, line by line.
type lines struct {
	out    *excelize.StreamWriter
	sheet  *Sheet
	styles styles
	last   int // the number of the last line written
}

func writeSheet(book *excelize.File, name string, s *Sheet, styles styles) error {
	// The number of lines is unknown yet, and some readers would trust a wrong one.
	if err := book.SetSheetDimension(name, ""); err != nil {
		return err
	}
	if err := styles.add(s); err != nil {
		return err
	}
	fit := true
	if err := book.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit}); err != nil {
		return err
	}
	out, err := book.NewStreamWriter(name)
	if err != nil {
		return err
	}
	if places := s.Places(); places != console.TokenDecimals {
		styles.token, styles.totalToken = styles.fixed[places], styles.totalFixed[places]
	}
	l := &lines{out: out, sheet: s, styles: styles}
	above, below := s.Notes, []string(nil)
	if len(above) > maxNotes {
		above, below = above[:maxNotes], above[maxNotes:]
	}
	head := len(above) + 1 // the header's line
	if s.Title != "" {
		head++
	}
	if err := cmp.Or(l.setLayout(head), l.writeTitle(), l.writeNotes(above), l.write(l.header())); err != nil {
		return err
	}
	t := newTotals(s)
	asText := make([]bool, len(s.Columns)) // columns with an integer written as text
	err = s.each(func(row []any) error {
		for i, value := range row {
			n, ok := value.(integer)
			asText[i] = asText[i] || ok && !isExact(n)
		}
		if err := t.add(row); err != nil {
			return err
		}
		return l.write(l.cells(row))
	})
	if err != nil {
		return err
	}
	filter := fmt.Sprintf("A%d:%s", head, cellName(l.width(), l.last))
	if err := book.AutoFilter(name, filter, nil); err != nil {
		return err
	}
	return cmp.Or(l.writeTotals(t, asText, head+1, l.last), l.writeNotes(below), setPage(book, name, head), out.Flush())
}

// setPage sets up printing: landscape, fitted to the page width, with the header on each page.
func setPage(book *excelize.File, name string, head int) error {
	landscape, wide, long := "landscape", 1, 0
	err := book.SetPageLayout(name, &excelize.PageLayoutOptions{Orientation: &landscape, FitToWidth: &wide, FitToHeight: &long})
	if err != nil {
		return err
	}
	return book.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Titles", RefersTo: fmt.Sprintf("'%s'!$%d:$%d", strings.ReplaceAll(name, "'", "''"), head, head), Scope: name,
	})
}

// setLayout sets column widths and frozen panes, which precede the lines in the file.
func (l *lines) setLayout(head int) error {
	column := l.width()
	for _, c := range slices.Backward(l.sheet.Columns) { // excelize prepends each width
		for _, header := range slices.Backward(c.names()) {
			width := max(widths[c.Kind], float64(len(header))+4) // plus the filter button
			if err := l.out.SetColWidth(column, column, width); err != nil {
				return err
			}
			column--
		}
	}
	return l.out.SetPanes(&excelize.Panes{Freeze: true, YSplit: head, TopLeftCell: cellName(1, head+1), ActivePane: "bottomLeft"})
}

// widths of columns, in digits.
var widths = map[Kind]float64{
	Text: 24, Integer: 14, Wei: 28, SignedWei: 28, TokenAmount: 28, GasPrice: 18, Time: 20, Date: 12, Hash: 70, Address: 46, Boolean: 10, Fiat: 16, Percent: 12,
}

func (l *lines) writeTitle() error {
	if l.sheet.Title == "" {
		return nil
	}
	return l.write([]any{excelize.Cell{StyleID: l.styles.totalText, Value: cellText(l.sheet.Title)}})
}

func (l *lines) writeNotes(notes []string) error {
	for _, note := range notes {
		if err := l.write([]any{excelize.Cell{StyleID: l.styles.text, Value: cellText("note: " + note)}}); err != nil {
			return err
		}
	}
	return nil
}

func (l *lines) header() (cells []any) {
	for _, c := range l.sheet.Columns {
		for _, header := range c.names() {
			cells = append(cells, excelize.Cell{StyleID: l.styles.bold, Value: header})
		}
	}
	return cells
}

// width returns the number of columns of the sheet.
func (l *lines) width() (n int) {
	for _, c := range l.sheet.Columns {
		n += len(c.names())
	}
	return n
}

// write writes the next line.
func (l *lines) write(cells []any) error {
	if l.last == maxLines {
		return fmt.Errorf("sheet %q has more rows than XLSX can hold (%d lines with header and totals); write CSV or Parquet, or only part of the rows", l.sheet.Name, maxLines)
	}
	l.last++
	return l.out.SetRow(cellName(1, l.last), cells)
}

// cells returns the cells of a row.
func (l *lines) cells(row []any) []any {
	cells := make([]any, 0, l.width())
	for i, c := range l.sheet.Columns {
		cells = append(cells, l.cell(c, row[i])...)
		if row[i] == nil && c.isAmount() {
			cells = append(cells, nil)
		}
	}
	return cells
}

// cell returns the cell of a value, or the two cells of an amount.
func (l *lines) cell(c Column, value any) []any {
	text := func(text string) any { return excelize.Cell{StyleID: l.styles.text, Value: cellText(text)} }
	switch v := value.(type) {
	case nil, unknownAmount:
		return []any{nil}
	case bool:
		return []any{v}
	case chain.SignedWei:
		return []any{text(v.String()), excelize.Cell{StyleID: l.styles.token, Value: rounded(l.sheet.Tokens(v))}}
	case chain.Time:
		return []any{excelize.Cell{StyleID: l.styles.time, Value: v.Std()}}
	case date:
		return []any{excelize.Cell{StyleID: l.styles.date, Value: v.start}}
	case money.Amount, percent:
		if digits := exact(v); fits(digits) {
			decimals, _ := c.decimals()
			return []any{excelize.Cell{StyleID: l.styles.fixed[decimals], Value: rounded(digits)}}
		}
	case integer, chain.GasPrice:
		if n := integer(exact(v)); isExact(n) {
			whole, _ := n.int64()
			return []any{excelize.Cell{StyleID: l.styles.whole, Value: whole}}
		}
	}
	if v, ok := value.(Worded); ok {
		return []any{text(v.Words())}
	}
	return []any{text(exact(value))}
}

// writeTotals writes the totals of the rows in lines first to last. A sum that would be rounded, or would
// skip integers written as text, is text.
func (l *lines) writeTotals(t *totals, asText []bool, first, last int) error {
	if !t.exist() {
		return nil
	}
	var cells []any
	labelled := false
	for i, c := range l.sheet.Columns {
		number := len(cells) + len(c.names()) // the last of its columns
		sum := fmt.Sprintf("SUM(%s:%s)", cellName(number, first), cellName(number, last))
		if last < first {
			sum = "" // no rows: the total is 0
		}
		switch v := t.of(i).(type) {
		case chain.SignedWei:
			cells = append(cells,
				excelize.Cell{StyleID: l.styles.totalText, Value: v.String()},
				excelize.Cell{StyleID: l.styles.totalToken, Formula: sum, Value: rounded(l.sheet.Tokens(v))})
		case money.Amount: // the sum of the rounded lines may differ
			if digits := v.String(); fits(digits) {
				cells = append(cells, excelize.Cell{StyleID: l.styles.totalFixed[c.Currency.Decimals()], Value: rounded(digits)})
			} else {
				cells = append(cells, excelize.Cell{StyleID: l.styles.totalText, Value: digits})
			}
		case integer:
			if whole, _ := v.int64(); isExact(v) && !asText[i] {
				cells = append(cells, excelize.Cell{StyleID: l.styles.totalWhole, Formula: sum, Value: whole})
			} else {
				cells = append(cells, excelize.Cell{StyleID: l.styles.totalText, Value: string(v)})
			}
		default:
			at := len(cells)
			cells = append(cells, make([]any, len(c.names()))...)
			if v == notKnown {
				cells[at] = excelize.Cell{StyleID: l.styles.totalText, Value: notKnown}
			} else if !labelled {
				cells[at], labelled = excelize.Cell{StyleID: l.styles.totalText, Value: "total"}, true
			}
		}
	}
	return l.write(cells)
}

// isExact reports whether a spreadsheet keeps all digits of a number.
func isExact(n integer) bool {
	digits := len(n)
	if n[0] == '-' {
		digits--
	}
	return digits <= 15
}

// fits reports whether a spreadsheet keeps all digits of a decimal number.
func fits(number string) bool {
	return isExact(integer(strings.Replace(number, ".", "", 1)))
}

// decimals returns the number of decimals of a column of currency amounts or percentages.
func (c Column) decimals() (n int, fixed bool) {
	switch c.Kind {
	case Fiat:
		return c.Currency.Decimals(), true
	case Percent:
		return percentDecimals, true
	}
	return 0, false
}

// rounded returns an amount as the nearest spreadsheet number. The exact amount is always next to it.
func rounded(amount string) float64 {
	number, err := strconv.ParseFloat(amount, 64)
	if err != nil {
		panic(err) // a decimal number of some 40 digits always parses
	}
	return number
}

// cellText returns printable text, shortened to the maximum length of a cell.
func cellText(text string) string {
	text = console.Printable(text)
	length := 0 // in UTF-16 code units, as a cell counts
	for i, r := range text {
		units := 1
		if r > 0xffff {
			units = 2
		}
		if length += units; length > excelize.TotalCellChars {
			return cut(text[:i])
		}
	}
	return text
}

// cut replaces the last character with "…".
func cut(text string) string {
	runes := []rune(text)
	return string(runes[:len(runes)-1]) + "…"
}

// cellName returns a cell's name, such as B3.
func cellName(column, line int) string {
	name, err := excelize.CoordinatesToCellName(column, line)
	if err != nil {
		panic(err) // no sheet is that wide
	}
	return name
}
