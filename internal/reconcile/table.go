package reconcile

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/plain"
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

// unit returns a column's name with the token.
func (r *Result) unit(name string) string {
	return strings.TrimSpace(name + " " + plain.Line(r.Options.Symbol))
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
	amounts := func(name string, drop int) console.Column {
		return console.Column{Name: r.unit(name), Right: true, Decimals: true, Drop: drop}
	}
	layout := console.NewLayout([]console.Column{{Name: "outcome"}, {Name: "count", Right: true}, amounts("books", 1), amounts("chain", 1), amounts("difference", 0)})
	layout.Tight = true
	var lines [][]string
	for _, s := range append(slices.Clone(r.Sums), r.Total) {
		cells := []string{string(s.Outcome), strconv.Itoa(s.Count), r.Options.Token().Tokens(s.Books), knownTokens(r, s.Chain), knownTokens(r, s.Difference)}
		layout.Measure(cells)
		lines = append(lines, cells)
	}
	fit, total := layout.Fit(out), lines[len(lines)-1]
	fit.Header()
	for _, cells := range lines[:len(lines)-1] {
		fit.Row(cells, "")
	}
	fit.Rule()
	fit.Row(total, "")
	r.writeWorth(out)
	if !fit.Shows(2) {
		fmt.Fprintf(out, "\n%s: %s\n%s: %s\n", r.unit("books"), fit.Cell(2, total[2]), r.unit("chain"), fit.Cell(3, total[3]))
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
	title := unmatchedTitle + r.Options.Token().Unit()
	if all {
		title = allTitle
	}
	out.WriteString("\n")
	console.WriteWrapped(out, title, 0, width)
	out.WriteString("\n")
	layout := console.NewLayout([]console.Column{{Name: "outcome", Verdict: true}, {Name: "line", Right: true}, {Name: "id"}, {Name: r.unit("difference"), Right: true, Decimals: true}})
	layout.Tight = true
	for i, err := range r.listed(all) {
		if err != nil {
			return err
		}
		layout.Measure(i.short(r))
	}
	fit := layout.Fit(out)
	indent := fit.Width() + 2
	beside := width-indent >= narrowWhy
	if beside {
		layout.Add(console.Column{Name: "reason"})
		fit = layout.Fit(out)
	}
	fit.Header()
	for i, err := range r.listed(all) {
		if err != nil {
			return err
		}
		cells, why, below := i.short(r), i.why(r), r.entry(i)
		if beside {
			cells = append(cells, console.Wrapped(why, indent, width))
		} else if why != "" {
			below = slices.Insert(below, 0, why)
		}
		fit.Row(cells, "")
		for _, line := range below {
			out.WriteString("  ")
			console.WriteWrapped(out, line, 2, width)
		}
	}
	return nil
}

// listed returns the items that are among the details, or the first error.
func (r *Result) listed(all bool) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		for i, err := range r.Items() {
			if (err != nil || i.Outcome.isListed(all)) && !yield(i, err) {
				return
			}
		}
	}
}

// short returns the item as a line of the table: outcome, line, transaction ID, difference.
func (i *Item) short(r *Result) []string {
	cells := []string{string(i.Outcome), "", "", ""}
	if i.Row != nil {
		if cells[1] = strconv.Itoa(i.Row.Line); i.Row.File != "" {
			cells[1] = plain.Line(i.Row.File) + ":" + cells[1]
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
