package reconcile

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/wire"
)

// amountForm is how amounts are written.
type amountForm struct {
	unit               Unit // "" where each amount says its own
	symbol             string
	negative           bool // fees are negative
	decimal, thousands rune
}

// amount is one that was read.
type amount struct {
	wei chain.Wei
	cut bool // a spreadsheet may have cut it to its 15 digits
}

var (
	// errNegative says that a fee is below 0.
	errNegative = errors.New("is negative: fees are amounts of 0 or more; --negative reads fees that are written as negative amounts")
	// errNoUnit says that nothing tells what an amount counts.
	errNoUnit = errors.New("has no unit: --unit wei, --unit gwei or --unit token says what it counts")
)

// valueError says what is wrong with a value.
type valueError struct {
	value string
	err   error
}

func (e *valueError) Error() string { return fmt.Sprintf("%q %v", wire.Excerpt(e.value), e.err) }

func (e *valueError) Unwrap() error { return e.err }

// read reads an amount that is written as text. All of it must be understood: one
// reading of it at most is the declared one.
func (f amountForm) read(text string) (a amount, err error) {
	if text == "" {
		return a, errors.New("the fee is empty")
	}
	wrong := func(err error) (amount, error) { return amount{}, &valueError{text, err} }
	plain, below, unit, err := f.split(text)
	if err != nil {
		return wrong(err)
	}
	own := f
	if own.unit = unit; unit == "" {
		if own.unit = f.unit; own.unit == "" {
			return wrong(errNoUnit)
		}
	} else if f.unit != "" && f.unit != unit {
		return wrong(fmt.Errorf("is in %s, and the fees are declared to be in %s", unit, f.unit))
	}
	digits, cut, err := own.digits(plain)
	if err == nil {
		a.cut = cut
		a.wei, err = weiOfDigits(digits)
	}
	if err != nil {
		return wrong(err)
	}
	return a, f.signed(text, a.wei, below)
}

// signed wants the declared sign.
func (f amountForm) signed(text string, wei chain.Wei, below bool) error {
	switch {
	case wei.IsZero() || below == f.negative:
		return nil
	case below:
		return &valueError{text, errNegative}
	}
	return &valueError{text, errors.New("is not negative, and by --negative fees are: a refund is no fee, --skip-rows passes over its row")}
}

// split takes the sign and the unit from an amount: -5, 5-, (5), 0.0021 GLMR, (2100000 Gwei).
func (f amountForm) split(text string) (plain string, below bool, unit Unit, err error) {
	plain = text
	for range 2 { // the unit may stand inside the sign, or outside of it
		if rest, signed := unsigned(plain); signed {
			if below {
				return "", false, "", f.notAnAmount(text)
			}
			plain, below = rest, true
		}
		if rest, of := f.unitIn(plain); of != "" {
			if unit != "" {
				return "", false, "", f.notAnAmount(text)
			}
			plain, unit = rest, of
		}
	}
	return plain, below, unit, nil
}

// unsigned takes off what makes a number negative, in the ways of accounting too.
func unsigned(text string) (rest string, negative bool) {
	if inner, ok := strings.CutPrefix(text, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); ok {
			return strings.TrimSpace(inner), true
		}
		return text, false
	}
	for _, minus := range []string{"-", "−"} {
		if rest, ok := strings.CutPrefix(text, minus); ok {
			return strings.TrimSpace(rest), true
		}
		if rest, ok := strings.CutSuffix(text, minus); ok {
			return strings.TrimSpace(rest), true
		}
	}
	return text, false
}

// unitIn takes the unit off, which stands before the number or after it.
func (f amountForm) unitIn(text string) (rest string, unit Unit) {
	isNumeral := func(r rune) bool { return r < 'A' || r > 'z' }
	if i := strings.LastIndexFunc(text, isNumeral); i >= 0 {
		_, size := utf8.DecodeRuneInString(text[i:])
		if unit = unitNamed(text[i+size:], f.symbol); unit != "" {
			return strings.TrimSpace(text[:i+size]), unit
		}
	}
	if i := strings.IndexFunc(text, isNumeral); i > 0 {
		if unit = unitNamed(text[:i], f.symbol); unit != "" {
			return strings.TrimSpace(text[i:]), unit
		}
	}
	return text, ""
}

