package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// nullable is a text that is null where it is "".
type nullable string

// nullableWord is a word that is null where it is "".
type nullableWord string

// wordText is a text out of a few, such as a call's.
type wordText string

// packedCosts are a block's transactions' costs as pack makes them.
type packedCosts []byte

// kindOf is what a column of a Go type holds.
func kindOf(cell any) kind {
	switch cell.(type) {
	case *string, *nullable, *unit:
		return text
	case *wordText, *nullableWord:
		return word
	case *bool, *chain.Optional[bool]:
		return boolean
	case *packedCosts:
		return costData
	case *[]byte, *Seal, *chain.Hash, *chain.Optional[chain.Hash], *chain.Address, *chain.Optional[chain.Address]:
		return data
	case *uint64, *int, *int64, *movement.Where, *chain.Optional[chain.Time], *chain.Optional[uint32], *chain.Optional[uint64], *chain.Optional[int]:
		return integer
	}
	return amount
}

// encode is what a column has of a Go value.
func encode(cell any) value {
	switch x := cell.(type) {
	case *string:
		return clean(*x)
	case *wordText:
		return clean(string(*x))
	case *nullable:
		if *x == "" {
			return nil
		}
		return clean(string(*x))
	case *nullableWord:
		return encode((*nullable)(x))
	case *unit:
		return unitNames[*x]
	case *bool:
		return *x
	case *[]byte:
		if *x == nil {
			return nil
		}
		return *x
	case *packedCosts:
		return encode((*[]byte)(x))
	case *uint64:
		return int64(*x)
	case *int:
		return int64(*x)
	case *int64:
		return *x
	case *movement.Where:
		return int64(*x)
	case *Seal:
		return bytes.Clone(x[:])
	case *chain.Hash:
		return bytes.Clone(x[:])
	case *chain.Address:
		return bytes.Clone(x[:])
	case *chain.Wei:
		return x.String()
	case *chain.TokenAmount:
		return x.String()
	case *chain.Optional[bool]:
		return some(*x, func(b bool) value { return b })
	case *chain.Optional[int]:
		return some(*x, func(n int) value { return int64(n) })
	case *chain.Optional[uint32]:
		return some(*x, func(n uint32) value { return int64(n) })
	case *chain.Optional[uint64]:
		return some(*x, func(n uint64) value { return int64(n) })
	case *chain.Optional[chain.Time]:
		return some(*x, func(t chain.Time) value { return t.Std().UnixMilli() })
	case *chain.Optional[chain.Hash]:
		return some(*x, func(h chain.Hash) value { return h[:] })
	case *chain.Optional[chain.Address]:
		return some(*x, func(a chain.Address) value { return a[:] })
	case *chain.Optional[chain.Wei]:
		return digits(*x)
	case *chain.Optional[chain.SignedWei]:
		return digits(*x)
	case *chain.Optional[chain.GasPrice]:
		return digits(*x)
	case *chain.Optional[chain.Multiplier]:
		return digits(*x)
	case *chain.Optional[chain.Gas]:
		return digits(*x)
	case *chain.Optional[chain.Nonce]:
		return digits(*x)
	case *chain.Optional[chain.RefTime]:
		return digits(*x)
	}
	panic(fmt.Sprintf("ledger: no column holds a %T", cell))
}

// clean makes a text such as both engines take it: each NUL, and each run of bytes that are no
// UTF-8, becomes U+FFFD.
func clean(s string) string {
	if strings.Contains(s, "\x00") || !utf8.ValidString(s) {
		return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	}
	return s
}

func some[V any](o chain.Optional[V], of func(V) value) value {
	if v, ok := o.Get(); ok {
		return of(v)
	}
	return nil
}

// digits are an amount as a column has it.
func digits[Q fmt.Stringer](o chain.Optional[Q]) value {
	if q, ok := o.Get(); ok {
		return q.String()
	}
	return nil
}

var errCell = errors.New("not what the column holds")

