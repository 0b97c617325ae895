package money

import (
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"
)

// point is a price in a file.
type point struct {
	text string // a decimal number
	line int
	file *part
}

func (p point) value() decimal.Decimal { return decimal.RequireFromString(p.text) }

// series contains the prices of a pair, by day or by hour.
type series map[Moment]point

// part contains the prices of a file.
type part struct {
	*Origin
	format *format // nil for our own form
	calendar
	pairs   map[Pair]series
	sources map[Currency]map[string]bool // of our own form
	count   *int                         // of prices in all files
	left    int                          // rows that are not prices of a day
	used    bool
}

// maxPrices limits the prices in all files: those of ten years by the hour and all exchange rates of the ECB are fewer.
const maxPrices = 500_000

// add adds a price. The same day may occur again only with the same price.
func (p *part) add(pair Pair, m Moment, text string, line int) error {
	into := p.pairs[pair]
	if into == nil {
		into = series{}
		p.pairs[pair] = into
	}
	if other, twice := into[m]; twice {
		if !other.value().Equal(decimal.RequireFromString(text)) {
			return fmt.Errorf("%s has the price %s %s here, but %s on line %d", p.Name(m), text, pair.Quote, other.text, other.line)
		}
		return nil
	}
	if *p.count++; *p.count > maxPrices {
		return fmt.Errorf("more than %d prices; leave out what is not needed", maxPrices)
	}
	into[m] = point{text, line, p}
	return nil
}

// merge adds the prices of another file. The error names the first day or hour with another price.
func (s series) merge(other series, c *calendar, quote Currency) error {
	for _, m := range slices.Sorted(maps.Keys(other)) {
		p := other[m]
		if have, twice := s[m]; twice && !have.value().Equal(p.value()) {
			return fmt.Errorf("%s has the price %s %s in %s, but %s in %s; leave one of them out", c.Name(m), p.text, quote, p.file.File, have.text, have.file.File)
		}
		s[m] = p
	}
	return nil
}

// maxBack limits the age of a last known price, in days.
const maxBack = 7

// at returns the price of a moment, or the last one of at most back moments before.
func (s series) at(m Moment, back Moment) (p point, from Moment, ok bool) {
	for from = m; from >= m-back; from-- {
		if p, ok = s[from]; ok {
			return p, from, true
		}
	}
	return point{}, 0, false
}
