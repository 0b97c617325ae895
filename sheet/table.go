package sheet

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/spill"
)

// shape is how wide a table is made: how many hex digits of hashes and addresses
// are shown (0 is all), how long text may be, and how many spaces stand between
// columns.
type shape struct{ hash, address, text, gap int }

// shapes are tried from the widest to the narrowest.
var shapes = [...]shape{
	{text: 48, gap: 2},
	{hash: 16, text: 48, gap: 2},
	{hash: 16, address: 16, text: 48, gap: 2},
	{hash: 8, address: 8, text: 24, gap: 2},
	{hash: 8, address: 8, text: 12, gap: 1},
	{hash: 6, address: 6, text: 8, gap: 1},
	{hash: 4, address: 4, text: 7, gap: 1},
}

// WriteTable writes a table for a terminal, in at most width columns if it can: it
// shortens hashes, addresses and text, never a figure. Amounts are in the token,
// prices in Gwei, with all the decimals that any of the column has; totals stand at
// the bottom, then the notes. Nothing is written before all rows are read; many of them
// are kept in a temporary file until then.
func WriteTable(w io.Writer, s *Sheet, width int) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	t := grid{sheet: s, totals: newTotals(s), measures: make([]measure, len(s.Columns))}
	defer func() { err = errors.Join(err, t.rows.Close()) }()
	if err := s.each(t.add); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	if s.Title != "" {
		console.WriteWrapped(out, s.Title, 0, width)
		out.WriteString("\n")
	}
	if err := t.write(out, width); err != nil {
		return err
	}
	if len(s.Notes) > 0 {
		out.WriteString("\n")
	}
	for _, note := range s.Notes {
		console.WriteWrapped(out, "note: "+note, 2, width)
	}
	return out.Flush()
}

// shown is a value as people read it.
func shown(value any) string {
	switch v := value.(type) {
	case chain.SignedWei:
		return console.Tokens(v)
	case chain.GasPrice:
		return console.Gwei(v)
	case unknownAmount:
		return notKnown
	}
	return console.Printable(exact(value))
}

// grid is the rows of a table as text, with what is to be known of all of them before the
// first is written.
type grid struct {
	sheet    *Sheet
	rows     spill.Records // the cells of each, one a line
	totals   *totals
	measures []measure // of the columns
}

// measure is how wide a column is.
type measure struct {
	widest   [len(shapes)]int // in each shape, of what has no decimals to cut off
	whole    int              // of what stands before the point
	decimals int              // that any of its numbers has
}

// add adds a row.
func (t *grid) add(row []any) error {
	cells := make([]string, len(row))
	for i, value := range row {
		kind := t.sheet.Columns[i].Kind
		cells[i] = shapes[0].cut(kind, shown(value))
		t.measures[i].add(kind, cells[i])
	}
	if _, err := t.rows.Add([]byte(strings.Join(cells, "\n"))); err != nil { // which is in no cell
		return err
	}
	return t.totals.add(row)
}

func (m *measure) add(kind Kind, cell string) {
	if point := strings.IndexByte(cell, '.'); point >= 0 && kind.hasDecimals() {
		m.whole, m.decimals = max(m.whole, point), max(m.decimals, console.Decimals(cell))
		return
	}
	for i, shape := range shapes {
		m.widest[i] = max(m.widest[i], text.StringWidthWithoutEscSequences(shape.cut(kind, cell)))
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

// hasDecimals tells whether a column of the kind has the decimals that any of its numbers
// needs.
func (k Kind) hasDecimals() bool { return k == Wei || k == SignedWei || k == GasPrice }

// isRight tells whether a column of the kind stands at the right of its place.
func (k Kind) isRight() bool {
	return k == Integer || k == TokenAmount || k == Fiat || k == Percent || k.hasDecimals()
}

// write writes the table in the widest shape that fits.
func (t *grid) write(out *bufio.Writer, width int) error {
	header, footer := make([]string, len(t.measures)), make([]string, len(t.measures))
	for i, c := range t.sheet.Columns {
		header[i], footer[i] = t.sheet.header(c), shown(t.totals.of(i))
	}
	if t.totals.any() {
		label(footer, t.sheet.Columns)
	}
	for i, c := range t.sheet.Columns {
		t.measures[i].add(c.Kind, footer[i])
	}
	chosen := len(shapes) - 1
	for i := range shapes {
		if t.width(i, header) <= width {
			chosen = i
			break
		}
	}
	line := strings.Repeat("-", t.width(chosen, header)) + "\n"
	t.line(out, chosen, header, header)
	out.WriteString(line)
	for row, err := range t.rows.All() {
		if err != nil {
			return err
		}
		cells := strings.Split(string(row), "\n")
		for i, c := range t.sheet.Columns {
			cells[i] = shapes[chosen].cut(c.Kind, cells[i])
		}
		t.line(out, chosen, header, cells)
	}
	if t.totals.any() {
		if t.rows.Len() > 0 {
			out.WriteString(line)
		}
		t.line(out, chosen, header, footer)
	}
	return nil
}

// width is how wide the table is in a shape: its lines below header and rows go on for
// a gap after the last column.
func (t *grid) width(shape int, header []string) (width int) {
	for i := range t.measures {
		width += t.columnWidth(shape, header, i) + shapes[shape].gap
	}
	return width
}

func (t *grid) columnWidth(shape int, header []string, column int) int {
	return max(t.measures[column].in(shape), text.StringWidthWithoutEscSequences(header[column]))
}

// line writes cells in their columns.
func (t *grid) line(out *bufio.Writer, shape int, header, cells []string) {
	var line strings.Builder
	for i, c := range t.sheet.Columns {
		cell := cells[i]
		if c.Kind.hasDecimals() {
			cell = console.WithDecimals(cell, t.measures[i].decimals)
		}
		padding := strings.Repeat(" ", max(0, t.columnWidth(shape, header, i)-text.StringWidthWithoutEscSequences(cell)))
		if c.Kind.isRight() {
			cell = padding + cell
		} else {
			cell += padding
		}
		line.WriteString(cell + strings.Repeat(" ", shapes[shape].gap))
	}
	out.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// label writes "total" in the first column that has none.
func label(footer []string, columns []Column) {
	for i, c := range columns {
		if !c.Total {
			footer[i] = "total"
			return
		}
	}
}

// header is a column's name for people, with its unit.
func (s *Sheet) header(c Column) string {
	name := strings.ReplaceAll(c.Name, "_", " ")
	switch {
	case c.isAmount():
		return strings.TrimSpace(name + " " + console.Printable(s.Symbol))
	case c.Kind == GasPrice:
		return name + " Gwei"
	case c.Kind == Fiat:
		return strings.TrimSuffix(name, c.Currency.Suffix()) + string(c.Currency)
	case c.Kind == Percent:
		return strings.TrimSuffix(name, "percent") + "%"
	}
	return name
}

// cut shortens what is no figure.
func (s shape) cut(kind Kind, cell string) string {
	switch kind {
	case Hash:
		return console.Shorten(cell, s.hash)
	case Address:
		return console.Shorten(cell, s.address)
	case Text:
		if runes := []rune(cell); len(runes) > s.text {
			return string(runes[:s.text-1]) + "…"
		}
	}
	return cell
}
