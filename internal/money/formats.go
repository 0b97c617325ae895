package money

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// format describes how a product writes its daily prices. It has no code: the header says which format a file has.
//
// Names of columns are compared in lower case, with one space for several. #3 is the third column.
type format struct {
	name    string   // of the product, in the output
	headers []string // columns by which it is recognised; its header may be any of the first 30 lines
	file    *regexp.Regexp
	columns []string // of files without a header, which only their name can identify

	date, until []string // columns of the day and of the last day with the price; the first that exists
	layout      string   // of days that are not written as 2026-01-31
	price       []string // columns of the price; the first that exists
	symbol      string   // column of the pair
	code        string   // column of the currency for 1 unit of base
	id          string   // column that identifies the currency
	ids         map[string]Currency
	wide        bool     // a column for each currency, for 1 unit of base
	base        Currency // of exchange rates

	eve  bool   // a price at 00:00 is of the day that ends then, and rows at other times are left out
	day  string // what the price of a day is
	gaps string // days that never have a price
}

// formats are the known formats.
//
// Sources: the vendors' own pages for the ECB's file and the fields of Kraken's; for the others, the headers that
// several independent programs read. The order of Kraken's columns is not documented: see [format.plausible].
var formats = []*format{
	{
		name: "CoinGecko", headers: []string{"snapped_at", "price", "market_cap", "total_volume"},
		date: []string{"snapped_at"}, price: []string{"price"}, eve: true, day: "the price at 00:00 UTC when the day ends",
	},
	{
		name: "CoinMarketCap", headers: []string{"timeopen", "timeclose", "marketcap"},
		date: []string{"timeopen"}, price: []string{"close", "priceclose"}, day: "the close of the day (UTC)",
		id: "name", ids: map[string]Currency{"2781": "USD"},
	},
	{
		name: "Yahoo", headers: []string{"date", "open", "high", "low", "close", "adj close", "volume"},
		date: []string{"date"}, price: []string{"close"}, day: "the close of the day (UTC)",
	},
	{
		name: "CryptoDataDownload", headers: []string{"unix", "date", "symbol", "open", "high", "low", "close"},
		date: []string{"unix"}, price: []string{"close"}, symbol: "symbol", day: "the close of the day (UTC)",
	},
	{
		name: "Kraken", file: regexp.MustCompile(`(?i)^(?:.*kraken.*|[a-z0-9]{5,15}_1440)\.csv$`),
		columns: []string{"time", "open", "high", "low", "close", "volume", "trades"},
		date:    []string{"time"}, price: []string{"close"}, day: "the close of the day (UTC)", gaps: "Kraken has none for days without trades",
	},
	{
		name: "ECB", headers: []string{"date", "usd", "jpy", "gbp", "chf"},
		date: []string{"date"}, wide: true, base: "EUR", day: "the reference rate of the day", gaps: "the ECB publishes none on weekends and holidays",
	},
	{
		name: "HMRC", headers: []string{"currency code", "currency units per £1", "start date", "end date"},
		date: []string{"start date"}, until: []string{"end date"}, layout: "02/01/2006", price: []string{"currency units per £1"}, code: "currency code",
		base: "GBP", day: "the rate of the month",
	},
}

// folded returns the name of a column as it is compared.
func folded(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// place returns the index of the first of the named columns in a folded header, or -1.
func place(header []string, names ...string) int {
	for _, name := range names {
		if i := slices.Index(header, name); i >= 0 {
			return i
		}
		if number, ok := strings.CutPrefix(name, "#"); ok {
			if n, err := strconv.Atoi(number); err == nil && n >= 1 && n <= len(header) {
				return n - 1
			}
		}
	}
	return -1
}

// fits reports whether a folded header is the format's.
func (f *format) fits(header []string) bool {
	if f.headers == nil || slices.ContainsFunc(f.headers, func(name string) bool { return place(header, name) < 0 }) {
		return false
	}
	if !f.wide {
		return true
	}
	return !slices.ContainsFunc(header, func(name string) bool {
		code := strings.ToUpper(name)
		return name != "" && name != f.date[0] && (!isMoney(code) || code == string(f.base))
	})
}

// mapped returns the format of files whose columns the user names: date=NAME, price=NAME and currency=NAME.
func mapped(columns []string) (*format, error) {
	if len(columns) == 0 {
		return nil, nil
	}
	f := &format{name: "your columns", day: "the price of the day (UTC)"}
	for _, text := range columns {
		field, name, ok := strings.Cut(text, "=")
		if name = folded(name); !ok || name == "" {
			return nil, &MapError{text}
		}
		switch field {
		case fieldDate:
			f.date = []string{name}
		case fieldPrice:
			f.price = []string{name}
		case fieldCurrency:
			f.code = name
		default:
			return nil, &MapError{text}
		}
		f.headers = append(f.headers, name)
	}
	if f.date == nil || f.price == nil {
		return nil, &MapError{strings.Join(columns, ",")}
	}
	return f, nil
}

// MapError reports columns that were named wrongly.
type MapError struct{ Text string }

func (e *MapError) Error() string {
	return strconv.Quote(e.Text) + " must name the columns of a price file, such as date=Day,price=Close; currency=NAME is optional, and #3 is the third column"
}
