package desk

import (
	"context"
	"time"
	_ "time/tzdata" // time zones are the same on every machine that has none of its own

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/source"
)

// PeriodInput is a period as a person names it: by a range of heights, by a month, or by
// two ends, which are both days or both heights. Without any, it is all that is sealed.
type PeriodInput struct {
	Blocks   string // A..B, both included, or A:+N
	Month    string // such as 2026-01
	From, To string // both included, such as 2026-01-31, or heights
	Timezone string // whose days they are, such as Europe/Berlin; "" is UTC
	Partial  bool   // what the ledger has of the period will do
}

// Period is what a question is about.
type Period struct {
	Name string // for people; "" until it is known what is sealed
	// All is all that a ledger has sealed, instead of Asked.
	All     bool
	Asked   ledger.Period
	Zone    *time.Location
	Partial bool // a part of it will do
}

// Parse reads a period. The error is an [InputError].
func (in PeriodInput) Parse() (p Period, err error) {
	if p.Zone, err = time.LoadLocation(in.Timezone); err != nil || in.Timezone == "Local" {
		return p, notUnderstood("%v %q: want a time zone such as Europe/Berlin", FieldTimezone, in.Timezone)
	}
	p.Partial = in.Partial
	ends := in.From != "" || in.To != ""
	switch named := count(in.Blocks != "") + count(in.Month != "") + count(ends); {
	case named > 1:
		return p, notUnderstood("name the period by a range, by %v, or by %v and %v: one of them", FieldMonth, FieldFrom, FieldTo)
	case named == 0:
		p.All = true
	case in.Month != "":
		err = p.month(in.Month)
	case ends:
		err = p.ends(in.From, in.To)
	default:
		var r source.Range
		if r, err = source.ParseRange(in.Blocks); err != nil {
			return p, notUnderstood("%v", err)
		}
		p.heights(r.First, r.Last)
	}
	return p, err
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Month is a month of UTC.
func Month(year int, month time.Month) (p Period, err error) {
	p.Zone = time.UTC
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return p, p.days(first.Format("2006-01"), first, first.AddDate(0, 1, -1))
}

// Heights are the blocks from one height to another, both included.
func Heights(first, last uint64) Period {
	p := Period{Zone: time.UTC}
	p.heights(first, last)
	return p
}

func (p *Period) heights(first, last uint64) {
	span := ledger.Span{First: first, Last: last}
	p.Asked = ledger.Period{Heights: chain.Some(span)}
	p.Name = "blocks " + span.String()
}

func (p *Period) month(text string) error {
	first, err := time.Parse("2006-01", text)
	if err != nil {
		return notUnderstood("%v %q: want a month such as 2026-01", FieldMonth, text)
	}
	return p.days(text, first, first.AddDate(0, 1, -1))
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
		return notUnderstood("name both ends of the period, %v and %v", FieldFrom, FieldTo)
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

// days is the period from one day to another, both included, as the zone has them.
func (p *Period) days(name string, first, last time.Time) (err error) {
	if last.Before(first) {
		return notUnderstood("%s: the period ends before it begins", name)
	}
	if p.Asked.From, err = p.begin(first); err != nil {
		return err
	}
	p.Asked.To, err = p.begin(last.AddDate(0, 0, 1))
	p.Name = name
	if zone := p.Zone.String(); zone != "UTC" {
		p.Name += " in " + zone
	}
	return err
}

// begin is when a day begins in the zone.
func (p *Period) begin(day time.Time) (chain.Time, error) {
	at := midnight(day, p.Zone)
	if at.UnixMilli() < 0 {
		return chain.Time{}, notUnderstood("%s: no chain is as old", day.Format(time.DateOnly))
	}
	return chain.TimeAt(uint64(at.UnixMilli()))
}

// midnight is the first moment of a day in a zone. A day on which clocks are put forward
// at midnight begins when they are; one on which they are put back to it has two
// midnights.
func midnight(day time.Time, zone *time.Location) time.Time {
	at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	if at.Day() != day.Day() {
		_, changed := at.ZoneBounds()
		return changed
	}
	changed, _ := at.ZoneBounds()
	if changed.IsZero() {
		return at
	}
	_, offset := changed.Add(-1).Zone()
	if first := day.Add(-time.Duration(offset) * time.Second); first.Before(changed) {
		return first
	}
	return at
}

// Held is a period with what a ledger holds of it.
type Held struct {
	Period
	ledger.Cover
	Evidence evidence.Evidence // how well those blocks are known
}

// Held finds a period in the ledger. It is a [NotHeldError] where a part is missing that
// the question does not do without.
func (d *Desk) Held(ctx context.Context, p Period) (h Held, err error) {
	if p.All {
		if p.Asked, err = d.Book.Sealed(ctx); err != nil {
			return h, d.of(err)
		}
		p.Name = p.Asked.String()
	}
	h.Period = p
	if h.Cover, err = d.Book.Cover(ctx, p.Asked); err != nil {
		return h, d.of(err)
	}
	if len(h.Lacks) > 0 && !p.Partial {
		return h, d.of(&NotHeldError{p.Name, h.Lacks})
	}
	h.Evidence, err = d.evidence(ctx, h.Cover)
	return h, err
}

// evidence is how well the blocks are known that the ledger has of a period.
func (d *Desk) evidence(ctx context.Context, c ledger.Cover) (evidence.Evidence, error) {
	span, ok := c.Span.Get()
	if !ok {
		return evidence.Recorded(0), nil
	}
	e, err := d.Book.Evidence(ctx, span)
	return e, d.of(err)
}

// Notes say what of the period is not there.
func (h *Held) Notes() (notes []string) {
	for _, lack := range h.Lacks {
		notes = append(notes, "PARTIAL: this is not all of "+h.Name+": it lacks "+lack)
	}
	return notes
}

// span are the blocks that the ledger has of the period; it is a [NotHeldError] where it
// has none.
func (d *Desk) span(h *Held) (ledger.Span, error) {
	span, ok := h.Span.Get()
	if !ok {
		return span, d.of(&NotHeldError{Period: h.Name})
	}
	return span, nil
}
