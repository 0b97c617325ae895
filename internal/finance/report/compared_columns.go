package report

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// part is one of the columns of a compared figure.
type part string

const (
	ofNow        part = ""
	ofBefore     part = "before"
	ofDifference part = "difference"
	ofPercent    part = "percent"
)

// pairColumn is a column of a comparison.
type pairColumn struct {
	table.Column
	of    string // the name of the figure in wei, or of the key
	part  part
	value func(*Pair) (any, error)
}

// columns returns the key, including the previous time if it differs, followed by the figures.
func (c *Comparison) columns() []pairColumn {
	return slices.Concat(c.keyColumns(), c.figureColumns(), c.assetColumns())
}

// assetColumns returns the columns of fees that were paid in assets, if there are some.
func (c *Comparison) assetColumns() []pairColumn {
	either := append(c.Now.assetColumns(), c.Before.assetColumns()...)
	if len(either) == 0 {
		return nil
	}
	of := either[0]
	before := of.Column
	before.Name += "_before"
	return []pairColumn{
		{of.Column, of.Name, ofNow, func(p *Pair) (any, error) { return of.value(p.Now), nil }},
		{before, of.Name, ofBefore, func(p *Pair) (any, error) { return of.value(p.Before), nil }},
	}
}

func (c *Comparison) keyColumns() (columns []pairColumn) {
	of := c.Now.keyColumns()
	if c.Now.By == Day && c.hasOldDay() {
		of[0].Kind = table.Text
	}
	add := func(from column, name string, side part, group func(*Pair) *Group) {
		named := from.Column
		named.Name = name
		columns = append(columns, pairColumn{named, from.Name, side, func(p *Pair) (any, error) { return from.value(group(p)), nil }})
	}
	for _, k := range of {
		add(k, k.Name, ofNow, func(p *Pair) *Group { return p.Now })
	}
	if c.Now.By.OfTime() {
		for _, k := range of {
			add(k, k.Name+"_before", ofBefore, func(p *Pair) *Group { return p.Before })
		}
	}
	if c.Top > 0 {
		add(othersColumn, othersColumn.Name, ofNow, func(p *Pair) *Group { return p.Now })
	}
	return columns
}

// hasOldDay reports whether a day is before the first that a date column can contain.
func (c *Comparison) hasOldDay() bool {
	return slices.ContainsFunc(c.Pairs, func(p *Pair) bool {
		now, known := p.Now.Day.Get()
		before, too := p.Before.Day.Get()
		return known && now < epoch || too && before < epoch
	})
}

// figureColumns returns four columns per figure: current, previous, the difference and its percentage of the
// previous figure. Gas prices have no difference, because they cannot be added up.
func (c *Comparison) figureColumns() (columns []pairColumn) {
	for _, f := range c.Now.figureColumns() {
		of := f.Name
		if f.Kind == table.Fiat {
			of = strings.TrimSuffix(of, "_"+f.Currency.Suffix())
		}
		name := func(p part) string {
			switch {
			case p == ofNow:
				return f.Name
			case f.Kind == table.Fiat && p != ofPercent:
				return of + "_" + string(p) + "_" + f.Currency.Suffix()
			}
			return f.Name + "_" + string(p)
		}
		add := func(side part, like table.Column, value func(now, before any) (any, error)) {
			like.Name = name(side)
			columns = append(columns, pairColumn{like, of, side, func(p *Pair) (any, error) {
				if p.apart && (side == ofDifference || side == ofPercent) {
					return nil, nil
				}
				return value(f.value(p.Now), f.value(p.Before))
			}})
		}
		add(ofNow, f.Column, func(now, _ any) (any, error) { return now, nil })
		add(ofBefore, f.Column, func(_, before any) (any, error) { return before, nil })
		if f.Kind != table.GasPrice {
			apart := f.Column
			if apart.Kind == table.Wei {
				apart.Kind = table.SignedWei
			}
			add(ofDifference, apart, difference)
		}
		add(ofPercent, table.Column{Kind: table.Percent}, func(now, before any) (any, error) { return percent(now, before), nil })
	}
	return columns
}

// difference returns the current figure minus the previous one, unknown if either is unknown.
func difference(now, before any) (any, error) {
	if now == nil || before == nil {
		return nil, nil
	}
	switch x := now.(type) {
	case uint64:
		return apart(x, before.(uint64))
	case chain.Optional[chain.Gas]:
		a, known := x.Get()
		b, too := before.(chain.Optional[chain.Gas]).Get()
		if !known || !too {
			return nil, nil
		}
		return apart(a.Uint64(), b.Uint64())
	case chain.Wei:
		return x.Difference(before.(chain.Wei)), nil
	case chain.Optional[chain.Wei]:
		a, known := x.Get()
		b, too := before.(chain.Optional[chain.Wei]).Get()
		if !known || !too {
			return chain.Optional[chain.SignedWei]{}, nil
		}
		return chain.Some(a.Difference(b)), nil
	case chain.Optional[money.Amount]:
		a, known := x.Get()
		b, too := before.(chain.Optional[money.Amount]).Get()
		if !known || !too {
			return chain.Optional[money.Amount]{}, nil
		}
		return chain.Some(a.Sub(b)), nil
	}
	return nil, fmt.Errorf("internal error: no difference defined for type %T", now)
}

// apart returns the difference of two counts.
func apart(now, before uint64) (any, error) {
	n := int64(now - before) // two's complement: exact if its sign is right
	if now >= before != (n >= 0) {
		return nil, fmt.Errorf("%d minus %d: %w", now, before, chain.ErrOverflow)
	}
	return n, nil
}