// unitNamed is the unit of a name in any case, "" where it names none.
func unitNamed(name, symbol string) Unit {
	for _, u := range []Unit{Wei, Gwei, Token} {
		if strings.EqualFold(name, string(u)) {
			return u
		}
	}
	if symbol != "" && strings.EqualFold(name, symbol) {
		return Token
	}
	return ""
}

// digits are a plain number in wei, and whether a spreadsheet may have cut it.
func (f amountForm) digits(text string) (digits string, cut bool, err error) {
	whole, fraction, hasFraction := strings.Cut(text, string(f.decimal))
	switch {
	case strings.ContainsAny(text, "eE") && scientific.MatchString(text):
		return "", false, errors.New("is in scientific notation, in which digits may be lost: write all of its digits")
	case hasFraction && !allDigits(fraction):
		return "", false, f.notAnAmount(text)
	}
	digits, ok := f.ungrouped(whole)
	if !ok || digits == "" && fraction == "" {
		return "", false, f.notAnAmount(text)
	}
	significant := strings.TrimLeft(digits+fraction, "0")
	cut = len(strings.TrimRight(significant, "0")) == sheetDigits
	fraction = strings.TrimRight(fraction, "0")
	places := f.unit.places()
	switch {
	case len(fraction) > places && places == 0:
		return "", false, fmt.Errorf("has a fraction, and wei have none: is the unit another one (--unit gwei or --unit token), or %q the separator of thousands (--thousands)?", f.decimal)
	case len(fraction) > places:
		return "", false, f.tooManyDecimals(len(fraction))
	}
	return digits + fraction + strings.Repeat("0", places-len(fraction)), cut, nil
}

func (f amountForm) tooManyDecimals(count int) error {
	return fmt.Errorf("has %d decimals, and an amount in %s has %d", count, f.unit, f.unit.places())
}

