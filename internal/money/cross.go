package money

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A price in the wanted currency follows from a price of the token and exchange rates of the same day. A product is
// exact. A quotient is rounded once, half up, to 18 decimals, as many as a price can have in our own form.
const quotientDecimals = 18

// way is how a price is converted: × times ÷ by. An empty pair is 1.
type way struct{ token, times, by Pair }

// rates are the exchange rates of a way, by day. A series is nil where the pair is empty.
type rates struct {
	times, by series
	gaps      string // which days never have a rate, "" if not known
}

// ways returns the ways from the pairs of the token to a currency.
func ways(token, rates []Pair, to Currency) (list []way) {
	for _, pair := range token {
		if pair.Quote == to {
			return []way{{token: pair}} // no rate is needed
		}
		for _, rate := range rates {
			switch {
			case rate == Pair{pair.Quote, to}:
				list = append(list, way{token: pair, times: rate})
			case rate == Pair{to, pair.Quote}:
				list = append(list, way{token: pair, by: rate})
			case rate.Quote == pair.Quote && slices.Contains(rates, Pair{rate.Base, to}):
				list = append(list, way{token: pair, times: Pair{rate.Base, to}, by: rate})
			}
		}
	}
	return list
}

// formula describes the way, "" if it needs no rate.
func (w way) formula() string {
	if w.times == w.by {
		return ""
	}
	text := w.token.String()
	if w.times != (Pair{}) {
		text += " × " + w.times.String()
	}
	if w.by != (Pair{}) {
		text += fmt.Sprintf(" ÷ %v, rounded half up to %d decimals", w.by, quotientDecimals)
	}
	return text
}

// quotes returns the currencies of pairs.
func quotes(pairs []Pair) map[string]bool {
	codes := map[string]bool{}
	for _, pair := range pairs {
		codes[string(pair.Quote)] = true
	}
	return codes
}

// only returns the currency of the values if there is only one possibility.
func only(token, rates []Pair) (Currency, error) {
	codes := quotes(token)
	for _, pair := range rates {
		for _, code := range []Currency{pair.Base, pair.Quote} {
			if len(ways(token, rates, code)) > 0 {
				codes[string(code)] = true
			}
		}
	}
	if len(codes) != 1 {
		return "", fmt.Errorf("values can be in %s; choose one with --fiat", listed(codes))
	}
	return token[0].Quote, nil
}

// combine makes the list from the files.
func combine(parts []*part, o Options) (*List, error) {
	token, exchange, err := pairsOf(parts)
	if err != nil {
		return nil, err
	}
	if len(token) == 0 {
		return nil, errors.New("only exchange rates, and no price of the token; add a file with its prices")
	}
	l := &List{Options: o, Currency: o.Fiat}
	if l.Currency == "" {
		if l.Currency, err = only(token, exchange); err != nil {
			return nil, err
		}
	}
	found := ways(token, exchange, l.Currency)
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("it contains no prices in %s, only in %s", l.Currency, listed(quotes(token)))
	case len(found) > 1:
		return nil, fmt.Errorf("prices in %s can be calculated in %d ways, such as %s and %s; leave out the files that you do not want", l.Currency, len(found), found[0].formula(), found[1].formula())
	}
	return l, l.take(parts, found[0])
}

// take takes the prices of a way from the files.
func (l *List) take(parts []*part, w way) (err error) {
	l.Formula, l.Token = w.formula(), string(w.token.Base)
	sources := map[string]bool{}
	if l.token, err = l.series(parts, w.token, sources); err != nil {
		return err
	}
	if l.Formula != "" {
		l.rates = &rates{}
		days := &List{}
		for _, one := range []struct {
			pair Pair
			into *series
		}{{w.times, &l.rates.times}, {w.by, &l.rates.by}} {
			if one.pair == (Pair{}) {
				continue
			}
			if *one.into, err = days.series(parts, one.pair, sources); err != nil {
				return err
			}
			if days.Hourly {
				return fmt.Errorf("exchange rates %v are by hour; give those by day", one.pair)
			}
		}
		l.rates.gaps = days.gaps
	}
	var sums []string
	for _, p := range parts {
		switch {
		case p.used:
		case l.Symbol != "": // another token may need it
			continue
		default:
			return fmt.Errorf("%s contains nothing that prices in %s need; leave it out", p.File, l.Currency)
		}
		l.Files, l.left = append(l.Files, p.Origin), l.left+p.left
		sums = append(sums, p.SHA256)
		if p.format != nil {
			sources[fmt.Sprintf("%s %s (%s)", p.Format, p.Pair, p.Day)] = true
		}
	}
	l.SHA256 = strings.Join(sums, ", ")
	l.Sources = slices.Sorted(maps.Keys(sources))
	if n := len(l.Sources); n > maxSources {
		return fmt.Errorf("its prices name %d sources; at most %d are allowed", n, maxSources)
	}
	return nil
}

// series returns the prices of a pair in all files, and takes their calendar.
func (l *List) series(parts []*part, pair Pair, sources map[string]bool) (series, error) {
	all := series{}
	var first *part
	for _, p := range parts {
		found := p.pairs[pair]
		if found == nil {
			continue
		}
		if first == nil {
			first, l.calendar = p, p.calendar
		} else if p.Hourly != first.Hourly || p.Zone.String() != first.Zone.String() {
			return nil, fmt.Errorf("%s and %s differ in their days or hours, or in their time zone", first.File, p.File)
		}
		if err := all.merge(found, &l.calendar, pair.Quote); err != nil {
			return nil, err
		}
		p.used, p.Pair = true, joined(p.Pair, pair.String())
		for name := range p.sources[pair.Quote] {
			sources[name] = true
		}
		if f := p.format; f != nil && !strings.Contains(l.gaps, f.gaps) {
			l.gaps = joined(l.gaps, f.gaps)
		}
	}
	return all, nil
}

func joined(list, text string) string {
	if list == "" || text == "" {
		return list + text
	}
	return list + ", " + text
}

// at calculates the price of a day or hour, from the last known price and rates if the list may use them.
func (l *List) at(m Moment) (found price, ok bool) {
	var back, steps Moment // how many days and moments before m they may be of
	if l.LastKnown {
		back, steps = maxBack, maxBack
	}
	if l.Hourly {
		steps *= hoursPerDay
	}
	p, from, ok := l.token.at(m, steps)
	if !ok {
		return price{}, false
	}
	found = price{value: p.value(), text: p.text}
	if from != m {
		found.from = "price of " + l.Name(from)
	}
	day := m
	if l.Hourly {
		day /= hoursPerDay
	}
	if l.rates == nil {
		return found, true
	}
	days, text := calendar{}, ""
	for i, s := range []series{l.rates.times, l.rates.by} {
		if s == nil {
			continue
		}
		rate, from, ok := s.at(day, back)
		if !ok {
			return price{}, false
		}
		if earlier := "rate of " + days.Name(from); from != day && earlier != text {
			text = joined(text, earlier)
		}
		if i == 0 {
			found.value = found.value.Mul(rate.value())
		} else {
			found.value = found.value.DivRound(rate.value(), quotientDecimals)
		}
	}
	if text != "" {
		found.from = joined(found.from, text)
	}
	found.text = found.value.String()
	return found, found.value.Sign() > 0 // a quotient can be rounded to 0, and that cannot be a price
}
