package table

import (
	"cmp"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
)

// Cell is a value of a row. It becomes text only where it is shown.
type Cell struct {
	value any // see value.go
	sheet *Sheet
}

// Text returns the value for display: amounts in the token and prices in Gwei, with all decimals.
func (c Cell) Text() string {
	if _, unknown := c.value.(unknownAmount); unknown {
		return notKnown
	}
	if c.value == nil {
		return ""
	}
	return c.sheet.shown(c.value)
}

// Exact returns amounts in their smallest unit and other values unchanged, "" for no value.
func (c Cell) Exact() string {
	return exact(c.value)
}

// Known reports whether the cell has a value.
func (c Cell) Known() bool {
	switch c.value {
	case nil, "", unknownAmount{}:
		return false
	}
	return true
}

// IsUsed reports whether the cell has something to show besides 0.
func (c Cell) IsUsed() bool {
	switch v := c.value.(type) {
	case nil:
		return false
	case chain.SignedWei:
		return v.Sign() != 0
	}
	return c.Text() != "" && c.Exact() != "0"
}

// Wei returns the value if it is an amount in wei.
func (c Cell) Wei() (chain.SignedWei, bool) {
	v, ok := c.value.(chain.SignedWei)
	return v, ok
}

// Time returns the value if it is a time.
func (c Cell) Time() (chain.Time, bool) {
	v, ok := c.value.(chain.Time)
	return v, ok
}

// Height returns the value if it is the height of a block.
func (c Cell) Height() (uint64, bool) {
	v, ok := c.value.(integer)
	n, fits := v.int64()
	return uint64(max(n, 0)), ok && fits && n >= 0
}

// Compare compares two known values of a column: figures and times by their size, others as text.
func (c Cell) Compare(other Cell) int {
	switch v := c.value.(type) {
	case chain.SignedWei:
		x, _ := other.Wei()
		return cmp.Or(cmp.Compare(v.Sign(), x.Sign()), v.Size().Cmp(x.Size())*v.Sign())
	case chain.GasPrice:
		x, _ := other.value.(chain.GasPrice)
		return v.Cmp(x)
	case chain.Time:
		x, _ := other.Time()
		return v.Std().Compare(x.Std())
	case money.Amount:
		x, _ := other.value.(money.Amount)
		return v.Sub(x).Sign()
	case integer, percent, chain.TokenAmount:
		return compareDigits(c.Exact(), other.Exact())
	}
	return strings.Compare(c.Exact(), other.Exact())
}

// compareDigits compares two numbers with equally many decimals.
func compareDigits(a, b string) int {
	a, below := strings.CutPrefix(a, "-")
	b, alsoBelow := strings.CutPrefix(b, "-")
	switch {
	case below && alsoBelow:
		a, b = b, a
	case below:
		return -1
	case alsoBelow:
		return 1
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// Headings returns the columns' names with units, for display.
func (s *Sheet) Headings() (names []string) {
	for _, c := range s.Columns {
		names = append(names, Heading(c, s.Symbol))
	}
	return names
}

// IsRight reports whether values of the kind are right-aligned: figures.
func (k Kind) IsRight() bool { return k.isRight() }

// Each calls row for every row, then returns the totals, nil if no column has one. A row is valid until the
// next call.
func (s *Sheet) Each(do func(row []Cell) error) (totals []Cell, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	sums, err := newTotals(s)
	if err != nil {
		return nil, err
	}
	cells := make([]Cell, len(s.Columns))
	err = s.each(func(row []any) error {
		if err := sums.add(row); err != nil {
			return err
		}
		for i, value := range row {
			cells[i] = Cell{value, s}
		}
		return do(cells)
	})
	if err != nil || !sums.exist() {
		return nil, err
	}
	totals = make([]Cell, len(s.Columns))
	for i := range s.Columns {
		if totals[i] = (Cell{sums.of(i), s}); totals[i].value == notKnown {
			totals[i].value = unknownAmount{}
		}
	}
	return totals, nil
}
