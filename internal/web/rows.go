package web

import (
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// rows are the rows of a sheet on one page of a list, with what is known of all of them.
type rows struct {
	title   string
	token   console.Token
	columns []table.Column
	heads   []string
	page    [][]table.Cell
	count   int // of all rows
	totals  []table.Cell
	part    string // what the totals are of; "" for all rows
	used    []bool // columns with a value other than 0
	charged bool   // each fee is what was charged: the column repeats it
}

// readRows reads a sheet once and keeps the rows of a page in its sort order, unknown values last. See gets each row; it
// may be nil.
func readRows(from *table.Sheet, l listing, see func(row []table.Cell)) (r *rows, err error) {
	r = &rows{title: from.Title, token: from.Token, columns: from.Columns, heads: from.Headings(), part: from.Part, used: make([]bool, len(from.Columns))}
	fee, charged := columnOf(r.columns, "fee"), columnOf(r.columns, "charged")
	r.charged = fee >= 0 && charged >= 0
	name, down := strings.CutPrefix(l.Sort, "-")
	by, last := columnOf(r.columns, name), l.After+l.rows()
	if l.Sort != "" && by < 0 {
		return nil, invalidRequest("sort=%s is not a column of this table.", plain.Line(l.Sort))
	}
	var first [][]table.Cell // the first rows in the order of the page, and those to be sorted among them
	var least *table.Cell    // the last of the first rows so far, once there are enough
	cut := func() {
		slices.SortStableFunc(first, func(a, b []table.Cell) int { return compareCells(a[by], b[by], down) })
		first = first[:min(last, len(first))]
	}
	r.totals, err = from.Each(func(row []table.Cell) error {
		for i, c := range row {
			r.used[i] = r.used[i] || c.IsUsed()
		}
		r.charged = r.charged && compareCells(row[fee], row[charged], false) == 0
		if see != nil {
			see(row)
		}
		switch r.count++; {
		case l.Sort == "" && (r.count <= l.After || r.count > last):
		case l.Sort != "" && least != nil && compareCells(row[by], *least, down) >= 0: // after the last row of the page
		default:
			first = append(first, slices.Clone(row))
		}
		if len(first) == 2*last+pageRows { // of a sorted list only
			cut()
			least = &first[last-1][by]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.page = first; l.Sort != "" {
		cut()
		r.page = first[min(l.After, len(first)):]
	}
	return r, nil
}

// compareCells compares two values of a column. Unknown ones come last.
func compareCells(a, b table.Cell, down bool) int {
	switch {
	case !a.Known() && !b.Known():
		return 0
	case !a.Known():
		return 1
	case !b.Known():
		return -1
	case down:
		a, b = b, a
	}
	return a.Compare(b)
}

// columnOf returns the index of a column, or -1.
func columnOf(columns []table.Column, name string) int {
	return slices.IndexFunc(columns, func(c table.Column) bool { return c.Name == name })
}
