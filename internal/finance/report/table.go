package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// shown lists the figures of the terminal table, with the order in which they are dropped if it is
// narrow. The other formats contain all figures; the totals are below the table.
var shown = map[string]int{
	"fee": 0, "evm": 1, "native": 1, "evm_failed": 2, "native_failed": 2, "evm_fee": 2, "native_fee": 2,
}

const (
	maxBar    = 40 // characters of the longest bar
	leastBar  = 8  // no bars if there is less space
	barWidth  = 60 // no bars on narrower terminals
	barGap    = 2
	headLines = 2 // of the table: names and a rule
)

// WriteTable writes the report for a terminal of the given width: missing data, the groups with a bar for
// each fee, the totals and the notes. It keeps all rows in memory.
func WriteTable(w io.Writer, r *Report, width int) error {
	var out strings.Builder
	console.WriteWrapped(&out, r.Title(), 2, width)
	for _, note := range append(slices.Clone(r.Partial), r.evidence()) {
		console.WriteWrapped(&out, note, 2, width)
	}
	if len(r.Groups) > 0 {
		lines, err := r.tableLines(width)
		if err != nil {
			return err
		}
		out.WriteString("\n" + strings.Join(r.withBars(lines, width), "\n") + "\n")
	}
	out.WriteString("\n" + r.totalLines(width))
	for i, note := range r.Notes[len(r.Partial):] {
		if i == 0 {
			out.WriteString("\n")
		}
		console.WriteWrapped(&out, "note: "+note, 2, width)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// tableLines formats the groups with the columns that fit next to the bars.
func (r *Report) tableLines(width int) (lines []string, err error) {
	if width >= barWidth {
		width -= barGap + leastBar
	}
	var text bytes.Buffer
	s := r.sheetOf(r.choose())
	s.Title, s.Notes = "", nil
	if err := table.WriteTable(&text, s, width); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(text.String(), "\n"), "\n"), nil
}

// choose returns the columns for the terminal.
func (r *Report) choose() []column {
	columns := r.keyColumns()
	if r.By == Contract { // calls and contracts need the width
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.Name == groupColumn.Name })
	}
	if r.By == Label && !slices.ContainsFunc(r.Groups, func(g *Group) bool { return g.Account.Known() }) {
		columns = columns[:1] // no account lacks a label
	}
	if r.Top > 0 {
		columns = r.namedOthers(columns)
	}
	for _, c := range r.withWorth(figureColumns) {
		drop, isShown := shown[figureOf(c.Column)]
		if isShown || c.Name == "undetermined" && r.Totals.Undetermined > 0 {
			c.Drop = drop
			columns = append(columns, c)
		}
	}
	return append(columns, r.late()...)
}

// namedOthers returns the columns of the grouping without the one for combined groups, whose name goes into the
// first column instead.
func (r *Report) namedOthers(columns []column) []column {
	first := columns[0]
	named := column{table.Column{Name: first.Name, Kind: table.Text}, func(g *Group) any {
		if g.Others.Known() {
			return g.Name()
		}
		return text(r.Token, first.value(g))
	}}
	return append([]column{named}, columns[1:len(columns)-1]...)
}

func widest(lines []string) (n int) {
	for _, line := range lines {
		n = max(n, utf8.RuneCountInString(line))
	}
	return n
}

// withBars appends a bar to each group's line if there is space.
func (r *Report) withBars(lines []string, width int) []string {
	used := widest(lines[:headLines+len(r.Groups)]) + barGap
	room := min(width-used, maxBar)
	greatest := r.greatest()
	if width < barWidth || room < leastBar || greatest.IsZero() {
		return lines
	}
	for i, g := range r.Groups {
		line := &lines[headLines+i]
		*line += strings.Repeat(" ", used-utf8.RuneCountInString(*line)) + strings.Repeat("#", barOf(g.Fee, greatest, room))
		*line = strings.TrimRight(*line, " ")
	}
	return lines
}

// greatest returns the highest fee of a group.
func (r *Report) greatest() (most chain.Wei) {
	for _, g := range r.Groups {
		if g.Fee.Cmp(most) > 0 {
			most = g.Fee
		}
	}
	return most
}

// barOf returns the length of a fee's bar if the highest fee has the given length; at least 1 for any
// fee above 0.
func barOf(fee, greatest chain.Wei, limit int) int {
	n := int(length(fee) / length(greatest) * float64(limit))
	if n == 0 && !fee.IsZero() {
		return 1
	}
	return min(n, limit)
}

// totalLines formats the totals, one per line.
func (r *Report) totalLines(width int) string {
	var out strings.Builder
	var amounts []string
	for _, f := range r.Totals.amounts() {
		if wei, known := f.value.Get(); known {
			amounts = append(amounts, r.Tokens(wei))
		}
	}
	for _, n := range r.Totals.counts() {
		fmt.Fprintf(&out, "%-22s %v\n", n.name, n.value)
	}
	amounts = console.PointsBelow(console.SameDecimals(amounts))
	for _, f := range r.Totals.amounts() {
		if !f.value.Known() {
			fmt.Fprintf(&out, "%-22s %s\n", f.name, notKnown)
			continue
		}
		fmt.Fprintf(&out, "%-22s %s %s\n", f.name, amounts[0], console.Printable(r.Symbol))
		amounts = amounts[1:]
	}
	for _, f := range r.worthAmounts() {
		fmt.Fprintf(&out, "%-22s %s\n", f.name, text(r.Token, f.value))
	}
	for _, p := range r.Totals.prices() {
		if price, ok := p.value.Get(); ok {
			fmt.Fprintf(&out, "%-22s %s Gwei\n", p.name, console.Plain(console.Gwei(price)))
		}
	}
	if len(r.Rules) > 0 {
		fmt.Fprintf(&out, "%-22s ", "rules")
		console.WriteWrapped(&out, strings.Join(r.Rules, ", "), 23, width)
	}
	return out.String()
}
