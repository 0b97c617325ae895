package pdf

import (
	"slices"
	"strings"
)

// Align is the alignment of a column.
type Align int

// The alignments.
const (
	Left  Align = iota
	Right       // figures; like the ones of Point, they are never cut
	Point       // figures, at the decimal point
)

// Column is a column of a table.
type Column struct {
	Header string
	Align  Align
}

// Lengths of a table, in thousandths of a point.
const (
	gap       = 8_000
	rowGap    = 2_500
	ruleSpace = 3_000
)

// Limits of a cell. A figure has at most as many lines as a page has at least.
const (
	maxCellLines   = 8
	maxFigureLines = 20
	leastText      = 12 // the width that a column of text needs, in sizes, unless it is narrower
)

// Layout measures the columns of a table, before it is written.
type Layout struct {
	columns []Column
	faces   [2]*face // regular, bold
	widest  []int    // of each column's cells, in units of the font
	whole   []int    // of their parts before the point
	rest    []int    // and of the rest
}

// NewLayout starts a layout for a table of the document.
func (d *Document) NewLayout(columns []Column) *Layout {
	n := len(columns)
	l := &Layout{columns: columns, faces: [2]*face{d.regular, d.bold}, widest: make([]int, n), whole: make([]int, n), rest: make([]int, n)}
	for i, c := range columns {
		words := []string{clean(c.Header)}
		if c.Align != Left {
			words = strings.Fields(words[0])
		}
		for _, word := range words {
			l.widest[i] = max(l.widest[i], d.bold.units(word))
		}
	}
	return l
}

// Measure measures the cells of a row. Bold ones are of totals.
func (l *Layout) Measure(bold bool, cells ...string) {
	f := l.face(bold)
	for i, cell := range cells {
		cell = clean(cell)
		if l.columns[i].Align != Left {
			cell = grouped(cell)
		}
		if l.columns[i].Align == Point {
			whole, rest := atPoint(cell)
			l.whole[i], l.rest[i] = max(l.whole[i], f.units(whole)), max(l.rest[i], f.units(rest))
			l.widest[i] = max(l.widest[i], l.whole[i]+l.rest[i])
			continue
		}
		l.widest[i] = max(l.widest[i], f.units(cell))
	}
}

func (l *Layout) face(bold bool) *face {
	if bold {
		return l.faces[1]
	}
	return l.faces[0]
}

// atPoint splits a figure before its decimal point.
func atPoint(cell string) (whole, rest string) {
	if i := strings.IndexByte(cell, '.'); i >= 0 {
		return cell[:i], cell[i:]
	}
	return cell, ""
}

// fit is how a table fits on a page.
type fit struct {
	size, width int
	landscape   bool
	widths      []int
}

// fit chooses the largest size and the orientation in which every figure and a part of each text fit on a line.
func (l *Layout) fit(d *Document) fit {
	var f fit
	tries := []fit{{size: 9_000}, {size: 8_000}, {size: 8_000, landscape: true}, {size: 7_000, landscape: true}, {size: 6_000, landscape: true}, {size: 5_000, landscape: true}}
	if d.options.Portrait {
		tries = []fit{{size: 9_000}, {size: 8_000}, {size: 7_000}, {size: 6_000}, {size: 5_000}}
	}
	for _, try := range tries {
		f = try
		f.width = d.width - 2*margin
		if f.landscape {
			f.width = d.height - 2*margin
		}
		room := f.width - gap*(len(l.columns)-1)
		need, want := 0, 0
		f.widths = make([]int, len(l.columns))
		natural := make([]int, len(l.columns))
		for i, c := range l.columns {
			natural[i] = l.faces[0].scaled(l.widest[i], f.size) + 1 // rounded up
			f.widths[i] = natural[i]
			if c.Align == Left {
				f.widths[i] = min(natural[i], leastText*f.size)
			}
			need += f.widths[i]
			want += natural[i] - f.widths[i]
		}
		if need <= room {
			for i := range f.widths { // the rest goes to columns of text
				if spare := natural[i] - f.widths[i]; spare > 0 {
					f.widths[i] += min(spare, int(int64(room-need)*int64(spare)/int64(want)))
				}
			}
			return f
		}
		for i := range f.widths { // figures have several lines
			f.widths[i] = max(f.size, int(int64(f.widths[i])*int64(room)/int64(need)))
		}
	}
	return f
}

// Table is a table under construction.
type Table struct {
	d      *Document
	layout *Layout
	fit
	header [][]string
	self   *element
	body   *element // the rows of the current page, or the totals
	cut    int

	carried, next []string // the sums of the rows so far, and with the next row; nil for none
}

// Table starts a table, under a heading. A wide table is on pages in landscape.
func (d *Document) Table(heading string, l *Layout) *Table {
	t := &Table{d: d, layout: l, fit: l.fit(d)}
	d.landscape = t.landscape
	if d.page != nil && (d.page.width > d.page.height) != t.landscape {
		d.endPage()
	}
	d.begin()
	if heading != "" {
		d.Heading(heading)
	}
	for i, c := range l.columns {
		lines, _ := d.bold.wrap(c.Header, t.size, t.widths[i], maxCellLines)
		t.header = append(t.header, lines)
	}
	d.need(t.height(t.header) + 3*leading(t.size))
	t.self = d.element("Table", d.root)
	t.body = d.element("THead", t.self.self)
	t.draw(d.bold, t.header, "TH")
	t.endBody()
	t.rule()
	d.table = t
	return t
}

