package reconcile

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
)

// narrowWhy is the minimum width of the reason column; below it, reasons are on separate lines.
const narrowWhy = 24

// WriteTable writes the result for a terminal, in at most width columns if that is 60 or more: the summary, the details
// (all of them, or only what does not match to the wei), and the basis. The details show the outcome, line, transaction
// ID, difference and reason; other formats contain everything.
func (r *Result) WriteTable(w io.Writer, all bool, width int) error {
	out := console.NewPage(w, width)
	r.writeSummary(out, width)
	for _, n := range r.Notes {
		out.WriteString("\n")
		console.WriteWrapped(out, "note: "+n, 2, width)
	}
	r.writeGroups(out, width)
	shown := all && r.Total.Count > 0 || r.Total.Count > r.count(Matched)+r.count(LeftOut)
	if shown {
		if err := r.writeDetails(out, all, width); err != nil {
			return err
		}
	}
	out.WriteString("\nBasis of the result\n\n")
	facts := r.basis()
	widest := 0
	for _, f := range facts {
		widest = max(widest, len(f.name))
	}
	for _, f := range facts {
		if f.value == "" {
			out.WriteString(f.name + "\n")
			continue
		}
		out.WriteString(f.name + strings.Repeat(" ", widest-len(f.name)+2))
		console.WriteWrapped(out, f.value, widest+2, width)
	}
	return out.Flush()
}

// count returns the number of items with an outcome.
func (r *Result) count(o Outcome) int {
	for i := range r.Sums {
		if r.Sums[i].Outcome == o {
			return r.Sums[i].Count
		}
	}
	return 0
}

// column is a column of a table.
type column struct {
	name  string
	right bool
	width int
}

// fit widens a column to fit a cell.
func (c *column) fit(cell string) { c.width = max(c.width, len(cell)) }

// row writes a line of aligned cells.
func row(out *console.Page, columns []column, cells []string) {
	out.WriteString(aligned(columns, cells) + "\n")
}

// outcomeRow writes the cells of an item, which start with its outcome, and the end of the line.
func outcomeRow(out *console.Page, columns []column, cells []string, end string) {
	line := aligned(columns, cells)
	out.WriteString(out.Verdict(cells[0]) + line[len(cells[0]):] + end)
}

// aligned returns cells in their columns, without trailing spaces.
func aligned(columns []column, cells []string) string {
	var line strings.Builder
	for i, c := range columns {
		pad := strings.Repeat(" ", max(0, c.width-len(cells[i])))
		if c.right {
			line.WriteString(pad + cells[i] + "  ")
		} else {
			line.WriteString(cells[i] + pad + "  ")
		}
	}
	return strings.TrimRight(line.String(), " ")
}

// widthOf returns the width of columns and the gaps between them.
func widthOf(columns []column) (width int) {
	for _, c := range columns {
		width += c.width + 2
	}
	return width - 2
}

// writeSummary writes a line for each outcome. If the terminal is too narrow, only the totals of books and chain are
// shown, below the table.
func (r *Result) writeSummary(out *console.Page, width int) {
	if text := r.recordSummary(); text != "" {
		console.WriteWrapped(out, text, 0, width)
		out.WriteString("\n")
	}
	console.WriteWrapped(out, r.title(), 0, width)
	out.WriteString("\n")
	sums := append(append([]Sum{}, r.Sums...), r.Total)
	var books, onChain, apart []string
	for i := range sums {
		books = append(books, r.Options.Token().Tokens(sums[i].Books))
		onChain = append(onChain, knownTokens(r, sums[i].Chain))
		apart = append(apart, knownTokens(r, sums[i].Difference))
	}
	books, onChain, apart = console.SameDecimals(books), console.SameDecimals(onChain), console.SameDecimals(apart)
	unit := func(name string) string {
		return strings.TrimSpace(name + " " + console.Printable(r.Options.Symbol))
	}
	columns := []column{{name: "outcome"}, {name: "count", right: true}, {name: unit("books"), right: true}, {name: unit("chain"), right: true}, {name: unit("difference"), right: true}}
	lines := make([][]string, len(sums))
	for i := range sums {
		lines[i] = []string{string(sums[i].Outcome), strconv.Itoa(sums[i].Count), books[i], onChain[i], apart[i]}
	}
	fitAll(columns, lines)
	narrow := widthOf(columns) > width
	pick := func(cells []string) []string { return cells }
	if narrow {
		columns = []column{columns[0], columns[1], columns[4]}
		pick = func(cells []string) []string { return []string{cells[0], cells[1], cells[4]} }
	}
	rule := strings.Repeat("-", widthOf(columns)) + "\n"
	heads := make([]string, len(columns))
	for i := range columns {
		heads[i] = columns[i].name
	}
	row(out, columns, heads)
	out.WriteString(rule)
	for i, cells := range lines {
		if i == len(lines)-1 {
			out.WriteString(rule)
		}
		row(out, columns, pick(cells))
	}
	r.writeWorth(out)
	if narrow {
		last := lines[len(lines)-1]
		fmt.Fprintf(out, "\n%s: %s\n%s: %s\n", unit("books"), last[2], unit("chain"), last[3])
	}
}

