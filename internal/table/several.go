package table

import (
	"fmt"
	"slices"
)

// union returns the columns of sheets, each once, in the order in which they first appear.
func union(sheets []*Sheet) (columns []Column, err error) {
	for _, s := range sheets {
		if err := s.check(); err != nil {
			return nil, err
		}
		for _, c := range s.Columns {
			i := position(columns, c.Name)
			if i < 0 {
				columns = append(columns, c)
			} else if columns[i].Kind != c.Kind || columns[i].Currency != c.Currency {
				return nil, fmt.Errorf("sheet %q: column %s is of kind %v, and of kind %v in another sheet", s.Name, c.Name, c.Kind, columns[i].Kind)
			}
		}
	}
	return columns, nil
}

func position(columns []Column, name string) int {
	return slices.IndexFunc(columns, func(c Column) bool { return c.Name == name })
}

// eachOf calls a function for every converted row of several sheets, with the values of the columns; nil where a sheet has
// no such column. A row is valid until the next one.
func eachOf(columns []Column, sheets []*Sheet, do func(s *Sheet, row []any) error) error {
	arranged := make([]any, len(columns))
	for _, s := range sheets {
		from := make([]int, len(columns))
		for i, c := range columns {
			from[i] = position(s.Columns, c.Name)
		}
		err := s.each(func(row []any) error {
			for i, at := range from {
				if arranged[i] = nil; at >= 0 {
					arranged[i] = row[at]
				}
			}
			return do(s, arranged)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// WithText returns a sheet with one more column, whose text is the same in all rows, at a position.
func (s *Sheet) WithText(at int, name, text string) *Sheet {
	more := *s
	more.Columns = slices.Insert(slices.Clone(s.Columns), at, Column{Name: name, Kind: Text, Term: true})
	if s.Totals != nil {
		more.Totals = slices.Insert(slices.Clone(s.Totals), at, any(nil))
	}
	more.Rows = func(yield func([]any, error) bool) {
		for row, err := range s.Rows {
			if err == nil {
				row = slices.Insert(slices.Clone(row), at, any(text))
			}
			if !yield(row, err) {
				return
			}
		}
	}
	return &more
}
