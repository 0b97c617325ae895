package report

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/table"
)

// column is a key or a figure of a group.
type column struct {
	table.Column
	value func(*Group) any
}

// columns returns the columns of the grouping, followed by the figures.
func (r *Report) columns() []column {
	return slices.Concat(r.keyColumns(), r.figureColumns(), r.late(), r.assetColumns())
}

// assetColumns returns the column of fees that were paid in assets, if there are some.
func (r *Report) assetColumns() []column {
	if len(r.AssetFees) == 0 {
		return nil
	}
	return []column{{table.Column{Name: "asset_fees", Kind: table.Text}, func(g *Group) any { return assetCell{g.AssetFees, r.Token} }}}
}

// assetCell is the text of fees that were paid in assets; in JSON, they are a list.
type assetCell struct {
	fee.AssetTotals
	token console.Token
}

func (c assetCell) String() string { return c.Text(c.token.Amount) }

// Words returns the text for people.
func (c assetCell) Words() string { return c.String() }

// MarshalJSON returns the list.
func (c assetCell) MarshalJSON() ([]byte, error) {
	return json.Marshal(append(fee.AssetTotals{}, c.AssetTotals...))
}

// figureColumns returns the columns of the figures, with percentiles if requested.
func (r *Report) figureColumns() []column {
	columns := figureColumns
	if r.Percentiles {
		columns = slices.Concat(figureColumns, percentileColumns)
	}
	return unlessLacking(r.withWorth(columns))
}

// unlessLacking returns columns without figures of groups that the ledger lacks.
func unlessLacking(columns []column) []column {
	columns = slices.Clone(columns)
	for i := range columns {
		value := columns[i].value
		columns[i].value = func(g *Group) any {
			if g.lacking() {
				return nil
			}
			return value(g)
		}
	}
	return columns
}

var keyColumns = map[By][]column{
	Block: {
		{table.Column{Name: "block", Kind: table.Integer}, func(g *Group) any { return g.Block }},
		{table.Column{Name: "time", Kind: table.Time}, func(g *Group) any { return g.Time }},
	},
	Hour:     {{table.Column{Name: "hour", Kind: table.Text, Term: true}, func(g *Group) any { return g.Hour }}},
	Day:      {{table.Column{Name: "day", Kind: table.Date}, func(g *Group) any { return g.Day }}},
	Month:    {{table.Column{Name: "month", Kind: table.Text}, func(g *Group) any { return g.Month }}},
	Account:  {accountColumn},
	Label:    {labelColumn, accountColumn},
	InGroup:  {groupColumn},
	Layer:    {layerColumn},
	Status:   {layerColumn, {table.Column{Name: "outcome", Kind: table.Text, Term: true}, func(g *Group) any { return g.Outcome }}},
	Type:     {layerColumn, {table.Column{Name: "type", Kind: table.Text, Term: true}, func(g *Group) any { return g.Type }}},
	Call:     {layerColumn, callColumn},
	Tag:      {markColumn("tag")},
	Contract: {layerColumn, callColumn, {table.Column{Name: "contract", Kind: table.Address}, func(g *Group) any { return g.Contract }}},

	AccountCode: {markColumn("account_code")},
}

var (
	layerColumn   = column{table.Column{Name: "layer", Kind: table.Text, Term: true}, func(g *Group) any { return g.Layer }}
	accountColumn = column{table.Column{Name: "account", Kind: table.Address}, func(g *Group) any { return g.Account }}
	labelColumn   = column{table.Column{Name: "label", Kind: table.Text}, func(g *Group) any { return g.Label }}
	groupColumn   = column{table.Column{Name: "group", Kind: table.Text}, func(g *Group) any { return g.InGroup }}
	callColumn    = column{table.Column{Name: "call", Kind: table.Text}, func(g *Group) any { return g.Call }}
)

// epoch is the first day that a date column can contain.
const epoch = "1970-01-01"

func (r *Report) keyColumns() []column {
	columns := append([]column(nil), keyColumns[r.By]...)
	if r.Labels != nil && (r.By == Account || r.By == Contract) {
		columns = append(columns, labelColumn, groupColumn)
	}
	if r.By == Day { // 1970-01-01 UTC is 1969-12-31 in some time zones
		for _, g := range r.Groups {
			if day, ok := g.Day.Get(); ok && day < epoch {
				columns[0].Kind = table.Text
			}
		}
	}
	if r.Top > 0 {
		columns = append(columns, othersColumn)
	}
	if r.ofSlots() {
		columns = append(columns, coverageColumn)
	}
	return columns
}

// othersColumn contains the number of groups that are combined in the last one.
var othersColumn = column{table.Column{Name: "others", Kind: table.Integer}, func(g *Group) any { return g.Others }}

