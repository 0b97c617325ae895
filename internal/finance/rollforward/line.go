package rollforward

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/balances"
	"github.com/feeledger/fees/internal/money"
)

// LineSum is the sum of the movements in a line of a column.
type LineSum struct {
	Line
	Count          uint64
	Free, Reserved chain.Optional[chain.SignedWei]
	Value          chain.Optional[money.Amount] // like [Sum.Value]; unknown without movements
	Classes        []Sum
}

// Lines returns all lines of the column, including those without movements.
func (c *Column) Lines() (list []LineSum, err error) {
	for _, line := range Lines() {
		sum := LineSum{Line: line, Free: chain.Some(chain.SignedWei{}), Reserved: chain.Some(chain.SignedWei{}), Classes: []Sum{}}
		for _, s := range c.Sums {
			if s.Line != line {
				continue
			}
			if sum.Value = money.Sum(sum.Value, s.Value); len(sum.Classes) == 0 {
				sum.Value = s.Value
			}
			sum.Classes = append(sum.Classes, s)
			sum.Count += s.Count
			if sum.Free, err = plus(sum.Free, s.Free); err != nil {
				return nil, err
			}
			if sum.Reserved, err = plus(sum.Reserved, s.Reserved); err != nil {
				return nil, err
			}
		}
		list = append(list, sum)
	}
	return list, nil
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
