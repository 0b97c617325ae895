package reconcile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
)

// SHA256 is the sum of a file.
type SHA256 [sha256.Size]byte

// String is the sum in hex digits.
func (s SHA256) String() string { return hex.EncodeToString(s[:]) }

// File is a record of fees that was read.
type File struct {
	SHA256    SHA256 // of the bytes that were read
	Form      string // csv or xlsx
	Separator string // of csv
	Sheet     string // of xlsx
	Columns   []Column
	Unit      Unit // of the fees
	Rows      Rows
}

// Close gives up the rows.
func (f *File) Close() error { return f.Rows.records.Close() }

const (
	// mostBytes is more than a record of a million fees has.
	mostBytes = 256 << 20
	// mostRows is more than a sheet of a spreadsheet holds.
	mostRows = 1 << 20
)

// errRows says of a file with more of them, whatever is in them, that it is too long.
var errRows = fmt.Errorf("it has more than %d rows: split it", mostRows)

// table is a file as its form has it: the header is the first record.
type table struct {
	form, separator, sheet string
	from1904               bool
	records                iter.Seq2[*record, error]
	close                  func() // of what the form needs
}

// ReadFile reads a record of fees, csv in UTF-8 or xlsx: a header that names the
// columns, and a row for each fee. Rows without anything in them are passed over. It
// is a *ProblemsError where rows cannot be read.
func ReadFile(r io.Reader, o Options) (*File, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	in := bufio.NewReaderSize(&guard{from: io.TeeReader(r, sum)}, mostHeader)
	t, err := openTable(in, &o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	f := &File{Form: t.form, Separator: t.separator, Sheet: t.sheet}
	if err = f.read(t, &o); err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	sum.Sum(f.SHA256[:0])
	return f, nil
}

// openTable tells the form of a file by how it begins.
func openTable(in *bufio.Reader, o *Options) (*table, error) {
	start, err := in.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case len(start) == 0:
		return nil, errors.New("the file is empty")
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return openXLSX(in, o)
	case bytes.HasPrefix(start, []byte("\xd0\xcf\x11\xe0")):
		return nil, errors.New("it is a spreadsheet of the old form, or one with a password: save it as xlsx without one, or as csv")
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return nil, errors.New("it is UTF-16: save it as UTF-8")
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		_, _ = in.Discard(3) // that much was seen
	}
	return openCSV(in, o)
}

// read reads the rows.
func (f *File) read(t *table, o *Options) error {
	var rows *rowReader
	problems := &ProblemsError{}
	count := 0
	for rec, err := range t.records {
		var stopped *Problem
		count++
		switch {
		case errors.As(err, &stopped):
			problems.add(stopped) // nothing can be read after it
			continue
		case err != nil:
			return err
		case count > mostRows+1: // with the header
			return errRows
		case rec.blank():
			continue
		case rows == nil:
			if rows, err = f.head(rec, t, o); err != nil {
				return err
			}
			continue
		}
		row, problem := rows.row(rec)
		if problem != nil {
			problems.add(problem)
			continue
		}
		if err := f.Rows.add(&row); err != nil {
			return err
		}
	}
	switch {
	case problems.Count > 0:
		return problems
	case rows == nil:
		return errors.New("the file has no header")
	}
	return nil
}

// head reads the header.
func (f *File) head(rec *record, t *table, o *Options) (*rowReader, error) {
	h := make(header, len(rec.cells))
	for i := range rec.cells {
		h[i] = rec.cells[i].text
	}
	err := h.checked()
	if err == nil {
		f.Columns, f.Unit, err = h.columns(o)
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", rec.line, err)
	}
	layouts, err := dateLayouts(o.DateFormat)
	return &rowReader{
		options: o, columns: f.Columns, width: len(h), layouts: layouts, from1904: t.from1904,
		amounts: amountForm{f.Unit, o.Decimal, o.Thousands},
	}, err
}
