package variance

import (
	"math"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// column is a column of the rows.
type column struct {
	table.Column
	value func(*row) any
}

// columns returns the columns. Those of the address book need one.
func (r *Report) columns() []column {
	list := []column{
		{table.Column{Name: "step", Kind: table.Text, Term: true}, func(x *row) any { return string(x.Step) }},
		{table.Column{Name: "layer", Kind: table.Text, Term: true}, ofCall(func(c *Call) any { return string(c.Layer) })},
		{table.Column{Name: "call", Kind: table.Text}, ofCall(func(c *Call) any { return c.Name })},
		{table.Column{Name: "contract", Kind: table.Address}, ofCall(func(c *Call) any { return c.Contract })},
	}
	if r.Labels != nil {
		list = append(list,
			column{table.Column{Name: "label", Kind: table.Text}, ofCall(func(c *Call) any { return r.Labels.LabelOf(c.Contract) })},
			column{table.Column{Name: "group", Kind: table.Text}, ofCall(func(c *Call) any { return r.Labels.GroupOf(c.Contract) })})
	}
	if r.Top.Known() {
		list = append(list, column{table.Column{Name: "others", Kind: table.Integer}, func(x *row) any {
			if x.others == 0 {
				return nil
			}
			return x.others
		}})
	}
	list = append(list, column{table.Column{Name: "amount", Kind: table.SignedWei, Total: true, Whole: true}, func(x *row) any { return x.amount }})
	list = append(list, sumColumns...)
	if len(r.InAssets.Shares) > 0 {
		list = append(list, assetColumns...)
	}
	if r.Part == "" {
		return list
	}
	return append(list,
		column{table.Column{Name: "part", Kind: table.Text}, func(*row) any { return r.Period.Part }},
		column{table.Column{Name: "part_before", Kind: table.Text}, func(*row) any { return r.Other.Part }})
}

// ofCall is a value of rows with a call.
func ofCall(value func(*Call) any) func(*row) any {
	return func(x *row) any {
		if x.call == nil {
			return nil
		}
		return value(x.call)
	}
}

// sumColumns are the sums of both periods. They repeat in each step of a call.
var sumColumns = bothColumns([]sumColumn{
	{"transactions", table.Integer, func(s *Sums) any { return s.Transactions }},
	{"gas", table.Integer, func(s *Sums) any { return s.KnownGas() }},
	{"fee", table.Wei, func(s *Sums) any { return s.Fee }},
	{"priority_fees_and_tips", table.Wei, func(s *Sums) any { return s.KnownApart() }},
	{"failed", table.Integer, func(s *Sums) any { return s.Failed }},
	{"failed_fee", table.Wei, func(s *Sums) any { return s.FailedFee }},
	{"undetermined", table.Integer, func(s *Sums) any { return s.Undetermined }},
})

// assetColumns count the fees that were paid in assets.
var assetColumns = bothColumns([]sumColumn{{"paid_in_assets", table.Integer, func(s *Sums) any { return s.InAssets }}})

type sumColumn struct {
	name  string
	kind  table.Kind
	value func(*Sums) any
}

func bothColumns(of []sumColumn) (list []column) {
	for _, c := range of {
		list = append(list,
			column{table.Column{Name: c.name, Kind: c.kind}, func(x *row) any { return c.value(&x.now) }},
			column{table.Column{Name: c.name + "_before", Kind: c.kind}, func(x *row) any { return c.value(&x.before) }})
	}
	return list
}

// KnownGas returns the gas; unknown if that of a transaction is.
func (s *Sums) KnownGas() (none chain.Optional[uint64]) {
	if s.gasUnknown > 0 {
		return none
	}
	return chain.Some(s.Gas)
}

// KnownApart returns the priority fees and tips; unknown if that of a transaction is.
func (s *Sums) KnownApart() (none chain.Optional[chain.Wei]) {
	if !s.isApart() {
		return none
	}
	return chain.Some(s.Apart)
}

// Sheet returns a row for each call of each step, and for each call of which fees were paid in assets. The amounts add up to
// the difference.
func (r *Report) Sheet() *table.Sheet {
	columns := r.columns()
	s := &table.Sheet{Name: "calls", Title: r.Title(), Notes: r.AllNotes(), Token: r.Token}
	for _, c := range columns {
		s.Columns = append(s.Columns, c.Column)
	}
	s.Rows = func(yield func([]any, error) bool) {
		lines := r.Steps
		if len(r.InAssets.Shares) > 0 {
			lines = append(slices.Clip(lines), r.InAssets)
		}
		list, err := r.rowsOf(lines, math.MaxInt)
		if err != nil {
			yield(nil, err)
			return
		}
		values := make([]any, len(columns))
		for i := range list {
			for k, c := range columns {
				values[k] = c.value(&list[i])
			}
			if !yield(values, nil) {
				return
			}
		}
	}
	return s
}

// StepSheet returns a row for each step.
func (r *Report) StepSheet() *table.Sheet {
	return &table.Sheet{
		Name: "steps", Title: r.Title(), Notes: append(r.Words(), r.AllNotes()...), Token: r.Token,
		Columns: []table.Column{
			{Name: "step", Kind: table.Text, Term: true}, {Name: "amount", Kind: table.SignedWei, Total: true, Whole: true}, {Name: "calls", Kind: table.Integer},
			{Name: "failed", Kind: table.Integer}, {Name: "failed_before", Kind: table.Integer}, {Name: "failed_fee", Kind: table.Wei}, {Name: "failed_fee_before", Kind: table.Wei},
		},
		Rows: func(yield func([]any, error) bool) {
			for _, l := range r.Steps {
				if !yield([]any{string(l.Step), l.Amount, len(l.Shares), l.Now.Failed, l.Before.Failed, l.Now.FailedFee, l.Before.FailedFee}, nil) {
					return
				}
			}
		},
	}
}

// Document returns the variance in all its formats.
func (r *Report) Document() *table.Document {
	return &table.Document{List: r.Sheet(), Book: []*table.Sheet{r.StepSheet(), r.Sheet()}, JSON: r.writeJSON, Text: r.writeText}
}

// worthDifference returns the difference in the currency, with the amounts of both periods, each at its own prices.
func (r *Report) worthDifference() (none chain.Optional[money.Amount]) {
	now, known := r.Period.Worth.Get()
	before, too := r.Other.Worth.Get()
	if !known || !too || !r.IsKnown() {
		return none
	}
	return chain.Some(now.Sub(before))
}
