package reconcile

import (
	"context"
	"errors"
	"io"
	"slices"
)

// Preview is how a record of fees begins, as it is written, whether or not it can be read: it
// shows people which column is what.
type Preview struct {
	Form      string   // csv or xlsx
	Separator string   // of csv
	Encoding  Encoding // of csv
	Sheet     string   // of xlsx
	Sheets    []string // that the workbook has
	Line      int      // of the header, or of what looks most like one
	Header    []string // its cells
	Found     []Column // that the header has; none where it is no header by the options
	Unit      Unit     // of the fees; "" where the header does not say it
	Rows      []Line   // the first below the header
}

// Line is a row of a file, as it is written.
type Line struct {
	Number int // the first is 1
	Cells  []string
}

// ReadPreview reads how a file begins: its header and so many rows below it. The error is that of
// a file of which no row can be told.
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
		p.Sheets = t.book.sheets
	}
	var lines []Line
	var unread *UnreadError
	for rec, wrong := range t.records {
		if wrong != nil { // ReadFile tells it
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
		return nil, errors.New("the file is empty")
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

// written are the cells as they are written.
func (r *record) written() Line {
	l := Line{Number: r.line, Cells: make([]string, len(r.cells))}
	for i := range r.cells {
		l.Cells[i] = r.cells[i].text
	}
	return l
}
