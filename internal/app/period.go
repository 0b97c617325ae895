package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/source"
)

// PeriodInput is a period as the user names it: a range of heights, a month, a year, or two ends, which
// are both days or both heights. An empty input means everything that is sealed.
type PeriodInput struct {
	Blocks   string // A..B, inclusive, or A:+N
	Month    string // such as 2026-01
	Year     string // such as 2026
	From, To string // inclusive; days such as 2026-01-31, or heights
	Timezone string // the time zone of the days, such as Europe/Berlin; "" is UTC
	Partial  bool   // accept an incomplete period
}

var (
	aMonth = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}$`)
	aYear  = regexp.MustCompile(`^[0-9]{4}$`)
	days   = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:\.\.([0-9]{4}-[0-9]{2}-[0-9]{2}))?$`)
)

// IsNamed reports whether a text is a month or a year, such as 2025-02 or 2025.
func IsNamed(text string) bool { return aMonth.MatchString(text) || aYear.MatchString(text) }

// IsPeriod reports whether a text has one of the forms that [PeriodInput.Set] accepts.
func IsPeriod(text string) bool {
	return IsNamed(text) || days.MatchString(text) || strings.Contains(text, "..") || strings.Contains(text, ":+")
}

// Set sets the fields that a text states: a month, a year, a day, two days such as 2026-01-05..2026-01-09, or a range of heights.
func (in *PeriodInput) Set(text string) {
	found := days.FindStringSubmatch(text)
	switch {
	case !in.IsEmpty():
		in.Blocks = text // two periods, which parsing rejects
	case aMonth.MatchString(text):
		in.Month = text
	case aYear.MatchString(text):
		in.Year = text
	case found != nil:
		in.From, in.To = found[1], cmp.Or(found[2], found[1])
	default:
		in.Blocks = text
	}
}

// IsEmpty reports whether no period is stated.
func (in PeriodInput) IsEmpty() bool { return in.Blocks+in.Month+in.Year+in.From+in.To == "" }

// Flags returns the period as command-line flags.
func (in PeriodInput) Flags() (line string) {
	for _, f := range []struct {
		name  Field
		value string
	}{{FieldMonth, in.Month}, {FieldYear, in.Year}, {FieldFrom, in.From}, {FieldTo, in.To}} {
		if f.value != "" {
			line += " --" + string(f.name) + " " + console.Argument(f.value)
		}
	}
	return line
}

// Period is a parsed period.
type Period struct {
	Name string // for display; "" until the sealed blocks are known
	// All means everything that the ledger has sealed, instead of Asked.
	All     bool
	Asked   ledger.Period
	Zone    *time.Location
	Partial bool // accept an incomplete period
}

// Parse parses a period. Errors are of type [InputError].
func (in PeriodInput) Parse() (p Period, err error) {
	if p.Zone, err = parseZone(in.Timezone); err != nil {
		return p, err
	}
	p.Partial = in.Partial
	ends := in.From != "" || in.To != ""
	switch named := count(in.Blocks != "") + count(in.Month != "") + count(in.Year != "") + count(ends); {
	case named > 1:
		return p, notUnderstood("state the period in one way only: a range, %v, %v, or %v and %v", FieldMonth, FieldYear, FieldFrom, FieldTo)
	case named == 0:
		p.All = true
	case in.Month != "":
		err = p.named(in.Month, parseMonth)
	case in.Year != "":
		err = p.named(in.Year, parseYear)
	case ends:
		err = p.ends(in.From, in.To)
	default:
		var r chain.Heights
		if r, err = in.parseBlocks(); err == nil {
			p.heights(r.First, r.Last)
		}
	}
	return p, err
}

