package rollforward

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/finance/statement"
	"github.com/feeledger/fees/internal/money"
)

// LineSum is the sum of the movements in a line of a column.
type LineSum struct {
	Line
	Count          uint64
	Free, Reserved chain.Optional[chain.SignedWei]
	Value          chain.Optional[money.Amount] // like [Sum.Value]; 0 without movements
	Classes        []Sum
}

// Lines returns all lines of the column, including those without movements.
func (c *Column) Lines() (list []LineSum, err error) {
	for _, line := range Lines() {
		sum := LineSum{Line: line, Free: chain.Some(chain.SignedWei{}), Reserved: chain.Some(chain.SignedWei{}), Value: c.nothing, Classes: []Sum{}}
		for _, s := range c.Sums {
			if s.Line != line {
				continue
			}
			sum.Value = money.Sum(sum.Value, s.Value)
			sum.Classes = append(sum.Classes, s)
			sum.Count += s.Count
			if sum.Free, err = plus(sum.Free, s.Free); err != nil {
				return nil, err
			}
			if sum.Reserved, err = plus(sum.Reserved, s.Reserved); err != nil {
				return nil, err
			}
		}
		sum.spread()
		list = append(list, sum)
	}
	return list, nil
}

// spread gives what rounding leaves over to the largest class of a line: the classes add up to the line as shown.
func (l *LineSum) spread() {
	whole, known := l.Value.Get()
	if !known || len(l.Classes) == 0 {
		return
	}
	rest, largest := whole.Rounded(), 0
	size := func(i int) chain.Wei {
		all, _ := totalOf(l.Classes[i].Free, l.Classes[i].Reserved)
		by, _ := all.Get()
		return by.Size()
	}
	for i, class := range l.Classes {
		value, _ := class.Value.Get()
		rest = rest.Sub(value.Rounded())
		if size(largest).Cmp(size(i)) < 0 {
			largest = i
		}
	}
	if value, _ := l.Classes[largest].Value.Get(); rest.Sign() != 0 {
		l.Classes[largest].Value = chain.Some(value.Rounded().Add(rest))
	}
}

// nothing returns the value of no movements; unknown without prices.
func (r *Rollforward) nothing() (none chain.Optional[money.Amount]) {
	if r.prices == nil {
		return none
	}
	return chain.Some(money.NothingIn(r.prices.Currency))
}

// valueEnds values the balances at the ends of a column.
func (r *Rollforward) valueEnds(c *Column) error {
	if r.ends == nil {
		return nil
	}
	for _, end := range []struct {
		value *chain.Optional[money.Amount]
		of    chain.Optional[balances.Change]
		at    chain.Optional[chain.Time]
	}{{&c.OpeningValue, c.Opening, c.Period.OpensAt}, {&c.ClosingValue, c.Closing, c.Period.ClosesAt}} {
		total, err := totalOf(freeOf(end.of), reservedOf(end.of))
		if err != nil {
			return &statement.LedgerError{Err: err}
		}
		*end.value = money.ValueKnown(r.ends, total, end.at)
	}
	return nil
}

// Valuation returns the valuation difference: the value of the closing balance, less that of the opening balance and of the
// movements, each as shown. It contains what rounding leaves over. It is unknown if one of them is, or anything is
// unexplained.
func (c *Column) Valuation() (none chain.Optional[money.Amount], err error) {
	lines, err := c.Lines()
	rest, closes := c.ClosingValue.Get()
	opening, opens := c.OpeningValue.Get()
	if err != nil || !opens || !closes || !c.Holds() {
		return none, err
	}
	rest = rest.Rounded().Sub(opening.Rounded())
	for _, line := range lines {
		value, known := line.Value.Get()
		if !known {
			return none, nil
		}
		rest = rest.Sub(value.Rounded())
	}
	return chain.Some(rest), nil
}

// ValueNotes returns notes on the prices of the balances.
func (r *Rollforward) ValueNotes() []string {
	if r.ends == nil {
		return nil
	}
	return append(r.ends.OfBalances(), "valuation difference: closing value less opening value and the values of the movements, each as shown; it contains their rounding")
}

// totalOf returns free plus reserved, if both are known.
func totalOf(free, reserved chain.Optional[chain.SignedWei]) (chain.Optional[chain.SignedWei], error) {
	return plus(free, reserved)
}

// freeOf and reservedOf return the parts of an optional change.
func freeOf(c chain.Optional[balances.Change]) (none chain.Optional[chain.SignedWei]) {
	if by, ok := c.Get(); ok {
		return chain.Some(by.Free)
	}
	return none
}

func reservedOf(c chain.Optional[balances.Change]) (none chain.Optional[chain.SignedWei]) {
	if by, ok := c.Get(); ok {
		return chain.Some(by.Reserved)
	}
	return none
}
