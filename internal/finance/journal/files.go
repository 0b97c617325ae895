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

// plan adds an entry to the files that the summary needs, and checks that the layout can hold it. An entry
// is never divided between two files. One whose amounts are all zero may have no row.
func (s *Summary) plan(e *Entry) error {
	l := s.layout
	rows, err := l.rows(e)
	if err != nil || len(rows) == 0 {
		return err
	}
	var debit, credit decimal.Decimal // as written: the entry is not asked again
	for _, row := range rows {
		d, c, err := l.sums(row)
		if err != nil {
			return fmt.Errorf("internal error: the amounts of the line %q of entry %s cannot be read: %w", row, e.Reference, err)
		}
		debit, credit = debit.Add(d), credit.Add(c)
	}
	count, most := uint64(len(rows)), uint64(l.maxRows)
	if most > 0 && count > most {
		return fmt.Errorf("entry %s has %d lines, and a file has at most %d; book by day or by transaction, or use fewer accounts and cost centres", e.Reference, count, most)
	}
	last := len(s.Files) - 1
	if last < 0 || most > 0 && s.Files[last].Rows+count > most || l.monthly && !s.Files[last].month.Equal(monthOf(e.Date)) {
		s.Files = append(s.Files, &File{First: e.Reference, month: monthOf(e.Date), hash: sha256.New()})
		last++
		rows = append(l.head(e), rows...)
	}
	f := s.Files[last]
	f.Entries, f.Rows, f.Last = f.Entries+1, f.Rows+count, e.Reference
	f.Debit, f.Credit = f.Debit.Add(debit), f.Credit.Add(credit)
	err = l.write(f.hash, rows)
	f.SHA256 = hex.EncodeToString(f.hash.Sum(nil))
	return err
}

// Write writes the files, one after another. Create calls its function with the file of a number to write to.
func (s *Summary) Write(ctx context.Context, create func(number int, write func(io.Writer) error) error) error {
	next, stop := iter.Pull2(s.all(ctx))
	defer stop()
	for i, file := range s.Files {
		err := create(i, func(w io.Writer) error {
			sum, out := sha256.New(), bufio.NewWriter(w)
			for written := uint64(0); written < file.Entries; {
				e, err, ok := next()
				if !ok {
					err = &LedgerError{ErrChanged}
				}
				var rows []string
				if err == nil {
					rows, err = e.by.rows(e.entry)
				}
				if err == nil && len(rows) > 0 {
					if written++; written == 1 {
						rows = append(e.by.head(e.entry), rows...)
					}
					err = e.by.write(io.MultiWriter(out, sum), rows)
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
func (l *layout) write(w io.Writer, lines []string) (err error) {
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
