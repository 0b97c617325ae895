package journal

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/table"
)

// priceOf is what one token cost at a time, where there is a price.
func (s *Style) priceOf(at chain.Time) (price string, ok bool) {
	if s.Prices == nil {
		return "", false
	}
	return s.Prices.Price(s.Prices.Moment(at))
}

// valuer values amounts; nil without prices.
func (s *Style) valuer() *money.Valuer {
	if s.Prices == nil {
		return nil
	}
	return s.Prices.Valuer()
}

// listColumns are those of the list, and with prices those in the currency.
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

// CheckPrices wants a price for each payment of a list, unless a part of them will do. The notes
// say what amounts in the currency rest on.
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

// checkPrices wants a price for each day, or hour, of the entries.
func (j *Journal) checkPrices() error {
	if j.Prices == nil {
		return nil
	}
	missing := &money.MissingError{Currency: j.Prices.Currency, Step: j.Prices.Step()}
	for _, m := range j.pricedMoments() {
		if _, ok := j.Prices.Price(m); !ok {
			missing.Missing = append(missing.Missing, j.Prices.Name(m))
		}
	}
	if len(missing.Missing) == 0 {
		return nil
	}
	if !j.PartialPrices {
		return missing
	}
	j.Notes = append(slices.Clip(j.Notes), "PARTIAL: "+missing.Error()+": those amounts are in the token alone")
	return nil
}

// pricedMoments are the days, or hours, whose prices the entries need, in their order.
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

// dayPrice is what one token cost on a day.
type dayPrice struct{ day, price string }

// dayPrices are the prices that programs keep by the day. Those of hours are with the amounts alone.
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
