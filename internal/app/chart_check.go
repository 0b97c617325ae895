package app

import (
	"context"
	"fmt"
	"iter"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/finance/journal"
	"github.com/feeledger/fees/internal/table"
)

// ChartCheck is how a chart of accounts places fees.
type ChartCheck struct {
	Title string
	console.Token
	Taken        map[int]uint64 // how many fees a line of the chart named something for
	Lines        []int          // of the chart's rules
	Fees         uint64
	Suspense     uint64 // fees that no rule places
	WithoutAsset uint64 // fees whose payer has no asset account
	export       *Export
}

// CheckChart places the fees of an export, which has a chart.
func (x *Export) CheckChart(ctx context.Context) (*ChartCheck, error) {
	c := &ChartCheck{Title: fmt.Sprintf("Chart of accounts on %s, %s", x.style.Network, console.PeriodName(x.Held.Name)), Token: x.style.Token, Taken: map[int]uint64{}, Lines: x.style.Chart.Rules(), export: x}
	for fee, err := range c.Each(ctx) {
		if err != nil {
			return nil, err
		}
		c.count(fee)
	}
	return c, nil
}

// Each yields the fees in the order of the chain. A fee without a known payer is among the undetermined.
func (c *ChartCheck) Each(ctx context.Context) iter.Seq2[*journal.PlacedFee, error] {
	return func(yield func(*journal.PlacedFee, error) bool) {
		for payment, err := range c.export.Payments.All(ctx) {
			if err == nil && !payment.Payer.Known() {
				continue
			}
			fee := &journal.PlacedFee{Payment: payment}
			if err == nil {
				fee.Placed, err = c.export.style.Place(ctx, payment.Transaction)
			}
			if err != nil {
				yield(nil, c.export.chartError(err))
				return
			}
			if !yield(fee, nil) {
				return
			}
		}
	}
}

func (c *ChartCheck) count(p *journal.PlacedFee) {
	c.Fees++
	lines := map[int]bool{}
	for _, t := range chart.Targets() {
		if line := p.Line(t); line > 0 {
			lines[line] = true
		}
	}
	for line := range lines {
		c.Taken[line]++
	}
	if p.Suspense {
		c.Suspense++
	}
	if p.Asset == "" {
		c.WithoutAsset++
	}
}

// Holds reports whether each fee has its accounts.
func (c *ChartCheck) Holds() bool { return c.Suspense == 0 && c.WithoutAsset == 0 }

// Sheet lists the fees with their accounts, and the lines of the chart that named them.
func (c *ChartCheck) Sheet(ctx context.Context) *table.Sheet {
	s := &table.Sheet{Name: "chart", Title: c.Title, Token: c.Token, Columns: []table.Column{
		{Name: "id", Kind: table.Text}, {Name: "time", Kind: table.Time}, {Name: "payer", Kind: table.Address}, {Name: "payer_label", Kind: table.Text},
		{Name: "payer_group", Kind: table.Text}, {Name: "layer", Kind: table.Text}, {Name: "call", Kind: table.Text}, {Name: "contract", Kind: table.Address},
		{Name: "outcome", Kind: table.Text}, {Name: "tag", Kind: table.Text}, {Name: "paid", Kind: table.Wei, Total: true},
		{Name: "suspense", Kind: table.Boolean}, {Name: "asset_by", Kind: table.Text},
	}}
	for _, t := range chart.Targets() {
		s.Columns = append(s.Columns, table.Column{Name: string(t), Kind: table.Text}, table.Column{Name: string(t) + "_line", Kind: table.Integer})
	}
	s.Rows = func(yield func([]any, error) bool) {
		for p, err := range c.Each(ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			f := p.Facts
			row := []any{
				f.ID, p.Time, f.Payer, table.OrNull(f.Label), table.OrNull(f.Group), string(f.Layer), f.Call, f.Contract,
				table.OrNull(string(f.Outcome)), table.OrNull(f.Tag), p.Paid, p.Suspense, table.OrNull(p.AssetBy),
			}
			for _, t := range chart.Targets() {
				value := p.Value(t)
				switch t {
				case chart.Account:
					value = p.Expense
				case chart.Asset:
					value = p.Asset
				}
				var line any
				if n := p.Line(t); n > 0 {
					line = n
				}
				row = append(row, table.OrNull(value), line)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
	return s
}
