package money

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
)

// Valuer values amounts by a list, and notes which days or hours the list lacks.
type Valuer struct {
	*List
	missing map[Moment]bool
	untimed uint64 // amounts of which it is not known when they were paid
}

// Valuer begins to value amounts.
func (l *List) Valuer() *Valuer { return &Valuer{List: l, missing: map[Moment]bool{}} }

// Wei is an amount of the network's token.
type Wei interface {
	chain.Wei | chain.SignedWei
	String() string
}

// Value is what an amount was worth when it was paid. It is not known where the list lacks
// the price, or it is not known when that was. Nothing is worth nothing at any price.
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
	m := v.Moment(t)
	value := v.value(text, m)
	if !value.Known() {
		v.missing[m] = true
	}
	return value
}

// ValueKnown values an amount that may not be known.
func ValueKnown[W Wei](v *Valuer, amount chain.Optional[W], at chain.Optional[chain.Time]) (none chain.Optional[Amount]) {
	known, ok := amount.Get()
	if !ok {
		return none
	}
	return Value(v, known, at)
}

// Missing are the days or hours that had no price so far.
func (v *Valuer) Missing() []string {
	var names []string
	for _, m := range slices.Sorted(maps.Keys(v.missing)) {
		names = append(names, v.Name(m))
	}
	return names
}

// Check is a [MissingError] where a price was missing, unless a part of them will do.
func (v *Valuer) Check(partial bool) error {
	if partial || len(v.missing) == 0 {
		return nil
	}
	return v.lacking()
}

func (v *Valuer) lacking() *MissingError {
	return &MissingError{Currency: v.Currency, Step: v.Step(), Missing: v.Missing()}
}

// MissingError says which days or hours have no price that need one.
type MissingError struct {
	Currency Currency
	Step     string // day or hour
	Missing  []string
}

// mostNamed is how many of them are named.
const mostNamed = 10

// Kind is [failure.NotUnderstood].
func (*MissingError) Kind() failure.Kind { return failure.NotUnderstood }

func (e *MissingError) Error() string {
	return "there is no price in " + string(e.Currency) + " for " + e.list()
}

// list counts them, and names the first.
func (e *MissingError) list() string {
	named, more := e.Missing, ""
	if n := len(named) - mostNamed; n > 0 {
		named, more = named[:mostNamed], fmt.Sprintf(", and %d more", n)
	}
	return console.Counted(len(e.Missing), e.Step) + ": " + strings.Join(named, ", ") + more
}

// Notes say, for people, how amounts in the currency came about, and what of them is not known.
func (v *Valuer) Notes() []string {
	notes := v.List.Notes()
	if len(v.missing) > 0 {
		notes = append(notes, "PARTIAL: there is no price in "+string(v.Currency)+" for "+v.lacking().list()+": what needs it is not known")
	}
	if v.untimed > 0 {
		notes = append(notes, fmt.Sprintf("of %d amounts it is not known when they were paid, nor what they were worth in %s", v.untimed, v.Currency))
	}
	return notes
}

// Notes say, for people, how amounts in the currency come about.
func (l *List) Notes() []string {
	return []string{
		fmt.Sprintf("%s: each amount at the price of its %s (%s), by %s; SHA-256 of the price file: %s", l.Currency, l.Step(), l.Timezone(), l.Source(), l.SHA256),
		fmt.Sprintf("%s is rounded half up, to %d decimals, at the last step: a total is the sum of the exact amounts, so that lines may differ from it by rounding", l.Currency, l.Currency.Decimals()),
	}
}

// Basis is what amounts in a currency rest on, as JSON has it.
type Basis struct {
	Currency Currency `json:"currency"`
	Decimals int      `json:"decimals"`
	Rounding string   `json:"rounding"`
	By       string   `json:"by"`       // what a price is of: day or hour
	Timezone string   `json:"timezone"` // whose
	Sources  []string `json:"sources"`
	SHA256   string   `json:"sha256"`  // of the file
	Missing  []string `json:"missing"` // the days or hours without a price that need one
}

// Basis is what the amounts rest on.
func (v *Valuer) Basis() Basis {
	return Basis{
		Currency: v.Currency, Decimals: v.Currency.Decimals(), Rounding: "half_up", By: v.Step(), Timezone: v.Timezone(),
		Sources: v.Sources, SHA256: v.SHA256, Missing: append([]string{}, v.Missing()...),
	}
}
