package journal

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

// laidOut is an entry with its rows.
type laidOut struct {
	*Entry
	rows []string
}

// laidOut lays out the entries. Those whose amounts are all zero may have no row, and are left out.
func (s *Summary) laidOut(ctx context.Context, l *Layout) iter.Seq2[laidOut, error] {
	return func(yield func(laidOut, error) bool) {
		for e, err := range s.Each(ctx) {
			var rows []string
			if err == nil {
				rows, err = l.rows(e)
			}
			if (err != nil || len(rows) > 0) && !yield(laidOut{e, rows}, err) {
				return
			}
		}
	}
}

// Plan finds which files a summary needs, and checks that the layout can hold each entry. An entry
// is never divided between two files.
func (s *Summary) Plan(ctx context.Context, l *Layout) (files []*File, err error) {
	var current *File
	for e, err := range s.laidOut(ctx, l) {
		if err != nil {
			return nil, err
		}
		count, most := uint64(len(e.rows)), uint64(l.maxRows)
		if most > 0 && count > most {
			return nil, fmt.Errorf("entry %s has %d lines, and a file has at most %d; book by day or by transaction, or use fewer accounts and cost centres", e.Reference, count, most)
		}
		if current == nil || most > 0 && current.Rows+count > most || l.monthly && !current.month.Equal(monthOf(e.Date)) {
			current = &File{First: e.Reference, month: monthOf(e.Date), hash: sha256.New()}
			files = append(files, current)
			if err := l.write(current.hash, l.head(e.Entry)); err != nil {
				return nil, err
			}
		}
		if err := l.write(current.hash, e.rows); err != nil {
			return nil, err
		}
		current.Entries++
		current.Rows, current.Last = current.Rows+count, e.Reference
		current.Debit, current.Credit = current.Debit.Add(e.Sum()), current.Credit.Add(e.Sum())
	}
	for _, file := range files {
		file.SHA256 = hex.EncodeToString(file.hash.Sum(nil))
	}
	return files, nil
}

// Write writes the files of a plan, one after another. Create calls its function with the file of
// a number to write to.
func (s *Summary) Write(ctx context.Context, l *Layout, files []*File, create func(number int, write func(io.Writer) error) error) error {
	next, stop := iter.Pull2(s.laidOut(ctx, l))
	defer stop()
	for i, file := range files {
		err := create(i, func(w io.Writer) error {
			sum, out := sha256.New(), bufio.NewWriter(w)
			both := io.MultiWriter(out, sum)
			for written := range file.Entries {
				e, err, ok := next()
				if !ok {
					err = &LedgerError{ErrChanged}
				}
				if err == nil && written == 0 {
					err = l.write(both, l.head(e.Entry))
				}
				if err == nil {
					err = l.write(both, e.rows)
				}
				if err != nil {
					return err
				}
			}
			if hex.EncodeToString(sum.Sum(nil)) != file.SHA256 {
				return &LedgerError{ErrChanged}
			}
			return out.Flush()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// write encodes lines.
func (l *Layout) write(w io.Writer, lines []string) (err error) {
	end := "\r\n"
	if l.lf {
		end = "\n"
	}
	for _, line := range lines {
		if l.encode != nil {
			if line, err = l.encode(line); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, line+end); err != nil {
			return err
		}
	}
	return nil
}
