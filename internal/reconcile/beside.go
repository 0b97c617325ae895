package reconcile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/jsonscan"
)

// An explorer's page shows an amount together with what it is worth: 0.0021 GLMR ($0.00048). A
// person who copies it has both in one cell.

var (
	// bracketed is an amount with another one in brackets behind it.
	bracketed = regexp.MustCompile(`^(.*[^\s(\[])\s*(?:\(([^()\[\]]*)\)|\[([^()\[\]]*)\])$`)
	// divided is an amount with a sign between it and another one.
	divided = regexp.MustCompile(`^(.*\S)\s+[/|=≈~@]\s+(\S.*)$`)
	// followed is an amount with one in a currency behind it.
	followed = regexp.MustCompile(`^(.*\pL)\s+([A-Z]{0,3}\p{Sc}\s?[0-9].*)$`)
)

// besides divides a cell that has two amounts.
func besides(text string) (outer, inner string, both bool) {
	for _, form := range []*regexp.Regexp{bracketed, divided, followed} {
		if parts := form.FindStringSubmatch(text); parts != nil {
			return parts[1], strings.TrimSpace(strings.Join(parts[2:], "")), true
		}
	}
	return "", "", false
}

// readWith reads a cell that has two amounts: the fee, and what it is worth in a currency, or the
// fee again in another unit.
func (f amountForm) readWith(text, outer, inner string) (a amount, err error) {
	wrong := func(err error) (amount, error) { return amount{}, &valueError{text, err} }
	if isWorth(outer) {
		outer, inner = inner, outer
	}
	switch {
	case isWorth(outer):
		return wrong(errCurrency)
	case isWorth(inner):
		if a, err = f.readAlone(outer); err != nil {
			return a, err
		}
		a.worth = inner
		return a, nil
	}
	a, err = f.readAlone(outer)
	if err != nil {
		return a, err
	}
	second := f
	second.unit = "" // it names its own
	b, err := second.readAlone(inner)
	switch {
	case err != nil:
		return wrong(notUnderstood(inner))
	case a.wei != b.wei:
		return wrong(fmt.Errorf("has two amounts that differ, %q and %q", jsonscan.Excerpt(outer), jsonscan.Excerpt(inner)))
	}
	return a, nil
}

// currencyCodes are those of ISO 4217 that explorers and portfolio programs show amounts in.
var currencyCodes = strings.Fields(`AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP GEL HKD HUF IDR ILS INR ISK
	JPY KES KRW KWD LKR MAD MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD UYU VND ZAR`)

var (
	// signedWorth is an amount with the sign of a currency.
	signedWorth = regexp.MustCompile(`^[~≈<>]?\s?(?:[A-Z]{0,3}\p{Sc}\s?[0-9][0-9.,' ]*|[0-9][0-9.,' ]*\p{Sc})(?:\s?([A-Z]{3}))?$`)
	// codedWorth is an amount with the code of a currency.
	codedWorth = regexp.MustCompile(`^[~≈<>]?\s?(?:([A-Z]{3})\s?[0-9][0-9.,' ]*|[0-9][0-9.,' ]*?\s?([A-Z]{3}))$`)
)

// errCurrency says that an amount is not one of the token.
var errCurrency = errors.New("is in a currency, and only fees in the token can be compared")

// isWorth reports whether a text is an amount in a currency, such as $0.00048 or 0.00048 USD.
func isWorth(text string) bool {
	plain := sameSeparators.Replace(text)
	if signedWorth.MatchString(plain) {
		return true
	}
	parts := codedWorth.FindStringSubmatch(plain)
	return parts != nil && slices.Contains(currencyCodes, parts[1]+parts[2])
}

// isNumeral finds a number, with its exponent and whatever separators it has.
var isNumeral = regexp.MustCompile(`[0-9.,'\x{2019}\x{a0}\x{202f}\x{2009}\x{2007} _]*[0-9](?:[eE][+\-\x{2212}]?[0-9]+)?[.,]?`)

// unknown returns the part of a text beside its number that is neither a unit nor a sign, "" where
// there is none.
func (f amountForm) unknown(text string) string {
	at := isNumeral.FindStringIndex(text)
	if at == nil {
		return ""
	}
	for _, part := range []string{text[:at[0]], text[at[1]:]} {
		part = strings.Trim(part, " \u00a0\u202f()+"+strings.Join(minusSigns, ""))
		if part != "" && unitNamed(part, f.symbol) == "" {
			return part
		}
	}
	return ""
}

// notUnderstood says which part of an amount is not understood.
func notUnderstood(part string) error {
	if strings.HasPrefix(part, "<") || strings.HasPrefix(part, ">") {
		return fmt.Errorf("states a bound (%q), and not an amount: export the fee with all of its digits", part[:1])
	}
	return fmt.Errorf("is not an amount: %q in it is not understood", jsonscan.Excerpt(part))
}
