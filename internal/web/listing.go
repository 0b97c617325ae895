package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// pageRows is how many rows of a list a page has.
const pageRows = 100

// mostAfter is more rows than there are anywhere.
const mostAfter = 1 << 30

// listing says which rows of a table a page shows, and in which order. It stands in the page's
// address.
type listing struct {
	Sort  string   // the column, with - before it from the greatest down; "" is as the rows come
	After int      // how many rows stand before those of the page
	All   bool     // all columns
	brief []string // columns that are shown only where all are
}

// listingParameters are those of a page with a list.
var listingParameters = []string{"sort", "after", "columns"}

// readListing reads what an address says of a list.
func readListing(own url.Values) (l listing, err error) {
	l.Sort = own.Get("sort")
	if text := own.Get("after"); text != "" {
		if l.After, err = strconv.Atoi(text); err != nil || l.After < 0 || l.After > mostAfter || strconv.Itoa(l.After) != text {
			return l, notUnderstood("after=%s: want how many rows stand before.", console.Printable(text))
		}
	}
	l.All = own.Get("columns") == "all"
	return l, app.OneOf("columns", own.Get("columns"), "", "all")
}

// with are a page's own parameters with those of a list, which is what they had before.
func (l listing) with(own url.Values) url.Values {
	all := url.Values{}
	for name, list := range own {
		if !slices.Contains(listingParameters, name) {
			all[name] = list
		}
	}
	if l.Sort != "" {
		all.Set("sort", l.Sort)
	}
	if l.After > 0 {
		all.Set("after", strconv.Itoa(l.After))
	}
	if l.All {
		all.Set("columns", "all")
	}
	return all
}

// without is a listing that leaves columns out where not all are asked for.
func (l listing) without(names []string) listing {
	l.brief = names
	return l
}

// list makes the table of a page's list.
func (s *server) list(from *table.Sheet, l listing, to func(listing) string) (*tabular, error) {
	all, err := keepRows(from)
	if err != nil {
		return nil, err
	}
	return s.part(all, l, to)
}

// part makes the table of a page with some of all rows, with links to the rest and to other orders.
// The totals are of all rows.
func (s *server) part(all *rows, l listing, to func(listing) string) (*tabular, error) {
	page, err := all.page(l)
	if err != nil {
		return nil, err
	}
	t := &tabular{Title: all.title}
	var shown []int // the columns
	for i, name := range all.heads {
		if l.All || !slices.Contains(l.brief, all.columns[i].Name) {
			shown = append(shown, i)
			t.Heads = append(t.Heads, l.head(name, &all.columns[i], to))
		}
	}
	cells := func(row []table.Cell) (list []cell) {
		for _, column := range shown {
			list = append(list, s.cell(&all.columns[column], row[column]))
		}
		return list
	}
	for _, row := range page {
		t.Rows = append(t.Rows, cells(row))
	}
	if all.totals != nil {
		t.Totals = cells(all.totals)
	}
	l.lead(t, len(shown) < len(all.columns), all.count, to)
	return t, nil
}

// head is the heading of a column, which leads to the same list sorted by it.
func (l listing) head(name string, c *table.Column, to func(listing) string) cell {
	next := l
	next.After, next.Sort = 0, c.Name
	if c.Kind.IsRight() {
		next.Sort = "-" + c.Name
	}
	h := cell{Text: name, Class: classOf(c.Kind)}
	switch l.Sort {
	case c.Name:
		h.Sorted, next.Sort = "ascending", "-"+c.Name
	case "-" + c.Name:
		h.Sorted, next.Sort = "descending", c.Name
	}
	h.To = to(next)
	return h
}

// lead says which rows the page has, and leads to the others and to all columns.
func (l listing) lead(t *tabular, brief bool, count int, to func(listing) string) {
	if count > pageRows || l.After > 0 {
		t.More = fmt.Sprintf("%d to %d of %d.", min(l.After+1, count), min(l.After+pageRows, count), count)
		if t.Totals != nil {
			t.More += " The totals are of all."
		}
	}
	add := func(text string, change func(*listing)) {
		other := l
		change(&other)
		t.Links = append(t.Links, link{text, to(other)})
	}
	if l.After > 0 {
		add("Those before", func(o *listing) { o.After = max(0, l.After-pageRows) })
	}
	if l.After+pageRows < count {
		add("Those after", func(o *listing) { o.After += pageRows })
	}
	if brief {
		add("All columns", func(o *listing) { o.All = true })
	} else if l.All {
		add("Fewer columns", func(o *listing) { o.All = false })
	}
}
