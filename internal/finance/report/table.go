package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

// shown lists the figures of the terminal table, with the order in which they are dropped if it is
// narrow. The other formats contain all figures; the totals are below the table.
var shown = map[string]int{
	"fee": 0, "evm": 1, "native": 1, "evm_failed": 2, "native_failed": 2, "evm_fee": 2, "native_fee": 2,
}

// maxBar is the length of the longest bar, in characters.
const maxBar = 40

// writeText writes the report for a terminal of the given width: missing data, the groups with a bar for
// each fee, the totals and the notes.
func (r *Report) writeText(w io.Writer, width int) error {
	page := console.NewPage(w, width)
	page.Line(r.Title(), 2)
	for _, note := range append(slices.Clone(r.Partial), r.evidence()) {
		page.Line(note, 2)
	}
	if len(r.Groups) > 0 {
		page.WriteString("\n")
		s := r.sheetOf(r.choose(), r.gathered())
		s.Title, s.Notes, s.Beside = "", nil, r.feeBars()
		if err := table.WriteTable(page, s, width); err != nil {
			return err
		}
	}
	page.WriteString("\n")
	if r.Part != "" {
		page.Line(r.Part+":", 2)
	}
	page.WriteString(r.totalLines(width))
	page.Notes(r.Notes[len(r.Partial):])
	return page.Flush()
}

// choose returns the columns for the terminal.
func (r *Report) choose() []column {
	columns := r.shownColumns(r.keyColumns())
	if value := columns[0].value; r.By == Hour { // a terminal has no room for two hours
		columns[0].value = func(g *Group) any {
			if g.through.Known() {
				return text(r.Token, g.Hour) + " …"
			}
			return value(g)
		}
	}
	if r.By == Contract { // calls and contracts need the width
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.Name == groupColumn.Name })
	}
	if r.By == Label && !slices.ContainsFunc(r.Groups, func(g *Group) bool { return g.Account.Known() }) {
		columns = columns[:1] // no account lacks a label
	}
	if r.Top > 0 {
		columns = r.namedOthers(columns)
	}
	for _, c := range unlessLacking(r.withWorth(figureColumns)) {
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
			return g.Name(r.Token)
		}
		return text(r.Token, first.value(g))
	}}
	return append([]column{named}, columns[1:len(columns)-1]...)
}

// feeBars returns a function that draws the bar of a group's fee, of at most some characters; at least one for any fee
// above 0.
func (r *Report) feeBars() func(group, width int) string {
	var greatest chain.Wei
	groups := r.gathered()
	fees := make([]chain.Wei, len(groups))
	for i, g := range groups {
		if fees[i] = g.Fee; g.Fee.Cmp(greatest) > 0 {
			greatest = g.Fee
		}
	}
	whole := tokens(r.Token, greatest)
	return func(group, width int) string {
		fee, limit := fees[group], min(width, maxBar)
		if fee.IsZero() {
			return ""
		}
		return bar[:min(max(1, int(tokens(r.Token, fee)/whole*float64(limit))), limit)]
	}
}

// bar is the longest bar.
var bar = strings.Repeat("#", maxBar)

// totalLines formats the totals, one per line.
func (r *Report) totalLines(width int) string {
	var out strings.Builder
	var amounts []string
	for _, f := range r.Totals.amounts(r.Token) {
		if wei, known := f.value.Get(); known {
			amounts = append(amounts, r.Tokens(wei))
		}
	}
	for _, n := range r.Totals.counts() {
		fmt.Fprintf(&out, "%-22s %v\n", n.name, n.value)
	}
	amounts = console.PointsBelow(console.SameDecimals(amounts))
	for _, f := range r.Totals.amounts(r.Token) {
		if !f.value.Known() {
			fmt.Fprintf(&out, "%-22s %s\n", f.name, notKnown)
			continue
		}
		fmt.Fprintf(&out, "%-22s %s %s\n", f.name, amounts[0], plain.Line(r.Symbol))
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
