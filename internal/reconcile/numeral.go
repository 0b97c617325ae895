package reconcile

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

// number parses a plain number without its sign and unit. text is the whole cell.
func (f amountForm) number(text, plain string) (a amount, err error) {
	if f.unit == EVMWei {
		f.unit = Wei
		if a, err = f.number(text, plain); err == nil {
			a.wei, err = fromEVM(a.wei, f.token)
		}
		return a, err
	}
	switch {
	case !f.unit.fits(f.token):
		return a, errGwei
	case isHex.MatchString(plain) && f.unit != Wei:
		return a, fmt.Errorf("is hexadecimal, which is only supported for wei; use --unit wei if that is the unit")
	case isHex.MatchString(plain):
		a.wei, err = chain.ParseWei("0x" + plain[2:])
		return a, err
	}
	n, err := f.numeral(text, plain)
	if err != nil {
		return a, err
	}
	if n.isRounded(f.places()) {
		return a, fmt.Errorf("shows only %d digits, and its format may hide others; format the column to show all digits, and save the file again", n.stated)
	}
	count := len(strings.TrimRight(strings.TrimLeft(n.digits, "0"), "0"))
	switch {
	case n.exponent:
		a.digits = n.stated
	case count == sheetDigits:
		a.digits = count
	}
	if count >= sheetDigits && count <= maxDoubleDigits {
		a.written = f.unit
	}
	if f.unit.isToken() {
		power, _ := f.unit.power()
		a.decimals = max(0, n.places-power)
	}
	a.wei, err = f.wei(&n)
	return a, err
}

// isHex matches a hexadecimal integer as Ethereum programs write it.
var isHex = regexp.MustCompile(`^0[xX][0-9a-fA-F]+$`)

// numeral is a number as written: its digits, and how many of them are after the decimal separator.
type numeral struct {
	digits   string
	places   int  // negative with some exponents
	stated   int  // number of digits from the first that is not 0
	exponent bool // it has an exponent
	padded   bool // its fraction ends with a 0, as in a format with fixed decimals
}

// scientific matches a number with an exponent.
var scientific = regexp.MustCompile(`^([^eE]*[0-9])[eE]([+\-\x{2212}]?[0-9]{1,4})$`)

// numeral reads the digits of a plain number.
func (f amountForm) numeral(text, plain string) (n numeral, err error) {
	exponent := 0
	if parts := scientific.FindStringSubmatch(plain); parts != nil {
		exponent, _ = strconv.Atoi(strings.Replace(parts[2], "\u2212", "-", 1)) // four digits
		plain, n.exponent = parts[1], true
	}
	whole, fraction, hasFraction := strings.Cut(plain, string(f.decimal))
	digits, ok := f.ungrouped(whole)
	if !ok || hasFraction && !allDigits(fraction) || digits == "" && fraction == "" {
		return n, f.notAnAmount(text)
	}
	n.digits, n.places = digits+fraction, len(fraction)-exponent
	n.stated, n.padded = len(strings.TrimLeft(n.digits, "0")), strings.HasSuffix(fraction, "0")
	return n, nil
}

// isRounded reports whether a number in scientific notation was rounded by its format: 2.10E+15 shows three digits
// of an amount that has sixteen. A number such as 2.1E+15, whose last digit is not 0, is taken literally.
func (n *numeral) isRounded(places int) bool {
	return n.exponent && n.padded && n.stated > 0 && n.places < places
}

// wei converts a number of the form's unit to wei. Digits below a wei that a binary number has are rounded:
// 0.0020999999999999999 is 0.0021.
func (f amountForm) wei(n *numeral) (chain.Wei, error) {
	digits := strings.TrimLeft(n.digits, "0")
	short := strings.TrimRight(digits, "0")
	places := n.places - (len(digits) - len(short))
	switch {
	case short == "":
		return chain.Wei{}, nil
	case len(short) > sheetDigits && len(short) <= maxDoubleDigits && places > f.places() && places-f.places() < len(short) && f.unit != Wei:
		number, _ := new(big.Int).SetString(short, 10) // digits
		return chain.ParseWei(quotient(number, powerOf(10, places-f.places())).String())
	case places > f.places() && f.unit == Wei:
		return chain.Wei{}, errFraction
	case places > f.places():
		return chain.Wei{}, f.tooManyDecimals(places)
	case len(short)-places+f.places() > maxDigits:
		return chain.Wei{}, errTooMuch
	}
	return chain.ParseWei(short + strings.Repeat("0", f.places()-places))
}

// errTooMuch reports an amount that exceeds any balance.
var errTooMuch = errors.New("exceeds any amount on the chain")

func (f amountForm) tooManyDecimals(count int) error {
	return fmt.Errorf("has %d decimals, but an amount in %s has at most %d", count, f.unit, f.places())
}

// maxDigits is the number of digits of 2^128.
const maxDigits = 39

// sameSeparators unifies separators of thousands that look alike.
var sameSeparators = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2007", " ", "\u2019", "'", "\u02bc", "'")

// ungrouped removes the separators of thousands from a whole number. They precede each group of three digits or, in
// Indian notation, the last three digits and each group of two before them.
func (f amountForm) ungrouped(whole string) (digits string, ok bool) {
	if f.thousands == 0 {
		return whole, allDigits(whole) || whole == ""
	}
	groups := strings.Split(sameSeparators.Replace(whole), sameSeparators.Replace(string(f.thousands)))
	last := len(groups) - 1
	if last == 0 {
		return whole, allDigits(whole) || whole == ""
	}
	size := len(groups[last-1]) // of the groups between the first and the last
	if last == 1 {
		size = 3
	}
	for i, g := range groups {
		if !allDigits(g) || i == 0 && len(g) > size || i > 0 && i < last && len(g) != size {
			return "", false
		}
	}
	return strings.Join(groups, ""), len(groups[last]) == 3 && (size == 2 || size == 3)
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// formError reports a text that is not written in the declared form.
type formError struct{ message string }

func (e *formError) Error() string { return e.message }

// notAnAmount returns the error for a text that is not an amount: it names the unrecognised part, otherwise the
// declared separators.
func (f amountForm) notAnAmount(text string) error {
	if rest := f.unknown(text); rest != "" {
		return notUnderstood(rest)
	}
	declared := "no thousands separator (--thousands)"
	if f.thousands != 0 {
		declared = fmt.Sprintf("%q between thousands (--thousands)", f.thousands)
	}
	return &formError{fmt.Sprintf("is not an amount in the declared form: %q before decimals (--decimal), %s", f.decimal, declared)}
}
