package money

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Currency is a currency code, such as EUR.
type Currency string

var currencyForm = regexp.MustCompile(`^[A-Z]{3,5}$`)

// unitCodes are not currencies, because column names end with them.
var unitCodes = []string{"WEI", "TOKEN"}

// ParseCurrency parses a currency code.
func ParseCurrency(text string) (Currency, error) {
	if !currencyForm.MatchString(text) || slices.Contains(unitCodes, text) {
		return "", fmt.Errorf("currency %q must be 3 to 5 capital letters, such as EUR", text)
	}
	return Currency(text), nil
}

// defaultDecimals is the number of decimals of most currencies.
const defaultDecimals = 2

// otherDecimals are the exceptions.
//
// Source: ISO 4217, list one, minor units of the currencies in use.
var otherDecimals = map[Currency]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0,
	"UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
	"CLF": 4, "UYW": 4,
}

// Decimals returns the number of decimals of the minor units: 2 unless ISO 4217 says otherwise.
func (c Currency) Decimals() int {
	if n, ok := otherDecimals[c]; ok {
		return n
	}
	return defaultDecimals
}

// Suffix returns the suffix of column names in the currency, such as eur.
func (c Currency) Suffix() string { return strings.ToLower(string(c)) }
