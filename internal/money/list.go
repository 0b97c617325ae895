package money

import (
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// List contains the prices of one token in a currency, by day or by hour, from one or more files.
type List struct {
	Currency Currency
	Token    string        // the symbol, if a file names it
	Unit     console.Token // of the amounts
	Sources  []string      // of these prices, sorted
	Files    []*Origin
	Formula  string // how a price follows from two files, "" if it is in one
	SHA256   string // of the files, in hex digits, separated by ", "
	Options         // as asked
	calendar
	token series // in the currency, or in the one that rates convert
	rates *rates // nil for none
	gaps  string // which days never have a price, "" if not known
	left  int    // rows that are not prices of a day
}

// calendar says which days or hours prices are of.
type calendar struct {
	Hourly bool           // prices by hour, otherwise by day
	Zone   *time.Location // time zone of the days; hours are UTC
}

type price struct {
	value decimal.Decimal
	text  string // as in the file, with a decimal point
	from  string // the earlier day that it is of, "" for its own
}

// Moment identifies the day or the hour of a price. Moments are ordered by time.
type Moment int64

const (
	hourSeconds = 60 * 60
	hoursPerDay = 24
	daySeconds  = hoursPerDay * hourSeconds
)

// Moment returns the day or the hour of a time.
func (l *calendar) Moment(at chain.Time) Moment {
	if l.Hourly {
		return Moment(at.Std().Unix() / hourSeconds)
	}
	return dayOf(at.Std().In(l.Zone))
}

// dayOf returns the day of a date, in any zone.
func dayOf(date time.Time) Moment {
	year, month, day := date.Date()
	return Moment(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / daySeconds)
}

// Name returns the moment as text: 2026-01-31, or 2026-01-31T13:00Z.
func (l *calendar) Name(m Moment) string {
	if l.Hourly {
		return time.Unix(int64(m)*hourSeconds, 0).UTC().Format("2006-01-02T15:04Z07:00")
	}
	return time.Unix(int64(m)*daySeconds, 0).UTC().Format(time.DateOnly)
}

// Price returns the price of one token, with a decimal point, if the list contains it.
func (l *List) Price(m Moment) (string, bool) {
	p, ok := l.at(m)
	return p.text, ok
}

// Step returns the interval of the prices: "day" or "hour".
func (l *calendar) Step() string {
	if l.Hourly {
		return "hour"
	}
	return "day"
}

// Timezone returns the time zone of the days or hours.
func (l *calendar) Timezone() string {
	if l.Hourly {
		return time.UTC.String()
	}
	return l.Zone.String()
}

// Source returns all sources of the prices.
func (l *List) Source() string { return strings.Join(l.Sources, "; ") }

// worth returns the value of an amount of wei at a price.
func (l *List) worth(wei string, p *price) (none chain.Optional[Amount]) {
	amount, err := decimal.NewFromString(wei)
	if err != nil {
		return none // cannot happen: amounts are decimal numbers
	}
	return chain.Some(Amount{amount.Shift(-int32(l.Unit.Places())).Mul(p.value), l.Currency, p.from != ""})
}
