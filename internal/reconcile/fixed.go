package reconcile

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// fixedColumns are the columns added to the company's own.
var fixedColumns = []string{"outcome", "chain_wei", "chain_token", "difference_wei", "difference_token", "id", "notes"}

// worthFixedColumns follow them if there are prices.
var worthFixedColumns = []string{"chain", "difference"}

// isFigure reports whether an added column contains numbers in a workbook. A spreadsheet rounds them; the exact
// amounts in wei are beside them.
func isFigure(column int) bool { return column == 2 || column == 4 || column >= len(fixedColumns) }

// ErrChanged reports that a file is not the one that was compared.
var ErrChanged = errors.New("the file changed while it was being read; try again")

// Changes counts what a copy of a record changes.
type Changes struct {
	Added     int // rows
	NotAdded  int // transactions without a row that no new row can say for certain
	Corrected int // amounts
	Kept      int // wrong amounts that are formulas, or that cannot be written
}

// WriteFixed writes the company's own file again, in its own form: each row followed by its outcome, the charged amount
// and the difference. Wrong amounts are corrected, with the total rows that contained them, and missing transactions
// get a row at the end; the notes say which. Accepted differences and all other cells stay as they are. In is the same
// file, read again. If it differs, WriteFixed returns ErrChanged, and its output must be discarded.
func (r *Result) WriteFixed(ctx context.Context, w io.Writer, in io.Reader) error {
	if len(r.Files) != 1 {
		return fmt.Errorf("%d files were compared; only one can be written again", len(r.Files))
	}
	sum := sha256.New()
	whole := bounded(ctx, io.TeeReader(in, sum))
	t, err := openTable(ctx, whole, &r.Options)
	if err != nil {
		return err
	}
	defer t.close()
	next, stop := iter.Pull2(r.Items())
	defer stop()
	f := &fixer{ctx: ctx, result: r, table: t, next: next}
	if t.book != nil {
		err = f.writeXLSX(w, t)
	} else {
		err = f.writeCSV(w, t)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, whole)
	}
	if err == nil && SHA256(sum.Sum(nil)) != r.Files[0].SHA256 {
		err = ErrChanged
	}
	r.Fixed = f.changes
	return err
}

// fixer computes what is changed in each line.
type fixer struct {
	ctx     context.Context // cancels the writing
	result  *Result
	table   *fileTable
	next    func() (*Item, error, bool)
	item    *Item    // the next item
	form    *rowForm // nil above the header
	booked  running  // the sums that total rows stated
	right   running  // the sums after the corrections
	kept    running  // those if the last one cannot be made
	changes Changes
}

// fixedLine is what becomes of a line of the record.
type fixedLine struct {
	added   []string                   // the cells after its own; none if it stays unchanged
	change  chain.Optional[placedCell] // of its own cells
	isTotal bool
	sample  bool // it shows the form of rows
}

// keep undoes a change that cannot be made.
func (f *fixer) keep(l *fixedLine, why string) {
	if l.change.Known() && !l.isTotal {
		f.changes.Corrected--
		f.changes.Kept++
		f.right = f.kept
		l.added[noteColumn] = strings.Replace(l.added[noteColumn], corrected, why, 1)
	}
	l.change = chain.Optional[placedCell]{}
}

// noteColumn is the index of the notes among the added columns.
const noteColumn = 6

// The notes about changes.
const (
	corrected   = "corrected in this copy"
	addedRow    = "added in this copy"
	keptFormula = "not corrected: the amount is a formula"
	keptForm    = "not corrected: the amount cannot be written in this form"
)

