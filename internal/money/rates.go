package money

import (
	"regexp"
	"strings"
)

// Central banks name a series of exchange rates by a code, which states both currencies.

const (
	referenceRate = "the reference rate of the day"
	ecbGaps       = "the ECB publishes none on weekends and holidays"
	noonRate      = "the rate of the day at noon in New York"
	usGaps        = "the Federal Reserve publishes none on weekends and holidays"
)

// perEuro returns the pair of a column that is named after a currency, for 1 EUR.
func perEuro(column string) (Pair, bool) {
	code := strings.ToUpper(column)
	return Pair{"EUR", Currency(code)}, isMoney(code) && code != "EUR"
}

// The codes of daily series. The groups "one" and "units" are what a rate is of: units for one.
var (
	// Source: ECB data portal, dataset EXR: frequency, currency, currency denominator, type, variation.
	ecbSeries = regexp.MustCompile(`^(?:.*\()?exr\.d\.(?P<units>[a-z]{3})\.(?P<one>eur)\.sp00\.a\)?$`)
	// Source: Bundesbank, time series BBEX3.
	bundesbankSeries = regexp.MustCompile(`^bbex3\.d\.(?P<units>[a-z]{3})\.(?P<one>eur)\.bb\.ac\.000$`)
	// Source: FRED, series of the release H.10: DEXUSEU is dollars for 1 euro, DEXJPUS yen for 1 dollar.
	fredSeries = regexp.MustCompile(`^dex(?:us(?P<one>[a-z]{2})|(?P<units>[a-z]{2})us)$`)
	// Source: Federal Reserve, data download of H.10: RXI$US is dollars for 1 unit, RXI units for 1 dollar.
	h10Series = regexp.MustCompile(`^rxi(?:\$us n\.b\.(?P<one>[a-z]{2})| n\.b\.(?P<units>[a-z]{2}))$`)
)

// places are the currencies of places in the series of the Federal Reserve. Its codes are not those of ISO 3166.
var places = map[string]Currency{
	"al": "AUD", "bz": "BRL", "ca": "CAD", "ch": "CNY", "dn": "DKK", "eu": "EUR", "hk": "HKD", "in": "INR", "ja": "JPY", "jp": "JPY", "ko": "KRW",
	"ma": "MYR", "mx": "MXN", "no": "NOK", "nz": "NZD", "sd": "SEK", "sf": "ZAR", "si": "SGD", "sl": "LKR", "sz": "CHF", "ta": "TWD", "th": "THB", "uk": "GBP",
}

// seriesOf returns the function that finds the pair of a column with a code. A code of two letters is a place; the other
// currency is then the dollar.
func seriesOf(code *regexp.Regexp) func(string) (Pair, bool) {
	return func(column string) (pair Pair, ok bool) {
		match := code.FindStringSubmatch(column)
		if match == nil {
			return Pair{}, false
		}
		currency := func(group string) Currency {
			switch text := match[code.SubexpIndex(group)]; len(text) {
			case 0:
				return "USD"
			case 2:
				return places[text]
			default:
				return Currency(strings.ToUpper(text))
			}
		}
		pair = Pair{Base: currency("one"), Quote: currency("units")}
		return pair, isMoney(string(pair.Base)) && isMoney(string(pair.Quote))
	}
}