// weiOfDigits is a whole number of wei.
func weiOfDigits(digits string) (chain.Wei, error) {
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return chain.Wei{}, nil
	}
	if len(digits) > mostDigits {
		return chain.Wei{}, errors.New("is more than any amount on the chain")
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

// formError says that a text is not written as amounts are declared to be.
type formError struct{ message string }

func (e *formError) Error() string { return e.message }

func (f amountForm) notAnAmount(string) error {
	declared := "no separator of thousands (--thousands)"
	if f.thousands != 0 {
		declared = fmt.Sprintf("%q between thousands (--thousands)", f.thousands)
	}
	return &formError{fmt.Sprintf("is not an amount with %q before its decimals (--decimal) and %s, as is declared", f.decimal, declared)}
}

// number is how a spreadsheet writes a number.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

const (
	// sheetDigits is how many significant digits a spreadsheet keeps of a number.
	sheetDigits = 15
	// exactInteger is 2^53, where the numbers of a spreadsheet begin to skip integers.
	exactInteger = "9007199254740992"
)

// readNumber reads an amount that a spreadsheet keeps as a number, from its text. Digits
// beyond the 15th are those of a binary floating-point number: they are taken as they
// are, where wei can hold them.
func (f amountForm) readNumber(raw string) (a amount, err error) {
	wrong := func(err error) (amount, error) { return amount{}, &valueError{raw, err} }
	if !number.MatchString(raw) {
		return wrong(errors.New("is not a number"))
	}
	if f.unit == "" {
		return wrong(errNoUnit)
	}
	mantissa, below := strings.CutPrefix(raw, "-")
	exponent := 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(strings.TrimPrefix(mantissa[i+1:], "+")) // three digits
		mantissa = mantissa[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	places := len(fraction) - exponent // behind the point
	short := strings.TrimRight(digits, "0")
	places -= len(digits) - len(short)
	a.cut = true
	switch {
	case short == "":
		return a, nil
	case len(short) > mostNumber:
		return wrong(fmt.Errorf("has more than %d digits: no spreadsheet writes such numbers", mostNumber))
	case len(short)-places > mostDigits:
		return wrong(errors.New("is more than any amount on the chain"))
	case len(short) > sheetDigits && places <= 0 && isExact(short, -places):
		a.cut = false
	case len(short) > sheetDigits && places > f.unit.places():
		places -= len(short) - sheetDigits
		short = rounded(short)
		trimmed := strings.TrimRight(short, "0")
		places -= len(short) - len(trimmed)
		short = trimmed
	}
	switch {
	case places > f.unit.places() && f.unit == Wei:
		return wrong(errors.New("has a fraction, and wei have none: is the unit another one (--unit gwei or --unit token)?"))
	case places > f.unit.places():
		return wrong(f.tooManyDecimals(places))
	}
	if a.wei, err = weiOfDigits(short + strings.Repeat("0", f.unit.places()-places)); err != nil {
		return wrong(err)
	}
	return a, f.signed(raw, a.wei, below)
}

// mostNumber is more digits than a spreadsheet writes of a number.
const mostNumber = 400

// isExact tells whether a spreadsheet keeps all digits of a whole number, which so many
// zeros follow.
func isExact(digits string, zeros int) bool {
	digits += strings.Repeat("0", min(zeros, mostDigits))
	return len(digits) < len(exactInteger) || len(digits) == len(exactInteger) && digits < exactInteger
}

// rounded are the first 15 of more digits, rounded; 16 where they carry.
func rounded(digits string) string {
	kept := []byte(digits[:sheetDigits])
	if digits[sheetDigits] < '5' {
		return string(kept)
	}
	for i := len(kept) - 1; i >= 0; i-- {
		if kept[i] != '9' {
			kept[i]++
			return string(kept)
		}
		kept[i] = '0'
	}
	return "1" + string(kept)
}

// keptOf are the numbers that a spreadsheet can have kept of an amount: its first 15 digits,
// as when they are typed, or those rounded, as when a number is worked out.
func keptOf(wei chain.Wei) (cut, round string) {
	digits := wei.String()
	if len(digits) <= sheetDigits {
		return digits, digits
	}
	zeros := strings.Repeat("0", len(digits)-sheetDigits)
	return digits[:sheetDigits] + zeros, rounded(digits) + zeros
}

// isCut tells whether a number is what a spreadsheet keeps of an amount.
func isCut(number, of chain.Wei) bool {
	_, shown := keptOf(number)
	cut, round := keptOf(of)
	return shown == cut || shown == round
}

// lastDigit is the amount that the last digit of a spreadsheet's number counts; 0 where that
// is less than a wei.
func lastDigit(wei chain.Wei) chain.Wei {
	if zeros := len(wei.String()) - sheetDigits; zeros > 0 {
		unit, err := chain.ParseWei("1" + strings.Repeat("0", zeros))
		if err == nil {
			return unit
		}
	}
	return chain.Wei{}
}

// ParseTolerance reads an amount with its unit, as a person names a tolerance: 5 (wei), 1 Gwei,
// 0.000001 GLMR. The symbol is that of the token, "" where it names none.
func ParseTolerance(text string) (wei chain.Wei, symbol string, err error) {
	f := amountForm{unit: Wei, decimal: '.'}
	plain := strings.TrimSpace(text)
	name := strings.TrimLeft(plain, "0123456789.")
	if name != "" {
		symbol = strings.TrimSpace(name)
		f.unit, f.symbol = unitNamed(symbol, ""), symbol
		if f.unit != "" {
			symbol = ""
		} else if f.unit = Token; !isSymbol.MatchString(symbol) {
			return wei, "", fmt.Errorf("%q is not an amount: want one with its unit, such as 1 Gwei, 0.000001 token or 500 wei", wire.Excerpt(text))
		}
	}
	digits, _, err := f.digits(strings.TrimSpace(strings.TrimSuffix(plain, name)))
	if err == nil {
		wei, err = weiOfDigits(digits)
	}
	if err != nil {
		return wei, "", fmt.Errorf("%q is not an amount: want one with its unit, such as 1 Gwei, 0.000001 token or 500 wei", wire.Excerpt(text))
	}
	return wei, symbol, nil
}

// isSymbol is what a token can be called.
var isSymbol = regexp.MustCompile(`^[A-Za-z]{2,12}$`)

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
