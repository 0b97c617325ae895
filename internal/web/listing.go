package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// pageRows is the number of rows on a page of a list.
const pageRows = 100

// maxAfter exceeds any row count.
const maxAfter = 1 << 30

// listing selects the rows of a table that a page shows, and their order. It is part of the page's URL.
type listing struct {
	Sort   string         // the column, prefixed with - for descending; "" for the original order
	After  int            // number of rows before the page
	All    bool           // all columns
	Only   []string       // the columns chosen, besides the first; nil for the usual ones
	brief  []string       // columns shown only if All is set
	sparse []string       // columns shown only if they have a value, besides the unusual ones
	zone   *time.Location // of the times; nil for UTC
	limit  int            // rows per page; 0 for pageRows
	fixed  bool           // cannot be sorted
	before string         // of what period the columns of the other period are; "" for none
	last   int            // the first row that no page shows; 0 if pages show all
	// largest is the fee that the drawn shares are of; 0 draws none.
	largest chain.Wei
}

// maxRows limits the rows of a table without pages.
const maxRows = 500

// rows returns the number of rows per page.
func (l listing) rows() int { return cmp.Or(l.limit, pageRows) }

// listingOf parses the listing of a page without other parameters.
func listingOf(r *http.Request) (l listing, err error) {
	own, err := parameters(r.URL.RawQuery, listingParameters...)
	if err != nil {
		return l, err
	}
	return readListing(own)
}

// at returns the links of a list at a path without other parameters.
func at(path string) func(listing) string {
	return func(l listing) string {
		if own := l.with(nil); len(own) > 0 {
			return path + "?" + own.Encode()
		}
		return path
	}
}

// in returns the links of a list on a page about a period.
func (s *scope) in(path string) func(listing) string {
	return func(l listing) string { return path + s.query(l.with(s.own)) }
}

// listingParameters are the parameters of a page with a list.
var listingParameters = []string{"sort", "after", "columns"}

// readListing parses the listing of a URL.
func readListing(own url.Values) (l listing, err error) {
	l.Sort = own.Get("sort")
	if text := own.Get("after"); text != "" {
		if l.After, err = strconv.Atoi(text); err != nil || l.After < 0 || l.After > maxAfter || strconv.Itoa(l.After) != text {
			return l, invalidRequest("after=%s is not a row number. Use the number of rows to skip.", plain.Line(text))
		}
	}
	if text := own.Get("columns"); text == "all" {
		l.All = true
	} else if text != "" {
		l.Only = strings.Split(text, ",")
	}
	return l, nil
}

// with returns a page's own parameters with those of the list replaced.
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
	} else if l.Only != nil {
		all.Set("columns", strings.Join(l.Only, ","))
	}
	return all
}

// without returns a listing that hides the named columns by default.
func (l listing) without(names []string) listing {
	l.brief = names
	return l
}

// list builds the table of a page's list. Without to, the table has no links to other rows and orders.
func (s *server) list(from *table.Sheet, l listing, to func(listing) string) (*tabular, error) {
	all, err := readRows(from, l, nil)
	if err != nil {
		return nil, err
	}
	return s.part(all, l, to)
}

// keptPage is list for a cached list.
func (s *server) keptPage(kept *keptList, l listing, to func(listing) string) (*tabular, error) {
	all, err := kept.rows(l)
	if err != nil {
		return nil, err
	}
	return s.part(all, l, to)
}

// part builds the table for one page of the rows, with links to the other pages and sort orders. Totals cover
// all rows.
func (s *server) part(all *rows, l listing, to func(listing) string) (*tabular, error) {
	for _, name := range l.Only {
		if columnOf(all.columns, name) < 0 {
			return nil, invalidRequest("columns=%s is not a column of this table. Choose columns below the table.", plain.Line(name))
		}
	}
	t := &tabular{Title: all.title}
	if l.zone == nil {
		l.zone = time.UTC
	}
	var shown []int // the columns
	for i, name := range all.heads {
		if name = l.heading(name, &all.columns[i]); l.shows(all, i) {
			shown = append(shown, i)
			if all.columns[i].Kind == table.Time {
				name += ", " + l.zone.String()
			}
			t.Heads = append(t.Heads, l.head(name, &all.columns[i], to))
		}
	}
	cells := func(row []table.Cell) (list []cell) {
		for _, column := range shown {
			c := s.cell(&all.columns[column], row[column], l.zone)
			if fee, known := row[column].Wei(); known && !l.largest.IsZero() && all.columns[column].Name == "fee" {
				c.Share = shareOf(fee.Size(), l.largest) + "%"
			}
			list = append(list, c)
		}
		return list
	}
	for _, row := range all.page {
		t.Rows = append(t.Rows, cells(row))
	}
	if all.totals != nil {
		l.largest = chain.Wei{} // only rows are drawn
		if t.Totals = cells(all.totals); t.Totals[0].Text == "" {
			t.Totals[0].Text = cmp.Or(all.part, "Total")
		}
	}
	l.lead(t, len(shown) < len(all.columns), all.count, s.sumOf(all), to)
	if to != nil && len(all.columns) > 2 {
		t.Columns = l.columnsForm(all, to)
	}
	return t, nil
}

