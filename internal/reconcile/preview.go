package reconcile

import (
	"context"
	"errors"
	"io"
	"slices"
)

// Preview is the beginning of a record of fees as it is written, readable or not. It shows people which column is
// which.
type Preview struct {
	Form      string   // csv or xlsx
	Separator string   // of csv
	Encoding  Encoding // of csv
	Sheet     string   // of xlsx
	Sheets    []string // in the workbook
	Line      int      // of the header, or of the row most like one
	Header    []string // its cells
	Found     []Column // recognised columns; none if it is not a header with these options
	Unit      Unit     // of the fees; "" if the header does not state it
	Rows      []Line   // the first rows below the header
}

// Line is a row of a file as it is written.
type Line struct {
	Number int // from 1
	Cells  []string
}

// ReadPreview reads the beginning of a file: its header and a number of rows below it. It returns an error only if no
// row can be read.
func ReadPreview(ctx context.Context, in io.Reader, o Options, rows int) (*Preview, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	t, err := openTable(ctx, bounded(ctx, in), &o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	r := &fileReader{file: new(File), table: t, options: &o, problems: new(ProblemsError)}
	p := &Preview{Form: t.form, Separator: t.separator, Encoding: t.encoding, Sheet: t.sheet}
	if t.book != nil {
		for _, s := range t.book.sheets {
			p.Sheets = append(p.Sheets, s.name)
		}
	}
	var lines []Line
	var unread *UnreadError
	for rec, wrong := range t.records {
		if wrong != nil { // ReadFile reports it
			err = wrong
			break
		}
		if slices.Contains(o.SkipRows, rec.line) || rec.blank() {
			continue
		}
		if lines = append(lines, rec.written()); r.rows != nil {
			if p.Rows = append(p.Rows, rec.written()); len(p.Rows) == rows {
				break
			}
			continue
		}
		if err = r.take(rec); err != nil {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case r.rows != nil:
		p.Line, p.Header, p.Found, p.Unit = r.file.HeaderRow, r.rows.header, r.file.Columns, r.file.Unit
		return p, nil
	case len(lines) == 0 && err != nil:
		return nil, err
	case len(lines) == 0:
		return nil, errEmpty
	case err == nil:
		err = r.noHeader()
	}
	at := 0
	if errors.As(err, &unread) {
		at = max(0, slices.IndexFunc(lines, func(l Line) bool { return l.Number == unread.Line }))
	}
	p.Line, p.Header, p.Rows = lines[at].Number, lines[at].Cells, lines[at+1:min(len(lines), at+1+rows)]
	return p, nil
}

// written returns the cells as they are written.
func (r *record) written() Line {
	l := Line{Number: r.line, Cells: make([]string, len(r.cells))}
	for i := range r.cells {
		l.Cells[i] = r.cells[i].text
	}
	return l
}
