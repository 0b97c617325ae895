package reconcile

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

// number reads a plain number, without its sign and unit. Text is what it is part of.
func (f amountForm) number(text, plain string) (a amount, err error) {
	switch {
	case isHex.MatchString(plain) && f.unit != Wei:
		return a, fmt.Errorf("is hexadecimal, which only wei are written in: --unit wei reads it, unless the unit is another one")
	case isHex.MatchString(plain):
		a.wei, err = chain.ParseWei("0x" + plain[2:])
		return a, err
	}
	n, err := f.numeral(text, plain)
	if err != nil {
		return a, err
	}
	if n.isRounded(f.unit) {
		return a, fmt.Errorf("states only %d digits, and its format may hide others: show the column with all of its digits, and save the file again", n.stated)
	}
	switch count := len(strings.TrimRight(strings.TrimLeft(n.digits, "0"), "0")); {
	case n.exponent:
		a.digits = n.stated
	case count == sheetDigits:
		a.digits = count
	}
	a.wei, err = n.wei(f.unit)
	return a, err
}

// isHex matches an integer as programs of Ethereum write it.
var isHex = regexp.MustCompile(`^0[xX][0-9a-fA-F]+$`)

// numeral is a number as it is written: its digits, of which the last places stand behind the
// decimal separator.
type numeral struct {
	digits   string
	places   int  // may be negative, by an exponent
	stated   int  // digits from the first that is not 0
	exponent bool // it has one
	padded   bool // its fraction ends with a 0, as a format with a fixed number of decimals writes
}

// scientific is a number with an exponent.
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

// isRounded reports whether a number in scientific notation was rounded by its format: 2.10E+15
// shows three digits of an amount that has sixteen. A number such as 2.1E+15, which ends where its
// digits end, is taken as it is written.
func (n *numeral) isRounded(u Unit) bool {
	return n.exponent && n.padded && n.stated > 0 && n.places < u.places()
}

// wei returns a number of a unit in wei.
func (n *numeral) wei(u Unit) (chain.Wei, error) {
	digits := strings.TrimLeft(n.digits, "0")
	short := strings.TrimRight(digits, "0")
	places := n.places - (len(digits) - len(short))
	switch {
	case short == "":
		return chain.Wei{}, nil
	case places > u.places() && u == Wei:
		return chain.Wei{}, errors.New("has a fraction, and wei have none: is the unit another one (--unit gwei or --unit token), or does the number have a separator of thousands (--thousands)?")
	case places > u.places():
		return chain.Wei{}, u.tooManyDecimals(places)
	case len(short)-places+u.places() > mostDigits:
		return chain.Wei{}, errTooMuch
	}
	return chain.ParseWei(short + strings.Repeat("0", u.places()-places))
}

// errTooMuch says that an amount is more than any balance.
var errTooMuch = errors.New("is more than any amount on the chain")

func (u Unit) tooManyDecimals(count int) error {
	return fmt.Errorf("has %d decimals, and an amount in %s has %d", count, u, u.places())
}

// mostDigits is how many digits 2^128 has.
const mostDigits = 39

// sameSeparators writes the separators of thousands that look alike in one way.
var sameSeparators = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2007", " ", "\u2019", "'", "\u02bc", "'")

// ungrouped takes the separators of thousands out of a whole number. They stand before each three
// digits, or as in India before the last three and before each two in front of them, or nowhere.
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

// formError says that a text is not written as amounts are declared to be.
type formError struct{ message string }

func (e *formError) Error() string { return e.message }

// notAnAmount says why a text is not an amount: it names the part that is not understood, or else
// the separators that were declared.
func (f amountForm) notAnAmount(text string) error {
	if rest := f.unknown(text); rest != "" {
		return notUnderstood(rest)
	}
	declared := "no separator of thousands (--thousands)"
	if f.thousands != 0 {
		declared = fmt.Sprintf("%q between thousands (--thousands)", f.thousands)
	}
	return &formError{fmt.Sprintf("is not an amount with %q before its decimals (--decimal) and %s, as is declared", f.decimal, declared)}
}
