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
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
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

// WriteFixed writes the company's own file again, in its own form: its rows unchanged, each followed by its outcome,
// the charged amount and the difference. In is the same file, read again. If it differs, WriteFixed returns
// ErrChanged, and its output must be discarded.
func (r *Result) WriteFixed(ctx context.Context, w io.Writer, in io.Reader) error {
	sum := sha256.New()
	whole := bounded(ctx, io.TeeReader(in, sum))
	t, err := openTable(ctx, whole, &r.Options)
	if err != nil {
		return err
	}
	defer t.close()
	next, stop := iter.Pull2(r.Items())
	defer stop()
	f := &fixer{ctx: ctx, result: r, next: next}
	if t.book != nil {
		err = f.writeXLSX(w, t)
	} else {
		err = f.writeCSV(w, t)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, whole)
	}
	if err == nil && SHA256(sum.Sum(nil)) != r.File.SHA256 {
		err = ErrChanged
	}
	return err
}

// fixer computes the cells added to each line.
type fixer struct {
	ctx    context.Context // cancels the writing
	result *Result
	next   func() (*Item, error, bool)
	item   *Item // the next item
}

// addedCells returns the cells added to a line; none if it stays unchanged. Lines must come in order.
func (f *fixer) addedCells(rec *record) ([]string, error) {
	file := f.result.File
	switch {
	case rec.line == file.HeaderRow:
		return uniqueNames(f.columns(), rec.header()), nil
	case isIn(file.Totals, rec.line):
		return append(make([]string, len(fixedColumns)-1), "total row, not compared"), nil
	}
	for f.item == nil || f.item.Row != nil && f.item.Row.Line < rec.line {
		item, err, more := f.next()
		if err != nil || !more {
			return nil, err
		}
		f.item = item
	}
	if f.item.Row == nil || f.item.Row.Line != rec.line {
		return nil, nil
	}
	i := f.item
	cells := []string{string(i.Outcome), textOf(i.Chain), tokenText(f.result, i.Chain), textOf(i.Difference), tokenText(f.result, i.Difference), "", i.why(f.result)}
	if t, ok := i.Transaction.Get(); ok {
		cells[5] = t.Place.String()
	}
	if v := f.result.valuer; v != nil {
		w := i.worth(v, f.result.Options.Zone)
		cells = append(cells, textOf(w.Chain), textOf(w.Difference))
		if table.IsLate(w.Chain, w.Difference) {
			cells[6] = strings.TrimPrefix(cells[6]+"; valued at the last known price of an earlier day", "; ")
		}
	}
	return cells, nil
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

func textOf[T interface{ String() string }](o chain.Optional[T]) string {
	if v, ok := o.Get(); ok {
		return v.String()
	}
	return ""
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
	for rec, err := range t.records {
		if err != nil {
			return err
		}
		cells, err := f.addedCells(rec)
		if err != nil {
			return err
		}
		text := rec.raw
		if cells != nil {
			text = f.beside(rec, cells, t.separator)
		}
		out.Write(encoded(text, t.encoding))
	}
	out.Write(encoded(t.end, t.encoding))
	return out.Flush()
}

// beside returns a csv line with cells added at its end.
func (f *fixer) beside(rec *record, cells []string, separator string) []byte {
	body := bytes.TrimSuffix(rec.raw, []byte("\n"))
	body = bytes.TrimSuffix(body, []byte("\r"))
	end := rec.raw[len(body):]
	decimal := string(f.result.Options.Decimal)
	for i := range cells {
		if isFigure(i) {
			cells[i] = strings.Replace(cells[i], ".", decimal, 1)
			continue
		}
		cells[i] = table.Safe(cells[i])
	}
	var added bytes.Buffer
	w := csv.NewWriter(&added)
	w.Comma = rune(separator[0])
	_ = w.Write(cells) // to memory
	w.Flush()
	return slices.Concat(body, []byte(separator), bytes.TrimSuffix(added.Bytes(), []byte("\n")), end)
}

// writeXLSX writes the workbook with its other parts unchanged.
func (f *fixer) writeXLSX(w io.Writer, t *fileTable) error {
	column := 0 // the first free column
	var header *record
	err := t.book.read(t.part, func(rec *record) bool {
		column = max(column, len(rec.cells))
		if rec.line == f.result.File.HeaderRow {
			header = rec
		}
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
		err = f.writeSheet(buffer, content, header, column)
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

// spans matches the optional attribute with a row's columns, which would be wrong after adding cells.
var spans = regexp.MustCompile(`\s+spans="[^"]*"|\s+spans='[^']*'`)

// writeSheet writes the XML of a sheet with cells added at the ends of its rows.
func (f *fixer) writeSheet(out *bufio.Writer, content io.Reader, header *record, column int) error {
	source := &recorder{from: content}
	d := xml.NewDecoder(source)
	line, prefix, passing := 0, "", false
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
				line++
				if n, err := strconv.Atoi(attribute(x, "r")); err == nil {
					line = n
				}
				name := strings.TrimPrefix(string(raw), "<")
				prefix, _, _ = strings.Cut(name, "row")
				raw = spans.ReplaceAll(raw, nil)
			}
		case xml.EndElement:
			switch {
			case x.Name.Local == "dimension":
				passing = false
				continue
			case x.Name.Local == "row" && len(raw) > 0:
				rec := &record{line: line}
				if header != nil && line == header.line {
					rec = header
				}
				cells, err := f.addedCells(rec)
				if err != nil {
					return err
				}
				writeCells(out, prefix, cells, column, line)
			}
		}
		if !passing {
			out.Write(raw)
		}
	}
}

// writeCells writes cells of a sheet: text that is never a formula, and numbers.
func writeCells(out *bufio.Writer, prefix string, cells []string, column, line int) {
	for i, text := range cells {
		if text == "" {
			continue
		}
		open := "<" + prefix + `c r="` + columnName(column+i) + strconv.Itoa(line) + `"`
		if isFigure(i) && number.MatchString(text) {
			out.WriteString(open + "><" + prefix + "v>" + text + "</" + prefix + "v></" + prefix + "c>")
			continue
		}
		out.WriteString(open + ` t="inlineStr"><` + prefix + "is><" + prefix + `t xml:space="preserve">`)
		_ = xml.EscapeText(out, []byte(console.Printable(text))) // to a buffer
		out.WriteString("</" + prefix + "t></" + prefix + "is></" + prefix + "c>")
	}
}

// columnName returns a column's letters by its index from 0: 2 is C.
func columnName(place int) (name string) {
	for place++; place > 0; place = (place - 1) / 26 {
		name = string(rune('A'+(place-1)%26)) + name
	}
	return name
}