var figureColumns = []column{
	count("evm", func(f *Figures) uint64 { return f.EVM }),
	count("native", func(f *Figures) uint64 { return f.Native }),
	count("evm_failed", func(f *Figures) uint64 { return f.EVMFailed }),
	count("native_failed", func(f *Figures) uint64 { return f.NativeFailed }),
	count("outcome_unknown", func(f *Figures) uint64 { return f.OutcomeUnknown }),
	count("undetermined", func(f *Figures) uint64 { return f.Undetermined }),
	amount("fee", func(f *Figures) chain.Wei { return f.Fee }),
	amount("evm_fee", func(f *Figures) chain.Wei { return f.EVMFee }),
	amount("native_fee", func(f *Figures) chain.Wei { return f.NativeFee }),
	whole("priority_fee", func(f *Figures) chain.Optional[chain.Wei] { return f.PriorityFee }),
	whole("tip", func(f *Figures) chain.Optional[chain.Wei] { return f.Tip }),
	whole("charged", func(f *Figures) chain.Optional[chain.Wei] { return f.Charged }),
	whole("burned", func(f *Figures) chain.Optional[chain.Wei] { return f.Burned }),
	whole("treasury", func(f *Figures) chain.Optional[chain.Wei] { return f.Treasury }),
	whole("author", func(f *Figures) chain.Optional[chain.Wei] { return f.Author }),
	{table.Column{Name: "gas", Kind: table.Integer, Total: true, Whole: true}, func(g *Group) any { return g.Gas }},
	price("gas_price_average", func(f *Figures) chain.Optional[chain.GasPrice] { return f.AveragePrice }),
}

var percentileColumns = []column{
	price("gas_price_10", func(f *Figures) chain.Optional[chain.GasPrice] { return f.Price10 }),
	price("gas_price_50", func(f *Figures) chain.Optional[chain.GasPrice] { return f.Price50 }),
	price("gas_price_90", func(f *Figures) chain.Optional[chain.GasPrice] { return f.Price90 }),
}

func count(name string, value func(*Figures) uint64) column {
	return column{table.Column{Name: name, Kind: table.Integer, Total: true}, func(g *Group) any { return value(&g.Figures) }}
}

func amount(name string, value func(*Figures) chain.Wei) column {
	return column{table.Column{Name: name, Kind: table.Wei, Total: true}, func(g *Group) any { return value(&g.Figures) }}
}

// whole is an amount that is unknown if any part of it is unknown.
func whole(name string, value func(*Figures) chain.Optional[chain.Wei]) column {
	return column{table.Column{Name: name, Kind: table.Wei, Total: true, Whole: true}, func(g *Group) any { return value(&g.Figures) }}
}

func price(name string, value func(*Figures) chain.Optional[chain.GasPrice]) column {
	return column{table.Column{Name: name, Kind: table.GasPrice}, func(g *Group) any { return value(&g.Figures) }}
}

// Sheet returns the report as a table of all figures, one row per group.
func (r *Report) Sheet() *table.Sheet { return r.sheetOf(r.columns(), r.Groups) }

// Shown returns the report as a table for people: what the ledger lacks in a row is one row.
func (r *Report) Shown() *table.Sheet { return r.sheetOf(r.shownColumns(r.columns()), r.gathered()) }

// shownColumns returns columns for people: the coverage only if the ledger lacks something.
func (r *Report) shownColumns(columns []column) []column {
	if !r.ofSlots() {
		return columns
	}
	if r.isComplete() {
		return slices.DeleteFunc(columns, func(c column) bool { return c.Name == coverageColumn.Name })
	}
	first := columns[0]
	columns[0].Kind, columns[0].Term = table.Text, true
	columns[0].value = func(g *Group) any {
		if g.through.Known() {
			return g.Name(r.Token)
		}
		return first.value(g)
	}
	return columns
}

func (r *Report) sheetOf(columns []column, groups []*Group) *table.Sheet {
	s := &table.Sheet{Name: "fees by " + string(r.By), Title: r.Title(), Notes: append(slices.Clone(r.Notes), r.evidence()), Token: r.Token, Rows: rows(columns, groups), Part: r.Part}
	totals := &Group{Figures: r.Totals}
	for _, c := range columns {
		s.Columns = append(s.Columns, c.Column)
		s.Totals = append(s.Totals, c.total(totals))
	}
	return s
}

// total returns the value of the column in the row of totals.
func (c *column) total(totals *Group) any {
	if c.Total {
		return c.value(totals)
	}
	return nil
}

func rows(columns []column, groups []*Group) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		row := make([]any, len(columns))
		for _, g := range groups {
			for i, c := range columns {
				row[i] = c.value(g)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}