// percent returns the difference in percent of the previous figure, rounded half away from zero to two decimals.
// There is none if the previous figure is 0 or either is unknown.
func percent(now, before any) (none chain.Optional[string]) {
	a, known := number(now)
	b, too := number(before)
	if !known || !too || b.IsZero() {
		return none
	}
	return chain.Some(a.Sub(b).Shift(2).DivRound(b, 2).StringFixed(2))
}

// number converts a figure to a decimal and reports whether it is known.
func number(figure any) (n decimal.Decimal, known bool) {
	var exact string
	switch x := figure.(type) {
	case uint64:
		exact = strconv.FormatUint(x, 10)
	case chain.Optional[chain.Gas]:
		if gas, ok := x.Get(); ok {
			exact = gas.String()
		}
	case chain.Wei:
		exact = x.String()
	case chain.Optional[chain.Wei]:
		if wei, ok := x.Get(); ok {
			exact = wei.String()
		}
	case chain.Optional[chain.GasPrice]:
		if price, ok := x.Get(); ok {
			exact = price.String()
		}
	case chain.Optional[money.Amount]:
		if amount, ok := x.Get(); ok {
			exact = amount.Exact()
		}
	}
	n, err := decimal.NewFromString(exact)
	return n, err == nil
}

// Sheet returns the comparison as a table of all figures, one row per pair.
func (c *Comparison) Sheet() *table.Sheet {
	return table.WithLate(c.sheetOf(append(c.columns(), c.partColumns()...), c.Pairs), c.Now.Prices)
}

// partColumns say of which part of each period the figures are, for files without notes. Slots have their coverage instead.
func (c *Comparison) partColumns() (columns []pairColumn) {
	if c.same == nil || c.same.Now == nil || c.bySlots() {
		return nil
	}
	for i, name := range []string{"part", "part_before"} {
		columns = append(columns, pairColumn{table.Column{Name: name, Kind: table.Text}, name, ofNow, func(*Pair) (any, error) { return c.same.Sides[i], nil }})
	}
	return columns
}

// Shown returns the comparison as a table for people: what the ledger lacks in a row is one row.
func (c *Comparison) Shown() *table.Sheet {
	return table.WithLate(c.sheetOf(c.shownColumns(c.columns()), c.gathered()), c.Now.Prices)
}

// shownColumns returns columns for people: the coverage only if the ledger lacks something.
func (c *Comparison) shownColumns(columns []pairColumn) []pairColumn {
	if !c.Now.ofSlots() {
		return columns
	}
	if c.same == nil {
		return slices.DeleteFunc(columns, func(k pairColumn) bool { return k.of == coverageColumn.Name })
	}
	for i, side := range []func(*Pair) *Group{func(p *Pair) *Group { return p.Now }, func(p *Pair) *Group { return p.Before }} {
		column, first := &columns[i*len(c.Now.keyColumns())], columns[i*len(c.Now.keyColumns())].value
		column.Kind, column.Term = table.Text, true
		column.value = func(p *Pair) (any, error) {
			if g := side(p); g.through.Known() {
				return g.Name(c.Now.Token), nil
			}
			return first(p)
		}
	}
	return columns
}

// gathered returns the pairs with those that the ledger lacks on the same sides in a row as one, for people.
func (c *Comparison) gathered() (list []*Pair) {
	for _, p := range c.Pairs {
		n := len(list)
		if n == 0 || !p.Now.lacking() || !p.Before.lacking() || !list[n-1].Now.lacking() || !list[n-1].Before.lacking() {
			list = append(list, p)
			continue
		}
		now, before := *list[n-1].Now, *list[n-1].Before
		now.through, before.through = chain.Some(p.Now.Name(c.Now.Token)), chain.Some(p.Before.Name(c.Now.Token))
		list[n-1] = &Pair{Now: &now, Before: &before, at: p.at}
	}
	return list
}

// Sheets returns the comparison and its totals with their percentages.
func (c *Comparison) Sheets() []*table.Sheet {
	totals := c.sheetOf(c.figureColumns(), []*Pair{&c.Totals})
	totals.Name, totals.Title = "totals", "Totals: "+c.Title()
	for i := range totals.Columns {
		totals.Columns[i].Total = false
	}
	totals.Totals = nil
	return []*table.Sheet{c.Sheet(), table.WithLate(totals, c.Now.Prices)}
}

func (c *Comparison) sheetOf(columns []pairColumn, pairs []*Pair) *table.Sheet {
	s := &table.Sheet{Name: "fees by " + string(c.Now.By), Title: c.Title(), Notes: append(slices.Clone(c.Notes), c.evidence()...), Token: c.Now.Token, Rows: rowsOf(columns, pairs), Part: c.Part()}
	for _, column := range columns {
		var total any
		if column.Total || column.part == ofPercent {
			total, _ = column.value(&c.Totals) // a difference that overflows is reported with the rows
		}
		s.Columns, s.Totals = append(s.Columns, column.Column), append(s.Totals, total)
	}
	return s
}

func rowsOf(columns []pairColumn, pairs []*Pair) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		row := make([]any, len(columns))
		for _, p := range pairs {
			for i, c := range columns {
				var err error
				if row[i], err = c.value(p); err != nil {
					yield(nil, fmt.Errorf("%s: %w", c.Name, err))
					return
				}
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Percent returns the difference of two amounts in percent of the second, as the columns of a comparison state it.
func Percent(now, before chain.Wei) chain.Optional[string] { return percent(now, before) }
