package money

import (
	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
)

// Amount is an amount of a currency, exact: it is rounded when it is written. The zero value
// is nothing in any currency.
type Amount struct {
	value    decimal.Decimal
	currency Currency
}

// NothingIn is an amount of 0 in a currency.
func NothingIn(c Currency) Amount { return Amount{currency: c} }

// Currency is what the amount is in.
func (a Amount) Currency() Currency { return a.currency }

// Add adds an amount in the same currency.
func (a Amount) Add(b Amount) Amount {
	if a.currency == "" {
		a.currency = b.currency
	}
	a.value = a.value.Add(b.value)
	return a
}

// Sub takes an amount in the same currency off.
func (a Amount) Sub(b Amount) Amount {
	b.value = b.value.Neg()
	return a.Add(b)
}

// String writes the amount in the currency's minor units with all of their decimals, such as
// 12.30, rounded half up: what is just between two goes away from zero.
func (a Amount) String() string { return a.value.StringFixed(int32(a.currency.Decimals())) }

// MarshalText writes the amount as [Amount.String] does.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// Exact writes the amount with all of its decimals.
func (a Amount) Exact() string { return a.value.String() }

// Sign is -1, 0 or 1, of the exact amount.
func (a Amount) Sign() int { return a.value.Sign() }

// Sum adds two amounts. It is not known where one of them is not.
func Sum(a, b chain.Optional[Amount]) (none chain.Optional[Amount]) {
	x, known := a.Get()
	y, too := b.Get()
	if !known || !too {
		return none
	}
	return chain.Some(x.Add(y))
}
