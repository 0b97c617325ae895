package report

import (
	"io"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// comparedShown lists the figures of the terminal table and comparedParts their parts, with the order in which
// they are dropped if the terminal is narrow. The other formats contain all figures; their totals are below
// the table.
var (
	comparedShown = map[string]int{"fee": 0, "evm": 3, "native": 3}
	comparedParts = map[part]int{ofDifference: 0, ofPercent: 0, ofNow: 1, ofBefore: 2}
)

// writeText writes the comparison for a terminal of the given width: missing data, pairs, totals and notes.
func (c *Comparison) writeText(w io.Writer, width int) error {
	page := console.NewPage(w, width)
	page.Line(c.Title(), 2)
	missing, others := c.Warnings()
	for _, note := range append(slices.Clone(missing), c.evidence()...) {
		page.Line(note, 2)
	}
	if len(c.Pairs) > 0 {
		page.WriteString("\n")
		s := c.sheetOf(c.choose(), c.gathered())
		s.Title, s.Notes, s.Totals = "", nil, nil
		for i := range s.Columns {
			s.Columns[i].Total = false // all totals are below the table
		}
		if err := table.WriteTable(page, s, width); err != nil {
			return err
		}
	}
	page.WriteString("\n")
	if c.same != nil {
		page.Line(c.same.Part+":", 2)
	}
	if err := c.writeTotals(page); err != nil {
		return err
	}
	page.Notes(others)
	return page.Flush()
}

// choose returns the columns for the terminal: keys and some figures.
func (c *Comparison) choose() (columns []pairColumn) {
	for _, k := range c.keyColumns() {
		if k.of == groupColumn.Name && c.Now.By == Contract || k.of == othersColumn.Name {
			continue // calls and contracts need the width; the others have a name
		}
		columns = append(columns, k)
	}
	columns = c.shownColumns(columns)
	if c.Top > 0 {
		first := columns[0]
		columns[0].Kind = table.Text
		columns[0].value = func(p *Pair) (any, error) {
			if p.Now.Others.Known() {
				return p.Now.Name(c.Now.Token), nil
			}
			value, err := first.value(p)
			return text(c.Now.Token, value), err
		}
	}
	for _, f := range c.figureColumns() {
		if drop, isShown := comparedShown[f.of]; isShown {
			f.Drop = max(drop, comparedParts[f.part])
			columns = append(columns, f)
		}
	}
	return columns
}

// writeTotals writes one line per figure: current, previous, difference and percentage.
func (c *Comparison) writeTotals(page *console.Page) error {
	lines := [][]string{{"total"}, {console.PeriodName(c.Now.Name)}, {console.PeriodName(c.Before.Name)}, {"difference"}, {"%"}}
	places := map[part]int{ofNow: 1, ofBefore: 2, ofDifference: 3, ofPercent: 4}
	for _, f := range c.figureColumns() {
		value, err := f.value(&c.Totals)
		if err != nil {
			return err
		}
		if f.part == ofNow {
			for i := range lines {
				lines[i] = append(lines[i], "")
			}
			lines[0][len(lines[0])-1] = table.Heading(f.Column, c.Now.Symbol)
		}
		column := lines[places[f.part]]
		column[len(column)-1] = differenceText(c.Now.Token, value)
	}
	for _, column := range lines[1:4] {
		alignAmounts(column[1:])
	}
	rows := console.NewTable(
		console.Column{Name: lines[0][0]}, console.Column{Name: lines[1][0], Right: true, Drop: 1}, console.Column{Name: lines[2][0], Right: true, Drop: 2},
		console.Column{Name: lines[3][0], Right: true}, console.Column{Name: lines[4][0], Right: true},
	)
	for k := range lines[0][1:] {
		rows.Row(lines[0][k+1], lines[1][k+1], lines[2][k+1], lines[3][k+1], lines[4][k+1])
	}
	page.Table(rows)
	return nil
}

// differenceText formats a value of a comparison.
func differenceText(token console.Token, value any) string {
	switch v := value.(type) {
	case chain.Wei, chain.Optional[chain.Wei], chain.Optional[chain.GasPrice]:
		return trimmed(text(token, v))
	case chain.SignedWei:
		return trimmed(token.Tokens(v))
	case chain.Optional[chain.SignedWei]:
		if wei, known := v.Get(); known {
			return trimmed(token.Tokens(wei))
		}
		return notKnown
	}
	return text(token, value)
}

// trimmed strips trailing zeros from a number; other text is unchanged.
func trimmed(text string) string {
	if strings.Contains(text, ".") {
		return console.Plain(text)
	}
	return text
}

// alignAmounts aligns numbers at their decimal points.
func alignAmounts(cells []string) {
	most := 0
	behind := func(cell string) int { // including the point
		if point := strings.IndexByte(cell, '.'); point >= 0 {
			return len(cell) - point
		}
		return 0
	}
	for _, cell := range cells {
		most = max(most, behind(cell))
	}
	for i, cell := range cells {
		cells[i] += strings.Repeat(" ", most-behind(cell))
	}
}
