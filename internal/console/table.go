package console

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Column is one of a table.
type Column struct {
	Name  string
	Right bool // its cells stand at the right of their place
	// Decimals says that its cells are numbers, with as many decimals as any of them needs.
	Decimals bool
	// Cut says that its cells are hashes, addresses, and text from outside, which are
	// shortened where there is no room. A number among them is not.
	Cut bool
	// Term says that of its cells what stands before the first colon is never cut, and what
	// stands behind it may be: an outcome with its reason.
	Term bool
	// Drop is when the column is left out where there is no room: the highest goes first,
	// with all that have the same. 0 stays.
	Drop int
	// Verdict says that its cells tell whether something holds: they have a colour where the
	// reader sees colours.
	Verdict bool
	// Broken says that its cells count what does not hold: none but 0 is well.
	Broken bool
}

// Table is rows for people, below the names of their columns.
type Table struct {
	layout *Layout
	rows   [][]string
	footer []string
}

// NewTable has these columns.
func NewTable(columns ...Column) *Table { return &Table{layout: NewLayout(columns)} }

// Row adds a row: a cell for each column.
func (t *Table) Row(cells ...any) {
	row := asText(cells)
	t.layout.Measure(row)
	t.rows = append(t.rows, row)
}

// Footer is the row below the rows, with a line between.
func (t *Table) Footer(cells ...any) {
	t.footer = asText(cells)
	t.layout.Measure(t.footer)
}

func asText(cells []any) []string {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Printable(fmt.Sprint(c))
	}
	return row
}

// Table writes a table. See [Layout.Fit] for what becomes of it where it is too wide.
func (p *Page) Table(t *Table) {
	fit := t.layout.Fit(p)
	fit.Header()
	for _, row := range t.rows {
		fit.Row(row)
	}
	if t.footer != nil {
		fit.Rule()
		fit.Row(t.footer)
	}
	fit.LeftOut()
}

// shape is how much of cells is shown: how many digits at both ends of a hash and of an
// address, 0 for all; how long text may be; and how many spaces stand between columns.
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

// dropping is the shape in which columns are left out. Text is cut after that.
const dropping = 3

// cut is a cell in a shape.
func (s shape) cut(c Column, cell string) string {
	term, _, detailed := strings.Cut(cell, ": ")
	switch {
	case c.Term && detailed:
		return Cut(cell, max(s.text, text.StringWidthWithoutEscSequences(term)+2))
	case !c.Cut || isNumber(cell):
		return cell
	case isHex(cell) && len(cell) > addressLength:
		return Ends(cell, s.hash)
	case isHex(cell):
		return Ends(cell, s.address)
	}
	return Cut(cell, s.text)
}

// addressLength is how long an address is as text.
const addressLength = 42

func isHex(cell string) bool {
	return len(cell) >= addressLength && strings.HasPrefix(cell, "0x") && strings.Trim(cell[2:], "0123456789abcdefABCDEF") == ""
}

func isNumber(cell string) bool { return strings.Trim(cell, "-.0123456789") == "" }

// Layout is where the cells of a table stand. It measures all rows before the first of them
// is written, so that they need not be held.
type Layout struct {
	columns  []Column
	measures []measure
}

// NewLayout has these columns.
func NewLayout(columns []Column) *Layout {
	l := &Layout{columns, make([]measure, len(columns))}
	for i, c := range columns {
		l.measures[i].header(text.StringWidthWithoutEscSequences(c.Name))
	}
	return l
}

// Measure makes room for a row.
func (l *Layout) Measure(cells []string) {
	for i, c := range l.columns {
		l.measures[i].add(c, cells[i])
	}
}

// measure is how wide a column is.
type measure struct {
	widest   [len(shapes)]int // in each shape, of what has no decimals to cut off
	whole    int              // of what stands before the point
	decimals int              // that any of its numbers has
}

func (m *measure) header(width int) {
	for i := range m.widest {
		m.widest[i] = width
	}
}

