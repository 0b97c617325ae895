package reconcile

import (
	"math/big"

	"github.com/feeledger/fees/chain"
)

// Spreadsheets and scripts store a number as the nearest double, a binary number of 53 bits, and write 15 to 17 digits of
// it. Everything here is computed with whole numbers.

// doubleBits is the size of a double's mantissa.
const doubleBits = 53

// maxDoubleDigits is how many significant digits of a double programs write.
const maxDoubleDigits = 17

// double is mantissa × 2^exponent.
type double struct {
	mantissa *big.Int
	exponent int
}

// doubleOf returns the double that is nearest to an amount in a unit with decimals, ties to even. The amount is not 0.
func doubleOf(w chain.Wei, decimals int) double {
	number, unit := w.Big(), powerOf(10, decimals)
	exponent := number.BitLen() - unit.BitLen() - doubleBits
	for {
		above, below := number, unit
		if exponent < 0 {
			above = new(big.Int).Lsh(number, uint(-exponent))
		} else {
			below = new(big.Int).Lsh(unit, uint(exponent))
		}
		if mantissa := evenQuotient(above, below); mantissa.BitLen() <= doubleBits {
			return double{mantissa, exponent}
		}
		exponent++
	}
}

// powerOf returns a power of a number.
func powerOf(base int64, exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(exponent)), nil)
}

// ulps returns how far the double of an amount may be from the nearest one: by 1 if a script computed it by dividing an
// amount in wei that is itself not a double.
func ulps(of chain.Wei, decimals int) int64 {
	if n := of.Big(); decimals > 0 && n.BitLen()-int(n.TrailingZeroBits()) > doubleBits {
		return 1
	}
	return 0
}

// isSameDouble reports whether programs store two amounts in a unit with decimals as the same number, or as the next one.
func isSameDouble(a, b chain.Wei, decimals int) bool {
	if a.IsZero() || b.IsZero() {
		return a == b
	}
	first, second := doubleOf(a, decimals), doubleOf(b, decimals)
	apart := new(big.Int).Sub(first.mantissa, second.mantissa)
	return first.exponent == second.exponent && apart.CmpAbs(big.NewInt(ulps(b, decimals))) <= 0
}

// isWritten reports whether an amount is what a spreadsheet or a script writes for another: the other or its double,
// rounded to 15, 16 or 17 digits.
func isWritten(fee, of chain.Wei, decimals int) bool {
	if fee.IsZero() || of.IsZero() {
		return fee == of
	}
	for apart := -ulps(of, decimals); apart <= ulps(of, decimals); apart++ {
		d := doubleOf(of, decimals)
		d.mantissa.Add(d.mantissa, big.NewInt(apart))
		if d.writes(fee, of, decimals) {
			return true
		}
	}
	return false
}

// writes reports whether a program writes an amount for a double, or for the exact amount, rounded to 15, 16 or 17 digits.
func (d double) writes(fee, of chain.Wei, decimals int) bool {
	number, divisor := new(big.Int).Mul(d.mantissa, powerOf(10, decimals)), big.NewInt(1)
	if d.exponent < 0 {
		divisor.Lsh(divisor, uint(-d.exponent))
	} else {
		number.Lsh(number, uint(d.exponent))
	}
	written := fee.Big()
	for digits := sheetDigits; digits <= maxDoubleDigits; digits++ {
		for _, divide := range []func(number, divisor *big.Int) *big.Int{quotient, evenQuotient} { // programs differ in ties
			if written.Cmp(toDigits(of.Big(), big.NewInt(1), digits, divide)) == 0 || written.Cmp(toDigits(number, divisor, digits, divide)) == 0 {
				return true
			}
		}
	}
	return false
}

// toDigits returns a fraction rounded to significant digits, and what is left of it below 1 to a whole number.
func toDigits(number, divisor *big.Int, digits int, divide func(number, divisor *big.Int) *big.Int) *big.Int {
	whole := new(big.Int).Quo(number, divisor).String()
	if dropped := len(whole) - digits; dropped > 0 {
		unit := powerOf(10, dropped)
		rounded := divide(number, new(big.Int).Mul(divisor, unit))
		return rounded.Mul(rounded, unit)
	}
	unit := powerOf(10, digits-len(whole))
	return quotient(divide(new(big.Int).Mul(number, unit), divisor), unit)
}

// quotient divides and rounds half up.
func quotient(number, divisor *big.Int) *big.Int {
	twice := new(big.Int).Lsh(number, 1)
	return twice.Quo(twice.Add(twice, divisor), new(big.Int).Lsh(divisor, 1))
}

// evenQuotient divides and rounds ties to even.
func evenQuotient(number, divisor *big.Int) *big.Int {
	whole, rest := new(big.Int).QuoRem(number, divisor, new(big.Int))
	if half := rest.Lsh(rest, 1).Cmp(divisor); half > 0 || half == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(1))
	}
	return whole
}
