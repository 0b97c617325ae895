package finance

import (
	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/cmd/fees/internal/cli"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
)

// tokens is an amount in the token, and "not known" where it is not.
func tokens(amount chain.Optional[chain.Wei], symbol string) string {
	wei, ok := amount.Get()
	if !ok {
		return cli.NotKnown
	}
	return inToken(console.Tokens(wei), symbol)
}

// inToken is a number with the symbol, where that is known.
func inToken(number, symbol string) string {
	if symbol == "" {
		return console.Plain(number)
	}
	return console.Plain(number) + " " + console.Printable(symbol)
}

// pricesManual is what the manuals of the commands say of prices.
const pricesManual = `--prices FILE --fiat EUR adds what amounts were worth in a currency, each at the
price of its own day (or hour). FILE is CSV, with commas, semicolons, tabs or
bars:

  # source: Example Exchange, daily close
  date,EUR,USD
  2026-01-01,0.2315,0.2718

or date,price, or date,currency,price,source. Each price has a source. A day is
one of UTC where no line "# timezone: Europe/Berlin" says otherwise; an hour is
2026-01-01T13:00:00Z. A price that is missing is an error with the days;
--partial leaves what needs it unknown, and every sum with it. Amounts are
rounded half up (away from zero) to the currency's minor units, at the last
step: a total is the sum of exact amounts, rounded once, so that lines may
differ from it by rounding.`

// priceFlags name prices in a currency.
type priceFlags struct{ prices, fiat string }

// Add adds the flags.
func (f *priceFlags) Add(c *cobra.Command) { addPrices(c, &f.prices, &f.fiat) }

func addPrices(c *cobra.Command, file, fiat *string) {
	c.Flags().StringVar(file, "prices", "", "a CSV file of what one token cost, by day or by hour")
	c.Flags().StringVar(fiat, "fiat", "", "the currency of --prices, such as EUR")
}

// Read reads the prices; nil where none are named.
func (f *priceFlags) Read() (*money.List, error) { return app.ReadPrices(f.prices, f.fiat) }