// line returns what becomes of a line. Lines must come in order.
func (f *fixer) line(rec *record) (l fixedLine, err error) {
	file := f.result.Files[0]
	switch {
	case rec.line == file.HeaderRow:
		f.form, err = newRowForm(rec, f.table, &f.result.Options)
		return fixedLine{added: uniqueNames(f.columns(), rec.header())}, err
	case isIn(file.Totals, rec.line):
		l = fixedLine{added: make([]string, len(fixedColumns)), isTotal: true}
		l.added[noteColumn] = "total row, not compared"
		f.total(rec, &l)
		return l, nil
	}
	for f.item == nil || f.item.Row != nil && f.item.Row.Line < rec.line {
		item, err, more := f.next()
		if err != nil || !more {
			return l, err
		}
		f.item = item
	}
	if f.item.Row == nil || f.item.Row.Line != rec.line {
		return l, nil
	}
	if f.form == nil {
		return l, ErrChanged
	}
	i := f.item
	l.added = f.cells(i)
	if i.Row.LeftOut != "" {
		return l, nil
	}
	if i.Outcome == TotalDiffers {
		f.wrongTotal(rec, &l)
		return l, nil
	}
	l.sample = i.Outcome != LeftOut
	amount := i.Row.Fee
	if wei, known := i.Chain.Get(); known && i.Outcome == AmountDiffers && f.result.AcceptanceOf(i) == nil {
		if c, written, ok := f.form.corrected(rec, wei); ok {
			l.change, amount = chain.Some(c), written
			l.added[noteColumn] += "; " + corrected
			f.changes.Corrected++
		} else {
			l.added[noteColumn] += "; " + keptForm
			f.changes.Kept++
		}
	}
	if l.sample {
		f.form.learn(rec)
	}
	f.booked.add(i.Row.Fee)
	f.kept = f.right
	f.kept.add(i.Row.Fee)
	f.right.add(amount)
	return l, nil
}

// wrongTotal changes the figure of a total row to the sum of the rows above it.
func (f *fixer) wrongTotal(rec *record, l *fixedLine) {
	l.isTotal = true
	if !f.setTotal(f.form.copied(rec), l, &f.right.whole) {
		f.changes.Kept++
	}
	f.booked.section, f.right.section = sum{}, sum{}
}

// total changes the figure of a total row if it was the sum of the rows above, some of which are corrected.
func (f *fixer) total(rec *record, l *fixedLine) {
	if f.form == nil {
		return
	}
	own := f.form.copied(rec)
	if figure, err := f.form.reader.figure(own); err == nil {
		for _, sums := range [][2]*sum{{&f.booked.whole, &f.right.whole}, {&f.booked.section, &f.right.section}} {
			if !sums[0].is(figure) {
				continue
			}
			if sums[0].wei != sums[1].wei {
				f.setTotal(own, l, sums[1])
			}
			break
		}
	}
	f.booked.section, f.right.section = sum{}, sum{}
}

// setTotal changes the figure of a total row to a sum, if the row can state it.
func (f *fixer) setTotal(own *record, l *fixedLine, s *sum) bool {
	c, ok := f.form.total(own, s.wei)
	if ok = ok && !s.overflow; ok {
		l.change = chain.Some(c)
		l.added[noteColumn] += "; " + corrected
	}
	return ok
}

// cells returns the added cells of an item.
func (f *fixer) cells(i *Item) []string {
	cells := []string{string(i.Outcome), console.Known(i.Chain), tokenText(f.result, i.Chain), console.Known(i.Difference), tokenText(f.result, i.Difference), "", i.why(f.result)}
	if t, ok := i.Transaction.Get(); ok {
		cells[5] = t.Place.String()
	}
	if v := f.result.valuer; v != nil {
		w := i.worth(v, f.result.Options.Zone)
		cells = append(cells, console.Known(w.Chain), console.Known(w.Difference))
		if table.IsLate(w.Chain, w.Difference) {
			cells[noteColumn] = strings.TrimPrefix(cells[noteColumn]+"; valued at the last known price of an earlier day", "; ")
		}
	}
	return cells
}

// newRows calls write with the cells of a row for each missing transaction, its own and those after them.
func (f *fixer) newRows(write func(own []cell, added []string)) error {
	if f.form == nil {
		return nil
	}
	for more := true; more; {
		if i := f.item; i != nil && i.Row == nil && f.result.AcceptanceOf(i) == nil {
			if own, ok := f.form.added(i); ok {
				added := f.cells(i)
				added[noteColumn] = strings.Join(append([]string{added[noteColumn], addedRow}, f.result.entry(i)[0]), "; ")
				write(own, added)
				f.changes.Added++
			} else {
				f.changes.NotAdded++
			}
		}
		var err error
		if f.item, err, more = f.next(); err != nil {
			return err
		}
	}
	return nil
}

