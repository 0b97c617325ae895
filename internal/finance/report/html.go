package report

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/markup"
	"github.com/feeledger/fees/internal/sys/plain"
	"github.com/feeledger/fees/internal/table"
)

//go:embed page.css
var pageStyle string

// newline ends a row or a paragraph of the page.
var newline = markup.Text("\n")

// writeHTML writes the report as one self-contained page: its policy forbids scripts, other files and
// network access.
func (r *Report) writeHTML(w io.Writer) error {
	title := plain.Line(r.Title())
	out := bufio.NewWriter(w)
	err := markup.Document(markup.El("html", markup.Attr("lang", "en"),
		markup.El("head",
			markup.El("meta", markup.Attr("charset", "utf-8")),
			markup.El("meta", markup.Attr("http-equiv", "Content-Security-Policy"), markup.Attr("content", policy())),
			markup.El("meta", markup.Attr("name", "viewport"), markup.Attr("content", "width=device-width, initial-scale=1")),
			markup.El("meta", markup.Attr("name", "referrer"), markup.Attr("content", "no-referrer")),
			markup.El("title", markup.Text(title)),
			markup.El("style", g.Raw(pageStyle)),
		), newline,
		markup.El("body",
			markup.El("header", markup.El("h1", markup.Text(title)), newline, g.Map(r.about(), func(line string) g.Node {
				return g.Group{markup.El("p", markup.Attr("class", "about"), markup.Text(plain.Line(line))), newline}
			})),
			noteList("notes warning", r.Partial), noteList("notes", r.Notes[len(r.Partial):]),
			markup.El("main", r.totalCards(), g.Map(r.charts(), (*Chart).Node), r.figuresTable()),
		), newline,
	)).Render(out)
	if err != nil {
		return err
	}
	return out.Flush()
}

// noteList returns notes as a list of a class; nil without any.
func noteList(class string, notes []string) g.Node {
	if len(notes) == 0 {
		return nil
	}
	return markup.El("ul", markup.Attr("class", class), g.Map(notes, func(note string) g.Node { return g.Group{markup.El("li", markup.Text(plain.Line(note))), newline} }))
}

// figuresTable returns the table of all figures.
func (r *Report) figuresTable() g.Node {
	columns := r.shownColumns(r.columns())
	if r.Top > 0 {
		columns = slices.Concat(r.namedOthers(r.keyColumns()), r.figureColumns(), r.late(), r.assetColumns())
	}
	f := r.formats(columns)
	heads, sums := g.Group{}, g.Group{}
	for i, c := range columns {
		heads = append(heads, markup.El("th", markup.Attr("scope", "col"), markup.Optional("class", class(c.Kind)), markup.Text(r.heading(c))))
		sums = append(sums, f.sum(i, c, &Group{Figures: r.Totals}))
	}
	heading := fmt.Sprintf("All figures by %s", r.By)
	return g.Group{
		markup.El("h2", markup.Text(heading)),
		markup.El("div", markup.Attr("class", "box"), markup.Attr("tabindex", "0"), markup.Attr("role", "region"), markup.Attr("aria-label", heading), markup.El("table",
			markup.El("thead", markup.El("tr", heads...)), newline,
			markup.El("tbody", g.NodeFunc(func(w io.Writer) error { return r.writeRows(w, f, columns) })),
			markup.El("tfoot", markup.El("tr", sums...)),
		)),
	}
}

// writeRows writes the rows one by one: there can be a million.
func (r *Report) writeRows(w io.Writer, f formats, columns []column) error {
	row := make(g.Group, len(columns))
	for _, group := range r.gathered() {
		for i, c := range columns {
			row[i] = cell(class(c.Kind), f.text(i, c.value(group)))
		}
		if err := (g.Group{markup.El("tr", row...), newline}).Render(w); err != nil {
			return err
		}
	}
	return nil
}

// cell returns a cell of the table.
func cell(class, text string) g.Node {
	return markup.El("td", markup.Optional("class", class), markup.Text(text))
}

// policy allows the page only its own style sheet.
func policy() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
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
	lines = []string{fmt.Sprintf("Period: %s (time zone %s). %s.", console.PeriodName(r.Name), r.Zone, covered)}
	lines = append(lines, "Evidence: "+r.Evidence.String()+".")
	if len(r.Rules) > 0 {
		lines = append(lines, "Pricing rules: "+strings.Join(r.Rules, ", ")+".")
	}
	if r.Payers != nil {
		lines = append(lines, "Payers: "+strings.Join(r.calledAccounts(), ", ")+".")
	}
	return lines
}

// totalCards returns the totals at the top of the page, the fee first.
func (r *Report) totalCards() g.Node {
	cards := g.Group{markup.Attr("class", "totals"), newline}
	name := func(text string) string {
		if r.Part == "" {
			return text
		}
		return text + ", " + r.Part
	}
	add := func(name, value, unit string) {
		first := len(cards) == 2
		cards = append(cards, markup.El("div", g.If(first, markup.Attr("class", "first")), markup.El("dt", markup.Text(name)), markup.El("dd", markup.Text(value), g.If(unit != "", g.Group{markup.Text(" "), markup.El("span", markup.Attr("class", "unit"), markup.Text(unit))}))), newline)
	}
	t := &r.Totals
	for _, a := range t.amounts(r.Token) {
		if wei, known := a.value.Get(); known {
			add(name(a.name), console.Plain(r.Tokens(wei)), r.Symbol)
		} else {
			add(a.name, notKnown, "")
		}
	}
	for _, a := range r.worthAmounts() {
		add(name(a.name), text(r.Token, a.value), "")
	}
	for _, n := range t.counts() {
		add(n.name, fmt.Sprint(n.value), "")
	}
	if average, ok := t.AveragePrice.Get(); ok {
		add("gas price, average", console.Plain(console.Gwei(average)), "Gwei")
	}
	var ranked []string
	for _, p := range t.prices()[1:] {
		if price, ok := p.value.Get(); ok {
			ranked = append(ranked, console.Plain(console.Gwei(price)))
		}
	}
	if len(ranked) > 0 {
		add("gas price, 10 % · median · 90 %", strings.Join(ranked, " · "), "Gwei")
	}
	return markup.El("dl", cards...)
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
	part     string // see Request
}

func (r *Report) formats(columns []column) formats {
	f := formats{r.Token, make([]int, len(columns)), r.Part}
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
func (f formats) sum(i int, c column, totals *Group) g.Node {
	switch {
	case i == 0:
		return cell("", cmp.Or(f.part, "total"))
	case c.Total || c.Kind == table.GasPrice:
		return cell(class(c.Kind), f.text(i, c.value(totals)))
	}
	return cell("", "")
}

// text formats a value for display: amounts in the token, prices in Gwei, with all decimals.
func text(token console.Token, value any) string {
	switch v := value.(type) {
	case chain.Wei:
		return token.Tokens(v)
	case nil:
		return ""
	case *Slot:
		return v.Words()
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