// columnsForm returns the form that chooses the columns.
func (l listing) columnsForm(all *rows, to func(listing) string) *form {
	usual := l
	usual.All, usual.Only, usual.After = false, nil, 0
	path, query, _ := strings.Cut(to(usual), "?")
	values, _ := url.ParseQuery(query) // made by to
	f := &form{Action: path, Button: "Show", Hidden: optionsOf(values)}
	for i, c := range all.columns[1:] {
		f.Fields = append(f.Fields, control{Name: "columns", Label: l.heading(all.heads[i+1], &all.columns[i+1]), Kind: "choice", Value: c.Name, Required: l.shows(all, i+1)})
	}
	return f
}

// unusual are columns that are shown only if they have a value other than 0.
var unusual = []string{"reserved", "reserved_balance", "undetermined", "failed_checks", "remark", "label", "group", "value", "currency"}

// shows reports whether a column is shown.
func (l listing) shows(all *rows, column int) bool {
	name := all.columns[column].Name
	if strings.HasPrefix(name, "coverage") {
		return true
	}
	if all.charged && name == "charged" && (l.Only == nil || l.fixed) {
		return l.All
	}
	if l.Only != nil {
		return column == 0 || slices.Contains(l.Only, name)
	}
	return l.All || !slices.Contains(l.brief, name) && (all.used[column] || !slices.Contains(unusual, name) && !slices.Contains(l.sparse, name))
}

// heading separates the unit of an amount from its name with a comma: fee, GLMR.
func heading(text string, c *table.Column) string {
	text = table.Words(text)
	switch c.Kind {
	case table.Wei, table.SignedWei, table.GasPrice, table.Fiat:
		if at := strings.LastIndexByte(text, ' '); at > 0 && text != table.Words(c.Name) {
			return text[:at] + "," + text[at:]
		}
	}
	return text
}

// heading names the other period in the headings of its columns: fee in February 2025, GLMR.
func (l listing) heading(text string, c *table.Column) string { return l.named(heading(text, c)) }

// named names the other period in place of "before".
func (l listing) named(text string) string {
	if l.before != "" {
		text = strings.Replace(text, " before", " in "+l.before, 1)
	}
	return text
}

// head returns the heading of a column, which links to the list sorted by it.
func (l listing) head(name string, c *table.Column, to func(listing) string) cell {
	next := l
	next.After, next.Sort = 0, c.Name
	if c.Kind.IsRight() {
		next.Sort = "-" + c.Name
	}
	h := cell{Text: name, Class: classOf(c), Short: l.named(table.Words(c.Name))}
	if to == nil || l.fixed {
		return h
	}
	switch l.Sort {
	case c.Name:
		h.Sorted, next.Sort = "ascending", "-"+c.Name
	case "-" + c.Name:
		h.Sorted, next.Sort = "descending", c.Name
	}
	h.To = to(next)
	return h
}

// rangeText names the rows of a page.
func rangeText(first, last, count int) string {
	return fmt.Sprintf("%s–%s of %s", console.Grouped(uint64(first)), console.Grouped(uint64(last)), console.Grouped(uint64(count)))
}

// sumOf returns the total of the fees of a list after a comma; "" for a list without.
func (s *server) sumOf(all *rows) string {
	i := columnOf(all.columns, "fee")
	if i < 0 || all.totals == nil {
		return ""
	}
	fee, known := all.totals[i].Wei()
	if !known {
		return ", total " + notKnown
	}
	return ", " + cut(all.token, fee) + " " + plain.Line(all.token.Symbol)
}

// lead adds the range of rows shown with the sum of all, and links to the other rows and to all columns.
func (l listing) lead(t *tabular, brief bool, count int, sum string, to func(listing) string) {
	if to == nil && count > l.rows() {
		t.More = fmt.Sprintf("%d more rows are not shown.", count-l.rows())
	} else if to != nil && (count > l.rows() || l.After > 0) {
		t.More = rangeText(min(l.After+1, count), min(l.After+l.rows(), count), count) + sum + "."
	}
	if t.More != "" && t.Totals != nil {
		t.More += " Totals cover all rows."
	}
	if to == nil {
		return
	}
	add := func(text string, change func(*listing)) {
		other := l
		change(&other)
		t.Links = append(t.Links, link{text, to(other)})
	}
	if l.After > 0 {
		add("Previous", func(o *listing) { o.After = max(0, l.After-pageRows) })
	}
	if l.After+l.rows() < count && (l.last == 0 || l.After+l.rows() < l.last) {
		add("Next", func(o *listing) { o.After += pageRows })
	}
	if brief {
		add("All columns", func(o *listing) { o.All, o.Only = true, nil })
	} else if l.All {
		add("Fewer columns", func(o *listing) { o.All = false })
	}
}
