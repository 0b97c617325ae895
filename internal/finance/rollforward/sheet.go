package rollforward

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/movement"
	"github.com/feeledger/fees/internal/table"
)

// Style controls how a rollforward is displayed.
type Style struct {
	Network       string
	console.Token                   // the network's
	Title         string            // of the period
	Labels        *addressbook.Book // labels of other accounts
	Notes         []string          // notes for readers
	Zone          *time.Location    // time zone of the days
	// Evidence is the evidence for the blocks of the period. The proof of balances is
	// separate.
	Evidence evidence.Evidence
}

// The items of a rollforward besides its lines.
const (
	itemOpening     = "opening"
	itemClosing     = "closing"
	itemUnexplained = "unexplained"
	itemValuation   = "valuation_difference"
)

// whose are the first columns of every sheet; rowOf returns their values.
var whose = []table.Column{
	{Name: "period", Kind: table.Text}, {Name: "first_block", Kind: table.Integer}, {Name: "last_block", Kind: table.Integer},
	{Name: "scope", Kind: table.Text}, {Name: "account", Kind: table.Address}, {Name: "label", Kind: table.Text}, {Name: "group", Kind: table.Text},
}

func rowOf(c *Column) []any {
	return []any{c.Period.Name, c.Period.Span.First, c.Period.Span.Last, string(c.Scope), c.Account, table.OrNull(c.Label), table.OrNull(c.Group)}
}

func columnsOf(more ...table.Column) []table.Column {
	return append(append([]table.Column{}, whose...), more...)
}

var lineColumns = columnsOf(
	table.Column{Name: "line", Kind: table.Text}, table.Column{Name: "class", Kind: table.Text}, table.Column{Name: "direction", Kind: table.Text},
	table.Column{Name: "count", Kind: table.Integer}, table.Column{Name: "free", Kind: table.SignedWei}, table.Column{Name: "reserved", Kind: table.SignedWei},
	table.Column{Name: "total", Kind: table.SignedWei},
)

// valueColumns contain the worth of balances and changes, free and reserved.
var valueColumns = []table.Column{{Name: "value", Kind: table.Text}, {Name: "currency", Kind: table.Text}, {Name: lateColumn, Kind: table.Boolean}}

// lateColumn marks values at the last known price of an earlier day.
const lateColumn = "last_known"

// marked returns a sheet without the lateColumn unless the prices may be of earlier days.
func (r *Rollforward) marked(s *table.Sheet) *table.Sheet {
	if r.prices != nil && r.prices.LastKnown {
		return s
	}
	return statement.Without(s, lateColumn)
}

// assetColumn is filled in the rows of closing balances.
const assetColumn = "asset_fees"

// named returns a sheet without the assetColumn unless fees were paid in assets.
func (r *Rollforward) named(s *table.Sheet) *table.Sheet {
	if slices.ContainsFunc(r.Columns, func(c Column) bool { return len(c.AssetFees) > 0 }) {
		return s
	}
	return statement.Without(s, assetColumn)
}

// What a row of a column without an amount or a value has.
var (
	unmoved  chain.Optional[balances.Change]
	unvalued chain.Optional[money.Amount]
)

// values returns the cells of an amount in a currency, empty if unknown.
func values(v chain.Optional[money.Amount]) []any {
	if amount, known := v.Get(); known {
		return []any{amount, string(amount.Currency()), amount.Late()}
	}
	return []any{nil, nil, nil}
}

