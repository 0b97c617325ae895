package table

import (
	"context"
	"errors"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/inorder"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/sys/spill"
)

// WriteTable writes a table for a terminal, fitted to width columns if possible: it shortens hashes and
// addresses, hides columns and shortens text, but never figures. Amounts are in the token, prices in Gwei,
// with as many decimals as any cell of the column needs. Totals and notes follow. Nothing is written before
// all rows are read; many rows are kept in a temporary file.
func WriteTable(w io.Writer, s *Sheet, width int) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	sums, err := newTotals(s)
	if err != nil {
		return err
	}
	t := grid{sheet: s, layout: console.NewLayout(s.tableColumns()), totals: sums, width: width, beside: s.Beside != nil && width >= besideFrom}
	defer func() { err = errors.Join(err, t.rows.Close()) }()
	if err := t.read(); err != nil {
		return err
	}
	if t.beside {
		width -= besideRoom
	}
	page := console.NewPage(w, width)
	if s.Title != "" {
		page.Line(s.Title, 0)
		page.WriteString("\n")
	}
	if err := t.write(page, s.Columns); err != nil {
		return err
	}
	page.Notes(s.Notes)
	return page.Flush()
}

// Space for what is beside the rows, in columns.
const (
	besideFrom  = 60 // nothing on narrower terminals
	besideRoom  = 10 // left free, with a gap
	besideLeast = 8
)

// shown returns a value as text.
func (s *Sheet) shown(value any) string { return string(s.appendShown(nil, value)) }

func (s *Sheet) appendShown(out []byte, value any) []byte {
	switch v := value.(type) {
	case chain.SignedWei:
		return console.AppendScaled(out, v.String(), s.Places())
	case chain.GasPrice:
		return console.AppendScaled(out, v.String(), console.GweiDecimals)
	case unknownAmount:
		return append(out, notKnown...)
	case string:
		return append(out, plain.Line(v)...)
	case Worded:
		return append(out, v.Words()...)
	}
	return append(out, exact(value)...)
}

// grid holds the rows of a table as text, which are measured before the first one is written.
type grid struct {
	sheet  *Sheet
	layout *console.Layout
	rows   spill.Records // cells separated by line breaks
	totals *totals
	width  int
	beside bool // there is room for text beside the rows

	cells []string // reused
}

// tableColumns returns the columns for the terminal.
func (s *Sheet) tableColumns() []console.Column {
	columns := make([]console.Column, len(s.Columns))
	for i, c := range s.Columns {
		columns[i] = console.Column{
			Name: Heading(c, s.Symbol), Right: c.Kind.isRight(), Decimals: c.Kind.hasDecimals(), Drop: c.Drop, Verdict: c.Verdict,
			Cut: c.Kind == Hash || c.Kind == Address || c.Kind == Text && !c.Term && !c.Verdict,
		}
	}
	return columns
}

// portion is some rows of a sheet.
type portion struct {
	first  int   // number of the first row, from 1
	values []any // of the rows, one after the other; converted by text
	text   []byte
	ends   []int // of the rows in text
	err    error // of the row after these
}

// portionRows is the number of rows that are converted at once.
const portionRows = 256

// portions yields the rows of the sheet.
func (s *Sheet) portions(yield func(*portion) bool) {
	p := &portion{first: 1}
	next := func() bool {
		full := p
		p = &portion{first: full.first + len(full.ends)}
		return yield(full)
	}
	for values, err := range s.Rows {
		if err != nil {
			p.err = err
			break
		}
		p.ends = append(p.ends, len(values))
		if p.values = append(p.values, values...); len(p.ends) == portionRows && !next() {
			return
		}
	}
	next()
}

// convert converts the rows to their text, with a line break between cells, which contain none.
func (p *portion) convert(s *Sheet) *portion {
	left := p.values
	for i, n := range p.ends {
		row := left[:n]
		if err := s.read(p.first+i, row, row); err != nil {
			p.ends, p.err = p.ends[:i], err
			break
		}
		for column, value := range row {
			if column > 0 {
				p.text = append(p.text, '\n')
			}
			p.text = s.appendShown(p.text, value)
		}
		p.ends[i], left = len(p.text), left[n:]
	}
	return p
}

