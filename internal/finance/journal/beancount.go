package journal

import (
	"cmp"
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

// beancountAccount returns the account in Beancount's form: parts of letters with their marks, digits and hyphens that
// start with a capital letter or a digit.
func beancountAccount(a Account) string {
	parts := strings.Split(string(a), ":")
	for i, part := range parts {
		name := []rune(strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsMark(r) || r >= '0' && r <= '9' {
				return r
			}
			return '-'
		}, part))
		name[0] = unicode.ToUpper(name[0])
		if !unicode.IsUpper(name[0]) && !unicode.IsDigit(name[0]) { // a script without capital letters
			name = append([]rune("X"), name...)
		}
		parts[i] = string(name)
	}
	return strings.Join(parts, ":")
}

var beancountCommodity = regexp.MustCompile(`^[A-Z][A-Z0-9]*[A-Z0-9]$`)

// beancountExact verifies that Beancount accepts the symbol and that no amount, account balance or amount times
// price exceeds its precision.
func (j *Journal) beancountExact() error {
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
	return j.each(func(_ int, e *entry) error {
		var given []chain.SignedWei
		for _, p := range e.postings {
			if err := add(p.account, p.amount, e.time); err != nil {
				return e.of(err)
			}
			if p.amount.Sign() > 0 {
				given = append(given, p.amount)
			}
		}
		if err := j.fitTogether(given, e.time); err != nil {
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

// fitTogether verifies that the sum of an entry is within the precision in any order of addition.
func (j *Journal) fitTogether(amounts []chain.SignedWei, at chain.Time) error {
	var sum chain.SignedWei
	var err error
	for _, a := range amounts {
		if sum, err = sum.Add(a); err != nil {
			return err
		}
	}
	return j.fits(sum, at)
}

func fitsDigits(n decimal.Decimal) error {
	if digits := n.NumDigits(); digits > beancountDigits {
		return fmt.Errorf("a number has %d digits: %w", digits, errDigits)
	}
	return nil
}

func (w *writer) beancount() error {
	opens, err := w.opens()
	if err != nil {
		return err
	}
	w.comment()
	day := cmp.Or(w.started(), "1970-01-01") // for a journal without entries
	for _, a := range opens {
		w.line("%s open %s", day, w.named[a])
	}
	if list := w.dayPrices(); len(list) > 0 {
		w.line("")
		for _, p := range list {
			w.line("%s price %s %s %s", p.day, w.Symbol, p.price, w.Prices.Currency)
		}
	}
	for i := range w.holdings {
		w.beancountOpening(&w.holdings[i])
	}
	err = w.each(func(_ int, e *entry) error {
		link := ""
		if e.code != "" {
			link = " ^" + e.code
		}
		day := w.day(e.time)
		w.line("\n%s * \"%s\"%s", day, e.description, link)
		seen := map[string]int{}
		for _, tag := range e.tags() {
			key := tag[0]
			if seen[key]++; seen[key] > 1 { // Beancount allows a key once
				key = fmt.Sprintf("%s%d", key, seen[key])
			}
			w.line("  %s: \"%s\"", key, tag[1])
		}
		for _, p := range e.postings {
			w.line("  %s  %s %s%s", w.named[p.account], w.Tokens(p.amount), w.Symbol, w.priced(e.time))
		}
		return w.err
	})
	if len(w.holdings) > 0 {
		w.line("")
	}
	for i := range w.holdings {
		w.beancountBalance(w.ended(), &w.holdings[i], w.holdings[i].closing)
	}
	return err
}

// opens returns the accounts that the journal opens. Beancount requires each to be opened once across all
// included files. The first journal therefore also opens the accounts that the ledger used before it, and a
// continuing one opens only those that the ledger never used before.
func (w *writer) opens() ([]Account, error) {
	if w.Alone {
		return w.used(), nil
	}
	before, err := w.before()
	if err != nil {
		return nil, err
	}
	all := maps.Clone(before)
	for _, a := range w.used() {
		all[a] = true
	}
	if err := w.nameAccounts(slices.Sorted(maps.Keys(all))); err != nil {
		return nil, err
	}
	if w.Continues {
		for _, h := range w.holdings { // the first journal has opened these in any case
			before[h.asset] = true
			if !h.opening.Reserved.IsZero() {
				before[reserved(h.asset)] = true
			}
		}
		maps.DeleteFunc(all, func(a Account, _ bool) bool { return before[a] })
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// beancountOpening enters an account's opening balance, or asserts it if the journal continues
// another one.
func (w *writer) beancountOpening(h *holding) {
	day := w.day(w.begin)
	w.line("")
	if w.Continues {
		w.beancountBalance(day, h, h.opening)
		return
	}
	w.line("%s * \"balance of %s after block %d\"", day, w.named[h.asset], h.height)
	enter := func(a Account, amount chain.Wei) {
		w.line("  %s  %s %s%s", w.named[a], w.Tokens(amount.Signed()), w.Symbol, w.priced(w.begin))
		w.line("  %s  %s %s%s", w.named[openingBalances], w.Tokens(amount.Signed().Negated()), w.Symbol, w.priced(w.begin))
	}
	enter(h.asset, h.opening.Free)
	if h.held {
		enter(reserved(h.asset), h.opening.Reserved)
	}
}

// beancountBalance asserts an account's balance at the start of a day. Beancount includes the accounts
// below it.
func (w *writer) beancountBalance(day string, h *holding, b chain.Balance) {
	all, _ := b.Free.Signed().Add(b.Reserved.Signed()) // beancountExact has checked the sum
	w.line("%s balance %s  %s ~ 0 %s", day, w.named[h.asset], w.Tokens(all), w.Symbol)
	if h.held {
		w.line("%s balance %s  %s ~ 0 %s", day, w.named[reserved(h.asset)], w.Tokens(b.Reserved.Signed()), w.Symbol)
	}
}
