package reconcile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/jsonscan"
)

// Block explorers show an amount with its value: 0.0021 GLMR ($0.00048). Copying it puts both into one cell.

var (
	// bracketed matches an amount followed by another one in brackets.
	bracketed = regexp.MustCompile(`^(.*[^\s(\[])\s*(?:\(([^()\[\]]*)\)|\[([^()\[\]]*)\])$`)
	// divided matches two amounts with a separator between them.
	divided = regexp.MustCompile(`^(.*\S)\s+[/|=≈~@]\s+(\S.*)$`)
	// followed matches an amount followed by one in a currency.
	followed = regexp.MustCompile(`^(.*\pL)\s+([A-Z]{0,3}\p{Sc}\s?[0-9].*)$`)
)

// splitPair splits a cell that contains two amounts.
func splitPair(text string) (outer, inner string, both bool) {
	for _, form := range []*regexp.Regexp{bracketed, divided, followed} {
		if parts := form.FindStringSubmatch(text); parts != nil {
			return parts[1], strings.TrimSpace(strings.Join(parts[2:], "")), true
		}
	}
	return "", "", false
}

// readPair parses a cell with two amounts: the fee, and its value in a currency or the same fee in another unit.
func (f amountForm) readPair(text, outer, inner string) (a amount, err error) {
	wrong := func(err error) (amount, error) { return amount{}, &valueError{text, err} }
	if isWorth(outer) {
		outer, inner = inner, outer
	}
	switch {
	case isWorth(outer):
		return wrong(errCurrency)
	case isWorth(inner):
		if a, err = f.readPlain(outer); err != nil {
			return a, err
		}
		a.worth = inner
		return a, nil
	}
	a, err = f.readPlain(outer)
	if err != nil {
		return a, err
	}
	second := f
	second.unit = "" // it states its own
	b, err := second.readPlain(inner)
	switch {
	case err != nil:
		return wrong(notUnderstood(inner))
	case a.wei != b.wei:
		return wrong(fmt.Errorf("contains two different amounts, %q and %q", jsonscan.Excerpt(outer), jsonscan.Excerpt(inner)))
	}
	return a, nil
}

// currencyCodes are the ISO 4217 codes that explorers and portfolio programs use.
var currencyCodes = strings.Fields(`AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP GEL HKD HUF IDR ILS INR ISK
	JPY KES KRW KWD LKR MAD MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD UYU VND ZAR`)

var (
	// signedWorth matches an amount with a currency sign.
	signedWorth = regexp.MustCompile(`^[~≈<>]?\s?(?:[A-Z]{0,3}\p{Sc}\s?[0-9][0-9.,' ]*|[0-9][0-9.,' ]*\p{Sc})(?:\s?([A-Z]{3}))?$`)
	// codedWorth matches an amount with a currency code.
	codedWorth = regexp.MustCompile(`^[~≈<>]?\s?(?:([A-Z]{3})\s?[0-9][0-9.,' ]*|[0-9][0-9.,' ]*?\s?([A-Z]{3}))$`)
)

// errCurrency reports an amount in a currency.
var errCurrency = errors.New("is in a currency; only fees in the token can be compared")

// isWorth reports whether a text is an amount in a currency, such as $0.00048 or 0.00048 USD.
func isWorth(text string) bool {
	plain := sameSeparators.Replace(text)
	if signedWorth.MatchString(plain) {
		return true
	}
	parts := codedWorth.FindStringSubmatch(plain)
	return parts != nil && slices.Contains(currencyCodes, parts[1]+parts[2])
}

// isNumeral finds a number, with its exponent and any separators.
var isNumeral = regexp.MustCompile(`[0-9.,'\x{2019}\x{a0}\x{202f}\x{2009}\x{2007} _]*[0-9](?:[eE][+\-\x{2212}]?[0-9]+)?[.,]?`)

// unknown returns the part of a text beside its number that is neither a unit nor a sign, or "".
func (f amountForm) unknown(text string) string {
	at := isNumeral.FindStringIndex(text)
	if at == nil {
		return ""
	}
	for _, part := range []string{text[:at[0]], text[at[1]:]} {
		part = strings.Trim(part, " \u00a0\u202f()+"+strings.Join(minusSigns, ""))
		if part != "" && unitNamed(part, f.token.Symbol) == "" {
			return part
		}
	}
	return ""
}

// notUnderstood returns the error for an unrecognised part of an amount.
func notUnderstood(part string) error {
	if strings.HasPrefix(part, "<") || strings.HasPrefix(part, ">") {
		return fmt.Errorf("states a bound (%q) instead of an amount; export fees with all digits", part[:1])
	}
	return fmt.Errorf("is not an amount; %q is not recognised", jsonscan.Excerpt(part))
}
