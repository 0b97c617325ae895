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

// SHA256 is the checksum of a file.
type SHA256 [sha256.Size]byte

// String returns the checksum in hex digits.
func (s SHA256) String() string { return hex.EncodeToString(s[:]) }

// File is a record of fees that was read. Line numbers are spreadsheet rows.
type File struct {
	SHA256    SHA256 // of the bytes that were read
	Form      string // csv or xlsx
	Separator string // of csv
	Encoding  Encoding
	Sheet     string // of xlsx
	HeaderRow int    // the line of the header
	Titles    []int  // the non-empty lines above it
	Totals    []int  // the lines of total rows, which are not fees
	Columns   []Column
	Unit      Unit // of the fees; "" if each amount states its own
	Rows      Rows
	Count     int      // number of rows, valid after Close
	Notes     []string // remarks for people
	Profile   *Profile // the profile that read the file; nil means none

	options    *Options       // that read the file
	counts     *profileCounts // nil without a profile
	decimals   decimals       // of the fees
	feeColumn  string         // how a setting refers to their column
	unread     []string       // quoted names of sheets with fees that were not read, unless the user has named a sheet
	plain      bool           // no row states another asset than the network's token
	otherAsset string         // the only asset of its fees, if it is not the network's token
	alias      string         // the file's own symbol for the network's token; "" if it is the network's
}

// Matching returns the options for matching the file's rows, with those that read it.
func (f *File) Matching(o Options) Options {
	read := f.options
	o.Separator, o.Encoding, o.Sheet, o.Columns, o.HeaderRow, o.SkipRows = read.Separator, read.Encoding, read.Sheet, read.Columns, read.HeaderRow, read.SkipRows
	o.Unit, o.Negative, o.Symbol, o.Decimals, o.Decimal, o.Thousands, o.DateFormat, o.Zone = read.Unit, read.Negative, read.Symbol, read.Decimals, read.Decimal, read.Thousands, read.DateFormat, read.Zone
	if read.Values {
		o.Values, o.Tolerance = true, read.Tolerance
	}
	o.Profile, o.Profiles, o.applied, o.alias, o.fileDecimals = read.Profile, read.Profiles, read.applied, f.alias, f.decimals.usual()
	o.fileUnit, o.feeColumn, o.unread, o.plain = f.Unit, f.feeColumn, f.unread, f.plain
	if o.CutDecimals == 0 && f.Profile != nil && f.Profile.Decimals > 0 {
		if cut := max(f.Profile.Decimals, f.decimals.most()); cut <= o.maxCut() {
			o.CutDecimals = cut
		}
	}
	return o
}

// Close deletes the rows.
func (f *File) Close() error { return f.Rows.records.Close() }

const (
	// MaxBytes exceeds the size of a record with a million fees.
	MaxBytes = 256 << 20
	// maxRows exceeds the rows of a spreadsheet.
	maxRows = 1 << 20
)

// errRows reports a file with more rows.
var errRows = fmt.Errorf("it has more than %d rows; split it", maxRows)

// fileTable provides a file's rows in either form.
type fileTable struct {
	form, separator, sheet string
	encoding               Encoding
	from1904               bool
	records                iter.Seq2[*record, error]
	close                  func() // releases temporary files

	// For writing the file again: for csv, the text before the first record in bytes and after the last one in
	// UTF-8; for xlsx, the workbook and the part of the sheet.
	start string
	end   []byte
	book  *workbook
	part  string
}

// ReadFile reads a record of fees, csv or xlsx: a header that names the columns, and a row for each fee. Empty rows are
// skipped; titles above the header and total rows are listed in the file's notes. It stops when the context ends. It
// returns a *ProblemsError if rows cannot be read, and an *UnreadError if the header cannot; both may suggest settings.
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
	if err == nil && t.book != nil {
		var unread []unreadSheet
		unread, err = t.book.unread(t.sheet, &o)
		f.addUnread(unread, &o)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	sum.Sum(f.SHA256[:0])
	return f, nil
}

// bounded limits the size of a file.
func bounded(ctx context.Context, in io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(&guard{ctx: ctx, from: in}, maxHeader)
}

var errEmpty = errors.New("the file is empty. Export it again, with a header and a row for each fee")

// ErrGzip reports a compressed file.
var ErrGzip = errors.New("it is compressed with gzip. Decompress it first")

// errOtherForm reports a file format that is not supported.
func errOtherForm(form string) error {
	return fmt.Errorf("it is %s. Export it as csv or xlsx (fees export can write --as csv, xlsx or koinly)", form)
}

// openTable detects the form of a file by its beginning.
func openTable(ctx context.Context, in *bufio.Reader, o *Options) (*fileTable, error) {
	start, err := in.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case len(start) == 0:
		return nil, errEmpty
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return openXLSX(ctx, in, o)
	case bytes.HasPrefix(start, []byte("\xd0\xcf\x11\xe0")):
		return nil, errors.New("it is an old or password-protected spreadsheet. Save it as xlsx without a password, or as csv")
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return nil, ErrGzip
	}
	switch first := bytes.TrimLeft(start, "\ufeff \t\r\n"); {
	case bytes.HasPrefix(start, []byte("PAR1")):
		return nil, errOtherForm("Parquet")
	case bytes.HasPrefix(first, []byte(`{"`)), bytes.HasPrefix(first, []byte("[{")):
		return nil, errOtherForm("JSON")
	case bytes.HasPrefix(first, []byte("<")):
		return nil, errOtherForm("a web page or XML")
	}
	return openCSV(ctx, in, o)
}

// read reads the rows.
func (f *File) read(t *fileTable, o *Options) error {
	r := &fileReader{file: f, table: t, options: o, declared: o, skip: map[int]bool{}, problems: &ProblemsError{}}
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
		case count > maxRows+1: // with the header
			return errRows
		}
		r.last = rec.line
		if r.skip[rec.line] {
			delete(r.skip, rec.line)
			r.noteSkipped(rec)
			continue
		}
		if rec.blank() {
			continue
		}
		if err := r.take(rec); err != nil {
			return err
		}
	}
	f.options = r.options
	return r.end()
}