// own returns the number of columns before those that [Result.WriteFixed] adds, in a copy that it wrote.
func (h header) own() int {
	for i := range max(0, len(h)-len(fixedColumns)+1) {
		if slices.EqualFunc(h[i:i+len(fixedColumns)], fixedColumns, strings.HasPrefix) {
			return i
		}
	}
	return len(h)
}

// columns returns the names of the added columns.
func (f *fixer) columns() []string {
	names := slices.Clone(fixedColumns)
	if v := f.result.valuer; v != nil {
		for _, name := range worthFixedColumns {
			names = append(names, name+"_"+v.Currency.Suffix())
		}
	}
	return names
}

// isIn reports whether a line is in a sorted list.
func isIn(lines []int, line int) bool {
	_, found := slices.BinarySearch(lines, line)
	return found
}

// uniqueNames returns column names changed where the file already has them.
func uniqueNames(names []string, h header) []string {
	for i, name := range names {
		for n := 2; slices.ContainsFunc(h, func(own string) bool { return strings.EqualFold(strings.TrimSpace(own), names[i]) }); n++ {
			names[i] = name + "_" + strconv.Itoa(n)
		}
	}
	return names
}

func tokenText[T interface{ String() string }](r *Result, o chain.Optional[T]) string {
	if text := tokensOf(r, o); text != nil {
		return *text
	}
	return ""
}

// writeCSV writes csv with the file's separator, encoding and line ends.
func (f *fixer) writeCSV(w io.Writer, t *fileTable) error {
	out := bufio.NewWriter(w)
	out.WriteString(t.start)
	lineEnd, isEnded := "\n", true
	for rec, err := range t.records {
		if err != nil {
			return err
		}
		l, err := f.line(rec)
		if err != nil {
			return err
		}
		text := rec.raw
		if l.added != nil {
			text = f.beside(rec, &l, t.separator[0])
		}
		if isEnded = bytes.HasSuffix(text, []byte("\n")); bytes.HasSuffix(text, []byte("\r\n")) {
			lineEnd = "\r\n"
		}
		out.Write(encoded(text, t.encoding))
	}
	err := f.newRows(func(own []cell, added []string) {
		text := csvLine(t.separator[0], append(texts(own), f.shown(added)...)) + lineEnd
		if !isEnded {
			text, isEnded = lineEnd+text, true
		}
		out.Write(encoded([]byte(text), t.encoding))
	})
	if err != nil {
		return err
	}
	out.Write(encoded(t.end, t.encoding))
	return out.Flush()
}

// texts returns the texts of cells.
func texts(cells []cell) (list []string) {
	for i := range cells {
		list = append(list, cells[i].text)
	}
	return list
}

// beside returns a csv line with its change, and with cells added after those of the header's columns.
func (f *fixer) beside(rec *record, l *fixedLine, separator byte) []byte {
	body := bytes.TrimSuffix(rec.raw, []byte("\n"))
	body = bytes.TrimSuffix(body, []byte("\r"))
	end := rec.raw[len(body):]
	fields := csvFields(body, separator)
	if width := len(f.form.reader.header); len(fields) > width { // empty cells after the last column
		body = body[:fields[width-1].end]
	} else {
		body = append(slices.Clone(body), bytes.Repeat([]byte{separator}, width-len(fields))...)
	}
	if c, changed := l.change.Get(); changed && c.place <= len(fields) {
		at := fields[c.place-1]
		text := csvLine(separator, []string{c.text})
		if body[at.begin] == '"' && !strings.HasPrefix(text, `"`) {
			text = `"` + text + `"`
		}
		body = slices.Concat(body[:at.begin], []byte(text), body[at.end:])
	}
	return slices.Concat(body, []byte{separator}, []byte(csvLine(separator, f.shown(l.added))), end)
}

