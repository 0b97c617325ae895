package money

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Currency is the code of a currency, such as EUR.
type Currency string

var currencyForm = regexp.MustCompile(`^[A-Z]{3,5}$`)

// unitCodes are no currencies: columns end in them.
var unitCodes = []string{"WEI", "TOKEN"}

// ParseCurrency reads the code of a currency.
func ParseCurrency(text string) (Currency, error) {
	if !currencyForm.MatchString(text) || slices.Contains(unitCodes, text) {
		return "", fmt.Errorf("currency %q: want 3 to 5 capital letters, such as EUR", text)
	}
	return Currency(text), nil
}

// defaultDecimals is how many decimals the minor units of most currencies have.
const defaultDecimals = 2

// otherDecimals are those of the others.
//
// Source: ISO 4217, list one, minor units of the currencies in use.
var otherDecimals = map[Currency]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0,
	"UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
	"CLF": 4, "UYW": 4,
}

// Decimals is how many decimals its minor units have: 2 where ISO 4217 does not say otherwise.
func (c Currency) Decimals() int {
	if n, ok := otherDecimals[c]; ok {
		return n
	}
	return defaultDecimals
}

// Suffix is what the name of a column in the currency ends with, such as eur.
func (c Currency) Suffix() string { return strings.ToLower(string(c)) }
