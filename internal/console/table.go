package console

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Column describes a column of a table.
type Column struct {
	Name  string
	Right bool // cells are right-aligned
	// Decimals marks numbers, shown with as many decimals as any of them needs.
	Decimals bool
	// Cut marks hashes, addresses and external text, which are shortened if necessary. Numbers are not.
	Cut bool
	// Term marks a term with a detail after a colon, such as an outcome with its reason: only the detail
	// is shortened.
	Term bool
	// Drop is the order in which columns are hidden if necessary: highest first, equal ones together. 0 is
	// never hidden.
	Drop int
	// Verdict marks verdicts, which are colored.
	Verdict bool
	// Broken marks counts of failures: anything but 0 is red.
	Broken bool
}

// Table is a table of text.
type Table struct {
	layout *Layout
	rows   [][]string
	footer []string
}

// NewTable returns an empty table with these columns.
func NewTable(columns ...Column) *Table { return &Table{layout: NewLayout(columns)} }

// Row adds a row with one cell per column.
func (t *Table) Row(cells ...any) {
	row := asText(cells)
	t.layout.Measure(row)
	t.rows = append(t.rows, row)
}

// Footer sets the last row, which is separated by a line.
func (t *Table) Footer(cells ...any) {
	t.footer = asText(cells)
	t.layout.Measure(t.footer)
}

func asText(cells []any) []string {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = plain.Line(fmt.Sprint(c))
	}
	return row
}

// Table writes a table. [Layout.Fit] describes how a wide table is narrowed.
func (p *Page) Table(t *Table) {
	fit := t.layout.Fit(p)
	fit.Header()
	for _, row := range t.rows {
		fit.Row(row, "")
	}
	if t.footer != nil {
		fit.Rule()
		fit.Row(t.footer, "")
	}
	fit.LeftOut()
}

// shape limits cells: the digits at both ends of hashes and addresses (0 for all), the length of text, and
// the gap between columns.
type shape struct{ hash, address, text, gap int }

// shapes are tried from the widest to the narrowest.
var shapes = [...]shape{
	{text: 66, gap: 2},
	{hash: 8, text: 48, gap: 2},
	{hash: 8, address: 8, text: 48, gap: 2},
	{hash: 4, address: 4, text: 48, gap: 2},
	{hash: 4, address: 4, text: 24, gap: 2},
	{hash: 4, address: 4, text: 18, gap: 2},
	{hash: 4, address: 4, text: 12, gap: 2},
	{hash: 4, address: 4, text: 12, gap: 1},
	{hash: 4, address: 4, text: 7, gap: 1},
}

// dropping is the shape from which columns are hidden. Text is shortened after that.
const dropping = 3

// cut shortens a cell to a shape.
func (s shape) cut(c *Column, cell string) string {
	if c.Term {
		if term, _, detailed := strings.Cut(cell, ": "); detailed {
			return Cut(cell, max(s.text, widthOf(term)+2))
		}
	}
	switch hex := c.Cut && isHex(cell); {
	case hex && len(cell) > addressLength:
		return Ends(cell, s.hash)
	case hex, c.Cut && isSS58(cell):
		return Ends(cell, s.address)
	case !c.Cut || isNumber(cell):
		return cell
	}
	return Cut(cell, s.text)
}

// addressLength is the length of an address as text.
const addressLength = 42

