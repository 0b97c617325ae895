package money

import (
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
)

// Amount is an exact amount of a currency; it is rounded only when written. The zero value is zero in any currency.
type Amount struct {
	value    decimal.Decimal
	currency Currency
	late     bool // valued at an earlier price
}

// NothingIn returns an amount of 0 in a currency.
func NothingIn(c Currency) Amount { return Amount{currency: c} }

// Currency returns the amount's currency.
func (a Amount) Currency() Currency { return a.currency }

// Add adds an amount in the same currency.
func (a Amount) Add(b Amount) Amount {
	if a.currency == "" {
		a.currency = b.currency
	}
	a.value, a.late = a.value.Add(b.value), a.late || b.late
	return a
}

// Sub subtracts an amount in the same currency.
func (a Amount) Sub(b Amount) Amount {
	b.value = b.value.Neg()
	return a.Add(b)
}

// String returns the amount with all decimals of the currency's minor units, such as 12.30, rounded half up (away from
// zero).
func (a Amount) String() string { return a.value.StringFixed(int32(a.currency.Decimals())) }

// ParseAmount reads an amount as [Amount.String] writes it.
func ParseAmount(text string, c Currency) (Amount, error) {
	value, err := decimal.NewFromString(text)
	a := Amount{value: value, currency: c}
	if err != nil || a.String() != text {
		return Amount{}, fmt.Errorf("%q is not an amount of %s", text, c)
	}
	return a, nil
}

// MarshalText returns the amount as [Amount.String] does.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Exact returns the amount with all of its decimals.
func (a Amount) Exact() string { return a.value.String() }

// Rounded returns the amount as [Amount.String] shows it.
func (a Amount) Rounded() Amount {
	a.value = a.value.Round(int32(a.currency.Decimals()))
	return a
}

// Units returns the amount in units of 10^-decimals of the currency, rounded half up. It returns an error below 0, and for
// more than a chain's amount can be.
func (a Amount) Units(decimals int) (chain.Wei, error) {
	return chain.ParseWei(a.value.Shift(int32(decimals)).Round(0).String())
}

// Sign returns the sign of the exact amount: -1, 0 or 1.
func (a Amount) Sign() int { return a.value.Sign() }

// Late reports whether the amount, or a part of it, is valued at the last known price of an earlier day or hour.
func (a Amount) Late() bool { return a.late }

// Sum adds two amounts. The sum is unknown if either amount is.
func Sum(a, b chain.Optional[Amount]) (none chain.Optional[Amount]) {
	x, known := a.Get()
	y, too := b.Get()
	if !known || !too {
		return none
	}
	return chain.Some(x.Add(y))
}
