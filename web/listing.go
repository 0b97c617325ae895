package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/sheet"
)

// pageRows is how many rows of a list a page has.
const pageRows = 100

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
		if l.After, err = strconv.Atoi(text); err != nil || l.After < 0 || strconv.Itoa(l.After) != text {
			return l, notUnderstood("after=%s: want how many rows stand before.", console.Printable(text))
		}
	}
	switch text := own.Get("columns"); text {
	case "all":
		l.All = true
	case "":
	default:
		return l, notUnderstood("columns=%s: there is all.", console.Printable(text))
	}
	return l, nil
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

// list makes the table of a page's list, with links to the rest of it and to other orders. The
// sheet is made once to find the order, and once to show it. The totals are of all rows.
func (s *server) list(made func() *sheet.Sheet, l listing, to func(listing) string) (*tabular, error) {
	order, err := l.order(made)
	if err != nil {
		return nil, err
	}
	from := made()
	t := &tabular{Title: from.Title}
	var shown []int // the columns
	for i, name := range from.Headings() {
		if !l.All && slices.Contains(l.brief, from.Columns[i].Name) {
			continue
		}
		shown = append(shown, i)
		t.Heads = append(t.Heads, l.head(name, &from.Columns[i], to))
	}
	rows := make([][]cell, 0, pageRows)
	if order != nil {
		rows = rows[:len(order)]
	}
	count := 0
	totals, err := from.Each(func(row []sheet.Cell) error {
		at := count - l.After
		count++
		if order != nil {
			place, wanted := order[count-1]
			if !wanted {
				return nil
			}
			at = place
		} else if at < 0 || at >= pageRows {
			return nil
		} else {
			rows = append(rows, nil)
		}
		cells := make([]cell, len(shown))
		for i, column := range shown {
			cells[i] = s.cell(&from.Columns[column], row[column])
		}
		rows[at] = cells
		return nil
	})
	if err != nil {
		return nil, err
	}
	t.Rows = rows
	if totals != nil {
		for _, column := range shown {
			t.Totals = append(t.Totals, s.cell(&from.Columns[column], totals[column]))
		}
	}
	l.lead(t, len(shown) < len(from.Columns), count, to)
	return t, nil
}

// head is the heading of a column, which leads to the same list sorted by it.
func (l listing) head(name string, c *sheet.Column, to func(listing) string) cell {
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

// sortKey is what a row is sorted by.
type sortKey struct {
	row    int
	text   string
	number decimal.Decimal
}

// order is where each row of the page stands on it, by its number; nil where the rows stay as they
// come. What is not known comes last.
func (l listing) order(made func() *sheet.Sheet) (map[int]int, error) {
	if l.Sort == "" {
		return nil, nil
	}
	from := made()
	name, down := strings.CutPrefix(l.Sort, "-")
	column := slices.IndexFunc(from.Columns, func(c sheet.Column) bool { return c.Name == name })
	if column < 0 {
		return nil, notUnderstood("sort=%s: there is no such column.", console.Printable(l.Sort))
	}
	number := from.Columns[column].Kind.IsRight()
	var keys []sortKey
	if _, err := from.Each(func(row []sheet.Cell) (err error) {
		key := sortKey{row: len(keys), text: row[column].Exact}
		if number && key.text != "" {
			key.number, err = decimal.NewFromString(key.text)
		}
		keys = append(keys, key)
		return err
	}); err != nil {
		return nil, err
	}
	slices.SortStableFunc(keys, func(a, b sortKey) int {
		switch {
		case (a.text == "") != (b.text == ""):
			if a.text == "" {
				return 1
			}
			return -1
		case down:
			a, b = b, a
		}
		if number {
			return a.number.Cmp(b.number)
		}
		return strings.Compare(a.text, b.text)
	})
	order := map[int]int{}
	for i, key := range keys[min(l.After, len(keys)):min(l.After+pageRows, len(keys))] {
		order[key.row] = i
	}
	return order, nil
}
