package statement

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// ValueBy adds the worth of amounts, each at the price of its own day or hour. It reads all lines. A
// missing price is a money.MissingError, unless partial is set: then the affected amounts are unknown.
func (y *Style) ValueBy(ctx context.Context, list *money.List, partial bool, statements []*Statement) error {
	if list == nil {
		return nil
	}
	y.valuer = list.Valuer()
	for _, s := range statements {
		s.ChargedWorth = chain.Some(money.NothingIn(list.Currency))
		err := s.Each(ctx, func(l *Line) error {
			y.worthOf(l)
			if l.Payment != nil {
				s.ChargedWorth = money.Sum(s.ChargedWorth, money.ValueKnown(y.valuer, l.Payment.Charged, l.Time))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := y.valuer.Check(partial); err != nil {
		return err
	}
	y.Notes = append(slices.Clip(y.Notes), y.valuer.Notes()...)
	return nil
}

// worthNames are the amounts of a line that have a worth; balances have none.
var worthNames = []string{"amount", "free", "reserved", "fee"}

// worthColumns returns the columns in the currency for the named amounts; none without prices.
func (y *Style) worthColumns(names ...string) (columns []table.Column) {
	if y.valuer == nil {
		return nil
	}
	c := y.valuer.Currency
	for _, name := range names {
		columns = append(columns, table.Column{Name: name + "_" + c.Suffix(), Kind: table.Fiat, Total: name != "amount", Currency: c})
	}
	return columns
}

// worthOf returns the values of a line's columns in the currency: nothing if there is no amount.
func (y *Style) worthOf(l *Line) (values []any) {
	if y.valuer == nil {
		return nil
	}
	values = make([]any, len(worthNames))
	if m := l.Movement; m != nil {
		values[0] = money.Value(y.valuer, m.Amount, l.Time)
		values[1] = money.ValueKnown(y.valuer, l.Free, l.Time)
		values[2] = money.ValueKnown(y.valuer, l.Reserved, l.Time)
	}
	if l.Payment != nil {
		values[3] = money.ValueKnown(y.valuer, l.Payment.Charged, l.Time)
	}
	return values
}

// basis returns the price basis of the amounts in the currency; nil without prices.
func (y *Style) basis() *money.Basis {
	if y.valuer == nil {
		return nil
	}
	b := y.valuer.Basis()
	return &b
}
