package chain

import (
	"errors"
	"fmt"
	"math"

	"github.com/holiman/uint256"

	"github.com/feeledger/fees/internal/jsonscan"
)

// Value is a part of a gateway's JSON text, such as arguments or the data of events, decoded by the rule that
// needs it. A missing value is Absent.
type Value = jsonscan.Value

// ParseValue parses JSON text. It rejects text that other programs might read in another way, such as an object with a key
// twice.
func ParseValue(text string) (Value, error) { return jsonscan.Parse(text) }

// ErrMissing means that a field required by a rule is missing or null.
var ErrMissing = errors.New("missing")

// Gateways write a quantity as a decimal string, as a 0x-hex string (most significant digit first, zero-padded
// or not) or as a JSON number. A JSON number with a fraction or an exponent is rejected: it has been through
// floating point and may have lost digits.

// numberText returns the digits of a numeric value.
func numberText(v Value) (string, error) {
	switch v.Kind() {
	case jsonscan.Number:
		return v.Raw(), nil
	case jsonscan.String:
		text, _ := v.Text()
		return text, nil
	case jsonscan.Absent, jsonscan.Null:
		return "", ErrMissing
	default:
		return "", fmt.Errorf("want a number, have %v", v.Kind())
	}
}

// maxDigits is more than the digits of any padded 256-bit word.
const maxDigits = 100

// parseNumber parses a non-negative integer of at most 256 bits, decimal or 0x.
func parseNumber(text string) (n uint256.Int, err error) {
	digits, hex := text, false
	if len(text) >= 2 && text[0] == '0' && text[1] == 'x' {
		digits, hex = text[2:], true
	}
	if len(digits) == 0 || len(digits) > maxDigits {
		return n, notANumber(text)
	}
	if hex {
		return parseHex(text, digits)
	}
	for {
		chunk := digits[:min(len(digits), shortDigits)]
		digits = digits[len(chunk):]
		value, ok := shortDecimal(chunk)
		if !ok {
			return uint256.Int{}, notANumber(text)
		}
		if n.IsZero() { // the first chunk, nearly always the only one
			n[0] = value
		} else {
			_, over := n.MulOverflow(&n, uint256.NewInt(powersOfTen[len(chunk)]))
			_, carry := n.AddOverflow(&n, uint256.NewInt(value))
			if over || carry {
				return uint256.Int{}, fmt.Errorf("%s is more than %d bits", jsonscan.Excerpt(text), wordBits)
			}
		}
		if len(digits) == 0 {
			return n, nil
		}
	}
}

// shortDigits is the number of decimal digits that always fit 64 bits.
const shortDigits = 19

// shortDecimal parses 1 to 19 decimal digits.
func shortDecimal(text string) (n uint64, ok bool) {
	if len(text) == 0 || len(text) > shortDigits {
		return 0, false
	}
	for i := range len(text) {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + uint64(d)
	}
	return n, true
}

var powersOfTen = func() (powers [shortDigits + 1]uint64) {
	powers[0] = 1
	for i := range shortDigits {
		powers[i+1] = powers[i] * 10
	}
	return powers
}()

func parseHex(text, digits string) (n uint256.Int, err error) {
	for _, c := range []byte(digits) {
		d := hexDigits[c]
		if d > 15 {
			return uint256.Int{}, notANumber(text)
		}
		if n[3]>>60 != 0 {
			return uint256.Int{}, fmt.Errorf("%s is more than %d bits", jsonscan.Excerpt(text), wordBits)
		}
		n.Lsh(&n, 4)
		n[0] |= uint64(d)
	}
	return n, nil
}

func notANumber(text string) error {
	return fmt.Errorf("%q is not a non-negative integer", jsonscan.Excerpt(text))
}

// hexDigits maps each hex digit to its value, and other bytes to 255.
var hexDigits = func() (table [256]byte) {
	for i := range table {
		table[i] = math.MaxUint8
	}
	for i := range byte(10) {
		table['0'+i] = i
	}
	for i := range byte(6) {
		table['a'+i] = 10 + i
		table['A'+i] = 10 + i
	}
	return table
}()

func readQuantity(v Value, width int) (quantity, error) {
	text, err := numberText(v)
	if err != nil {
		return quantity{}, err
	}
	return parseQuantity(text, width)
}

// Read parses a quantity in any form that gateways use: a decimal string, a 0x-hex string, or a JSON number.
// It also parses an [Address], a [Hash], a [Weight] and [ClassWeights]. It rejects values that it cannot read
// exactly.
func Read[T readable[T]](v Value) (T, error) {
	var none T
	return none.read(v)
}

// readable is the constraint for types that [Read] can parse.
type readable[T any] interface{ read(Value) (T, error) }

// read parses an amount in wei.
func (Wei) read(v Value) (Wei, error) { return as[Wei](readQuantity(v, balanceBits)) }

// read parses a price in wei per gas.
func (GasPrice) read(v Value) (GasPrice, error) { return as[GasPrice](readQuantity(v, wordBits)) }

// read parses a multiplier's stored integer.
func (Multiplier) read(v Value) (Multiplier, error) {
	return as[Multiplier](readQuantity(v, balanceBits))
}

// read parses an amount of an ERC-20 token.
func (TokenAmount) read(v Value) (TokenAmount, error) {
	return as[TokenAmount](readQuantity(v, wordBits))
}

// read parses an amount of gas.
func (Gas) read(v Value) (Gas, error) {
	n, err := ReadUint64(v)
	return Gas{n}, err
}

// read parses an account's nonce.
func (Nonce) read(v Value) (Nonce, error) {
	n, err := ReadUint64(v)
	return Nonce{n}, err
}

// read parses the nonce in an authorization.
func (AuthorizationNonce) read(v Value) (AuthorizationNonce, error) {
	return as[AuthorizationNonce](readQuantity(v, wordBits))
}

// ReadUint64 parses a plain number, such as a height.
func ReadUint64(v Value) (uint64, error) {
	text, err := numberText(v)
	if err != nil {
		return 0, err
	}
	return parseUint64(text)
}

// read parses a share in parts per billion.
func (Perbill) read(v Value) (Perbill, error) {
	n, err := ReadUint64(v)
	if err != nil {
		return Perbill{}, err
	}
	return NewPerbill(n)
}

// read parses a weight: {"refTime", "proofSize"}, the same in snake case, or the single number that weights
// were before they had two dimensions.
func (Weight) read(v Value) (Weight, error) {
	if v.Kind() != jsonscan.Object {
		n, err := ReadUint64(v)
		return Weight{RefTime: RefTime{n}}, err
	}
	var weight Weight
	var hasTime, hasProof bool
	for key, member := range v.Members() {
		n, err := ReadUint64(member)
		switch key {
		case "refTime", "ref_time":
			if err == nil && hasTime {
				err = errors.New("given twice")
			}
			weight.RefTime, hasTime = RefTime{n}, true
		case "proofSize", "proof_size":
			if err == nil && hasProof {
				err = errors.New("given twice")
			}
			weight.ProofSize, hasProof = n, true
		default:
			continue
		}
		if err != nil {
			return Weight{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	if !hasTime {
		return Weight{}, fmt.Errorf("refTime: %w", ErrMissing)
	}
	return weight, nil
}
