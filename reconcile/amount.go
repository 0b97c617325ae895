package reconcile

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// amountForm is how amounts are written.
type amountForm struct {
	unit               Unit
	decimal, thousands rune
}

// wei reads an amount that is written as text. All of it must be understood: one
// reading of it at most is the declared one.
func (f amountForm) wei(text string) (chain.Wei, error) {
	whole, fraction, hasFraction := strings.Cut(text, string(f.decimal))
	switch {
	case text == "":
		return chain.Wei{}, errors.New("the fee is empty")
	case text[0] == '-' || text[0] == '(' || strings.HasPrefix(text, "−"):
		return chain.Wei{}, fmt.Errorf("%q is negative: fees are amounts of 0 or more", wire.Excerpt(text))
	case strings.ContainsAny(text, "eE") && scientific.MatchString(text):
		return chain.Wei{}, fmt.Errorf("%q is in scientific notation, in which digits may be lost: write all of its digits", wire.Excerpt(text))
	case hasFraction && !allDigits(fraction):
		return chain.Wei{}, f.notAnAmount(text)
	}
	digits, ok := f.ungrouped(whole)
	if !ok || digits == "" && fraction == "" {
		return chain.Wei{}, f.notAnAmount(text)
	}
	fraction = strings.TrimRight(fraction, "0")
	places := f.unit.places()
	switch {
	case len(fraction) > places && places == 0:
		return chain.Wei{}, fmt.Errorf("%q has a fraction, and wei have none: is the unit token, or %q the separator of thousands?", wire.Excerpt(text), f.decimal)
	case len(fraction) > places:
		return chain.Wei{}, fmt.Errorf("%q has %d decimals, and a token has %d", wire.Excerpt(text), len(fraction), places)
	}
	digits = strings.TrimLeft(digits+fraction+strings.Repeat("0", places-len(fraction)), "0")
	if digits == "" {
		return chain.Wei{}, nil
	}
	if len(digits) > mostDigits {
		return chain.Wei{}, fmt.Errorf("%q is more than any amount on the chain", wire.Excerpt(text))
	}
	return chain.ParseWei(digits)
}

// mostDigits is how many digits 2^128 has.
const mostDigits = 39

// scientific is a number with an exponent, by either decimal separator.
var scientific = regexp.MustCompile(`^[+-]?[0-9.,]+[eE][+-]?[0-9]+$`)

// ungrouped takes the separators of thousands out of a whole number. They must stand
// before each three digits, or nowhere.
func (f amountForm) ungrouped(whole string) (digits string, ok bool) {
	if f.thousands == 0 {
		return whole, allDigits(whole) || whole == ""
	}
	if f.thousands == ' ' { // the spaces that do not break lines are spaces too
		whole = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(whole)
	}
	groups := strings.Split(whole, string(f.thousands))
	if len(groups) == 1 {
		return whole, allDigits(whole) || whole == ""
	}
	for i, g := range groups {
		if !allDigits(g) || i == 0 && len(g) > 3 || i > 0 && len(g) != 3 {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

func (f amountForm) notAnAmount(text string) error {
	declared := "no separator of thousands"
	if f.thousands != 0 {
		declared = fmt.Sprintf("%q between thousands", f.thousands)
	}
	return fmt.Errorf("%q is not an amount with %q before its decimals and %s, as is declared", wire.Excerpt(text), f.decimal, declared)
}

// number is how a spreadsheet writes a number.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

// exactInteger is where binary floating point begins to skip integers.
const exactInteger = 1 << 53

// weiOfNumber reads an amount that a spreadsheet keeps as a number, which is a binary
// floating-point one: of 15 significant digits it is known which they were, of more it
// is not, except where they are a whole number below 2^53. This is the one place where
// amounts are floating point, because they are in the file.
func (f amountForm) weiOfNumber(raw string) (chain.Wei, error) {
	if !number.MatchString(raw) {
		return chain.Wei{}, fmt.Errorf("%q is not a number", wire.Excerpt(raw))
	}
	kept, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return chain.Wei{}, fmt.Errorf("%q is not a number that a spreadsheet can keep", wire.Excerpt(raw))
	}
	whole := kept == math.Trunc(kept) && math.Abs(kept) < exactInteger
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(kept, 'e', 14, 64), 64)
	if !whole && (err != nil || rounded != kept) {
		return chain.Wei{}, fmt.Errorf("%q is kept as a number with more than 15 digits, which a spreadsheet rounds: store it as text", wire.Excerpt(raw))
	}
	return amountForm{unit: f.unit, decimal: '.'}.wei(strconv.FormatFloat(kept, 'f', -1, 64))
}

// inTokens is an amount of wei in the token, with all of its 18 decimals.
func inTokens(wei fmt.Stringer) string {
	digits, negative := strings.CutPrefix(wei.String(), "-")
	places := Token.places()
	digits = strings.Repeat("0", max(0, places+1-len(digits))) + digits
	sign := ""
	if negative {
		sign = "-"
	}
	return sign + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}
