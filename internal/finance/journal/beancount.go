package journal

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
)

// beancountDigits is the precision of Beancount's decimal numbers in Python. Beancount silently rounds
// longer numbers.
const beancountDigits = 28

var beancount = &program{
	account: beancountAccount, symbol: func(symbol string) string { return symbol }, check: (*writer).beancountExact, head: func(*writer) {},
	opened: "%s open %s", price: "%s price %s %s %s", entry: "\n%s * \"%s\"%s", refer: " ^%s", tag: "  %s: \"%s\"", line: "  %s  %s",
}

// beancountCapitals are the scripts whose capital letters all versions of Beancount accept at the start of an account's
// part: version 2 knows those of Unicode 5.1.
var beancountCapitals = &unicode.RangeTable{R16: []unicode.Range16{
	{'A', 'Z', 1}, {'À', 'Þ', 1}, {'Ā', 'Ɏ', 1}, {'Ά', 'Ϋ', 1}, {'Ѐ', 'Ԓ', 1}, {'Ա', 'Ֆ', 1}, {'Ḁ', 'Ẕ', 1}, {'Ạ', 'Ỹ', 1},
}, LatinOffset: 2}

// beancountAccount returns the account in Beancount's form: parts of letters with their marks, digits and hyphens that
// start with a capital letter or a digit. A part that cannot start so gets an X in front.
func beancountAccount(a Account) string {
	parts := strings.Split(string(a), ":")
	for i, part := range parts {
		name := []rune(strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
				return r
			}
			return '-'
		}, part))
		switch first := unicode.ToUpper(name[0]); {
		case unicode.IsUpper(first) && unicode.Is(beancountCapitals, first):
			name[0] = first
		case first < '0' || first > '9': // a script without capital letters, or with recent ones
			name = append([]rune("X"), name...)
		}
		parts[i] = string(name)
	}
	return strings.Join(parts, ":")
}

// beancountRoots are the root accounts of Beancount.
var beancountRoots = []string{"Assets", "Liabilities", "Equity", "Income", "Expenses"}

// checkRoots requires accounts that Beancount accepts.
func (j *Journal) checkRoots() error {
	for _, a := range slices.Sorted(maps.Keys(j.accounts)) {
		root, below, _ := strings.Cut(string(a), ":")
		if below == "" || !slices.Contains(beancountRoots, root) {
			return fmt.Errorf("the account %q is not below one of %s; rename it in the chart, such as Expenses:%s", a, strings.Join(beancountRoots, ", "), a)
		}
	}
	return nil
}

var beancountCommodity = regexp.MustCompile(`^[A-Z][A-Z0-9]*[A-Z0-9]$`)

// beancountExact verifies that Beancount accepts the symbol and that no amount, account balance or amount times
// price exceeds its precision.
func (j *writer) beancountExact() error {
	if !beancountCommodity.MatchString(j.Symbol) {
		return fmt.Errorf("the symbol %q is not valid in Beancount, which requires two or more capital letters and digits", j.Symbol)
	}
	if err := j.checkRoots(); err != nil {
		return err
	}
	sums := map[Account]chain.SignedWei{}
	add := func(a Account, amount chain.SignedWei, at chain.Time) error {
		sum, err := sums[a].Add(amount)
		sums[a] = sum
		if err == nil {
			err = fitsDigits(j.tokenNumber(sum))
		}
		if err == nil {
			err = j.fits(amount, at)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", a, err)
		}
		return nil
	}
	for _, h := range j.holdings {
		total, err := h.closing.Free.Signed().Add(h.closing.Reserved.Signed())
		err = errors.Join(err, fitsDigits(j.tokenNumber(total)),
			add(h.asset, h.opening.Free.Signed(), j.begin), add(reserved(h.asset), h.opening.Reserved.Signed(), j.begin),
			add(openingBalances, h.opening.Free.Signed().Negated(), j.begin), add(openingBalances, h.opening.Reserved.Signed().Negated(), j.begin))
		if err != nil {
			return fmt.Errorf("the balances of %s: %w", h.asset, err)
		}
	}
	for _, r := range j.receivables {
		if err := errors.Join(add(r.account, r.opening, j.begin), add(openingBalances, r.opening.Negated(), j.begin)); err != nil {
			return err
		}
	}
	return j.each(j.ctx, func(_ int, e *Entry, changes []change) (err error) {
		var debits chain.SignedWei // no order of addition gives more
		for _, c := range changes {
			if err := add(c.account, c.amount, e.time); err != nil {
				return e.of(err)
			}
			if c.amount.Sign() > 0 {
				if debits, err = debits.Add(c.amount); err != nil {
					return e.of(err)
				}
			}
		}
		if err := j.fits(debits, e.time); err != nil {
			return e.of(err)
		}
		return nil
	})
}

var errDigits = fmt.Errorf("Beancount calculates with %d digits and would round", beancountDigits)

// fits verifies that an amount and its worth are within the precision.
func (j *Journal) fits(amount chain.SignedWei, at chain.Time) error {
	n := j.tokenNumber(amount)
	price, priced := j.priceOf(at)
	if err := fitsDigits(n); err != nil || !priced {
		return err
	}
	if err := fitsDigits(n.Mul(decimal.RequireFromString(price))); err != nil {
		return fmt.Errorf("%s %s at %s %s: %w", j.Tokens(amount), j.Symbol, price, j.Prices.Currency, err)
	}
	return nil
}

func fitsDigits(n decimal.Decimal) error {
	if digits := n.NumDigits(); digits > beancountDigits {
		return fmt.Errorf("a number has %d digits: %w", digits, errDigits)
	}
	return nil
}
