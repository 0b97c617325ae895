package report

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Parse(pageText + ChartTemplate))

// page is the template's data. The template escapes all text except the style.
type page struct {
	Title    string
	Policy   string
	Style    template.CSS
	About    []string
	Warnings []string // missing data
	Notes    []string
	Totals   []total
	Charts   []*Chart
	Heading  string
	Columns  []cell
	Rows     iter.Seq[[]cell]
	Sums     []cell
}

type total struct{ Name, Value, Unit string }

// cell is a cell of the table.
type cell struct{ Text, Class string }

// writeHTML writes the report as one self-contained page: its policy forbids scripts, other files and
// network access.
func (r *Report) writeHTML(w io.Writer) error {
	p := page{
		Title: plain.Line(r.Title()), Policy: policy(), Style: template.CSS(pageStyle),
		About: r.about(), Warnings: printable(r.Partial), Notes: printable(r.Notes[len(r.Partial):]),
		Totals: r.totalCards(), Charts: r.charts(), Heading: fmt.Sprintf("All figures by %s", r.By),
	}
	columns := r.columns()
	if r.Top > 0 {
		columns = slices.Concat(r.namedOthers(r.keyColumns()), r.figureColumns(), r.late())
	}
	f := r.formats(columns)
	for i, c := range columns {
		p.Columns = append(p.Columns, cell{r.heading(c), class(c.Kind)})
		p.Sums = append(p.Sums, f.sum(i, c, &Group{Figures: r.Totals}))
	}
	p.Rows = func(yield func([]cell) bool) {
		row := make([]cell, len(columns))
		for _, g := range r.Groups {
			for i, c := range columns {
				row[i] = cell{f.text(i, c.value(g)), class(c.Kind)}
			}
			if !yield(row) {
				return
			}
		}
	}
	out := bufio.NewWriter(w)
	if err := pageTemplate.Execute(out, p); err != nil {
		return err
	}
	return out.Flush()
}

// policy allows the page only its own style sheet.
func policy() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func printable(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, plain.Line(text))
	}
	return list
}

// about describes the period, the rules and the payers.
func (r *Report) about() (lines []string) {
	covered := "Fully covered"
	if len(r.Cover.Lacks) > 0 {
		covered = "Partly covered"
	}
	if span, ok := r.Cover.Span.Get(); ok {
		covered += fmt.Sprintf(", by blocks %v", span)
	}
	lines = []string{fmt.Sprintf("Period: %s (time zone %s). %s.", r.Name, r.Zone, covered)}
	lines = append(lines, "Evidence: "+r.Evidence.String()+".")
	if len(r.Rules) > 0 {
		lines = append(lines, "Pricing rules: "+strings.Join(r.Rules, ", ")+".")
	}
	if r.Payers != nil {
		lines = append(lines, "Payers: "+strings.Join(r.calledAccounts(), ", ")+".")
	}
	return printable(lines)
}

// totalCards returns the totals at the top of the page, the fee first.
func (r *Report) totalCards() (cards []total) {
	t := &r.Totals
	for _, a := range t.amounts() {
		if wei, known := a.value.Get(); known {
			cards = append(cards, total{a.name, console.Plain(r.Tokens(wei)), r.Symbol})
		} else {
			cards = append(cards, total{a.name, notKnown, ""})
		}
	}
	for _, a := range r.worthAmounts() {
		cards = append(cards, total{a.name, text(r.Token, a.value), ""})
	}
	for _, n := range t.counts() {
		cards = append(cards, total{n.name, fmt.Sprint(n.value), ""})
	}
	if average, ok := t.AveragePrice.Get(); ok {
		cards = append(cards, total{"gas price, average", console.Plain(console.Gwei(average)), "Gwei"})
	}
	var ranked []string
	for _, p := range t.prices()[1:] {
		if price, ok := p.value.Get(); ok {
			ranked = append(ranked, console.Plain(console.Gwei(price)))
		}
	}
	if len(ranked) > 0 {
		cards = append(cards, total{"gas price, 10 % · median · 90 %", strings.Join(ranked, " · "), "Gwei"})
	}
	return cards
}

// heading returns a column's display name with its unit.
func (r *Report) heading(c column) string {
	name := table.Heading(c.Column, r.Symbol)
	if percentile, ranked := strings.CutSuffix(name, "0 Gwei"); ranked && c.Kind == table.GasPrice {
		return percentile + "0 % Gwei"
	}
	return name
}

func class(kind table.Kind) string {
	switch kind {
	case table.Integer, table.Wei, table.GasPrice, table.Fiat:
		return "number"
	case table.Address:
		return "hex"
	}
	return ""
}

// formats contains the token, and the number of decimals of each column, that of its longest value.
type formats struct {
	console.Token
	decimals []int
}

func (r *Report) formats(columns []column) formats {
	f := formats{r.Token, make([]int, len(columns))}
	look := func(g *Group) {
		for i, c := range columns {
			if _, fraction, ok := strings.Cut(console.Plain(text(r.Token, c.value(g))), "."); ok && (c.Kind == table.Wei || c.Kind == table.GasPrice) {
				f.decimals[i] = max(f.decimals[i], len(fraction))
			}
		}
	}
	for _, g := range r.Groups {
		look(g)
	}
	look(&Group{Figures: r.Totals})
	return f
}

// text formats a value with the decimals of its column.
func (f formats) text(column int, value any) string {
	whole := text(f.Token, value)
	switch value.(type) {
	case chain.Wei, chain.Optional[chain.Wei], chain.Optional[chain.GasPrice]:
		if i := strings.IndexByte(whole, '.'); i >= 0 {
			return strings.TrimSuffix(whole[:i+1+f.decimals[column]], ".")
		}
	}
	return whole
}

// sum returns the cell of a column's total.
func (f formats) sum(i int, c column, totals *Group) cell {
	if i == 0 {
		return cell{"total", ""}
	}
	if c.Total || c.Kind == table.GasPrice {
		return cell{f.text(i, c.value(totals)), class(c.Kind)}
	}
	return cell{}
}

// text formats a value for display: amounts in the token, prices in Gwei, with all decimals.
func text(token console.Token, value any) string {
	switch v := value.(type) {
	case chain.Wei:
		return token.Tokens(v)
	case chain.Optional[chain.Wei]:
		if wei, known := v.Get(); known {
			return token.Tokens(wei)
		}
		return notKnown
	case chain.Optional[chain.GasPrice]:
		if price, ok := v.Get(); ok {
			return console.Gwei(price)
		}
		return ""
	case chain.Optional[money.Amount]:
		if amount, known := v.Get(); known {
			return amount.String()
		}
		return notKnown
	case chain.Optional[string]:
		name, _ := v.Get()
		return plain.Line(name)
	case chain.Optional[uint64]:
		return console.Known(v)
	case chain.Optional[chain.Time]:
		return console.Known(v)
	case chain.Optional[chain.Address]:
		return console.Known(token.AccountOf(v))
	}
	return fmt.Sprint(value)
}