func (m *measure) add(c Column, cell string) {
	if point := strings.IndexByte(cell, '.'); point >= 0 && c.Decimals {
		m.whole, m.decimals = max(m.whole, point), max(m.decimals, Decimals(cell))
		return
	}
	width := text.StringWidthWithoutEscSequences(cell)
	for i, shape := range shapes {
		if width > shapes[len(shapes)-1].text {
			width = text.StringWidthWithoutEscSequences(shape.cut(c, cell))
		}
		m.widest[i] = max(m.widest[i], width)
	}
}

// in is the width of the column in a shape.
func (m *measure) in(shape int) int {
	numbers := m.whole
	if m.decimals > 0 {
		numbers += 1 + m.decimals
	}
	return max(m.widest[shape], numbers)
}

// Fit is a layout as it fits on a page.
type Fit struct {
	*Layout
	page  *Page
	shape int
	drop  int // the columns that are dropped from this on are left out; 0 for none
}

// Fit makes a layout fit: first hashes and addresses are shortened, then columns are left
// out, and then text is cut. Amounts, and words such as a verdict, stay whole: where there is
// no room even so, the table is wider than the page.
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

// dropMore leaves out the columns that go next, if there are any.
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

// Shows tells whether a column is not left out.
func (f *Fit) Shows(column int) bool { return f.drop == 0 || f.columns[column].Drop < f.drop }

// Width is how wide the rows are.
func (f *Fit) Width() (width int) {
	for i := range f.columns {
		if f.Shows(i) {
			width += f.measures[i].in(f.shape) + shapes[f.shape].gap
		}
	}
	return max(0, width-shapes[f.shape].gap)
}

// Header writes the names of the columns, and a line below.
func (f *Fit) Header() {
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.Name
	}
	f.write(names, false)
	f.Rule()
}

// Rule writes a line. It goes on for a gap behind the last column, where there is room.
func (f *Fit) Rule() {
	width := f.Width()
	for range shapes[f.shape].gap {
		if width < f.page.Width {
			width++
		}
	}
	f.page.WriteString(strings.Repeat("-", width) + "\n")
}

// Row writes a row that was measured.
func (f *Fit) Row(cells []string) { f.write(cells, true) }

func (f *Fit) write(cells []string, marked bool) {
	var line strings.Builder
	for i, c := range f.columns {
		if !f.Shows(i) {
			continue
		}
		cell := shapes[f.shape].cut(c, cells[i])
		if c.Decimals {
			cell = WithDecimals(cell, f.measures[i].decimals)
		}
		padding := strings.Repeat(" ", max(0, f.measures[i].in(f.shape)-text.StringWidthWithoutEscSequences(cell)))
		if marked && c.Verdict {
			cell = f.page.Verdict(cell)
		}
		if marked && c.Broken && cell != "0" {
			cell = f.page.coloured(cell, text.FgRed)
		}
		if c.Right {
			cell = padding + cell
		} else {
			cell += padding
		}
		line.WriteString(cell + strings.Repeat(" ", shapes[f.shape].gap))
	}
	f.page.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// LeftOut says which columns are left out, and what shows them.
func (f *Fit) LeftOut() {
	var names []string
	for i, c := range f.columns {
		if !f.Shows(i) {
			names = append(names, c.Name)
		}
	}
	if len(names) > 0 {
		f.page.Line(fmt.Sprintf("not shown for want of room: %s (a wider terminal and --format json have all)", strings.Join(names, ", ")), 2)
	}
}

// Ends keeps so many digits at both ends of a 0x text; 0 is all.
func Ends(hex string, digits int) string {
	if digits == 0 || len(hex) <= 2+2*digits {
		return hex
	}
	return hex[:2+digits] + "…" + hex[len(hex)-digits:]
}

// Fitting is a word in so many columns: a hash or an address with fewer digits in its middle,
// any other as it is.
func Fitting(word string, columns int) string {
	if !isHex(word) || len(word) <= columns {
		return word
	}
	return Ends(word, max(4, (columns-len("0x-"))/2))
}

// Cut is a text in so many columns, with … in the place of what does not fit.
func Cut(line string, most int) string {
	if text.StringWidthWithoutEscSequences(line) <= most {
		return line
	}
	width := 0
	for i, r := range line {
		if width += text.RuneWidth(r); width > most-1 {
			return line[:i] + "…"
		}
	}
	return line
}
