package sheet

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// shape is how wide a table is made: how many hex digits of hashes and addresses
// are shown (0 is all), how long text may be, and how many spaces stand between
// columns.
type shape struct{ hash, address, text, gap int }

// shapes are tried from the widest to the narrowest.
var shapes = []shape{
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
// the bottom, then the notes. It holds all rows.
func WriteTable(w io.Writer, s *Sheet, width int) error {
	if err := s.check(); err != nil {
		return err
	}
	t := newTotals(s)
	columns := make([][]string, len(s.Columns))
	err := s.each(func(row []any) error {
		for i, value := range row {
			columns[i] = append(columns[i], shapes[0].cut(s.Columns[i].Kind, shown(value)))
		}
		return t.add(row)
	})
	if err != nil {
		return err
	}
	for i, c := range s.Columns {
		total := shown(t.of(i))
		if c.Kind == Wei || c.Kind == SignedWei || c.Kind == GasPrice {
			columns[i] = console.SameDecimals(append(columns[i], total))
		} else {
			columns[i] = append(columns[i], total)
		}
	}
	var out strings.Builder
	if s.Title != "" {
		console.WriteWrapped(&out, s.Title, 0, width)
		out.WriteString("\n")
	}
	out.WriteString(s.render(columns, t.any(), width) + "\n")
	if len(s.Notes) > 0 {
		out.WriteString("\n")
	}
	for _, note := range s.Notes {
		console.WriteWrapped(&out, "note: "+note, 2, width)
	}
	_, err = io.WriteString(w, out.String())
	return err
}

// shown is a value as people read it.
func shown(value any) string {
	switch v := value.(type) {
	case chain.SignedWei:
		return console.Tokens(v)
	case chain.GasPrice:
		return console.Gwei(v)
	}
	return console.Printable(exact(value))
}

// render is the table in the widest shape that fits. The last cell of each column
// is its total.
func (s *Sheet) render(columns [][]string, totals bool, width int) string {
	chosen := shapes[len(shapes)-1]
	for _, shape := range shapes {
		if s.widthIn(shape, columns) <= width {
			chosen = shape
			break
		}
	}
	rows := console.NewTable(chosen.gap)
	var header, footer table.Row
	var right []int
	for i, c := range s.Columns {
		header = append(header, s.header(c))
		last := len(columns[i]) - 1
		footer = append(footer, columns[i][last])
		if c.Kind == Integer || c.isAmount() || c.Kind == GasPrice || c.Kind == TokenAmount {
			right = append(right, i+1)
		}
	}
	rows.AppendHeader(header)
	console.RightAlign(rows, right...)
	for line := range len(columns[0]) - 1 {
		row := make(table.Row, len(columns))
		for i, c := range s.Columns {
			row[i] = chosen.cut(c.Kind, columns[i][line])
		}
		rows.AppendRow(row)
	}
	if totals {
		label(footer, s.Columns)
		rows.AppendFooter(footer)
	}
	return rows.Render()
}

// label writes "total" in the first column that has none.
func label(footer table.Row, columns []Column) {
	for i, c := range columns {
		if !c.Total {
			footer[i] = "total"
			return
		}
	}
}

// widthIn is how wide the table is in a shape: its lines below header and rows go
// on for a gap after the last column.
func (s *Sheet) widthIn(shape shape, columns [][]string) (width int) {
	for i, c := range s.Columns {
		widest := text.StringWidthWithoutEscSequences(s.header(c))
		for _, cell := range columns[i] {
			widest = max(widest, text.StringWidthWithoutEscSequences(shape.cut(c.Kind, cell)))
		}
		width += widest + shape.gap
	}
	return width
}

// header is a column's name for people, with its unit.
func (s *Sheet) header(c Column) string {
	name := strings.ReplaceAll(c.Name, "_", " ")
	switch {
	case c.isAmount():
		return strings.TrimSpace(name + " " + console.Printable(s.Symbol))
	case c.Kind == GasPrice:
		return name + " Gwei"
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
