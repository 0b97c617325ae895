package reconcile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
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
	wei    chain.Wei
	digits int    // to which it may have been rounded or cut; 0 where all of them are written
	binary Unit   // in which a spreadsheet keeps it as a number; "" of text
	worth  string // what stands beside it in a currency
}

var (
	// errNegative says that a fee is below 0.
	errNegative = errors.New("is negative: fees are amounts of 0 or more; --negative reads fees that are written as negative amounts")
	// errNoFee says that a row has no fee.
	errNoFee = errors.New("the fee is empty: --skip-rows passes over a row without one")
	// errRefund says that a fee is above 0, where fees are below.
	errRefund = errors.New("is not negative, and by --negative fees are: a refund is no fee, --skip-rows passes over its row")
	// errNoUnit says that nothing states what an amount counts.
	errNoUnit = errors.New("has no unit: --unit wei, --unit gwei or --unit token says what it counts")
)

// valueError says what is wrong with a value.
type valueError struct {
	value string
	err   error
}

func (e *valueError) Error() string { return fmt.Sprintf("%q %v", jsonscan.Excerpt(e.value), e.err) }

func (e *valueError) Unwrap() error { return e.err }

// read reads an amount that is written as text. It must understand all of it: the declared form
// allows one reading at most.
func (f amountForm) read(text string) (amount, error) {
	if text == "" || slices.Contains(minusSigns, text) || text == "\u2014" {
		return amount{}, errNoFee
	}
	if strings.Trim(text, "0123456789.,-") == "" { // as nearly always: nothing is beside it
		return f.readAlone(text)
	}
	if outer, inner, both := besides(text); both {
		return f.readWith(text, outer, inner)
	}
	if isWorth(text) {
		return amount{}, &valueError{text, errCurrency}
	}
	return f.readAlone(text)
}

// readAlone reads an amount with nothing beside it.
func (f amountForm) readAlone(text string) (a amount, err error) {
	wrong := func(err error) (amount, error) { return amount{}, &valueError{text, err} }
	plain, below, unit, err := f.split(text)
	if err != nil {
		return wrong(err)
	}
	own := f
	if own.unit = unit; unit == "" {
		if own.unit = f.unit; own.unit == "" {
			if rest := f.unknown(text); rest != "" {
				return wrong(notUnderstood(rest))
			}
			return wrong(errNoUnit)
		}
	} else if f.unit != "" && f.unit != unit {
		return wrong(fmt.Errorf("is in %s, and the fees are declared to be in %s", unit, f.unit))
	}
	if a, err = own.number(text, plain); err != nil {
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
	return &valueError{text, errRefund}
}

// split takes the sign and the unit from an amount: -5, 5-, (5), 0.0021 GLMR, (2100000 Gwei).
func (f amountForm) split(text string) (plain string, below bool, unit Unit, err error) {
	plain = text
	plus := false
	for range 2 { // the unit may stand inside the sign, or outside of it
		if rest, signed := unsigned(plain); signed {
			if below || plus {
				return "", false, "", f.notAnAmount(text)
			}
			plain, below = rest, true
		} else if rest, signed := strings.CutPrefix(plain, "+"); signed {
			if below || plus {
				return "", false, "", f.notAnAmount(text)
			}
			plain, plus = strings.TrimSpace(rest), true
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

// minusSigns are the characters that people and programs write for a minus sign.
var minusSigns = []string{"-", "\u2212", "\u2013", "\u2010", "\u2011", "\ufe63", "\uff0d"}

// unsigned takes off what makes a number negative, in the ways of accounting too.
func unsigned(text string) (rest string, negative bool) {
	if inner, ok := strings.CutPrefix(text, "("); ok {
		if inner, ok = strings.CutSuffix(inner, ")"); ok {
			return strings.TrimSpace(inner), true
		}
		return text, false
	}
	for _, minus := range minusSigns {
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
	a.digits, a.binary = sheetDigits, f.unit
	switch {
	case short == "":
		return a, nil
	case len(short) > mostNumber:
		return wrong(fmt.Errorf("has more than %d digits: no spreadsheet writes such numbers", mostNumber))
	case len(short)-places > mostDigits:
		return wrong(errTooMuch)
	case len(short) > sheetDigits && places <= 0 && isExact(short, -places):
		a.digits = 0
	case len(short) > sheetDigits && places > f.unit.places():
		places -= len(short) - sheetDigits
		short = rounded(short, sheetDigits)
		trimmed := strings.TrimRight(short, "0")
		places -= len(short) - len(trimmed)
		short = trimmed
	}
	switch {
	case places > f.unit.places() && f.unit == Wei:
		return wrong(errors.New("has a fraction, and wei have none: is the unit another one (--unit gwei or --unit token)?"))
	case places > f.unit.places():
		return wrong(f.unit.tooManyDecimals(places))
	}
	if a.wei, err = chain.ParseWei(short + strings.Repeat("0", f.unit.places()-places)); err != nil {
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

// rounded returns the first of more digits, rounded; one digit more where they carry.
func rounded(digits string, count int) string {
	kept := []byte(digits[:count])
	if digits[count] < '5' {
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

// isKept reports whether a number is the first digits of an amount, as when it is typed, or those
// rounded, as when it is worked out.
func isKept(number, of chain.Wei, digits int) bool {
	text := of.String()
	if len(text) <= digits {
		return number == of
	}
	zeros := strings.Repeat("0", len(text)-digits)
	shown := number.String()
	return shown == text[:digits]+zeros || shown == rounded(text, digits)+zeros
}

// isSameBinary reports whether two amounts are the same number of a unit to a spreadsheet, and to
// programs that write one: they keep numbers in binary, of 53 bits. Nothing is computed with these.
func isSameBinary(a, b chain.Wei, of Unit) bool {
	first, err := strconv.ParseFloat(inUnit(a, of), 64)
	second, err2 := strconv.ParseFloat(inUnit(b, of), 64)
	return err == nil && err2 == nil && first == second
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
			return wei, "", fmt.Errorf("%q is not an amount: want one with its unit, such as 1 Gwei, 0.000001 token or 500 wei", jsonscan.Excerpt(text))
		}
	}
	number, err := f.number(plain, strings.TrimSpace(strings.TrimSuffix(plain, name)))
	if err != nil {
		return wei, "", fmt.Errorf("%q is not an amount: want one with its unit, such as 1 Gwei, 0.000001 token or 500 wei", jsonscan.Excerpt(text))
	}
	return number.wei, symbol, nil
}

// isSymbol is what a token can be called.
var isSymbol = regexp.MustCompile(`^[A-Za-z]{2,12}$`)

// inTokens is an amount of wei in the token, with all of its 18 decimals.
func inTokens(wei fmt.Stringer) string { return inUnit(wei, Token) }

// inUnit is an amount of wei in a unit, with all of its decimals.
func inUnit(wei fmt.Stringer, of Unit) string {
	digits, negative := strings.CutPrefix(wei.String(), "-")
	places := of.places()
	digits = strings.Repeat("0", max(0, places+1-len(digits))) + digits
	sign := ""
	if negative {
		sign = "-"
	}
	return sign + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}
