package money

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/sys/plain"
)

// Valuer values amounts with a list, and notes missing days or hours.
type Valuer struct {
	*List
	prices  map[Moment]*price // those needed so far, nil if missing
	untimed uint64            // amounts with an unknown payment time
}

// Valuer returns a new Valuer for the list.
func (l *List) Valuer() *Valuer { return &Valuer{List: l, prices: map[Moment]*price{}} }

// Wei is an amount of the network's token.
type Wei interface {
	chain.Wei | chain.SignedWei
	String() string
}

// Value returns the value of an amount when it was paid. It is unknown if the price or the time is missing. An amount of
// 0 has the value 0 without a price.
func Value[W Wei](v *Valuer, amount W, at chain.Optional[chain.Time]) (none chain.Optional[Amount]) {
	text := amount.String()
	if text == "0" {
		return chain.Some(NothingIn(v.Currency))
	}
	t, ok := at.Get()
	if !ok {
		v.untimed++
		return none
	}
	if p := v.need(v.Moment(t)); p != nil {
		return v.worth(text, p)
	}
	return none
}

// need returns the price of a day or hour, nil if it is missing, and notes it.
func (v *Valuer) need(m Moment) *price {
	p, noted := v.prices[m]
	if !noted {
		if found, ok := v.at(m); ok {
			p = &found
		}
		v.prices[m] = p
	}
	return p
}

// ValueKnown values an optional amount.
func ValueKnown[W Wei](v *Valuer, amount chain.Optional[W], at chain.Optional[chain.Time]) (none chain.Optional[Amount]) {
	known, ok := amount.Get()
	if !ok {
		return none
	}
	return Value(v, known, at)
}

// Missing returns the days or hours without a price so far.
func (v *Valuer) Missing() []string {
	var names []string
	for _, m := range v.missing() {
		names = append(names, v.Name(m))
	}
	return names
}

func (v *Valuer) missing() (list []Moment) {
	for m, p := range v.prices {
		if p == nil {
			list = append(list, m)
		}
	}
	slices.Sort(list)
	return list
}

// Late is a day or hour that has no price.
type Late struct {
	Day  string `json:"day"`
	From string `json:"from"` // the price or rate that was used, such as "rate of 2026-01-30"
}

// Late returns the days or hours so far that were valued at the last known price.
func (v *Valuer) Late() []Late {
	list := []Late{}
	for _, m := range slices.Sorted(maps.Keys(v.prices)) {
		if p := v.prices[m]; p != nil && p.from != "" {
			list = append(list, Late{v.Name(m), p.from})
		}
	}
	return list
}

// lateNote describes them; "" if there are none.
func (v *Valuer) lateNote() string {
	var names []string
	for _, l := range v.Late() {
		names = append(names, l.Day+" ("+l.From+")")
	}
	if len(names) == 0 {
		return ""
	}
	count := console.Counted(len(names), v.Step())
	if len(names) > maxLate {
		names = append(names[:maxLate], fmt.Sprintf("and %d more", len(names)-maxLate))
	}
	return "LAST KNOWN PRICE: " + count + " without a price: " + strings.Join(names, ", ")
}

// maxLate limits the days or hours in a note: a quarter has fewer days.
const maxLate = 100

// Check returns a [MissingError] if a price was missing, unless partial results are allowed.
func (v *Valuer) Check(partial bool) error {
	if partial || len(v.missing()) == 0 {
		return nil
	}
	return v.lacking()
}

func (v *Valuer) lacking() *MissingError {
	e := &MissingError{Currency: v.Currency, Step: v.Step(), Missing: v.Missing()}
	for _, m := range v.missing() {
		if _, priced := v.token[m]; priced {
			e.Rates++
		}
	}
	if len(e.Missing) > e.Rates {
		e.Gaps = v.gaps
	}
	if e.Rates > 0 {
		e.Gaps = joined(e.Gaps, v.rates.gaps)
	}
	return e
}

// CheckMoments is [Valuer.Check] for days or hours whose prices are used elsewhere. The notes describe what is unknown
// and what was valued at an earlier price.
func (l *List) CheckMoments(needed []Moment, partial bool) (notes []string, err error) {
	v := l.Valuer()
	for _, m := range needed {
		v.need(m)
	}
	if len(v.missing()) > 0 {
		notes = append(notes, "Not valued: "+v.lacking().Error()+". Those amounts are in the token only")
	}
	if late := v.lateNote(); late != "" {
		notes = append(notes, late)
	}
	return notes, v.Check(partial)
}

// MissingError reports days or hours that need a price but have none.
type MissingError struct {
	Currency Currency
	Step     string // day or hour
	Missing  []string
	Rates    int    // how many of them have a price, but no exchange rate
	Gaps     string // which days never have a price or a rate, "" if not known
}