// parseBlocks parses a range of heights.
func (in PeriodInput) parseBlocks() (r chain.Heights, err error) {
	if !IsPeriod(in.Blocks) {
		return r, notUnderstood("period %q: want heights such as 100..199 or 100:+100, days such as 2026-01-05..2026-01-09, a month such as 2026-01, or a year", in.Blocks)
	}
	if r, err = source.ParseRange(in.Blocks); err != nil {
		return r, notUnderstood("%v", err)
	}
	return r, nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Month returns a UTC month.
func Month(year int, month time.Month) (p Period, err error) {
	p.Zone = time.UTC
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return p, p.days(first.Format("2006-01"), first, first.AddDate(0, 1, -1))
}

// Heights returns the period of a range of heights, inclusive.
func Heights(first, last uint64) Period {
	p := Period{Zone: time.UTC}
	p.heights(first, last)
	return p
}

func (p *Period) heights(first, last uint64) {
	span := chain.Heights{First: first, Last: last}
	p.Asked = ledger.Period{Heights: chain.Some(span)}
	p.Name = "blocks " + span.String()
}

// named sets the period to a month or a year.
func (p *Period) named(text string, parse func(string) (first, last time.Time, err error)) error {
	first, last, err := parse(text)
	if err != nil {
		return err
	}
	return p.days(text, first, last)
}

// parseMonth returns the first and last day of a month.
func parseMonth(text string) (first, last time.Time, err error) {
	if first, err = time.Parse("2006-01", text); err != nil {
		return first, last, notUnderstood("%v %q: want a month such as 2026-01", FieldMonth, text)
	}
	return first, first.AddDate(0, 1, -1), nil
}

// parseYear returns the first and last day of a year.
func parseYear(text string) (first, last time.Time, err error) {
	if first, err = time.Parse("2006", text); err != nil {
		return first, last, notUnderstood("%v %q: want a year such as 2026", FieldYear, text)
	}
	return first, first.AddDate(1, 0, -1), nil
}

// parseZone parses a time zone.
func parseZone(text string) (*time.Location, error) {
	zone, err := time.LoadLocation(text)
	if err != nil || text == "Local" {
		return nil, notUnderstood("%v %q: want a time zone such as Europe/Berlin", FieldTimezone, text)
	}
	return zone, nil
}

func (p *Period) ends(from, to string) error {
	first, err := parseEnd(FieldFrom, from)
	if err != nil {
		return err
	}
	last, err := parseEnd(FieldTo, to)
	if err != nil {
		return err
	}
	switch {
	case first == nil || last == nil:
		return notUnderstood("state both %v and %v", FieldFrom, FieldTo)
	case first.day.IsZero() != last.day.IsZero():
		return notUnderstood("%v and %v: want two days or two heights", FieldFrom, FieldTo)
	case !first.day.IsZero():
		return p.days(from+" to "+to, first.day, last.day)
	case first.height > last.height:
		return notUnderstood("%v %d %v %d: the period ends before it begins", FieldFrom, first.height, FieldTo, last.height)
	}
	p.heights(first.height, last.height)
	return nil
}

// days sets the period to a range of days in its zone, inclusive.
func (p *Period) days(name string, first, last time.Time) (err error) {
	if last.Before(first) {
		return notUnderstood("%s: the period ends before it begins", name)
	}
	p.Name = name
	if zone := p.Zone.String(); zone != "UTC" {
		p.Name += " in " + zone
	}
	from, to := report.Midnight(first, p.Zone), report.Midnight(last.AddDate(0, 0, 1), p.Zone)
	if from.UnixMilli() < 0 {
		return notUnderstood("the period %s begins before 1970-01-01T00:00:00Z; choose a later one", p.Name)
	}
	if p.Asked.From, err = chain.TimeAt(uint64(from.UnixMilli())); err == nil {
		p.Asked.To, err = chain.TimeAt(uint64(to.UnixMilli()))
	}
	if err != nil {
		return notUnderstood("the period %s ends after 9999-12-31T23:59:59Z; choose an earlier one", p.Name)
	}
	return nil
}

// Held is a period with what the ledger contains of it.
type Held struct {
	Period
	ledger.Cover
	Evidence evidence.Evidence // the level of evidence of those blocks
}

// Held finds a period in the ledger. It returns a [NotHeldError] if part of it is missing, unless the period
// may be partial.
func (d *Ledger) Held(ctx context.Context, p Period) (h Held, err error) {
	if p.All {
		if p.Asked, err = d.Book.Sealed(ctx); err != nil {
			return h, d.wrapErr(err)
		}
		p.Name = p.Asked.String()
	}
	h.Period = p
	if h.Cover, err = d.Book.Cover(ctx, p.Asked); err != nil {
		return h, d.wrapErr(err)
	}
	if err := d.checkCover(ctx, &h); err != nil {
		return h, err
	}
	h.Evidence, err = d.evidence(ctx, h.Cover)
	return h, err
}

// checkCover returns a [NotHeldError] if part of the period is missing, unless it may be partial, and if the period
// lies entirely outside the ledger. A period within the ledger in which the chain made no block is valid and empty.
func (d *Ledger) checkCover(ctx context.Context, h *Held) error {
	sealed, err := d.Book.Sealed(ctx)
	if err != nil && !errors.Is(err, ledger.ErrNone) {
		return d.wrapErr(err)
	}
	missing := &NotHeldError{Period: h.Name, Lacks: h.Lacks}
	have, known := sealed.Heights.Get()
	if asked, ok := h.Asked.Heights.Get(); ok {
		if known {
			asked = chain.Heights{First: min(asked.First, have.Last+1), Last: max(asked.Last, have.First-min(have.First, 1))}
		}
		missing.Fill = chain.Some(asked)
	}
	if known && !h.Span.Known() {
		outside, has, err := d.outside(ctx, h, have)
		if err != nil {
			return err
		}
		if outside {
			missing.Lacks, missing.Has = nil, has
			return d.wrapErr(missing)
		}
	}
	if len(h.Lacks) > 0 && !h.Partial {
		return d.wrapErr(missing)
	}
	return nil
}

// outside reports whether a period without sealed blocks lies before or after the sealed blocks, and describes those.
func (d *Ledger) outside(ctx context.Context, h *Held, have chain.Heights) (outside bool, has string, err error) {
	has = "blocks " + have.String()
	first, last, err := d.ends(ctx, have)
	if err != nil {
		return false, has, err
	}
	from, timed := first.Get()
	to, _ := last.Get()
	if timed && to.Std().Before(from.Std()) { // a time that goes backwards
		from, to = to, from
	}
	if timed {
		has += fmt.Sprintf(" (%v to %v)", from, to)
	}
	if h.Asked.Heights.Known() {
		return true, has, nil
	}
	return timed && (!h.Asked.To.Std().After(from.Std()) || h.Asked.From.Std().After(to.Std())), has, nil
}

// ends returns the times of the first and last sealed block. Block 0 has no time; the next block's is used.
func (d *Ledger) ends(ctx context.Context, have chain.Heights) (first, last chain.Optional[chain.Time], err error) {
	of := func(height uint64) (at chain.Optional[chain.Time], err error) {
		b, err := d.Book.Predecessor(ctx, height)
		found, _ := b.Get()
		return found.Time, d.wrapErr(err)
	}
	if first, err = of(have.First); err == nil && !first.Known() && have.First < have.Last {
		first, err = of(have.First + 1)
	}
	if err == nil {
		last, err = of(have.Last)
	}
	return first, last, err
}

// evidence returns the level of evidence of the ledger's blocks in a period.
func (d *Ledger) evidence(ctx context.Context, c ledger.Cover) (evidence.Evidence, error) {
	span, ok := c.Span.Get()
	if !ok {
		return evidence.Recorded(0), nil
	}
	e, err := d.Book.Evidence(ctx, span)
	return e, d.wrapErr(err)
}

// Notes lists the missing parts of the period.
func (h *Held) Notes() (notes []string) {
	for _, lack := range h.Lacks {
		notes = append(notes, "Known part: "+console.PeriodName(h.Name)+" is incomplete, missing "+lack)
	}
	return notes
}

// span returns the ledger's blocks of the period; it returns a [NotHeldError] if there are none.
func (d *Ledger) span(h *Held) (chain.Heights, error) {
	span, ok := h.Span.Get()
	if !ok {
		return span, d.wrapErr(&NotHeldError{Period: h.Name})
	}
	return span, nil
}