// shown returns added cells as csv shows them: figures with the file's decimal separator, texts that are not formulas.
func (f *fixer) shown(cells []string) []string {
	decimal := string(f.result.Options.Decimal)
	for i := range cells {
		if isFigure(i) {
			cells[i] = strings.Replace(cells[i], ".", decimal, 1)
			continue
		}
		cells[i] = plain.Cell(cells[i])
	}
	return cells
}

// csvLine returns a line of csv without its end.
func csvLine(separator byte, cells []string) string {
	var line strings.Builder
	w := csv.NewWriter(&line)
	w.Comma = rune(separator)
	_ = w.Write(cells) // to memory
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// extent is the position of a field in a line of csv.
type extent struct{ begin, end int }

// csvFields returns the fields of a line that was read as csv, which may begin with empty lines.
func csvFields(line []byte, separator byte) (list []extent) {
	at := len(line) - len(bytes.TrimLeft(line, "\r\n"))
	for begin, quoted := at, false; at <= len(line); at++ {
		switch {
		case at == len(line), line[at] == separator && !quoted:
			list = append(list, extent{begin, at})
			begin = at + 1
		case line[at] == '"':
			quoted = !quoted
		}
	}
	return list
}

// writeXLSX writes the workbook with its other parts unchanged.
func (f *fixer) writeXLSX(w io.Writer, t *fileTable) error {
	column := 0 // the first free column
	err := t.book.read(t.part, func(rec *record) bool {
		column = max(column, len(rec.cells))
		return true
	})
	if err != nil {
		return err
	}
	out := zip.NewWriter(w)
	for _, part := range t.book.all {
		if !strings.EqualFold(part.Name, t.part) {
			if err := out.Copy(part); err != nil {
				return err
			}
			continue
		}
		into, err := out.CreateHeader(&zip.FileHeader{Name: part.Name, Method: zip.Deflate, Modified: part.Modified})
		if err != nil {
			return err
		}
		content, err := t.book.openPart(part)
		if err != nil {
			return err
		}
		buffer := bufio.NewWriter(into)
		err = f.writeSheet(buffer, content, column)
		content.Close()
		if err == nil {
			err = buffer.Flush()
		}
		if err != nil {
			return err
		}
	}
	return out.Close()
}

var (
	// spans matches the optional attribute with a row's columns, which would be wrong after adding cells.
	spans = regexp.MustCompile(`\s+spans="[^"]*"|\s+spans='[^']*'`)
	// storedValue matches the stored value of a cell.
	storedValue = regexp.MustCompile(`(<(?:[\w.-]+:)?v(?:\s[^>]*)?>)[^<]*(</)`)
)

// sheetWriter writes the XML of a sheet again.
type sheetWriter struct {
	*fixer
	out     *bufio.Writer
	column  int    // the first free column
	prefix  string // of the sheet's elements
	number  int    // of the row
	line    fixedLine
	place   int          // of the cell, from 1
	style   string       // of the cell
	held    bytes.Buffer // the cell, if it is to be changed
	holds   bool
	formula bool // the cell has one
}

// writeSheet writes the XML of a sheet with cells added at the ends of its rows, with changed cells, and new rows.
func (f *fixer) writeSheet(out *bufio.Writer, content io.Reader, column int) error {
	w := &sheetWriter{fixer: f, out: out, column: column}
	next, stop := iter.Pull2(f.table.records)
	defer stop()
	rec, err, more := next()
	if err != nil {
		return err
	}
	source := &recorder{from: content}
	d := xml.NewDecoder(source)
	passing := false
	for {
		token, err := d.Token()
		raw := source.upTo(d.InputOffset())
		if errors.Is(err, io.EOF) {
			out.Write(raw)
			return nil
		}
		if err != nil {
			return err
		}
		switch x := token.(type) {
		case xml.StartElement:
			switch x.Name.Local {
			case "dimension":
				passing = true
			case "row":
				w.number++
				if n, err := strconv.Atoi(attribute(x, "r")); err == nil {
					w.number = n
				}
				for more && rec.line < w.number {
					if rec, err, more = next(); err != nil {
						return err
					}
				}
				own := &record{line: w.number}
				if more && rec.line == w.number {
					own = rec
				}
				if w.line, err = f.line(own); err != nil {
					return err
				}
				w.place = 0
				name := strings.TrimPrefix(string(raw), "<")
				w.prefix, _, _ = strings.Cut(name, "row")
				raw = spans.ReplaceAll(raw, nil)
			case "c":
				w.begin(x)
			case "f":
				w.formula = true
			}
		case xml.EndElement:
			switch x.Name.Local {
			case "dimension":
				passing = false
				continue
			case "c":
				if w.holds {
					w.held.Write(raw)
					w.change()
					continue
				}
			case "row":
				if len(raw) > 0 {
					w.cells(w.column, w.line.added)
				}
				w.line = fixedLine{}
			case "sheetData":
				if err := f.newRows(w.row); err != nil {
					return err
				}
			}
		}
		switch {
		case w.holds:
			w.held.Write(raw)
		case !passing:
			out.Write(raw)
		}
	}
}

// begin notes where a cell is, and whether it is to be changed.
func (w *sheetWriter) begin(x xml.StartElement) {
	w.place++
	if place, err := columnOf(attribute(x, "r")); err == nil {
		w.place = place + 1
	}
	w.style, w.formula = attribute(x, "s"), false
	if w.form != nil && w.line.sample && w.place <= len(w.form.styles) && w.form.styles[w.place-1] == "" {
		w.form.styles[w.place-1] = w.style
	}
	c, changed := w.line.change.Get()
	if w.holds = changed && c.place == w.place; w.holds {
		w.held.Reset()
	}
}

// change writes the held cell with its new content. A formula stays; that of a total row has another value.
func (w *sheetWriter) change() {
	w.holds = false
	c, _ := w.line.change.Get()
	switch {
	case !w.formula:
		w.cell(c.place, w.number, w.style, c.cell)
		return
	case w.line.isTotal:
		var text bytes.Buffer
		_ = xml.EscapeText(&text, []byte(c.text)) // to memory
		w.out.Write(storedValue.ReplaceAllFunc(w.held.Bytes(), func(value []byte) []byte {
			parts := storedValue.FindSubmatch(value)
			return slices.Concat(parts[1], text.Bytes(), parts[2])
		}))
		return
	}
	w.keep(&w.line, keptFormula)
	w.out.Write(w.held.Bytes())
}

// row writes a new row.
func (w *sheetWriter) row(own []cell, added []string) {
	w.number++
	w.out.WriteString("<" + w.prefix + `row r="` + strconv.Itoa(w.number) + `">`)
	for i, c := range own {
		if c.text != "" {
			w.cell(i+1, w.number, w.form.styles[i], c)
		}
	}
	w.cells(w.column, added)
	w.out.WriteString("</" + w.prefix + "row>")
}

// cells writes the added cells of a row: text that is never a formula, and numbers.
func (w *sheetWriter) cells(column int, cells []string) {
	for i, text := range cells {
		if text != "" {
			w.cell(column+i+1, w.number, "", cell{text: text, number: isFigure(i) && number.MatchString(text)})
		}
	}
}

// cell writes a cell.
func (w *sheetWriter) cell(place, row int, style string, c cell) {
	open := "<" + w.prefix + `c r="` + table.ColumnName(place) + strconv.Itoa(row) + `"`
	if style != "" {
		open += ` s="` + style + `"`
	}
	if c.number {
		w.out.WriteString(open + "><" + w.prefix + "v>" + c.text + "</" + w.prefix + "v></" + w.prefix + "c>")
		return
	}
	w.out.WriteString(open + ` t="inlineStr"><` + w.prefix + "is><" + w.prefix + `t xml:space="preserve">`)
	table.EscapeText(w.out, table.CellText(c.text))
	w.out.WriteString("</" + w.prefix + "t></" + w.prefix + "is></" + w.prefix + "c>")
}
