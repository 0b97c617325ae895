package finance

import (
	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/sys/plain"
)

// tokens returns an amount in the token, or "not known".
func tokens(amount chain.Optional[chain.Wei], token console.Token) string {
	wei, ok := amount.Get()
	if !ok {
		return cli.NotKnown
	}
	return inToken(token.Tokens(wei), token.Symbol)
}

// inToken returns a number with the symbol, if that is known.
func inToken(number, symbol string) string {
	if symbol == "" {
		return console.Plain(number)
	}
	return console.Plain(number) + " " + plain.Line(symbol)
}

// pricesFormat is the part of the section on prices that all manuals share.
const pricesFormat = `--prices FILES --fiat EUR adds values in a currency. Each amount is valued at
the price of its own day or hour. The daily files of CoinGecko, CoinMarketCap,
Binance, Coinbase, Kraken, Yahoo, yfinance and CryptoDataDownload are read as
they are. So are the exchange rates of the ECB (also zipped), the Bundesbank,
FRED, the Federal Reserve (H.10) and HMRC, which convert prices of the token:

  --prices glmr-usd-max.csv,eurofxref-hist.zip --fiat EUR

If neither the file nor its name states the pair, prices are of the network's
token in the currency of --fiat; or name the pair: GLMR/USD=FILE. A price is the
close of the day in UTC, or in the zone that the file states; CoinGecko's price
at 00:00 UTC is that of the day that ends then. --price-map says which columns
another file has. Your own list is CSV, separated by commas, semicolons,
tabs or pipes:

  # source: Example Exchange, daily close
  date,EUR,USD
  2026-01-01,0.2315,0.2718

Other headers: date,price and date,currency,price,source. Every price needs a
source, in a column or a "# source:" line. Days are UTC unless a line
"# timezone: Europe/Berlin" says otherwise. An hour is written
2026-01-01T13:00:00Z. Values are rounded to the currency's minor unit, half
away from zero, as the last step. A total is the rounded sum of exact values,
so the rounded lines may not add up to it.`

// pricesManual is the section of the manuals on prices.
const pricesManual = pricesFormat + `

A missing price or rate is an error; the ECB publishes none on weekends and
holidays. With --last-known, the last one of at most 7 days before is used, and
the row is marked. With --partial, the affected amounts and totals have no
value instead.`

// priceFlags select prices in a currency.
type priceFlags struct{ prices app.PricesInput }

// Add adds the flags.
func (f *priceFlags) Add(c *cobra.Command) { addPrices(c, &f.prices) }

func addPrices(c *cobra.Command, in *app.PricesInput) {
	flags := c.Flags()
	flags.StringSliceVar(&in.Files, "prices", nil, "files of token prices and exchange rates, with the pair if the file does not state it: TOKEN/USD=FILE; comma-separated or repeated")
	flags.StringVar(&in.Fiat, "fiat", "", "the currency of the values, such as EUR")
	flags.BoolVar(&in.LastKnown, "last-known", false, "where a day has no price, use the last one of at most 7 days before, and mark it")
	flags.StringSliceVar(&in.Columns, "price-map", nil, "for price files in no known format, columns by name or number: date=Day,price=#5,date-format=dd/mm/yyyy")
}

// Read reads the prices, nil if none are named.
func (f *priceFlags) Read() (*money.List, error) { return app.ReadPrices(f.prices) }
