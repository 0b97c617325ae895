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
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/jsonscan"
)

// amountForm describes how amounts are written.
type amountForm struct {
	unit               Unit // "" if each amount states its own
	token              console.Token
	negative           bool // fees are negative
	decimal, thousands rune
}

// amount is a parsed amount.
type amount struct {
	wei      chain.Wei
	digits   int    // significant digits that it may have been rounded or cut to; 0 if it is complete
	binary   Unit   // unit of a number stored by a spreadsheet; "" for text
	written  Unit   // unit of a text with as many digits as programs write of a binary number; "" for others
	worth    string // the amount in a currency shown beside it
	decimals int    // of an amount in the token, as written; 0 in other units
}

var (
	// errNegative reports a fee below 0.
	errNegative = errors.New("is negative; use --negative if the file writes fees as negative amounts")
	// errNoFee reports a row without a fee.
	errNoFee = errors.New("the fee is empty; use --skip-rows to skip rows without a fee")
	// errRefund reports a fee above 0 although --negative is set.
	errRefund = errors.New("is positive, but --negative expects negative fees; use --skip-rows to skip refunds")
	// errFraction reports an amount that cannot be in wei.
	errFraction = errors.New("has a fraction, but wei are whole; name the column with --map and its unit with --unit, or declare the thousands separator with --thousands")
	// errNoUnit reports an amount without a unit.
	errNoUnit = errors.New("has no unit")
)

// valueError reports what is wrong with a value.
type valueError struct {
	value string
	err   error
}

func (e *valueError) Error() string { return fmt.Sprintf("%q %v", jsonscan.Excerpt(e.value), e.err) }

func (e *valueError) Unwrap() error { return e.err }

// read parses an amount written as text. The whole text must match the declared form, which allows only one
// reading.
func (f amountForm) read(text string) (amount, error) {
	if text == "" || slices.Contains(minusSigns, text) || text == "\u2014" {
		return amount{}, errNoFee
	}
	if strings.Trim(text, "0123456789.,-") == "" { // the usual case: nothing is beside it
		return f.readPlain(text)
	}
	if outer, inner, both := splitPair(text); both {
		return f.readPair(text, outer, inner)
	}
	if isWorth(text) {
		return amount{}, &valueError{text, errCurrency}
	}
	return f.readPlain(text)
}

// useUnit says how to declare the unit: gwei are units of tokens with 18 decimals only.
func (f amountForm) useUnit() string {
	if f.token.Places() != console.TokenDecimals {
		return "use --unit wei (the smallest unit) or --unit token"
	}
	return "use --unit wei, --unit gwei or --unit token"
}

// readPlain parses an amount with nothing beside it.
func (f amountForm) readPlain(text string) (a amount, err error) {
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
			return wrong(fmt.Errorf("%w; %s", errNoUnit, f.useUnit()))
		}
	} else if _, is := unit.power(); f.unit != "" && f.unit != unit && !(is && f.unit == Token) {
		return wrong(fmt.Errorf("is in %s, but the fees are declared to be in %s", unit, f.unit))
	}
	if a, err = own.number(text, plain); err != nil {
		return wrong(err)
	}
	return a, f.signed(text, a.wei, below)
}

// signed checks the sign against the declared one.
func (f amountForm) signed(text string, wei chain.Wei, below bool) error {
	switch {
	case wei.IsZero() || below == f.negative:
		return nil
	case below:
		return &valueError{text, errNegative}
	}
	return &valueError{text, errRefund}
}

