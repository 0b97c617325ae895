package chain

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/feeledger/fees/internal/failure"
)

// ErrMissing means that a field required by a rule is missing or null.
var ErrMissing = errors.New("missing")

// Value is one value in the data of an event or in the arguments of a call, with the type that the chain gives it: an
// account, a hash, a number. A value that a source reported in a malformed form contains the error instead, so that
// only the rules that need it fail. The zero Value is missing.
type Value struct {
	bytes [32]byte // of an account, a hash or a number, most significant byte first
	of    *content // nil if the value is missing
}

// content describes a value besides its bytes. Values of the same kind share it.
type content struct {
	kind kind
	err  error        // malformed
	exit Exit         // exited
	info DispatchInfo // dispatched
	text string       // written, held
}

type kind uint8

const (
	unread kind = iota
	malformed
	shortAccount
	longAccount
	hashed
	number
	exited
	dispatched
	written
	further
	held
)

var contents = [...]content{unread: {}, further: {kind: further}, shortAccount: {kind: shortAccount}, longAccount: {kind: longAccount}, hashed: {kind: hashed}, number: {kind: number}}

// AccountValue returns an account.
func AccountValue(a Address) Value {
	if a.long {
		return Value{a.bytes, &contents[longAccount]}
	}
	return Value{a.bytes, &contents[shortAccount]}
}

// HashValue returns a hash.
func HashValue(h Hash) Value { return Value{h, &contents[hashed]} }

// NumberValue returns the number in an EVM word, such as that of a [Wei].
func NumberValue(word [32]byte) Value { return Value{word, &contents[number]} }

// Uint64Value returns a number.
func Uint64Value(n uint64) Value { return Value{bytesOf(n), &contents[number]} }

func bytesOf(n uint64) (word [32]byte) {
	binary.BigEndian.PutUint64(word[24:], n)
	return word
}

// UnreadValue returns a value of a type that no rule reads.
func UnreadValue() Value { return Value{of: &contents[unread]} }

// MalformedValue returns a value that could not be decoded. It is missing if the error is [ErrMissing].
func MalformedValue(err error) Value {
	if err == ErrMissing {
		return Value{}
	}
	return Value{of: &content{kind: malformed, err: err}}
}

// TextValue returns a value that rules only compare and print, such as the ID of an asset: its text in Sidecar's JSON.
func TextValue(text string) Value { return Value{of: &content{kind: written, text: text}} }

// Text returns such a text.
func (v Value) Text() (string, error) {
	if err := v.check(written); err != nil {
		return "", err
	}
	return v.of.text, nil
}

// FurtherValue stands for n values after those that are decoded.
func FurtherValue(n uint64) Value { return Value{bytesOf(n), &contents[further]} }

// check returns an error unless the value is of a kind.
func (v Value) check(k kind) error {
	switch {
	case v.of == nil:
		return ErrMissing
	case v.of.kind == k:
		return nil
	case v.of.kind == malformed:
		return v.of.err
	}
	return errOtherType
}

var errOtherType = errors.New("the value is of another type")

// Missing reports whether the value is missing.
func (v Value) Missing() bool { return v.of == nil }

// Account returns an account.
func (v Value) Account() (Address, error) {
	if v.check(longAccount) == nil {
		return Address{v.bytes, true}, nil
	}
	if err := v.check(shortAccount); err != nil {
		return Address{}, err
	}
	return Address{v.bytes, false}, nil
}

// Hash returns a hash.
func (v Value) Hash() (Hash, error) {
	if err := v.check(hashed); err != nil {
		return Hash{}, err
	}
	return v.bytes, nil
}

// number returns a number of at most width bits.
func (v Value) number(width int) (quantity, error) {
	if err := v.check(number); err != nil {
		return quantity{}, err
	}
	q, err := ofWord(v.bytes).fit(width)
	if err != nil {
		return quantity{}, fmt.Errorf("%s is more than %d bits", failure.Excerpt(ofWord(v.bytes).String()), width)
	}
	return q, nil
}

// Wei returns an amount in wei.
func (v Value) Wei() (Wei, error) { return as[Wei](v.number(balanceBits)) }

// GasPrice returns a price in wei per gas.
func (v Value) GasPrice() (GasPrice, error) { return as[GasPrice](v.number(wordBits)) }

// TokenAmount returns an amount of an ERC-20 token.
func (v Value) TokenAmount() (TokenAmount, error) { return as[TokenAmount](v.number(wordBits)) }

// Uint64 returns a number of at most 64 bits.
func (v Value) Uint64() (uint64, error) {
	q, err := v.number(counterBits)
	return q.n.Uint64(), err
}

// Values are the values in the data of an event, or in the arguments of a call, by position.
type Values []Value

// AppendUint64 appends a number.
func (v Values) AppendUint64(n uint64) Values {
	v = append(v, Value{of: &contents[number]})
	binary.BigEndian.PutUint64(v[len(v)-1].bytes[24:], n)
	return v
}

// AppendAccount appends an account, given 0x and 40 hex digits in any case. If the text is another, ok is false.
func (v Values) AppendAccount(text string) (_ Values, ok bool) {
	return v.appendHex(text, AddressSize, &contents[shortAccount])
}

// AppendHash appends a hash, given 0x and 64 hex digits in any case. If the text is another, ok is false.
func (v Values) AppendHash(text string) (_ Values, ok bool) {
	return v.appendHex(text, len(Hash{}), &contents[hashed])
}

// appendHex decodes a value in place: it is quicker than copying one.
func (v Values) appendHex(text string, size int, of *content) (_ Values, ok bool) {
	if len(text) != 2+2*size || text[:2] != "0x" {
		return v, false
	}
	list := append(v, Value{of: of})
	if !decodeDigits(list[len(v)].bytes[:size], text[2:]) {
		return v, false
	}
	return list, true
}

// At returns the value at a position from 0 on, missing if there is none.
func (v Values) At(i int) Value {
	if i >= len(v) {
		return Value{}
	}
	return v[i]
}

// Len returns the number of values that the source reported.
func (v Values) Len() int {
	if last := len(v) - 1; last >= 0 && v[last].check(further) == nil {
		n, _ := Value{v[last].bytes, &contents[number]}.Uint64()
		return last + int(n)
	}
	return len(v)
}

// String returns the value as its type prints it, or why there is none.
func (v Value) String() string {
	switch {
	case v.of == nil:
		return ErrMissing.Error()
	case v.of.kind == malformed:
		return v.of.err.Error()
	case v.of.kind == shortAccount || v.of.kind == longAccount:
		return Address{v.bytes, v.of.kind == longAccount}.String()
	case v.of.kind == hashed:
		return Hash(v.bytes).String()
	case v.of.kind == exited:
		return string(v.of.exit.State) + " " + v.of.exit.Reason
	case v.of.kind == written, v.of.kind == held:
		return v.of.text
	case v.of.kind == dispatched:
		return fmt.Sprintf("%v %+v", v.weight(), v.of.info)
	}
	return ofWord(v.bytes).String()
}
