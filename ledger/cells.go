package ledger

import (
	"errors"
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
)

// cells reads the values of a row one after another. The first that is not what it
// should be is the error: somebody else wrote it.
type cells struct {
	row     row
	columns []column
	next    int
	err     error
}

var errCell = errors.New("not what the column holds")

func cell[T any](c *cells) (v T, known bool) {
	x := c.row[c.next]
	c.next++
	if x == nil {
		return v, false
	}
	v, ok := x.(T)
	if !ok {
		c.fail(errCell)
	}
	return v, ok
}

func (c *cells) fail(err error) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: column %s: %w", ErrDamaged, c.columns[c.next-1].name, err)
	}
}

// want is a value that must be there.
func want[T any](c *cells, v T, known bool) T {
	if !known {
		c.fail(chain.ErrMissing)
	}
	return v
}

func (c *cells) text() string {
	v, _ := cell[string](c)
	return v
}

func (c *cells) flag() bool {
	v, _ := cell[bool](c)
	return v
}

// number is a height, a count or a position.
func (c *cells) number() uint64 {
	n, known := c.optionalNumber(math.MaxInt64).Get()
	return want(c, n, known)
}

// optionalNumber is a number from 0 up to a bound: another one is none, for it would
// be taken for some other.
func (c *cells) optionalNumber(limit int64) chain.Optional[uint64] {
	v, known := cell[int64](c)
	return optional(c, known, func() (uint64, error) {
		if v < 0 || v > limit {
			return 0, errCell
		}
		return uint64(v), nil
	})
}

// where is a place in a block.
func (c *cells) where() chain.Where {
	v, known := cell[int64](c)
	if known && (v < int64(chain.OnInitialize) || v > int64(chain.OnFinalize)) {
		c.fail(errCell)
	}
	return chain.Where(want(c, v, known))
}

func (c *cells) optionalFlag() (none chain.Optional[bool]) {
	if v, ok := cell[bool](c); ok {
		return chain.Some(v)
	}
	return none
}

func (c *cells) optionalTime() chain.Optional[chain.Time] {
	ms, known := cell[int64](c)
	return optional(c, known, func() (chain.Time, error) { return chain.TimeAt(uint64(ms)) })
}

func (c *cells) hash() chain.Hash {
	h, known := c.optionalHash().Get()
	return want(c, h, known)
}

func (c *cells) optionalHash() chain.Optional[chain.Hash] {
	v, known := cell[[]byte](c)
	return optional(c, known, func() (h chain.Hash, err error) {
		if len(v) != len(h) {
			return h, errCell
		}
		return chain.Hash(v), nil
	})
}

func (c *cells) address() chain.Address {
	a, known := c.optionalAddress().Get()
	return want(c, a, known)
}

func (c *cells) optionalAddress() chain.Optional[chain.Address] {
	v, known := cell[[]byte](c)
	return optional(c, known, func() (a chain.Address, err error) {
		if len(v) != len(a) {
			return a, errCell
		}
		return chain.Address(v), nil
	})
}

func (c *cells) wei() chain.Wei {
	w, known := c.optionalWei().Get()
	return want(c, w, known)
}

func (c *cells) optionalWei() chain.Optional[chain.Wei] { return amountCell(c, chain.ParseWei) }

func (c *cells) optionalSignedWei() chain.Optional[chain.SignedWei] {
	return amountCell(c, chain.ParseSignedWei)
}

func (c *cells) optionalGasPrice() chain.Optional[chain.GasPrice] {
	return amountCell(c, chain.ParseGasPrice)
}

// amountCell reads an amount by the parser of its quantity.
func amountCell[T any](c *cells, parse func(string) (T, error)) chain.Optional[T] {
	v, known := cell[string](c)
	return optional(c, known, func() (T, error) { return parse(v) })
}

func optional[T any](c *cells, known bool, read func() (T, error)) (none chain.Optional[T]) {
	if !known {
		return none
	}
	v, err := read()
	if err != nil {
		c.fail(err)
		return none
	}
	return chain.Some(v)
}
