package chain

import (
	"fmt"
	"math"

	"github.com/holiman/uint256"

	"github.com/feeledger/fees/internal/failure"
)

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
				return uint256.Int{}, fmt.Errorf("%s is more than %d bits", failure.Excerpt(text), wordBits)
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
			return uint256.Int{}, fmt.Errorf("%s is more than %d bits", failure.Excerpt(text), wordBits)
		}
		n.Lsh(&n, 4)
		n[0] |= uint64(d)
	}
	return n, nil
}

func notANumber(text string) error {
	return fmt.Errorf("%q is not a non-negative integer", failure.Excerpt(text))
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
