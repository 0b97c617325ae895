package money

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/feeledger/fees/internal/sys/dateform"
)

// format describes how a product writes its daily prices. It has no code: the header says which format a file has.
//
// Names of columns are compared in lower case, with one space for several. #3 is the third column.
type format struct {
	name    string                  // of the product, in the output
	headers []string                // columns by which it is recognised, "|" between other names; its header may be any of the first 30 lines
	first   func(row []string) bool // recognises the first row of a file without a header
	file    *regexp.Regexp          // recognises the name of a file without a header
	columns []string                // of files without a header

	date, until []string // columns of the day and of the last day with the price; the first that exists
	end         []string // columns of the time when a candle ends
	layout      string   // of days that are not written as 2026-01-31
	price       []string // columns of the price; the first that exists
	symbol      string   // column of the pair
	code        string   // column of the currency for 1 unit of base
	id          string   // column that identifies the currency
	ids         map[string]Currency
	only        map[string]string                        // columns that must have this value
	pair        func(column string) (pair Pair, ok bool) // a column for each pair; nil for one price in a row
	all         bool                                     // every column besides that of the day has a pair
	heading     bool                                     // lines without a price are before and after the rows
	base        Currency                                 // of exchange rates

	eve  bool   // a price at 00:00 is of the day that ends then, and rows at other times are left out
	day  string // what the price of a day is
	gaps string // days that never have a price
}

const closeOfDay = "the close of the day (UTC)"

// formats are the known formats. The first that fits is taken.
//
// Sources: the vendors' own pages for the files of the ECB, the Bundesbank, FRED and the Federal Reserve, for the fields of
// Kraken's and for the candles of Binance and Coinbase; for the others, the headers that several independent programs read.
// The order of Kraken's columns is not documented: see [format.plausible].
var formats = []*format{
	{
		name: "CoinGecko", headers: []string{"snapped at", "price", "market cap", "total volume"},
		date: []string{"snapped at"}, price: []string{"price"}, eve: true, day: "the price at 00:00 UTC when the day ends",
	},
	{
		name: "CoinMarketCap", headers: []string{"timeopen", "timeclose", "marketcap"},
		date: []string{"timeopen"}, price: []string{"close", "priceclose"}, day: closeOfDay,
		id: "name", ids: map[string]Currency{"2781": "USD"},
	},
	{
		name: "Binance", headers: []string{"open time", "open", "high", "low", "close", "close time"}, first: isKline,
		columns: []string{"open time", "open", "high", "low", "close", "volume", "close time", "quote volume", "count", "taker buy volume", "taker buy quote volume", "ignore"},
		date:    []string{"open time"}, end: []string{"close time"}, price: []string{"close"}, day: closeOfDay,
	},
	{
		name: "Yahoo", headers: []string{"price", "close", "high", "low", "open", "volume"}, heading: true, // as yfinance writes it
		date: []string{"#1"}, price: []string{"close"}, day: closeOfDay,
	},
	{
		name: "Yahoo", headers: []string{"date", "open", "high", "low", "close|close close price adjusted for splits.", "adj close|dividends|adj close adjusted close price adjusted for splits and dividend and/or capital gain distributions.", "volume"},
		date: []string{"date"}, price: []string{"close", "close close price adjusted for splits."}, day: closeOfDay,
	},
	{
		name: "CryptoDataDownload", headers: []string{"unix", "date", "symbol", "open", "high", "low", "close"},
		date: []string{"unix"}, price: []string{"close"}, symbol: "symbol", day: closeOfDay,
	},
	{
		name: "Kraken", headers: []string{"time", "open", "high", "low", "close", "vwap|trades", "volume"},
		file:    regexp.MustCompile(`(?i)^(?:.*kraken.*|[a-z0-9]{5,15}_1440)\.csv$`),
		columns: []string{"time", "open", "high", "low", "close", "volume", "trades"},
		date:    []string{"time"}, price: []string{"close"}, day: closeOfDay, gaps: "Kraken has none for days without trades",
	},
	{
		name: "ECB", headers: []string{"date", "usd", "jpy", "gbp", "chf"}, pair: perEuro, all: true,
		date: []string{"date"}, base: "EUR", day: referenceRate, gaps: ecbGaps,
	},
	{
		name: "ECB", headers: []string{"key", "freq", "currency", "currency denom", "time period", "obs value"}, only: map[string]string{"freq": "D", "currency denom": "EUR"},
		date: []string{"time period"}, price: []string{"obs value"}, code: "currency", base: "EUR", day: referenceRate, gaps: ecbGaps,
	},
	{
		name: "ECB", headers: []string{"date", "time period"}, pair: seriesOf(ecbSeries), heading: true,
		date: []string{"date"}, base: "EUR", day: referenceRate, gaps: ecbGaps,
	},
	{
		name: "Bundesbank", pair: seriesOf(bundesbankSeries), heading: true,
		date: []string{"#1"}, base: "EUR", day: referenceRate, gaps: ecbGaps,
	},
	{
		name: "FRED", headers: []string{"date|observation date"}, pair: seriesOf(fredSeries), heading: true,
		date: []string{"#1"}, base: "USD", day: noonRate, gaps: usGaps,
	},
	{
		name: "Federal Reserve", headers: []string{"time period"}, pair: seriesOf(h10Series), heading: true,
		date: []string{"#1"}, base: "USD", day: noonRate, gaps: usGaps,
	},
	{
		name: "HMRC", headers: []string{"currency code", "currency units per £1", "start date", "end date"},
		date: []string{"start date"}, until: []string{"end date"}, layout: "02/01/2006", price: []string{"currency units per £1"}, code: "currency code",
		base: "GBP", day: "the rate of the month",
	},
	{
		name: "daily candles", headers: []string{candleTimes, "open", "high", "low", "close"}, // such as Coinbase's
		date: strings.Split(candleTimes, "|"), price: []string{"close"}, day: closeOfDay,
	},
}

