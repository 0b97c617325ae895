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
	p, err := r.pagerOf(l)
	if err != nil {
		return nil, err
	}
	r.totals, err = from.Each(func(row []table.Cell) error {
		for i, c := range row {
			r.used[i] = r.used[i] || c.IsUsed()
		}
		r.charged = r.charged && compareCells(row[fee], row[charged], false) == 0
		if see != nil {
			see(row)
		}
		p.add(row)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.page, r.count = p.rows(), p.count
	return r, nil
}

// pageAt returns the rows of another page. They must be among those that were read.
func (r *rows) pageAt(l listing) (*rows, error) {
	p, err := r.pagerOf(l)
	if err != nil {
		return nil, err
	}
	for _, row := range r.page {
		p.add(row)
	}
	other := *r
	other.page = p.rows()
	return &other, nil
}

// pager finds the rows of a page among all rows.
type pager struct {
	listing
	by    int // the column to sort by
	down  bool
	count int            // of all rows
	first [][]table.Cell // the first rows in the order of the page, and those to be sorted among them
	least *table.Cell    // the last of the first rows so far, once there are enough
}

// pagerOf returns the pager of a page.
func (r *rows) pagerOf(l listing) (*pager, error) {
	name, down := strings.CutPrefix(l.Sort, "-")
	p := &pager{listing: l, by: columnOf(r.columns, name), down: down}
	if l.Sort != "" && p.by < 0 {
		return nil, invalidRequest("sort=%s is not a column of this table.", plain.Line(l.Sort))
	}
	return p, nil
}

// last returns the number of rows up to the end of the page.
func (p *pager) last() int { return p.After + p.listing.rows() }

// add adds the next row.
func (p *pager) add(row []table.Cell) {
	switch p.count++; {
	case p.Sort == "" && (p.count <= p.After || p.count > p.last()):
	case p.Sort != "" && p.least != nil && compareCells(row[p.by], *p.least, p.down) >= 0: // after the last row of the page
	default:
		p.first = append(p.first, slices.Clone(row))
	}
	if p.Sort != "" && len(p.first) == 2*p.last()+pageRows {
		p.cut()
		p.least = &p.first[p.last()-1][p.by]
	}
}

// cut sorts the first rows and drops the others.
func (p *pager) cut() {
	slices.SortStableFunc(p.first, func(a, b []table.Cell) int { return compareCells(a[p.by], b[p.by], p.down) })
	p.first = p.first[:min(p.last(), len(p.first))]
}

// rows returns the rows of the page.
func (p *pager) rows() [][]table.Cell {
	if p.Sort == "" {
		return p.first
	}
	p.cut()
	return p.first[min(p.After, len(p.first)):]
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
