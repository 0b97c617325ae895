package money

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
)

// List is what one token cost in a currency, by day or by hour, as a file says it.
type List struct {
	Currency Currency
	Sources  []string       // of these prices, in the order of their names
	SHA256   string         // of the file, in hex digits
	Hourly   bool           // by hour; else by day
	Zone     *time.Location // whose days they are; hours are those of UTC
	prices   map[Moment]price
}

type price struct {
	value decimal.Decimal
	text  string // as the file has it, with a point
	line  int
}

// Moment is a day or an hour of a list: what has one price. Moments are ordered as time is.
type Moment int64

const (
	hourSeconds = 60 * 60
	daySeconds  = 24 * hourSeconds
)

// Moment is the day, or the hour, that a time is of.
func (l *List) Moment(at chain.Time) Moment {
	if l.Hourly {
		return Moment(at.Std().Unix() / hourSeconds)
	}
	return dayOf(at.Std().In(l.Zone))
}

// dayOf is the day of a date, whatever the zone.
func dayOf(date time.Time) Moment {
	year, month, day := date.Date()
	return Moment(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / daySeconds)
}

// Name is what the moment is called: 2026-01-31, or 2026-01-31T13:00Z.
func (l *List) Name(m Moment) string {
	if l.Hourly {
		return time.Unix(int64(m)*hourSeconds, 0).UTC().Format("2006-01-02T15:04Z07:00")
	}
	return time.Unix(int64(m)*daySeconds, 0).UTC().Format(time.DateOnly)
}

// Price is what one token cost, with a point before its decimals, if the list says it.
func (l *List) Price(m Moment) (string, bool) {
	p, ok := l.prices[m]
	return p.text, ok
}

// Step is what a price is of: "day" or "hour".
func (l *List) Step() string {
	if l.Hourly {
		return "hour"
	}
	return "day"
}

// Timezone is whose days or hours they are.
func (l *List) Timezone() string {
	if l.Hourly {
		return time.UTC.String()
	}
	return l.Zone.String()
}

// Source is who says what the prices are: all of them.
func (l *List) Source() string { return strings.Join(l.Sources, "; ") }

// tokenDecimals is how many decimals a token has: an amount is so many digits of wei.
const tokenDecimals = 18

// value is what an amount of wei is worth at a moment.
func (l *List) value(wei string, m Moment) (none chain.Optional[Amount]) {
	p, ok := l.prices[m]
	if !ok {
		return none
	}
	amount, err := decimal.NewFromString(wei)
	if err != nil {
		return none // no amount writes itself like that
	}
	return chain.Some(Amount{amount.Shift(-tokenDecimals).Mul(p.value), l.Currency})
}