// split separates the sign and the unit from an amount: -5, 5-, (5), 0.0021 GLMR, (2100000 Gwei).
func (f amountForm) split(text string) (plain string, below bool, unit Unit, err error) {
	plain = text
	plus := false
	for range 2 { // the unit may be inside or outside the sign
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

// unsigned removes the sign of a negative number, including accounting notation.
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

// unitIn separates a unit before or after the number.
func (f amountForm) unitIn(text string) (rest string, unit Unit) {
	const digits = "0123456789"
	if i := strings.LastIndexAny(text, digits) + 1; i > 0 {
		if unit = unitNamed(strings.TrimSpace(text[i:]), f.token.Symbol); unit != "" {
			return text[:i], unit
		}
		first := strings.IndexAny(text, digits)
		if unit = unitNamed(strings.TrimSpace(text[:first]), f.token.Symbol); unit != "" {
			return text[first:], unit
		}
	}
	isNumeral := func(r rune) bool { return r < 'A' || r > 'z' }
	if i := strings.LastIndexFunc(text, isNumeral); i >= 0 {
		_, size := utf8.DecodeRuneInString(text[i:])
		if unit = unitNamed(text[i+size:], f.token.Symbol); unit != "" {
			return strings.TrimSpace(text[:i+size]), unit
		}
	}
	if i := strings.IndexFunc(text, isNumeral); i > 0 {
		if unit = unitNamed(text[:i], f.token.Symbol); unit != "" {
			return strings.TrimSpace(text[i:]), unit
		}
	}
	return text, ""
}

// unitNamed returns the unit with a name, or "". Only prefixes depend on the case.
func unitNamed(name, symbol string) Unit {
	for _, u := range units {
		if strings.EqualFold(name, string(u)) {
			return u
		}
	}
	if isPlanck(name) {
		return Wei
	}
	if symbol != "" && strings.EqualFold(name, symbol) {
		return Token
	}
	return prefixed(name, symbol)
}

// isPlanck reports whether a name is that of the smallest unit of Substrate's tokens.
func isPlanck(name string) bool {
	return strings.EqualFold(name, "planck") || strings.EqualFold(name, "plancks")
}

// number matches the numbers that a spreadsheet writes.
var number = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

const (
	// sheetDigits is how many significant digits a spreadsheet stores.
	sheetDigits = 15
	// exactInteger is 2^53, above which a spreadsheet cannot store every integer.
	exactInteger = "9007199254740992"
)

// readNumber parses an amount that a spreadsheet stores as a number. Digits beyond the 15th come from the
// binary floating-point number: they are used as they are if they fit into wei.
func (f amountForm) readNumber(raw string) (a amount, err error) {
	if f.unit == EVMWei {
		f.unit = Wei
		if a, err = f.readNumber(raw); err == nil {
			a.wei, err = fromEVM(a.wei, f.token)
		}
		return a, err
	}
	wrong := func(err error) (amount, error) { return amount{}, &valueError{raw, err} }
	if !number.MatchString(raw) {
		return wrong(errors.New("is not a number"))
	}
	if f.unit == "" {
		return wrong(fmt.Errorf("%w; %s", errNoUnit, f.useUnit()))
	}
	mantissa, below := strings.CutPrefix(raw, "-")
	exponent := 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		exponent, _ = strconv.Atoi(strings.TrimPrefix(mantissa[i+1:], "+")) // three digits
		mantissa = mantissa[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	places := len(fraction) - exponent // after the point
	short := strings.TrimRight(digits, "0")
	places -= len(digits) - len(short)
	if !f.unit.fits(f.token) {
		return wrong(errGwei)
	}
	a.digits, a.binary = sheetDigits, f.unit
	switch {
	case short == "":
		return a, nil
	case len(short) > maxNumber:
		return wrong(fmt.Errorf("has more than %d digits, which no spreadsheet writes", maxNumber))
	case len(short)-places > maxDigits:
		return wrong(errTooMuch)
	case len(short) > sheetDigits && places <= 0 && isExact(short, -places):
		a.digits = 0
	case len(short) > sheetDigits && places > f.places():
		places -= len(short) - sheetDigits
		short = rounded(short, sheetDigits)
		trimmed := strings.TrimRight(short, "0")
		places -= len(short) - len(trimmed)
		short = trimmed
	}
	if f.unit.isToken() {
		power, _ := f.unit.power()
		a.decimals = max(0, places-power)
	}
	switch {
	case places > f.places() && f.unit == Wei:
		return wrong(errFraction)
	case places > f.places():
		return wrong(f.tooManyDecimals(places))
	}
	if a.wei, err = chain.ParseWei(short + strings.Repeat("0", f.places()-places)); err != nil {
		return wrong(err)
	}
	return a, f.signed(raw, a.wei, below)
}

// maxNumber exceeds the digits that a spreadsheet writes.
const maxNumber = 400

// isExact reports whether a spreadsheet stores all digits of a whole number with that many trailing zeros.
func isExact(digits string, zeros int) bool {
	digits += strings.Repeat("0", min(zeros, maxDigits))
	return len(digits) < len(exactInteger) || len(digits) == len(exactInteger) && digits < exactInteger
}

// rounded returns the first count digits, rounded; one digit more if they carry.
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

// isKept reports whether a number equals the first digits of an amount, as when typed into a spreadsheet, or
// those digits rounded, as when computed.
func isKept(number, of chain.Wei, digits int) bool {
	text := of.String()
	if len(text) <= digits {
		return number == of
	}
	zeros := strings.Repeat("0", len(text)-digits)
	shown := number.String()
	return shown == text[:digits]+zeros || shown == rounded(text, digits)+zeros
}

// lastDigit returns the value of the last digit of a spreadsheet's number, or 0 if that is less than a wei.
func lastDigit(wei chain.Wei) chain.Wei {
	if zeros := len(wei.String()) - sheetDigits; zeros > 0 {
		unit, err := chain.ParseWei("1" + strings.Repeat("0", zeros))
		if err == nil {
			return unit
		}
	}
	return chain.Wei{}
}

// ParseTolerance parses an amount with its unit, as people write a tolerance: 5 (wei), 1 Gwei, 0.000001 GLMR.
// The symbol is the token's, or "" if none is given. Decimals are the token's; 0 stands for 18.
func ParseTolerance(text string, decimals int) (wei chain.Wei, symbol string, err error) {
	f := amountForm{unit: Wei, decimal: '.', token: console.Token{Decimals: decimals}}
	plain := strings.TrimSpace(text)
	name := strings.TrimLeft(plain, "0123456789.")
	if name != "" {
		symbol = strings.TrimSpace(name)
		f.unit, f.token.Symbol = unitNamed(symbol, ""), symbol
		if f.unit != "" {
			symbol = ""
		} else if f.unit = Token; !isSymbol.MatchString(symbol) {
			return wei, "", fmt.Errorf("%q is not an amount with a unit, such as 1 Gwei, 0.000001 token or 500 wei", jsonscan.Excerpt(text))
		}
	}
	number, err := f.number(plain, strings.TrimSpace(strings.TrimSuffix(plain, name)))
	if err != nil {
		return wei, "", fmt.Errorf("%q is not an amount with a unit, such as 1 Gwei, 0.000001 token or 500 wei", jsonscan.Excerpt(text))
	}
	return number.wei, symbol, nil
}

// ParseTotal parses a total in a token.
func ParseTotal(text string, token console.Token) (chain.Wei, error) {
	a, err := amountForm{unit: Token, decimal: '.', token: token}.read(strings.TrimSpace(text))
	return a.wei, err
}

// isSymbol matches token symbols.
var isSymbol = regexp.MustCompile(`^[A-Za-z]{2,12}$`)

// places returns the number of decimals that an amount of the form's unit can have.
func (f amountForm) places() int { return f.unit.places(f.token) }
