package reconcile

import (
	"bufio"
	"bytes"
	"context"
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

// File is a record of fees that was read. Its lines are the rows of a spreadsheet that shows it.
type File struct {
	SHA256    SHA256 // of the bytes that were read
	Form      string // csv or xlsx
	Separator string // of csv
	Encoding  Encoding
	Sheet     string // of xlsx
	HeaderRow int    // the line of the header
	Titles    []int  // the lines above it with anything in them
	Totals    []int  // the lines of total rows, which are no fees
	Columns   []Column
	Unit      Unit // of the fees; "" where each amount says its own
	Rows      Rows
	Count     int      // of the rows, also when they are given up
	Notes     []string // what was found beside the fees
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

// fileTable is a file as its form has it, row by row.
type fileTable struct {
	form, separator, sheet string
	encoding               Encoding
	from1904               bool
	records                iter.Seq2[*record, error]
	close                  func() // of what the form needs

	// For who writes the file again: what stands before the first record and after the last one
	// of csv, in bytes and in UTF-8; the workbook and the part of the sheet.
	start string
	end   []byte
	book  *workbook
	part  string
}

// ReadFile reads a record of fees, csv or xlsx: a header that names the columns, and a row
// for each fee. Rows without anything in them are passed over; titles above the header and
// rows with totals are named in the file's notes. It ends with the context. It is a *ProblemsError where rows cannot be
// read, and an *UnreadError where the file's header cannot; both may tell with what settings
// it can be.
func ReadFile(ctx context.Context, r io.Reader, o Options) (*File, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	in := bounded(ctx, io.TeeReader(r, sum))
	t, err := openTable(ctx, in, &o)
	if err != nil {
		return nil, err
	}
	defer t.close()
	f := &File{Form: t.form, Separator: t.separator, Encoding: t.encoding, Sheet: t.sheet}
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

// bounded is a file within the bounds of all of them.
func bounded(ctx context.Context, in io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(&guard{ctx: ctx, from: in}, mostHeader)
}

// errOtherForm says that a file has a form that is not read.
func errOtherForm(form string) error {
	return fmt.Errorf("it is %s, and only csv and xlsx are read: export it as one of those (fees export writes --as csv, xlsx and koinly)", form)
}

// openTable tells the form of a file by how it begins.
func openTable(ctx context.Context, in *bufio.Reader, o *Options) (*fileTable, error) {
	start, err := in.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case len(start) == 0:
		return nil, errors.New("the file is empty")
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return openXLSX(ctx, in, o)
	case bytes.HasPrefix(start, []byte("\xd0\xcf\x11\xe0")):
		return nil, errors.New("it is a spreadsheet of the old form, or one with a password: save it as xlsx without one, or as csv")
	}
	switch first := bytes.TrimLeft(start, "\ufeff \t\r\n"); {
	case bytes.HasPrefix(start, []byte("PAR1")):
		return nil, errOtherForm("Parquet")
	case bytes.HasPrefix(first, []byte(`{"`)), bytes.HasPrefix(first, []byte("[{")):
		return nil, errOtherForm("JSON")
	case bytes.HasPrefix(first, []byte("<")):
		return nil, errOtherForm("a page or XML")
	}
	return openCSV(ctx, in, o)
}

// read reads the rows.
func (f *File) read(t *fileTable, o *Options) error {
	r := &fileReader{file: f, table: t, options: o, skip: map[int]bool{}, problems: &ProblemsError{}}
	for _, line := range o.SkipRows {
		r.skip[line] = true
	}
	count := 0
	for rec, err := range t.records {
		var stopped *Problem
		count++
		switch {
		case errors.As(err, &stopped):
			r.problems.add(stopped) // nothing can be read after it
			continue
		case err != nil:
			return err
		case count > mostRows+1: // with the header
			return errRows
		}
		r.last = rec.line
		if r.skip[rec.line] {
			delete(r.skip, rec.line)
			continue
		}
		if rec.blank() {
			continue
		}
		if err := r.take(rec); err != nil {
			return err
		}
	}
	return r.end()
}