// Lines returns a sheet with the opening, each sum, the unexplained difference if any, with prices the valuation difference,
// and the closing of each column.
// All rows of a column except the closing add up to the closing.
func (y *Style) Lines(r *Rollforward) *table.Sheet {
	columns := slices.Concat(lineColumns, valueColumns, []table.Column{{Name: assetColumn, Kind: table.Text}})
	return r.named(r.marked(y.sheet("rollforward", columns, func(add func(...any) error) error {
		for i := range r.Columns {
			c := &r.Columns[i]
			row := func(line string, class, direction, count any, free, reserved chain.Optional[chain.SignedWei], value chain.Optional[money.Amount]) error {
				total, err := totalOf(free, reserved)
				if err != nil {
					return err
				}
				in := ""
				if line == itemClosing {
					in = c.AssetFees.Text(y.Amount)
				}
				return add(slices.Concat(rowOf(c), []any{line, class, direction, count, free, reserved, total}, values(value), []any{table.OrNull(in)})...)
			}
			end := func(item string, b chain.Optional[balances.Change], value chain.Optional[money.Amount]) error {
				return row(item, nil, nil, nil, freeOf(b), reservedOf(b), value)
			}
			lines, err := c.Lines()
			if err == nil {
				err = end(itemOpening, c.Opening, c.OpeningValue)
			}
			for _, line := range lines {
				for _, s := range line.Classes {
					if err == nil {
						err = row(string(s.Line), string(s.Class), string(s.Direction), s.Count, s.Free, s.Reserved, s.Value)
					}
				}
			}
			if err == nil && !c.Holds() {
				err = end(itemUnexplained, c.Unexplained, unvalued)
			}
			if valuation, wrong := c.Valuation(); err == nil && r.prices != nil {
				err = cmp.Or(wrong, end(itemValuation, unmoved, valuation))
			}
			if err == nil {
				err = end(itemClosing, c.Closing, c.ClosingValue)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})))
}

// summaryColumns are the lines side by side.
var summaryColumns = func() []table.Column {
	amount := func(name string) table.Column { return table.Column{Name: name, Kind: table.SignedWei} }
	list := []table.Column{amount(itemOpening)}
	for _, line := range Lines() {
		list = append(list, amount(string(line)))
	}
	list = append(list, amount(itemUnexplained), amount(itemClosing), amount("closing_reserved"), amount("closing_total"),
		table.Column{Name: "unclassified_count", Kind: table.Integer}, table.Column{Name: assetColumn, Kind: table.Text})
	return columnsOf(list...)
}()

// Summary returns a sheet with one row per column: the free balances before and after, and the change by
// line.
func (y *Style) Summary(r *Rollforward) *table.Sheet {
	return r.named(y.sheet("summary", summaryColumns, func(add func(...any) error) error {
		for i := range r.Columns {
			c := &r.Columns[i]
			row := append(rowOf(c), freeOf(c.Opening))
			lines, err := c.Lines()
			if err != nil {
				return err
			}
			var unclassified uint64
			for _, line := range lines {
				if row = append(row, line.Free); line.Line == UnclassifiedLine {
					unclassified = line.Count
				}
			}
			total, err := totalOf(freeOf(c.Closing), reservedOf(c.Closing))
			if err != nil {
				return err
			}
			if err := add(append(row, freeOf(c.Unexplained), freeOf(c.Closing), reservedOf(c.Closing), total, unclassified, table.OrNull(c.AssetFees.Text(y.Amount)))...); err != nil {
				return err
			}
		}
		return nil
	}))
}

// briefColumns are the columns for a terminal.
var briefColumns = []table.Column{
	{Name: "line", Kind: table.Text, Verdict: true}, {Name: "count", Kind: table.Integer, Drop: 2}, {Name: "free", Kind: table.SignedWei},
	{Name: "reserved", Kind: table.SignedWei, Drop: 3}, {Name: "total", Kind: table.SignedWei, Drop: 4},
}

// brief returns a column for a terminal: each line, and below it its classes.
func (y *Style) brief(r *Rollforward, c *Column) *table.Sheet {
	s := y.sheet("rollforward", slices.Concat(briefColumns, valueColumns), func(add func(...any) error) error {
		row := func(name string, count any, free, reserved chain.Optional[chain.SignedWei], value chain.Optional[money.Amount]) error {
			total, err := totalOf(free, reserved)
			if err != nil {
				return err
			}
			return add(append([]any{name, count, free, reserved, total}, values(value)...)...)
		}
		lines, err := c.Lines()
		if err == nil {
			err = row(itemOpening, nil, freeOf(c.Opening), reservedOf(c.Opening), c.OpeningValue)
		}
		for _, line := range lines {
			if len(line.Classes) == 0 || err != nil {
				continue
			}
			err = row(strings.ReplaceAll(string(line.Line), "_", " "), line.Count, line.Free, line.Reserved, line.Value)
			for _, s := range line.Classes {
				if err == nil {
					err = row("  "+s.name(), s.Count, s.Free, s.Reserved, s.Value)
				}
			}
		}
		if err == nil && !c.Holds() {
			err = row(itemUnexplained, nil, freeOf(c.Unexplained), reservedOf(c.Unexplained), unvalued)
		}
		if valuation, wrong := c.Valuation(); err == nil && r.prices != nil {
			err = cmp.Or(wrong, row("valuation difference", nil, freeOf(unmoved), reservedOf(unmoved), valuation))
		}
		if err != nil {
			return err
		}
		return row(itemClosing, nil, freeOf(c.Closing), reservedOf(c.Closing), c.ClosingValue)
	})
	s.Notes = nil
	return s
}

// name returns the class, with the direction if the line has both.
func (s *Sum) name() string {
	switch s.Line {
	case Internal, Reserved, UnclassifiedLine:
		return string(s.Class) + " " + string(s.Direction)
	}
	return string(s.Class)
}

var movementColumns = []table.Column{
	{Name: "period", Kind: table.Text}, {Name: "account", Kind: table.Address, Drop: 1}, {Name: "label", Kind: table.Text}, {Name: "group", Kind: table.Text},
	{Name: "line", Kind: table.Text}, {Name: "class", Kind: table.Text, Verdict: true}, {Name: "direction", Kind: table.Text}, {Name: "internal", Kind: table.Text},
	{Name: "place", Kind: table.Text, Term: true}, {Name: "block", Kind: table.Integer}, {Name: "time", Kind: table.Time}, {Name: "day", Kind: table.Date, Drop: 2},
	{Name: "event", Kind: table.Text}, {Name: "event_index", Kind: table.Integer},
	{Name: "counterparty", Kind: table.Address, Drop: 4}, {Name: "counterparty_label", Kind: table.Text},
	{Name: "amount", Kind: table.Wei}, {Name: "free", Kind: table.SignedWei, Total: true}, {Name: "reserved", Kind: table.SignedWei, Total: true, Drop: 5},
	{Name: "call", Kind: table.Text}, {Name: "hash", Kind: table.Hash, Drop: 6}, {Name: "remark", Kind: table.Text, Drop: 3},
}

// Movements returns a sheet of the selected movements, ordered by period, account and chain.
func (y *Style) Movements(ctx context.Context, r *Rollforward, selected Selection) *table.Sheet {
	columns := slices.Concat(movementColumns, valueColumns)
	if r.untold() {
		for i := range columns {
			columns[i].Whole = columns[i].Total
		}
	}
	return r.marked(y.sheet("movements", columns, func(add func(...any) error) error {
		return r.Each(ctx, func(i *Item) error {
			if !selected.has(i) {
				return nil
			}
			row := []any{
				i.Period, i.Account, table.OrNull(i.Label), table.OrNull(i.Group), string(i.Line), string(i.Class), string(i.Direction), table.OrNull(string(i.Internal)),
				i.Place(), i.Height, i.Time, y.day(i.Time),
			}
			if m := i.Movement; m != nil {
				row = append(row, m.Event, m.EventIndex, i.Counterparty, y.label(r, i.Counterparty), m.Amount)
			} else {
				row = append(row, nil, nil, nil, nil, nil)
			}
			row = append(row, i.Free, i.Reserved)
			if t := i.Transaction; t != nil {
				row = append(row, t.Call, t.LayerHash())
			} else {
				row = append(row, nil, nil)
			}
			return add(append(append(row, remark(i)), values(i.Value)...)...)
		})
	}))
}

// untold reports whether a change is stated neither by its event nor by a balance: the totals of a list are then
// unknown.
func (r *Rollforward) untold() bool {
	return slices.ContainsFunc(r.Columns, func(c Column) bool {
		return slices.ContainsFunc(c.Sums, func(s Sum) bool { return !s.Free.Known() || !s.Reserved.Known() })
	})
}

// remark returns a remark that readers need for a movement.
func remark(i *Item) any {
	switch {
	case i.ToldByBalances:
		return "inferred from the balances before and after the block"
	case i.Told:
		return "change not stated by the event, but inferred from balances in a separate row"
	case !i.Free.Known() || !i.Reserved.Known():
		return "change not stated by the event"
	case i.Movement.Kind == movement.KindFreeSet || i.Movement.Kind == movement.KindReservedSet:
		return "balance set to the amount"
	}
	return nil
}

// day returns the day of a time in the style's zone.
func (y *Style) day(at chain.Optional[chain.Time]) any {
	t, ok := at.Get()
	if !ok {
		return nil
	}
	zone := y.Zone
	if zone == nil {
		zone = time.UTC
	}
	return t.Std().In(zone).Format(time.DateOnly)
}

// label returns another account's label, if any.
func (y *Style) label(r *Rollforward, account chain.Optional[chain.Address]) chain.Optional[string] {
	if label := r.accounts.LabelOf(account); label.Known() {
		return label
	}
	return y.Labels.LabelOf(account)
}

// sheet builds a sheet.
func (y *Style) sheet(name string, columns []table.Column, rows func(add func(...any) error) error) *table.Sheet {
	return &table.Sheet{Name: name, Title: y.Title, Notes: y.Notes, Token: y.Token, Columns: columns, Rows: table.Rows(rows)}
}