// height returns the height of a row.
func (t *Table) height(cells [][]string) int {
	most := 1
	for _, lines := range cells {
		most = max(most, len(lines))
	}
	return most*leading(t.size) + rowGap
}

// rule draws a line below the row.
func (t *Table) rule() {
	t.d.rule(margin, t.d.page.y, t.width)
	t.d.page.y -= ruleSpace
}

// repeat shows the header again on a new page, with the sums that the page before carried forward.
func (t *Table) repeat() {
	t.artifact("Header", t.header)
	t.rule()
	if t.carried != nil {
		brought := slices.Clone(t.carried)
		if i := slices.Index(brought, CarriedForward); i >= 0 {
			brought[i] = "brought forward"
		}
		t.artifact("Header", t.wrapped(t.d.bold, brought))
	}
}

// artifact shows a row that the pages repeat. It is not part of the structure.
func (t *Table) artifact(kind string, cells [][]string) {
	t.d.artifact("/Type/Pagination/Subtype/" + kind)
	t.showRow(t.d.bold, cells, func(int) func() { return func() {} })
	t.d.unmark()
}

// CarriedForward names the sums at the foot of a page.
const CarriedForward = "carried forward"

// Carry sets the sums of the rows up to the next one, with [CarriedForward] as their name. If more rows follow on another
// page, they stand at the foot of the page and at the head of the other.
func (t *Table) Carry(sums ...string) { t.next = slices.Clone(sums) }

// Row writes a row. It returns the first error of the document.
func (t *Table) Row(cells ...string) error {
	t.row(t.d.regular, "TBody", cells)
	return t.d.objects.err
}

// Total writes the row of totals, after all others.
func (t *Table) Total(cells ...string) {
	t.endBody()
	t.row(t.d.bold, "TFoot", cells)
}

func (t *Table) row(f *face, kind string, cells []string) {
	d := t.d
	wrapped := t.wrapped(f, cells)
	need := t.height(wrapped)
	if t.next != nil {
		need += ruleSpace + t.height(t.wrapped(d.bold, t.next))
	}
	if d.page.y-need < d.page.bottom {
		t.endBody()
		if t.carried != nil {
			t.rule()
			t.artifact("Footer", t.wrapped(d.bold, t.carried))
		}
		d.endPage()
		d.needPage()
	}
	if kind == "TFoot" {
		t.rule()
	}
	if t.body == nil {
		t.body = d.element(kind, t.self.self)
	}
	t.draw(f, wrapped, "TD")
	t.carried, t.next = t.next, nil
}

// wrapped returns the lines of a row's cells.
func (t *Table) wrapped(f *face, cells []string) [][]string {
	wrapped := make([][]string, len(cells))
	for i, cell := range cells {
		limit := maxCellLines
		if t.layout.columns[i].Align != Left {
			limit = maxFigureLines
		}
		if figure := grouped(cell); limit == maxFigureLines && f.width(figure, t.size) <= t.widths[i] {
			wrapped[i] = nonEmpty(figure)
			continue
		}
		f.note(clean(cell))
		var cut bool
		if wrapped[i], cut = f.wrap(cell, t.size, t.widths[i], limit); cut {
			t.cut++
		}
	}
	return wrapped
}

// nonEmpty returns the line of a cell; none for an empty one.
func nonEmpty(line string) []string {
	if line = strings.TrimSpace(line); line == "" {
		return nil
	}
	return []string{line}
}

// draw writes a row with its structure.
func (t *Table) draw(f *face, cells [][]string, kind string) {
	d := t.d
	row := d.element("TR", t.body.self)
	t.showRow(f, cells, func(column int) func() {
		e := d.element(kind, row.self)
		if kind == "TH" {
			e.attributes = "/A<</O/Table/Scope/Column>>"
		}
		row.adopt(e)
		if len(cells[column]) == 0 {
			return func() { d.end(e) }
		}
		d.mark(e)
		return func() {
			d.unmark()
			d.end(e)
		}
	})
	d.end(row)
	t.body.adopt(row)
}

// showRow shows the lines of a row's cells. open starts a cell, and returns what ends it.
func (t *Table) showRow(f *face, cells [][]string, open func(column int) func()) {
	d := t.d
	x := margin
	for i, lines := range cells {
		end := open(i)
		y := d.page.y
		for _, line := range lines {
			y -= leading(t.size)
			d.show(f, t.size, x+t.indent(f, i, line, len(lines)), y, line)
		}
		end()
		x += t.widths[i] + gap
	}
	d.page.y -= t.height(cells)
}

// indent returns where a line starts in its column.
func (t *Table) indent(f *face, column int, line string, lines int) int {
	width, align := t.widths[column], t.layout.columns[column].Align
	_, figure := plainFigure(line)
	switch whole, _ := atPoint(line); {
	case align == Left:
		return 0
	case align == Point && lines == 1 && figure:
		rest := f.scaled(t.layout.rest[column], t.size)
		return max(0, width-rest-f.width(whole, t.size))
	}
	return max(0, width-f.width(strings.TrimRight(line, " "), t.size))
}

// endBody ends the rows of a page.
func (t *Table) endBody() {
	if t.body == nil {
		return
	}
	t.d.end(t.body)
	t.self.adopt(t.body)
	t.body = nil
}

// End ends the table, and returns the number of cells that were cut.
func (t *Table) End() (cut int) {
	t.endBody()
	t.d.end(t.self)
	t.d.structure.adopt(t.self)
	t.d.table = nil
	return t.cut
}
