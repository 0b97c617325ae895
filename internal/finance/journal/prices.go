package journal

import (
	"context"
	"maps"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// priceOf returns the price of one token at a time, if there is one.
func (r *Request) priceOf(at chain.Time) (price string, ok bool) {
	if r.Prices == nil {
		return "", false
	}
	return r.Prices.Price(r.Prices.Moment(at))
}

// valuer returns a valuer of amounts; nil without prices.
func (r *Request) valuer() *money.Valuer {
	if r.Prices == nil {
		return nil
	}
	return r.Prices.Valuer()
}

// listColumns returns the columns of the list, including those of fees in assets if there are some, and those in the
// currency if there are prices.
func (r *Request) listColumns(inAssets bool) []table.Column {
	columns := slices.Clip(listColumns)
	if inAssets {
		columns = append(columns, assetColumns...)
	}
	if r.Names != nil {
		columns = append(columns, namedColumns...)
	}
	if r.Prices == nil {
		return columns
	}
	c := r.Prices.Currency
	return append(columns,
		table.Column{Name: "fee_" + c.Suffix(), Kind: table.Fiat, Total: true, Currency: c},
		table.Column{Name: "charged_" + c.Suffix(), Kind: table.Fiat, Total: true, Currency: c})
}

// CheckPrices verifies that each payment of a list has a price, unless Partial is set. The notes describe
// the basis of amounts in the currency.
func (r *Request) CheckPrices(ctx context.Context, payments *Payments) (notes []string, err error) {
	v := r.valuer()
	if v == nil {
		return nil, nil
	}
	for p, err := range payments.All(ctx) {
		if err != nil {
			return nil, err
		}
		money.ValueKnown(v, p.Fee, p.Time)
		money.ValueKnown(v, p.Charged, p.Time)
	}
	return v.Notes(), v.Check(r.Partial)
}

// checkPrices verifies that each day or hour of the entries has a price.
func (j *Journal) checkPrices() error {
	if j.Prices == nil {
		return nil
	}
	notes, err := j.Prices.CheckMoments(slices.Sorted(maps.Keys(j.moments)), j.Partial)
	j.Notes = append(slices.Clip(j.Notes), notes...)
	return err
}

// dayPrice is the price of one token on a day.
type dayPrice struct{ day, price string }

// dayPrices returns the prices that programs store by day. Hourly prices appear only with the amounts.
func (j *Journal) dayPrices() (list []dayPrice) {
	if j.Prices == nil || j.Prices.Hourly {
		return nil
	}
	for _, m := range slices.Sorted(maps.Keys(j.moments)) {
		if price, ok := j.Prices.Price(m); ok {
			list = append(list, dayPrice{j.Prices.Name(m), price})
		}
	}
	return list
}
