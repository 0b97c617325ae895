package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// A record may state its fees in a currency only. Each is then compared with the value of the charge at the price of its
// day or hour: values, not amounts, within a minor unit of the currency.

// valueDecimals is the precision of values: an amount of 1 is 10^-18 of the currency.
const valueDecimals = console.TokenDecimals

// InCurrency returns the options that read and compare a record in the currency of the prices.
func (o Options) InCurrency() Options {
	o.Values, o.Symbol, o.Decimals = true, string(o.Prices.Currency), valueDecimals
	if o.Tolerance.IsZero() {
		o.Tolerance = o.unitAfter(o.Prices.Currency.Decimals())
	}
	return o
}

// IsInCurrency reports whether a record could not be read because its fees are in a currency.
func IsInCurrency(err error, c money.Currency) bool {
	var other *errOtherAsset
	return errors.As(err, &other) && slices.ContainsFunc(other.assets, func(asset string) bool { return strings.EqualFold(asset, string(c)) })
}

// IsAllIn reports whether each fee of a file is in a currency, and was left out.
func (f *File) IsAllIn(c money.Currency) bool { return f.otherAsset == string(c) }

// valuesNote says what is compared.
func (o *Options) valuesNote() string {
	return fmt.Sprintf("Values in %s were compared, not amounts of the token: each row with the charge at the price of its %s, within %s. A wrong amount with the same value is not found.",
		o.Symbol, o.Prices.Step(), o.shown(o.Tolerance))
}

// shown returns an amount for people: in the smallest unit, or a value with its currency.
func (o *Options) shown(amount chain.Wei) string {
	if o.Values {
		return console.Plain(o.Token().Tokens(amount)) + " " + o.Symbol
	}
	return amount.String() + " " + o.Token().Unit()
}

// paid returns what was paid for a transaction: the amount, or its value. The value is unknown without a price.
func (r *Result) paid(t *ledger.Transaction) (none chain.Optional[chain.Wei]) {
	if !r.Options.Values {
		return t.Paid()
	}
	value, known := money.ValueKnown(r.prices, t.Paid(), t.Time).Get()
	if !known {
		return none
	}
	units, err := value.Units(valueDecimals)
	if err != nil {
		return none
	}
	return chain.Some(units)
}
