package web

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"
	g "maragu.dev/gomponents"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/explain"
	"github.com/feeledger/fees/internal/sys/markup"
)

// stepGroup is a section of a fee's explanation.
type stepGroup struct {
	Title string
	Steps []step
}

// step is a line: a figure read from the chain, or a calculated one.
type step struct {
	Name  string
	Rule  string   // of the specification, "" if none applies
	Lines []string // its source, or the formula, without and with values
	Note  string
	Value cell
}

func (s stepGroup) node() g.Node {
	return markup.El("section", markup.Attr("class", "steps"), lines{markup.El("h2", markup.Text(s.Title)), each(s.Steps, step.node)})
}

func (s step) node() g.Node {
	how := g.Group{}
	for i, line := range s.Lines {
		how = append(how, g.If(i > 0, markup.El("br")), markup.Text(line))
	}
	if s.Note != "" {
		how = append(how, markup.El("br"), markup.El("small", markup.Text(s.Note)))
	}
	return stepNode(g.Group{markup.Text(s.Name), g.If(s.Rule != "", g.Group{markup.Text(" "), markup.El("span", markup.Text(s.Rule))})}, how, &s.Value)
}

// stepNode returns a line: a name, how its value is made, and the value.
func stepNode(name, how g.Node, value *cell) g.Node {
	return markup.El("div", markup.Attr("class", "step"), lines{markup.El("p", markup.Attr("class", "name"), name), markup.El("p", markup.Attr("class", "how"), how), markup.El("p", markup.Attr("class", strings.TrimSpace("amount "+value.Class)), value.node())})
}

// part is a part of a whole, in percent.
type part struct {
	Name, Class string
	X, W        string
	Percent     string
	Value       cell
}

func (p part) node() g.Node {
	key := markup.El("svg", markup.Attr("class", "key"), markup.Attr("width", "10"), markup.Attr("height", "10"), markup.Attr("aria-hidden", "true"), markup.El("rect", markup.Attr("class", p.Class), markup.Attr("width", "10"), markup.Attr("height", "10")))
	return stepNode(g.Group{key, markup.Text(" " + p.Name)}, markup.Text(p.Percent), &p.Value)
}

// distributionNode draws the parts of a fee beside each other, and lists them; nil without any.
func distributionNode(parts []part) g.Node {
	if len(parts) == 0 {
		return nil
	}
	text, bar := "", g.Group{}
	for _, p := range parts {
		text += p.Name + " " + p.Percent + " "
		bar = append(bar, markup.El("rect", markup.Attr("class", p.Class), markup.Attr("x", p.X), markup.Attr("width", p.W), markup.Attr("height", "12")))
	}
	return markup.El("section", markup.Attr("class", "steps"), lines{
		markup.El("h2", markup.Text("Distribution")),
		markup.El("svg", markup.Attr("class", "went"), markup.Attr("height", "12"), markup.Attr("width", "100%"), markup.Attr("role", "img"), markup.Attr("aria-label", text), bar),
		each(parts, part.node),
	})
}

// stepGroups formats an explanation for display.
func stepGroups(bill *explain.Explanation) (groups []stepGroup) {
	add := func(title string, steps []step) {
		if len(steps) > 0 {
			groups = append(groups, stepGroup{title, steps})
		}
	}
	add("Inputs", inputs(bill.Inputs, bill.Token))
	add("Calculation", steps(bill.Steps, bill.Token))
	if bill.Cash != nil {
		add("Charged on chain", append(inputs(bill.Cash.Inputs, bill.Token), steps(bill.Cash.Steps, bill.Token)...))
	}
	if bill.Receipt != nil {
		add("From the Ethereum receipt to the fee", append(inputs(bill.Receipt.Inputs, bill.Token), steps(bill.Receipt.Steps, bill.Token)...))
	}
	return groups
}

func inputs(list []explain.Input, token console.Token) (lines []step) {
	for _, in := range list {
		line := step{Name: in.Name, Lines: []string{in.From}, Value: cell{Text: notKnown, Class: "bad"}}
		if n, known := in.Value.Get(); known {
			line.Value = figure(n, in.Unit, token)
		}
		lines = append(lines, line)
	}
	return lines
}

func steps(list []explain.Step, token console.Token) (lines []step) {
	for i := range list {
		s := &list[i]
		line := step{Name: s.Name, Lines: []string{s.Formula}, Note: s.Note, Value: figure(s.Result, s.Unit, token)}
		if rule, ok := s.Rule.Get(); ok {
			line.Rule = fmt.Sprintf("rule %d", rule)
		}
		if worked := s.Calculation(); worked != s.Formula {
			line.Lines = append(line.Lines, "= "+worked)
		}
		lines = append(lines, line)
	}
	return lines
}

// figure formats a number in its usual unit, with the exact value attached.
func figure(n explain.Digits, unit string, token console.Token) cell {
	c := cell{Text: string(n), Exact: string(n), Unit: unit}
	switch unit {
	case explain.InWei, explain.InPlanck:
		c.Text, c.Unit = token.Tokens(n), token.Symbol
	case explain.InWeiPerGas:
		c.Text, c.Unit = console.Scaled(n, console.GweiDecimals), "Gwei per gas"
	case explain.InAttos:
		c.Text, c.Unit = console.Scaled(n, console.TokenDecimals), token.Symbol
	case explain.InMultiplier:
		c.Text, c.Unit = console.Scaled(n, console.TokenDecimals), ""
	}
	return c
}

// distribution returns the distribution of the amount charged, or nothing if it is not fully known.
func distribution(t *app.Paid) (list []part) {
	charged, known := t.Charged.Get()
	if !known || charged.IsZero() {
		return nil
	}
	whole, at := lengthOf(t.Token, charged), decimal.Zero
	for _, p := range []struct {
		name  string
		value chain.Optional[chain.Wei]
	}{{"burned", t.Burned}, {"treasury", t.Treasury}, {"author", t.Author}} {
		wei, known := p.value.Get()
		if !known {
			return nil
		}
		length := lengthOf(t.Token, wei)
		list = append(list, part{
			Name: p.name, Class: p.name, X: share(at, whole, 3) + "%", W: share(length, whole, 3) + "%", Percent: share(length, whole, 2) + " %",
			Value: cell{Text: t.Tokens(wei), Exact: wei.String(), Unit: t.Symbol},
		})
		at = at.Add(length)
	}
	return list
}

// lengthOf converts an amount to tokens, for drawing.
func lengthOf(t console.Token, w chain.Wei) decimal.Decimal {
	n, err := decimal.NewFromString(w.String())
	if err != nil {
		return decimal.Zero
	}
	return n.Shift(-int32(t.Places()))
}

// share returns a part of a whole in percent, truncated to the given decimals.
func share(part, whole decimal.Decimal, decimals int32) string {
	return part.Shift(2).DivRound(whole, decimals+18).Truncate(decimals).StringFixed(decimals)
}