// candleTimes are the names of the column of a candle's beginning.
const candleTimes = "time|timestamp|date|datetime|unix|start|open time"

// folded returns the name of a column as it is compared: without the marks of footnotes.
func folded(name string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || r == '_' || r == '*' }), " "))
}

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
	if f.headers == nil && f.pair == nil || slices.ContainsFunc(f.headers, func(names string) bool { return place(header, strings.Split(names, "|")...) < 0 }) {
		return false
	}
	if f.pair == nil {
		return true
	}
	pairs := 0
	for i, name := range header {
		_, ok := f.pair(name)
		if ok {
			pairs++
		} else if f.all && name != "" && i != place(header, f.date...) {
			return false
		}
	}
	return pairs > 0
}

// yourColumns is the name of the format whose columns the user names.
const yourColumns = "your columns"

// mapped returns the format of files whose columns the user names: date=NAME, price=NAME, currency=NAME and date-format=FORM.
func mapped(columns []string) (*format, error) {
	if len(columns) == 0 {
		return nil, nil
	}
	f := &format{name: yourColumns, day: "the price of the day (UTC)"}
	for _, text := range columns {
		field, name, ok := strings.Cut(text, "=")
		if name = folded(name); !ok || name == "" {
			return nil, &MapError{Text: text}
		}
		switch field {
		case fieldDate:
			f.date = []string{name}
		case fieldPrice:
			f.price = []string{name}
		case fieldCurrency:
			f.code = name
		case "date-format":
			var err error
			if f.layout, err = dateform.Layout(strings.TrimSpace(text[len(field)+1:])); err != nil {
				return nil, &MapError{text, fmt.Errorf("date-format %w", err)}
			}
			continue // it names no column
		default:
			return nil, &MapError{Text: text}
		}
		f.headers = append(f.headers, name)
	}
	if f.date == nil || f.price == nil {
		return nil, &MapError{Text: strings.Join(columns, ",")}
	}
	return f, nil
}

// MapError reports columns that were named wrongly.
type MapError struct {
	Text string
	Err  error // what is wrong with a form of dates
}

func (e *MapError) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return strconv.Quote(e.Text) + " must name the columns of a price file, such as date=Day,price=Close; currency=NAME and date-format=dd/mm/yyyy are optional, and #3 is the third column"
}
