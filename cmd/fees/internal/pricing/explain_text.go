package pricing

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/sys/plain"
)

// page writes text wrapped to a width. Words are never broken, so a line can be longer.
type page struct {
	*console.Page
	width int
}

// pageWidth is the width of unlimited output, in columns.
const pageWidth = 80

// writeExplanation writes an explanation as text.
func writeExplanation(w *console.Page, v *explain.Explanation, book *app.AddressBook) {
	p := &page{w, w.Width}
	if w.Width == math.MaxInt {
		p.width = pageWidth
	}
	p.head(v, book)
	if len(v.Inputs) > 0 {
		p.title("Inputs")
		p.inputs(v.Inputs, v)
	}
	if len(v.Steps) > 0 {
		p.title("Steps, with rules of the specification")
		p.steps(v.Steps, v)
	}
	if v.Cash != nil {
		p.title("Charged on chain")
		p.inputs(v.Cash.Inputs, v)
		p.steps(v.Cash.Steps, v)
	}
	if v.Receipt != nil {
		p.title("From the Ethereum receipt to the fee")
		p.inputs(v.Receipt.Inputs, v)
		p.steps(v.Receipt.Steps, v)
	}
	p.verdict(v)
}

// head writes the identity of the transaction.
func (p *page) head(v *explain.Explanation, book *app.AddressBook) {
	t := &v.Transaction
	kind := t.Call
	if typed, ok := t.Type.Get(); ok {
		kind = string(typed)
	}
	p.line("", fmt.Sprintf("Fee of transaction %d-%d on %s (%s, %s)", v.Block, v.Index, v.Network, t.Layer, cli.Name(kind, cli.MaxName)))
	p.WriteString("\n")
	to := cli.Called(v.Token, book, t.To)
	if to != "" && v.Creates {
		to += " (contract creation)"
	}
	when := console.Known(v.Time)
	if final, ok := v.Finalized.Get(); ok && !final {
		when += ", not final"
	}
	for _, row := range [][2]string{
		{"hash", t.Hash.String()}, {"evm hash", console.Known(t.EVMHash)},
		{"from", cli.Called(v.Token, book, t.From)}, {"to", to}, {"payer", cli.Called(v.Token, book, t.Payer)},
		{"gas from", gasSpent(t, v.Token, book)},
		{"outcome", outcome(*t)}, {"time", when}, {"rules", v.Rules}, {"evidence", v.Evidence.String()},
	} {
		if row[1] != "" {
			p.entry("", row[0], 10, row[1])
		}
	}
}

// inputs lists figures with their sources.
func (p *page) inputs(inputs []explain.Input, v *explain.Explanation) {
	column := 0
	for _, in := range inputs {
		column = max(column, utf8.RuneCountInString(in.Name)+2)
	}
	for _, in := range inputs {
		text := "not known"
		if n, known := in.Value.Get(); known {
			text = amountText(n, in.Unit, v.Token)
		}
		p.entry("  ", in.Name, column, text, in.From)
	}
}

// steps lists the arithmetic: formula, formula with values, result.
func (p *page) steps(steps []explain.Step, v *explain.Explanation) {
	label := func(s *explain.Step) string {
		if rule, ok := s.Rule.Get(); ok {
			return fmt.Sprintf("%s (rule %d)", s.Name, rule)
		}
		return s.Name
	}
	column := 0
	for i := range steps {
		column = max(column, utf8.RuneCountInString(label(&steps[i]))+2)
	}
	for i := range steps {
		s := &steps[i]
		var lines []string
		if len(s.Values) > 0 {
			lines = append(lines, "= "+s.Formula)
		}
		if len(s.Values) > 1 || s.Calculation() != string(s.Result) {
			lines = append(lines, "= "+s.Calculation())
		}
		lines = append(lines, "= "+amountText(s.Result, s.Unit, v.Token))
		if s.Note != "" {
			lines = append(lines, "("+s.Note+")")
		}
		p.entry("  ", label(s), column, lines...)
	}
}

// percentDecimals converts parts per billion to percent.
const percentDecimals = 7

// amountText returns a number with its unit, and converted to the customary unit.
func amountText(n explain.Digits, unit string, token console.Token) string {
	text := strings.TrimSpace(string(n) + " " + unit)
	switch unit {
	case explain.InWei, explain.InPlanck:
		return text + " = " + token.Tokens(n) + " " + token.Symbol
	case explain.InWeiPerGas:
		return text + " = " + console.Plain(console.Scaled(n, console.GweiDecimals)) + " Gwei"
	case explain.InPerbill:
		return text + " = " + console.Plain(console.Scaled(n, percentDecimals)) + " %"
	case explain.InAttos:
		return text + " = " + console.Plain(console.Scaled(n, console.TokenDecimals)) + " " + token.Symbol
	case explain.InMultiplier:
		return text + " = " + console.Plain(console.Scaled(n, console.TokenDecimals))
	}
	return text
}

// verdict writes whether fee and charge agree, and all findings and notes.
func (p *page) verdict(v *explain.Explanation) {
	p.title("Verdict")
	t := &v.Transaction
	if t.Error != nil {
		p.line("  ", fmt.Sprintf("undetermined: no rule determines this fee: %s", v.Token.Own(t.Error.Err.Error())))
	}
	p.line("  ", v.VerdictText())
	if proof := v.Transaction.WeightProof.Words(); proof != "" {
		p.line("  ", "what proves the weight: "+proof)
	}
	if class, ok := t.Class.Get(); ok {
		p.line("  ", v.ClassText(class))
	}
	for _, f := range v.Findings {
		message := f.Check + ": " + v.Token.Own(f.Message)
		if !f.Extrinsic.Known() {
			message = "block: " + message
		}
		p.line("  ", "finding: "+message)
	}
	for _, note := range slices.Concat(t.Notes, v.Notes) {
		p.line("  ", "note: "+v.Token.Own(note))
	}
}

func (p *page) title(text string) { p.WriteString("\n" + text + "\n") }

// columnsFrom is the minimum width at which labels stand next to their values.
const columnsFrom = 60

// entry writes lines next to a label, or below it on narrow output.
func (p *page) entry(indent, label string, column int, lines ...string) {
	first := indent + label + strings.Repeat(" ", max(0, column-utf8.RuneCountInString(label)))
	rest := indent + strings.Repeat(" ", column)
	if p.width < columnsFrom {
		p.WriteString(indent + label + "\n")
		first, rest = indent+"  ", indent+"  "
	}
	for _, line := range lines {
		p.wrap(first, rest, line)
		first = rest
	}
}

// line writes text with a hanging indent of two spaces.
func (p *page) line(indent, text string) { p.wrap(indent, indent+"  ", text) }

// wrap writes words after first; continuation lines start with rest.
func (p *page) wrap(first, rest, text string) {
	at := first
	used := utf8.RuneCountInString(first)
	begun := false
	for _, word := range strings.Fields(plain.Line(text)) {
		word = console.Fitting(word, p.width-utf8.RuneCountInString(rest))
		size := utf8.RuneCountInString(word)
		if begun && used+1+size > p.width {
			at, used, begun = "\n"+rest, utf8.RuneCountInString(rest), false
		}
		if begun {
			at = " "
			used++
		}
		p.WriteString(at + word)
		used += size
		begun = true
	}
	p.WriteString("\n")
}