// maxNamed limits the days or hours that are listed.
const maxNamed = 10

// Kind is [failure.NotUnderstood].
func (*MissingError) Kind() failure.Kind { return failure.NotUnderstood }

func (e *MissingError) Error() string {
	text := "no price in " + string(e.Currency) + " for " + e.list()
	if e.Rates > 0 {
		text += fmt.Sprintf(" (%d of them %s a price but no exchange rate)", e.Rates, console.Verb(e.Rates, "has", "have"))
	}
	if e.Gaps != "" {
		text += "; " + e.Gaps
	}
	return text
}

// list counts them, and lists the first.
func (e *MissingError) list() string {
	named, more := e.Missing, ""
	if n := len(named) - maxNamed; n > 0 {
		named, more = named[:maxNamed], fmt.Sprintf(", and %d more", n)
	}
	return console.Counted(len(e.Missing), e.Step) + ": " + strings.Join(named, ", ") + more
}

// OfBalances describes, for people, which prices of the balances at the ends of a period are missing, or of an earlier day.
func (v *Valuer) OfBalances() (notes []string) {
	if missing := v.Missing(); len(missing) > 0 {
		notes = append(notes, fmt.Sprintf("no price in %s for %s: the value of that balance, and the valuation difference, are unknown", v.Currency, strings.Join(missing, ", ")))
	}
	if late := v.lateNote(); late != "" {
		notes = append(notes, "balances, "+late)
	}
	return notes
}

// Sourced describes, for people, where the prices are from and which are of an earlier day.
func (v *Valuer) Sourced() []string {
	notes := v.List.Notes()[:1]
	if late := v.lateNote(); late != "" {
		notes = append(notes, late)
	}
	return notes
}

// Notes describe, for people, how amounts were valued and what is unknown.
func (v *Valuer) Notes() []string {
	notes := v.List.Notes()
	if len(v.missing()) > 0 {
		notes = append(notes, "Not valued: no price in "+string(v.Currency)+" for "+v.lacking().list()+"; amounts that need it are unknown")
	}
	if late := v.lateNote(); late != "" {
		notes = append(notes, late)
	}
	if v.untimed > 0 {
		notes = append(notes, fmt.Sprintf("%d amounts have an unknown payment time, so their value in %s is unknown", v.untimed, v.Currency))
	}
	return notes
}

// Notes describe, for people, how amounts are valued.
func (l *List) Notes() []string {
	source := l.Source()
	if l.Formula != "" {
		source += "; " + l.Formula
	}
	notes := []string{
		fmt.Sprintf("%s: each amount at the price of its %s (%s), source: %s; SHA-256 of %s", l.Currency, l.Step(), l.Timezone(), source, l.Sums()),
		fmt.Sprintf("%s amounts are rounded half up to %d decimals; a total is the rounded sum of exact amounts, so it can differ from the sum of the lines", l.Currency, l.Currency.Decimals()),
	}
	if l.left > 0 {
		notes = append(notes, console.Counted(l.left, "row")+" of the price files "+console.Verb(l.left, "is", "are")+" not at 00:00 UTC and left out")
	}
	return notes
}

// Sums names the price files with their SHA-256.
func (l *List) Sums() string {
	var list []string
	for _, f := range l.Files {
		list = append(list, cmp.Or(plain.Line(f.File), "the price file")+": "+f.SHA256)
	}
	return strings.Join(list, ", of ")
}

// Basis describes the prices behind amounts in a currency, for JSON.
type Basis struct {
	Currency Currency `json:"currency"`
	Decimals int      `json:"decimals"`
	Rounding string   `json:"rounding"`
	By       string   `json:"by"`       // interval of a price: day or hour
	Timezone string   `json:"timezone"` // of the days or hours
	Sources  []string `json:"sources"`
	SHA256   string   `json:"sha256"`  // of the price files
	Missing  []string `json:"missing"` // days or hours that need a price but have none

	Files   []*Origin `json:"files"`
	Formula string    `json:"formula,omitempty"`    // of prices that follow from several files
	Late    *[]Late   `json:"last_known,omitempty"` // days or hours valued at an earlier price; absent unless allowed
}

// Basis returns the basis of the valued amounts.
func (v *Valuer) Basis() Basis {
	b := Basis{
		Currency: v.Currency, Decimals: v.Currency.Decimals(), Rounding: "half_up", By: v.Step(), Timezone: v.Timezone(),
		Sources: v.Sources, SHA256: v.SHA256, Missing: append([]string{}, v.Missing()...),
		Files: v.Files, Formula: v.Formula,
	}
	if v.LastKnown {
		late := v.Late()
		b.Late = &late
	}
	return b
}
