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

// shown are the figures of the table for people, with when each is left out where there is
// no room. All figures are in the other forms, and their totals below the table.
var shown = map[string]int{
	"fee": 0, "evm": 1, "native": 1, "evm_failed": 2, "native_failed": 2, "evm_fee": 2, "native_fee": 2,
}

const (
	mostBar   = 40 // characters of the longest bar
	leastBar  = 8  // no bars where there is not so much room
	barWidth  = 60 // nor where all is narrower than this
	barGap    = 2
	headLines = 2 // of the table: names and a line
)

// WriteTable writes the report for a terminal of so many columns: what is missing of
// the period, the groups with a bar for the fee of each, the totals, and the notes. It
// holds all rows.
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

// tableLines are the groups, with the columns that fit and leave room for bars.
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

// choose are the columns for people.
func (r *Report) choose() []column {
	columns := r.keyColumns()
	if r.By == Contract { // calls and contracts need the room
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.Name == groupColumn.Name })
	}
	if r.By == Label && !slices.ContainsFunc(r.Groups, func(g *Group) bool { return g.Account.Known() }) {
		columns = columns[:1] // no account stands for itself
	}
	if r.Top > 0 {
		columns = namedOthers(columns)
	}
	for _, c := range r.withWorth(figureColumns) {
		drop, isShown := shown[figureOf(c.Column)]
		if isShown || c.Name == "undetermined" && r.Totals.Undetermined > 0 {
			c.Drop = drop
			columns = append(columns, c)
		}
	}
	return columns
}

// namedOthers are the columns of the grouping where the group of all others has its name in the
// first of them, and no column of its own.
func namedOthers(columns []column) []column {
	first := columns[0]
	named := column{table.Column{Name: first.Name, Kind: table.Text}, func(g *Group) any {
		if g.Others.Known() {
			return g.Name()
		}
		return text(first.value(g))
	}}
	return append([]column{named}, columns[1:len(columns)-1]...)
}

func widest(lines []string) (n int) {
	for _, line := range lines {
		n = max(n, utf8.RuneCountInString(line))
	}
	return n
}

// withBars puts a bar behind each group's line, if there is room.
func (r *Report) withBars(lines []string, width int) []string {
	used := widest(lines[:headLines+len(r.Groups)]) + barGap
	room := min(width-used, mostBar)
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

// greatest is the greatest fee of a group.
func (r *Report) greatest() (most chain.Wei) {
	for _, g := range r.Groups {
		if g.Fee.Cmp(most) > 0 {
			most = g.Fee
		}
	}
	return most
}

// barOf is how long the bar of a fee is, where the greatest fee has the given length: at
// least 1 where there is a fee.
func barOf(fee, greatest chain.Wei, most int) int {
	n := int(length(fee) / length(greatest) * float64(most))
	if n == 0 && !fee.IsZero() {
		return 1
	}
	return min(n, most)
}

// totalLines are the totals, one below the other.
func (r *Report) totalLines(width int) string {
	var out strings.Builder
	var amounts []string
	for _, f := range r.Totals.amounts() {
		if wei, known := f.value.Get(); known {
			amounts = append(amounts, console.Tokens(wei))
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
		fmt.Fprintf(&out, "%-22s %s\n", f.name, text(f.value))
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
