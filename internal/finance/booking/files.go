package booking

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"iter"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/finance/journal"
)

// File is one of the files of a journal.
type File struct {
	Entries uint64          `json:"entries"`
	Rows    uint64          `json:"rows"` // without the header
	First   string          `json:"first_entry"`
	Last    string          `json:"last_entry"`
	Debit   decimal.Decimal `json:"debit"`
	Credit  decimal.Decimal `json:"credit"`
	SHA256  string          `json:"sha256"`

	month time.Time
	hash  hash.Hash
}

// Plan finds which files a journal needs, and checks that the format can hold each entry. An entry
// is never divided between two files.
func (j *Journal) Plan(ctx context.Context, f *Format) (files []*File, err error) {
	var current *File
	for e, err := range j.Each(ctx) {
		if err != nil {
			return nil, err
		}
		rows, err := f.rows(e)
		switch {
		case err != nil:
			return nil, err
		case len(rows) == 0:
			continue
		case f.maxRows > 0 && len(rows) > f.maxRows:
			return nil, fmt.Errorf("entry %s has %d lines, and a file has at most %d; book by day or by transaction, or use fewer accounts and cost centres", e.Number, len(rows), f.maxRows)
		}
		if current == nil || f.maxRows > 0 && current.Rows+uint64(len(rows)) > uint64(f.maxRows) || f.monthly && !current.month.Equal(monthOf(e.Date)) {
			current = &File{First: e.Number, month: monthOf(e.Date), hash: sha256.New()}
			files = append(files, current)
			if err := f.write(current.hash, f.head(e)); err != nil {
				return nil, err
			}
		}
		if err := f.write(current.hash, rows); err != nil {
			return nil, err
		}
		current.Entries++
		current.Rows += uint64(len(rows))
		current.Last = e.Number
		current.Debit, current.Credit = current.Debit.Add(e.Sum()), current.Credit.Add(e.Sum())
	}
	for _, file := range files {
		file.SHA256 = hex.EncodeToString(file.hash.Sum(nil))
	}
	return files, nil
}

// Write writes the files of a plan, one after another. Create calls its function with the file of
// a number to write to.
func (j *Journal) Write(ctx context.Context, f *Format, files []*File, create func(number int, write func(io.Writer) error) error) error {
	next, stop := iter.Pull2(j.Each(ctx))
	defer stop()
	for i, file := range files {
		err := create(i, func(w io.Writer) error {
			sum, out := sha256.New(), bufio.NewWriter(w)
			if err := f.fill(io.MultiWriter(out, sum), file, next); err != nil {
				return err
			}
			if hex.EncodeToString(sum.Sum(nil)) != file.SHA256 {
				return journal.ErrChanged
			}
			return out.Flush()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fill writes the next entries: as many as the file has.
func (f *Format) fill(w io.Writer, file *File, next func() (*Entry, error, bool)) error {
	for written := uint64(0); written < file.Entries; {
		e, err, ok := next()
		if err != nil {
			return err
		}
		if !ok {
			return journal.ErrChanged
		}
		rows, err := f.rows(e)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			continue
		}
		if written == 0 {
			rows = append(f.head(e), rows...)
		}
		if err := f.write(w, rows); err != nil {
			return err
		}
		written++
	}
	return nil
}

// write encodes lines.
func (f *Format) write(w io.Writer, lines []string) (err error) {
	end := "\n"
	if f.crlf {
		end = "\r\n"
	}
	for _, line := range lines {
		if f.encode != nil {
			if line, err = f.encode(line); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, line+end); err != nil {
			return err
		}
	}
	return nil
}