func isHex(cell string) bool {
	if len(cell) < addressLength || !strings.HasPrefix(cell, "0x") {
		return false
	}
	for _, c := range []byte(cell[2:]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// isSS58 reports whether a cell is an account of 32 bytes.
func isSS58(cell string) bool {
	if len(cell) <= addressLength {
		return false
	}
	_, err := chain.ParseAccount(cell)
	return err == nil
}

func isNumber(cell string) bool { return strings.Trim(cell, "-.0123456789") == "" }

// Layout holds the widths of a table's columns. All rows are measured before the first one is written, so
// they need not be kept.
type Layout struct {
	Tight    bool // rules end with the last column
	columns  []Column
	measures []measure
}

// NewLayout returns a layout of these columns.
func NewLayout(columns []Column) *Layout {
	l := new(Layout)
	for _, c := range columns {
		l.Add(c)
	}
	return l
}

// Add adds a column.
func (l *Layout) Add(c Column) {
	var m measure
	m.header(widthOf(c.Name))
	l.columns, l.measures = append(l.columns, c), append(l.measures, m)
}

// Measure widens the columns for a row.
func (l *Layout) Measure(cells []string) {
	for i := range l.columns {
		l.measures[i].add(&l.columns[i], cells[i])
	}
}

// measure is the width of a column.
type measure struct {
	widest   [len(shapes)]int // in each shape, of cells without decimals; not increasing
	hex      int              // the length of the last hash or address, which takes as much in each shape as any other
	whole    int              // of the digits before the point
	decimals int              // the maximum number of decimals
}

func (m *measure) header(width int) {
	for i := range m.widest {
		m.widest[i] = width
	}
}

func (m *measure) add(c *Column, cell string) {
	if point := strings.IndexByte(cell, '.'); point >= 0 && c.Decimals {
		m.whole, m.decimals = max(m.whole, point), max(m.decimals, Decimals(cell))
		return
	}
	width := widthOf(cell)
	if width <= m.widest[len(shapes)-1] || width == m.hex && isHex(cell) {
		return
	}
	for i, shape := range shapes {
		if width > shapes[len(shapes)-1].text {
			width = widthOf(shape.cut(c, cell))
		}
		m.widest[i] = max(m.widest[i], width)
	}
	if isHex(cell) {
		m.hex = len(cell)
	}
}

// in returns the width of the column in a shape.
func (m *measure) in(shape int) int {
	numbers := m.whole
	if m.decimals > 0 {
		numbers += 1 + m.decimals
	}
	return max(m.widest[shape], numbers)
}

// Fit is a layout fitted to a page.
type Fit struct {
	*Layout
	page  *Page
	shape int
	drop  int // columns with this Drop or a higher one are hidden; 0 for none
	line  []byte
}

// Fit fits a layout to a page: it shortens hashes and addresses, then hides columns, then shortens text.
// Amounts and terms such as verdicts are never shortened, so the table can still be wider than the page.
func (l *Layout) Fit(p *Page) *Fit {
	f := &Fit{Layout: l, page: p}
	for f.shape = range shapes {
		if f.shape == dropping {
			for f.Width() > p.Width && f.dropMore() {
			}
		}
		if f.Width() <= p.Width {
			break
		}
	}
	return f
}

// dropMore hides the next columns, if any.
func (f *Fit) dropMore() bool {
	next := 0
	for i, c := range f.columns {
		if f.Shows(i) {
			next = max(next, c.Drop)
		}
	}
	if next > 0 {
		f.drop = next
	}
	return next > 0
}

// Shows reports whether a column is shown.
func (f *Fit) Shows(column int) bool { return f.drop == 0 || f.columns[column].Drop < f.drop }

// Width returns the width of a row.
func (f *Fit) Width() (width int) {
	for i := range f.columns {
		if f.Shows(i) {
			width += f.measures[i].in(f.shape) + shapes[f.shape].gap
		}
	}
	return max(0, width-shapes[f.shape].gap)
}

// Header writes the names of the columns, underlined.
func (f *Fit) Header() {
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.Name
	}
	f.write(names, "", false)
	f.Rule()
}

// Rule writes a line, which extends a gap beyond the last column if the width allows, unless the layout is tight.
func (f *Fit) Rule() { f.page.WriteString(strings.Repeat("-", f.ruled()) + "\n") }

func (f *Fit) ruled() int {
	width := f.Width()
	if f.Tight {
		return width
	}
	return max(width, min(width+shapes[f.shape].gap, f.page.Width))
}

// besideGap separates a table from what is beside it.
const besideGap = 2

// Beside returns the number of columns that are left beside the table, of a number in total.
func (f *Fit) Beside(width int) int { return width - f.ruled() - besideGap }

// Row writes a row that was measured, with a text beside it.
func (f *Fit) Row(cells []string, beside string) { f.write(cells, beside, true) }

func (f *Fit) write(cells []string, beside string, marked bool) {
	line, gap := f.line[:0], shapes[f.shape].gap
	for i := range f.columns {
		if !f.Shows(i) {
			continue
		}
		c, cell := &f.columns[i], f.Cell(i, cells[i])
		padding := f.measures[i].in(f.shape) - widthOf(cell)
		if marked && c.Verdict {
			cell = f.page.Verdict(cell)
		}
		if marked && c.Broken && cell != "0" {
			cell = f.page.coloured(cell, text.FgRed)
		}
		if c.Right {
			line = append(spaced(line, padding), cell...)
		} else {
			line = spaced(append(line, cell...), padding)
		}
		line = spaced(line, gap)
	}
	if beside != "" {
		line = append(spaced(line, f.ruled()-f.Width()-gap+besideGap), beside...)
	}
	f.line = append(bytes.TrimRight(line, " "), '\n')
	f.page.Write(f.line)
}

// Cell returns the text of a column's cell as a row shows it.
func (f *Fit) Cell(column int, cell string) string {
	c := &f.columns[column]
	if cell = shapes[f.shape].cut(c, cell); c.Decimals {
		cell = WithDecimals(cell, f.measures[column].decimals)
	}
	return cell
}

// spaced appends spaces.
func spaced(line []byte, n int) []byte {
	for ; n > 0; n-- {
		line = append(line, ' ')
	}
	return line
}

// LeftOut lists the hidden columns and how to see them.
func (f *Fit) LeftOut() {
	var names []string
	for i, c := range f.columns {
		if !f.Shows(i) {
			names = append(names, c.Name)
		}
	}
	if len(names) > 0 {
		f.page.Line(fmt.Sprintf("hidden columns: %s (widen the terminal or use --format json)", strings.Join(names, ", ")), 2)
	}
}

// Ends keeps some digits at both ends of a 0x text, 0 for all.
func Ends(hex string, digits int) string {
	if digits == 0 || len(hex) <= 2+2*digits {
		return hex
	}
	return hex[:2+digits] + "…" + hex[len(hex)-digits:]
}

// Fitting shortens a hash or address in its middle to fit some columns, and returns any other word unchanged.
func Fitting(word string, columns int) string {
	if !isHex(word) || len(word) <= columns {
		return word
	}
	return Ends(word, max(4, (columns-len("0x-"))/2))
}

// Cut shortens text to width columns, ending in … if it does not fit.
func Cut(line string, width int) string {
	if widthOf(line) <= width {
		return line
	}
	used := 0
	for i, r := range line {
		if used += text.RuneWidth(r); used > width-1 {
			return line[:i] + "…"
		}
	}
	return line
}
