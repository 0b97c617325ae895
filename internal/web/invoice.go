package web

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/explain"
)

// stepGroup are the lines of a part of a fee's explanation.
type stepGroup struct {
	Title string
	Steps []step
}

// step is a line: a figure that was read, or one that was worked out.
type step struct {
	Name  string
	Rule  string   // of the specification, "" where none says so
	Lines []string // where it was read, or the formula and the same with its values
	Note  string
	Value cell
}

// part is a piece of a whole, in percent of it.
type part struct {
	Name, Class string
	X, W        string
	Percent     string
	Value       cell
}

// stepGroups are an explanation as people read it.
func stepGroups(bill *explain.Invoice) (groups []stepGroup) {
	add := func(title string, steps []step) {
		if len(steps) > 0 {
			groups = append(groups, stepGroup{title, steps})
		}
	}
	add("What the fee follows from", inputs(bill.Inputs, bill.Symbol))
	add("How it is worked out", steps(bill.Steps, bill.Symbol))
	if bill.Cash != nil {
		add("What the chain took", append(inputs(bill.Cash.Inputs, bill.Symbol), steps(bill.Cash.Steps, bill.Symbol)...))
	}
	return groups
}

func inputs(list []explain.Input, symbol string) (lines []step) {
	for _, in := range list {
		line := step{Name: in.Name, Lines: []string{in.From}, Value: cell{Text: notKnown, Class: "bad"}}
		if n, known := in.Value.Get(); known {
			line.Value = figure(n, in.Unit, symbol)
		}
		lines = append(lines, line)
	}
	return lines
}

func steps(list []explain.Step, symbol string) (lines []step) {
	for i := range list {
		s := &list[i]
		line := step{Name: s.Name, Lines: []string{s.Formula}, Note: s.Note, Value: figure(s.Result, s.Unit, symbol)}
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

// figure is a number in the unit that people use, with the exact one behind it.
func figure(n explain.Digits, unit, symbol string) cell {
	c := cell{Text: string(n), Exact: string(n), Unit: unit}
	switch unit {
	case explain.InWei:
		c.Text, c.Unit = console.Scaled(n, console.TokenDecimals), symbol
	case explain.InWeiPerGas:
		c.Text, c.Unit = console.Scaled(n, console.GweiDecimals), "Gwei a gas"
	case explain.InMultiplier:
		c.Text, c.Unit = console.Scaled(n, console.TokenDecimals), ""
	}
	return c
}

// whereItWent are the parts of what was charged; none where that is not known as a whole.
func whereItWent(t *app.Paid) (list []part) {
	charged, known := t.Charged.Get()
	if !known || charged.IsZero() {
		return nil
	}
	whole, at := lengthOf(charged), decimal.Zero
	for _, p := range []struct {
		name  string
		value chain.Optional[chain.Wei]
	}{{"burned", t.Burned}, {"treasury", t.Treasury}, {"author", t.Author}} {
		wei, known := p.value.Get()
		if !known {
			return nil
		}
		length := lengthOf(wei)
		list = append(list, part{
			Name: p.name, Class: p.name, X: share(at, whole, 3) + "%", W: share(length, whole, 3) + "%", Percent: share(length, whole, 2) + " %",
			Value: cell{Text: console.Tokens(wei), Exact: wei.String(), Unit: t.Symbol},
		})
		at = at.Add(length)
	}
	return list
}

// lengthOf is an amount in tokens, for what is drawn of it.
func lengthOf(w chain.Wei) decimal.Decimal {
	n, err := decimal.NewFromString(w.String())
	if err != nil {
		return decimal.Zero
	}
	return n.Shift(-console.TokenDecimals)
}

// share is a part of a whole in percent, cut to some decimals.
func share(part, whole decimal.Decimal, decimals int32) string {
	return part.Shift(2).DivRound(whole, decimals+18).Truncate(decimals).StringFixed(decimals)
}
