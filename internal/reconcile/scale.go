package reconcile

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
)

// Most fees of a file may be the chain's in another unit: a column that says Gwei and holds wei. Or they may be the chain's
// multiplied by a constant, such as a rate.

// factor is a fee divided by the chain's amount.
type factor struct {
	power int    // of ten, if the digits are the same
	times uint64 // otherwise, in units of 1/factorUnit, rounded
}

const (
	// factorUnit is the inverse of the precision of a factor: few enough digits that cut decimals do not change them.
	factorUnit     = 10_000
	factorDecimals = 4

	// minSameDigits is how many digits a cut fee must share with the chain's amount.
	minSameDigits = 4
	// minFactor is the smallest factor, in units, of which enough digits are known.
	minFactor = 100
	// nearOne is how far a factor is from 1, in units, if it is more than a rounding.
	nearOne = 10
	// maxTimes is more than the largest factor, in units.
	maxTimes = 1_000_000_000_000
	// minRows is how many fees show a factor that is not a unit's.
	minRows = 3
	// maxFactors limits the counted factors. One that most fees have is among the first.
	maxFactors = 1000
)

// scales counts the factors of a file's fees.
type scales struct {
	rows    int // with a fee and an amount that are not 0
	factors map[factor]int
	inexact map[factor]bool
}

// add counts a fee that is compared with an amount.
func (s *scales) add(fee, amount chain.Wei) {
	if fee.IsZero() || amount.IsZero() {
		return
	}
	if s.rows++; fee == amount {
		return
	}
	f, exact := factorOf(fee, amount)
	if f == (factor{}) {
		return
	}
	if s.factors == nil {
		s.factors, s.inexact = map[factor]int{}, map[factor]bool{}
	}
	if s.factors[f] > 0 || len(s.factors) < maxFactors {
		s.factors[f]++
		s.inexact[f] = s.inexact[f] || !exact
	}
}

// factorOf returns a fee divided by an amount; the zero value if that is 1 or not known well enough.
func factorOf(fee, amount chain.Wei) (f factor, exact bool) {
	own, all := fee.String(), amount.String()
	digits, of := strings.TrimRight(own, "0"), strings.TrimRight(all, "0")
	power := len(own) - len(all)
	switch {
	case digits == of:
		return factor{power: power}, true
	case len(digits) >= minSameDigits && strings.HasPrefix(of, digits):
		return factor{power: power}, false
	case len(digits) >= minSameDigits && len(digits) < len(of) && strings.TrimRight(rounded(of, len(digits)), "0") == digits:
		return factor{power: power}, false
	}
	twice, err := fee.Times(2 * factorUnit)
	if err != nil {
		return factor{}, false
	}
	n := nearest(twice, amount)
	if n < minFactor || n == maxTimes || n >= factorUnit-nearOne && n <= factorUnit+nearOne {
		return factor{}, false
	}
	even, err := amount.Times(2 * n)
	return factor{times: n}, err == nil && even == twice
}

// nearest returns the number, at most maxTimes, whose double times the amount is nearest to twice the fee: the first with
// amount × (2n + 1) > twice.
func nearest(twice, amount chain.Wei) uint64 {
	low, high := uint64(0), uint64(maxTimes)
	for low < high {
		n := (low + high) / 2
		if above, err := amount.Times(2*n + 1); err != nil || above.Cmp(twice) > 0 {
			high = n
		} else {
			low = n + 1
		}
	}
	return low
}

// most returns the factor that more than half of the fees have; false if none is.
func (s *scales) most() (of factor, found bool) {
	for f, count := range s.factors {
		if 2*count > s.rows {
			return f, true
		}
	}
	return of, false
}

// tryUnit says that most fees have the same factor, and proposes the settings that read them if it is a unit's.
func (r *Result) tryUnit(s *scales) {
	f, found := s.most()
	if !found {
		return
	}
	o := &r.Options
	unit, isUnit := o.unitBy(f)
	if !isUnit && s.factors[f] < minRows {
		return
	}
	note := fmt.Sprintf("%d of %s %s %s the chain's", s.factors[f], console.Counted(s.rows, "fee"), console.Verb(s.factors[f], "is", "are"), f.text(s.inexact[f]))
	switch {
	case isUnit:
		note += fmt.Sprintf(": the column %q looks like %s.", shownName(o.feeColumn), unit.name())
		r.Try = append(r.Try, Way{"the fees are in " + unit.name(), []Setting{{"map", string(Fee) + "=" + o.feeColumn}, {"unit", string(unit)}}})
	case f.power != 0:
		note += ". Check the unit and the separators of the export."
	default:
		note += ". Check whether the column is in another currency, or contains a surcharge."
	}
	r.Notes = append(r.Notes, note)
}

// text returns the factor for people: 10^9 times, about 1.19 times.
func (f factor) text(inexact bool) string {
	about := ""
	if inexact {
		about = "about "
	}
	if f.power != 0 {
		return fmt.Sprintf("%s10^%d times", about, f.power)
	}
	return fmt.Sprintf("%s%s times", about, console.Plain(console.Scaled(chain.NewWei(f.times), factorDecimals)))
}

// unitBy returns the unit that divides fees by a factor, compared with the unit in which they were read.
func (o *Options) unitBy(f factor) (Unit, bool) {
	read := o.fileUnit
	if f.power == 0 || read == "" {
		return "", false
	}
	for _, u := range units {
		if u.fits(o.Token()) && read.places(o.Token())-f.power == u.places(o.Token()) {
			return u, true
		}
	}
	return "", false
}

// name returns the unit's name in a sentence.
func (u Unit) name() string {
	if u == Token {
		return "the network's token"
	}
	return string(u)
}
