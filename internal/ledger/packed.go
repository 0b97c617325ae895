package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/feeledger/fees/chain"
)

// The column costs of a block has its time and rules, and its transactions' columns below,
// packed. Whoever adds up a month reads them from there: a database takes most of its time
// to hand over rows and columns one by one. It follows from the rows, and has a leaf of its
// own, so that who reads it needs nothing else to know that it is as it was written.
//
// The first byte is the version of this encoding.
//
// A value is its length plus one as an unsigned varint, then its bytes; 0 is null. An
// integer or an amount below 2^64 is big-endian with as few bytes as it takes; a greater
// amount has maxInteger bytes of 0 in front of its decimal digits.
//
// packedColumns are the places of those columns in a transaction's row, and costFields what a
// cost has of them.
var packedColumns, costFields = func() (places []int, fields []field[Cost]) {
	for i, f := range transactionFields {
		if f.cost != nil {
			places, fields = append(places, i), append(fields, field[Cost]{name: f.name, mark: f.mark, at: f.cost})
		}
	}
	return places, fields
}()

// maxInteger is how many bytes an integer has at most.
const maxInteger = 8

// packedVersion is the version of the encoding.
const packedVersion byte = 1

// pack packs a block's time and rules, and its transactions in their order.
func pack(block row, list []row) []byte {
	packed := appendPacked([]byte{packedVersion}, integer, block[timeColumn])
	packed = appendPacked(packed, text, block[rulesColumn])
	for _, r := range list {
		for _, c := range packedColumns {
			packed = appendPacked(packed, tables[transactions].columns[c].kind, r[c])
		}
	}
	return packed
}

func appendPacked(to []byte, kind kind, v value) []byte {
	switch v := v.(type) {
	case int64:
		return appendInteger(to, uint64(v))
	case []byte:
		return append(appendLength(to, len(v)), v...)
	case string:
		if kind != amount {
			return append(appendLength(to, len(v)), v...)
		}
		if n, err := strconv.ParseUint(v, 10, 64); err == nil {
			return appendInteger(to, n)
		}
		to = appendLength(to, maxInteger+len(v))
		return append(append(to, make([]byte, maxInteger)...), v...)
	}
	return append(to, 0)
}

func appendLength(to []byte, n int) []byte { return binary.AppendUvarint(to, uint64(n)+1) }

func appendInteger(to []byte, n uint64) []byte {
	var word [maxInteger]byte
	binary.BigEndian.PutUint64(word[:], n)
	digits := word[:]
	for len(digits) > 0 && digits[0] == 0 {
		digits = digits[1:]
	}
	return append(appendLength(to, len(digits)), digits...)
}

// unpacker reads what pack has made. The first value that cannot be is the error:
// somebody else wrote it.
type unpacker struct {
	left  []byte
	texts map[string]string // each that was read, once
	err   error
}

var errPacked = errors.New("column costs: not what a block holds")

// costs reads those of a block, and adds them to a list.
func (u *unpacker) costs(to []Cost, packed []byte, height uint64) ([]Cost, error) {
	at, rules, err := u.head(packed, height)
	if err != nil {
		return to, err
	}
	for len(u.left) > 0 {
		to = append(to, Cost{Height: height, Time: at, Rules: rules})
		c := &to[len(to)-1]
		for i := range costFields {
			u.cell(costFields[i].at(c))
		}
		if u.err != nil {
			return to[:len(to)-1], u.damaged(height)
		}
	}
	return to, nil
}

// head begins to read a block's: its time and rules come first.
func (u *unpacker) head(packed []byte, height uint64) (at chain.Optional[chain.Time], rules string, err error) {
	if len(packed) == 0 || packed[0] != packedVersion {
		u.err = errPacked
		return at, "", u.damaged(height)
	}
	u.left = packed[1:]
	if ms, ok := u.integer(); ok {
		t, err := chain.TimeAt(ms)
		if err != nil {
			u.err = err
		}
		at = chain.Some(t)
	}
	if rules = u.text(); u.err != nil {
		return at, "", u.damaged(height)
	}
	return at, rules, nil
}

func (u *unpacker) damaged(height uint64) error {
	return fmt.Errorf("%w: block %d: %w", ErrDamaged, height, u.err)
}

// next are the bytes of a value; not known where it is null.
func (u *unpacker) next() (v []byte, known bool) {
	if u.err != nil {
		return nil, false
	}
	number, n := binary.Uvarint(u.left)
	v, ok := valueAt(u.left, number, n)
	if !ok {
		u.err = errPacked
		return nil, false
	}
	u.left = u.left[n+len(v):]
	return v, number > 0
}

// valueAt are the bytes of a value, whose number takes n bytes of what is packed; nil of null.
func valueAt(packed []byte, number uint64, n int) (v []byte, ok bool) {
	switch {
	case n <= 0 || number > uint64(len(packed)-n)+1:
		return nil, false
	case number == 0:
		return nil, true
	}
	return packed[n : n+int(number)-1], true
}

// cell reads the next value into a Go value.
func (u *unpacker) cell(cell any) {
	switch x := cell.(type) {
	case *chain.Optional[chain.Wei]:
		*x = unpacked(u, chain.NewWei, chain.ParseWei)
	case *chain.Optional[chain.GasPrice]:
		*x = unpacked(u, chain.NewGasPrice, chain.ParseGasPrice)
	case *chain.Optional[chain.Gas]:
		*x = unpacked(u, chain.NewGas, counter(chain.NewGas))
	case *chain.Optional[chain.Address]:
		*x = u.address()
	case *wordText:
		*x = wordText(u.text())
	case *nullableWord:
		*x = nullableWord(u.text())
	case *int:
		n, _ := u.integer()
		*x = int(n)
	default:
		panic(fmt.Sprintf("ledger: a %T is not packed", cell))
	}
}

func (u *unpacker) integer() (n uint64, known bool) {
	v, known := u.next()
	if len(v) > maxInteger {
		u.err = errPacked
	}
	return bigEndian(v), known
}

func bigEndian(digits []byte) (n uint64) {
	for _, d := range digits {
		n = n<<8 | uint64(d)
	}
	return n
}

func (u *unpacker) text() string {
	v, _ := u.next()
	text, ok := u.texts[string(v)]
	if !ok {
		text = string(v)
		if u.texts == nil || len(u.texts) == maxTexts {
			u.texts = map[string]string{}
		}
		u.texts[text] = text
	}
	return text
}

// maxTexts is how many texts are kept, to be used again: a chain has a few hundred calls.
const maxTexts = 10_000

func (u *unpacker) address() (none chain.Optional[chain.Address]) {
	v, known := u.next()
	switch {
	case !known:
		return none
	case len(v) != len(chain.Address{}):
		u.err = errPacked
		return none
	}
	return chain.Some(chain.Address(v))
}

// unpacked is an amount of a quantity: of 64 bits, or of more.
func unpacked[T any](u *unpacker, short func(uint64) T, long func(string) (T, error)) (none chain.Optional[T]) {
	v, known := u.next()
	switch {
	case !known:
		return none
	case len(v) <= maxInteger:
		return chain.Some(short(bigEndian(v)))
	}
	n, err := long(string(v[maxInteger:]))
	if err != nil {
		u.err = errPacked
		return none
	}
	return chain.Some(n)
}