func fitAll(columns []column, lines [][]string) {
	for i := range columns {
		columns[i].fit(columns[i].name)
		for _, cells := range lines {
			columns[i].fit(cells[i])
		}
	}
}

// knownTokens formats an amount in the token, or "unknown".
func knownTokens[T interface{ String() string }](r *Result, o chain.Optional[T]) string {
	if text := tokensOf(r, o); text != nil {
		return *text
	}
	return "unknown"
}

// writeDetails writes a line for each item, and its reason beside or below it.
func (r *Result) writeDetails(out *console.Page, all bool, width int) error {
	title := unmatchedTitle
	if all {
		title = allTitle
	}
	out.WriteString("\n")
	console.WriteWrapped(out, title, 0, width)
	out.WriteString("\n")
	columns := []column{{name: "outcome"}, {name: "line", right: true}, {name: "id"}, {name: strings.TrimSpace("difference " + console.Printable(r.Options.Symbol)), right: true}}
	fitAll(columns, nil)
	decimals := 0
	for i, err := range r.Items() {
		if err != nil {
			return err
		}
		if !i.Outcome.isListed(all) {
			continue
		}
		cells := i.short(r)
		decimals = max(decimals, console.Decimals(cells[3]))
		for k := range columns[:3] {
			columns[k].fit(cells[k])
		}
	}
	for i, err := range r.Items() { // measured with the displayed decimals
		if err != nil {
			return err
		}
		if i.Outcome.isListed(all) {
			columns[3].fit(console.WithDecimals(i.short(r)[3], decimals))
		}
	}
	indent := widthOf(columns) + 2
	beside := width-indent >= narrowWhy
	heads := []string{columns[0].name, columns[1].name, columns[2].name, columns[3].name}
	rule := widthOf(columns)
	if beside {
		columns, heads, rule = append(columns, column{name: "reason"}), append(heads, "reason"), indent+len("reason")
	}
	row(out, columns, heads)
	out.WriteString(strings.Repeat("-", rule) + "\n")
	for i, err := range r.Items() {
		if err != nil {
			return err
		}
		if !i.Outcome.isListed(all) {
			continue
		}
		cells := i.short(r)
		cells[3] = console.WithDecimals(cells[3], decimals)
		r.writeShort(out, i, columns, cells, beside, indent, width)
	}
	return nil
}

// writeShort writes an item.
func (r *Result) writeShort(out *console.Page, i *Item, columns []column, cells []string, beside bool, indent, width int) {
	why := i.why(r)
	below := r.entry(i)
	if beside && why != "" {
		outcomeRow(out, columns[:4], cells, strings.Repeat(" ", indent-len(aligned(columns[:4], cells))))
		console.WriteWrapped(out, why, indent, width)
	} else {
		outcomeRow(out, columns[:4], cells, "\n")
		if why != "" {
			below = slices.Insert(below, 0, why)
		}
	}
	for _, line := range below {
		out.WriteString("  ")
		console.WriteWrapped(out, line, 2, width)
	}
}

// short returns the item as a line of the table: outcome, line, transaction ID, difference.
func (i *Item) short(r *Result) []string {
	cells := []string{string(i.Outcome), "", "", ""}
	if i.Row != nil {
		if cells[1] = strconv.Itoa(i.Row.Line); i.Row.File != "" {
			cells[1] = console.Printable(i.Row.File) + ":" + cells[1]
		}
		if p, ok := i.Row.Place.Get(); ok {
			cells[2] = p.String()
		}
	}
	if t, ok := i.Transaction.Get(); ok {
		cells[2] = t.Place.String()
	}
	if i.Outcome != LeftOut {
		cells[3] = knownTokens(r, i.Difference)
	}
	return cells
}

// why returns the reason for an outcome, "" if the outcome says it all.
func (i *Item) why(r *Result) string {
	notes := strings.Join(i.Notes, "; ")
	reason := ""
	switch i.Outcome {
	case AmountDiffers:
		reason = fmt.Sprintf("books: %s, chain: %s", console.Plain(knownTokens(r, i.Books)), console.Plain(knownTokens(r, i.Chain)))
	case OnlyInBooks:
		reason = "not in the ledger"
	case OnlyOnChain:
		reason = "not in the books"
	}
	if a := r.AcceptanceOf(i); a != nil {
		notes = strings.TrimPrefix(notes+"; "+a.said(), "; ")
	}
	if reason != "" && notes != "" {
		return reason + "; " + notes
	}
	return reason + notes
}

// writeWorth writes the value of the totals, if there are prices.
func (r *Result) writeWorth(out *console.Page) {
	if r.valuer == nil {
		return
	}
	w, code := &r.Total.Worth, string(r.valuer.Currency)
	out.WriteString("\n")
	for _, total := range []struct {
		name  string
		worth chain.Optional[money.Amount]
	}{{"books", w.Books}, {"chain", w.Chain}, {"difference", w.Difference}} {
		text := "unknown"
		if amount, known := total.worth.Get(); known {
			text = amount.String()
		}
		fmt.Fprintf(out, "%s %s: %s\n", total.name, code, text)
	}
}
