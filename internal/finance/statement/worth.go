package statement

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// Valued states how amounts are valued.
type Valued struct {
	Prices  *money.List // nil for no amounts in a currency
	Partial bool        // an amount without a price is unknown; otherwise, it is a money.MissingError
	// OpensAt and ClosesAt are the times at whose prices the opening and the closing balance are valued. Without a price, their
	// value is unknown.
	OpensAt, ClosesAt chain.Optional[chain.Time]
}

// ValueBy adds the worth of amounts, each at the price of its own day or hour. It reads all lines.
func (y *Style) ValueBy(ctx context.Context, v Valued, statements []*Statement) error {
	if v.Prices == nil {
		return nil
	}
	y.valuer = v.Prices.Valuer()
	ends := v.Prices.Valuer()
	for _, s := range statements {
		if err := s.value(ctx, y, ends, &v); err != nil {
			return err
		}
	}
	if err := y.valuer.Check(v.Partial); err != nil {
		return err
	}
	y.Notes = slices.Concat(y.Notes, y.valuer.Notes(), ends.OfBalances())
	return nil
}

// value values a statement.
func (s *Statement) value(ctx context.Context, y *Style, ends *money.Valuer, v *Valued) error {
	nothing := chain.Some(money.NothingIn(v.Prices.Currency))
	s.ChargedWorth, s.MovedWorth = nothing, nothing
	settled := map[uint64]balances.Change{}
	for _, d := range s.Settled {
		settled[d.Height] = d.Change
	}
	err := s.Each(ctx, func(l *Line) error {
		y.worthOf(l)
		if l.Payment != nil {
			s.ChargedWorth = money.Sum(s.ChargedWorth, money.ValueKnown(y.valuer, l.Payment.Charged, l.Time))
		}
		if l.Movement == nil {
			return nil
		}
		free, isFree := l.Free.Get()
		reserved, isReserved := l.Reserved.Get()
		by, known := balances.Change{Free: free, Reserved: reserved}, isFree && isReserved
		if !known { // the balances show the changes of all such lines of a block together
			if by, known = settled[l.Height]; !known {
				s.MovedWorth = chain.Optional[money.Amount]{}
				return nil
			}
			settled[l.Height] = balances.Change{}
		}
		total, err := by.Total()
		if err == nil {
			s.MovedWorth = money.Sum(s.MovedWorth, money.Value(y.valuer, total, l.Time))
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, end := range []struct {
		worth *chain.Optional[money.Amount]
		of    chain.Optional[chain.Balance]
		at    chain.Optional[chain.Time]
	}{{&s.OpeningWorth, s.Opening, v.OpensAt}, {&s.ClosingWorth, s.Closing, v.ClosesAt}} {
		have, known := end.of.Get()
		if !known {
			continue
		}
		total, err := balances.Of(have).Total()
		if err != nil {
			return ofLedger(err)
		}
		*end.worth = money.Value(ends, total, end.at)
	}
	return nil
}

// Valuation returns the valuation difference: the worth of the closing balance, less that of the opening balance and of the
// movements, each as shown. It is unknown if one of them is, or anything is unexplained.
func (s *Statement) Valuation() (none chain.Optional[money.Amount]) {
	opening, opens := s.OpeningWorth.Get()
	moved, known := s.MovedWorth.Get()
	closing, closes := s.ClosingWorth.Get()
	if !opens || !known || !closes || !s.Holds() {
		return none
	}
	return chain.Some(closing.Rounded().Sub(opening.Rounded()).Sub(moved.Rounded()))
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
		columns = append(columns, table.Column{Name: name + "_" + c.Suffix(), Kind: table.Fiat, Total: name != "amount" && name != totalName, Currency: c})
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