// decode reads what a column has into a Go value. What somebody else wrote there is an error.
func decode(cell any, v value) (err error) {
	switch x := cell.(type) {
	case *string:
		*x, err = as[string](v)
	case *wordText:
		err = decode((*string)(x), v)
	case *nullable:
		if *x = ""; v != nil {
			err = decode((*string)(x), v)
		}
	case *nullableWord:
		err = decode((*nullable)(x), v)
	case *unit:
		name, _ := v.(string)
		*x, err = unitOf(name)
	case *bool:
		*x, err = as[bool](v)
	case *[]byte:
		if *x = nil; v != nil {
			*x, err = as[[]byte](v)
		}
	case *packedCosts:
		err = decode((*[]byte)(x), v)
	case *uint64:
		*x, err = natural[uint64](v, math.MaxInt64)
	case *int:
		*x, err = natural[int](v, math.MaxInt32)
	case *int64:
		*x, err = as[int64](v)
	case *movement.Where:
		n, missing := as[int64](v)
		if err = missing; n < int64(movement.OnInitialize) || n > int64(movement.OnFinalize) {
			err = errCell
		}
		*x = movement.Where(n)
	case *Seal:
		err = fill(x[:], v)
	case *chain.Hash:
		err = fill(x[:], v)
	case *chain.Address:
		err = fill(x[:], v)
	case *chain.Wei:
		*x, err = parsed(v, chain.ParseWei)
	case *chain.TokenAmount:
		*x, err = parsed(v, chain.ParseTokenAmount)
	case *chain.Optional[bool]:
		*x, err = maybe(v, as[bool])
	case *chain.Optional[int]:
		*x, err = maybe(v, func(v value) (int, error) { return natural[int](v, math.MaxInt32) })
	case *chain.Optional[uint32]:
		*x, err = maybe(v, func(v value) (uint32, error) { return natural[uint32](v, math.MaxUint32) })
	case *chain.Optional[uint64]:
		*x, err = maybe(v, func(v value) (uint64, error) { return natural[uint64](v, math.MaxInt64) })
	case *chain.Optional[chain.Time]:
		*x, err = maybe(v, func(v value) (at chain.Time, err error) {
			ms, err := natural[uint64](v, math.MaxInt64)
			if err == nil {
				at, err = chain.TimeAt(ms)
			}
			return at, err
		})
	case *chain.Optional[chain.Hash]:
		*x, err = maybe(v, func(v value) (h chain.Hash, err error) { return h, fill(h[:], v) })
	case *chain.Optional[chain.Address]:
		*x, err = maybe(v, func(v value) (a chain.Address, err error) { return a, fill(a[:], v) })
	case *chain.Optional[chain.Wei]:
		*x, err = amountOf(v, chain.ParseWei)
	case *chain.Optional[chain.SignedWei]:
		*x, err = amountOf(v, chain.ParseSignedWei)
	case *chain.Optional[chain.GasPrice]:
		*x, err = amountOf(v, chain.ParseGasPrice)
	case *chain.Optional[chain.Multiplier]:
		*x, err = amountOf(v, chain.ParseMultiplier)
	case *chain.Optional[chain.Gas]:
		*x, err = amountOf(v, counter(chain.NewGas))
	case *chain.Optional[chain.Nonce]:
		*x, err = amountOf(v, counter(chain.NewNonce))
	case *chain.Optional[chain.RefTime]:
		*x, err = amountOf(v, counter(chain.NewRefTime))
	}
	return err
}

// as is a value that must be there, and be of a kind.
func as[K any](v value) (K, error) {
	k, ok := v.(K)
	switch {
	case ok:
		return k, nil
	case v == nil:
		return k, chain.ErrMissing
	}
	return k, errCell
}

// natural is a number from 0 up to a limit: another one would be taken for some other.
func natural[N int | uint32 | uint64](v value, limit int64) (N, error) {
	n, err := as[int64](v)
	if n < 0 || n > limit {
		return 0, errCell
	}
	return N(n), err
}

// fill takes data of one length.
func fill(to []byte, v value) error {
	from, err := as[[]byte](v)
	if err == nil && len(from) != len(to) {
		err = errCell
	}
	copy(to, from)
	return err
}

func parsed[Q any](v value, parse func(string) (Q, error)) (none Q, err error) {
	s, err := as[string](v)
	if err != nil {
		return none, err
	}
	return parse(s)
}

func maybe[V any](v value, read func(value) (V, error)) (none chain.Optional[V], err error) {
	if v == nil {
		return none, nil
	}
	x, err := read(v)
	if err != nil {
		return none, err
	}
	return chain.Some(x), nil
}

func amountOf[Q any](v value, parse func(string) (Q, error)) (chain.Optional[Q], error) {
	return maybe(v, func(v value) (Q, error) { return parsed(v, parse) })
}

// counter parses a quantity of 64 bits.
func counter[Q any](of func(uint64) Q) func(string) (Q, error) {
	return func(s string) (Q, error) {
		n, err := strconv.ParseUint(s, 10, 64)
		return of(n), err
	}
}