// read reads all rows.
func (t *grid) read() error {
	if t.sheet.Rows == nil {
		return nil
	}
	for p := range inorder.Map(context.Background(), t.sheet.portions, runtime.GOMAXPROCS(0), func(_ context.Context, p *portion) *portion { return p.convert(t.sheet) }) {
		begin, columns := 0, len(t.sheet.Columns)
		for i, end := range p.ends {
			t.layout.Measure(t.split(p.text[begin:end]))
			if _, err := t.rows.Add(p.text[begin:end]); err != nil {
				return err
			}
			begin = end
			if t.totals.given != nil {
				continue
			}
			if err := t.totals.add(p.values[i*columns:][:columns]); err != nil {
				return err
			}
		}
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

// split returns the cells of a row.
func (t *grid) split(row []byte) []string {
	t.cells = t.cells[:0]
	for cell := range strings.SplitSeq(string(row), "\n") {
		t.cells = append(t.cells, cell)
	}
	return t.cells
}

// hasDecimals reports whether a column of the kind is aligned at the decimal point.
func (k Kind) hasDecimals() bool { return k == Wei || k == SignedWei || k == GasPrice }

// isRight reports whether a column of the kind is right-aligned.
func (k Kind) isRight() bool {
	return k == Integer || k == TokenAmount || k == Fiat || k == Percent || k.hasDecimals()
}

// write writes the rows and their totals.
func (t *grid) write(page *console.Page, columns []Column) error {
	footer := make([]string, len(columns))
	for i := range columns {
		footer[i] = t.sheet.shown(t.totals.of(i))
	}
	t.layout.Measure(footer)
	name, _, _ := strings.Cut(t.totals.name(), ",") // a terminal has no room for more; notes have it
	if t.totals.exist() {                           // labelled in the first column without a total
		t.layout.Measure(labelled(footer, columns, name, func(int) bool { return true }))
		t.layout.Measure(labelled(footer, columns, name, func(i int) bool { return columns[i].Drop == 0 }))
	}
	fit := t.layout.Fit(page)
	footer = labelled(footer, columns, name, fit.Shows)
	fit.Header()
	room, number := fit.Beside(t.width), 0
	for row, err := range t.rows.All() {
		if err != nil {
			return err
		}
		beside := ""
		if t.beside && room >= besideLeast {
			beside = t.sheet.Beside(number, room)
		}
		fit.Row(t.split(row), beside)
		number++
	}
	if t.totals.exist() {
		if t.rows.Len() > 0 {
			fit.Rule()
		}
		fit.Row(footer, "")
	}
	fit.LeftOut()
	return nil
}

// labelled puts the heading of the totals into the first shown column without a total.
func labelled(footer []string, columns []Column, name string, shown func(int) bool) []string {
	with := slices.Clone(footer)
	for i, c := range columns {
		if !c.Total && shown(i) {
			with[i] = name
			break
		}
	}
	return with
}

// Heading returns a column's name with its unit, for display: "fee GLMR". symbol is the token's.
func Heading(c Column, symbol string) string {
	name, unit := c.heading(symbol)
	return strings.TrimSpace(name + " " + unit)
}

// heading returns a column's name in words, and its unit; "" for none.
func (c Column) heading(symbol string) (name, unit string) {
	name = strings.ReplaceAll(c.Name, "_", " ")
	switch {
	case c.isAmount():
		return name, plain.Line(symbol)
	case c.Kind == GasPrice:
		return name, "Gwei"
	case c.Kind == Fiat:
		return strings.TrimSuffix(name, " "+c.Currency.Suffix()), string(c.Currency)
	case c.Kind == Percent:
		return strings.TrimSpace(strings.TrimSuffix(name, "percent")), "%"
	}
	return name, ""
}

// abbreviation matches the abbreviations in a name.
var abbreviation = regexp.MustCompile(`\b(evm|id)\b`)

// Words converts a column's name to words for people: "evm_fee" to "EVM fee".
func Words(name string) string {
	return abbreviation.ReplaceAllStringFunc(strings.ReplaceAll(name, "_", " "), strings.ToUpper)
}
