package journal

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// priceOf returns the price of one token at a time, if there is one.
func (s *Style) priceOf(at chain.Time) (price string, ok bool) {
	if s.Prices == nil {
		return "", false
	}
	return s.Prices.Price(s.Prices.Moment(at))
}

// valuer returns a valuer of amounts; nil without prices.
func (s *Style) valuer() *money.Valuer {
	if s.Prices == nil {
		return nil
	}
	return s.Prices.Valuer()
}

// listColumns returns the columns of the list, including those in the currency if there are prices.
func (s *Style) listColumns() []table.Column {
	columns := slices.Clip(listColumns)
	if s.Names != nil {
		columns = append(columns, namedColumns...)
	}
	if s.Prices == nil {
		return columns
	}
	c := s.Prices.Currency
	return append(columns,
		table.Column{Name: "fee_" + c.Suffix(), Kind: table.Fiat, Total: true, Currency: c},
		table.Column{Name: "charged_" + c.Suffix(), Kind: table.Fiat, Total: true, Currency: c})
}

// CheckPrices verifies that each payment of a list has a price, unless PartialPrices is set. The notes describe
// the basis of amounts in the currency.
func (s *Style) CheckPrices(ctx context.Context, payments *Payments) (notes []string, err error) {
	v := s.valuer()
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
	return v.Notes(), v.Check(s.PartialPrices)
}

// checkPrices verifies that each day or hour of the entries has a price.
func (j *Journal) checkPrices() error {
	if j.Prices == nil {
		return nil
	}
	notes, err := j.Prices.CheckMoments(j.pricedMoments(), j.PartialPrices)
	j.Notes = append(slices.Clip(j.Notes), notes...)
	return err
}

// pricedMoments returns the days or hours whose prices the entries need, in order.
func (j *Journal) pricedMoments() []money.Moment {
	list := make([]money.Moment, 0, len(j.moments)+1)
	for m := range j.moments {
		list = append(list, m)
	}
	if len(j.holdings) > 0 {
		list = append(list, j.Prices.Moment(j.begin))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// dayPrice is the price of one token on a day.
type dayPrice struct{ day, price string }

// dayPrices returns the prices that programs store by day. Hourly prices appear only with the amounts.
func (j *Journal) dayPrices() (list []dayPrice) {
	if j.Prices == nil || j.Prices.Hourly {
		return nil
	}
	for _, m := range j.pricedMoments() {
		if price, ok := j.Prices.Price(m); ok {
			list = append(list, dayPrice{j.Prices.Name(m), price})
		}
	}
	return list
}
