package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // time zones are the same on every machine that has none of its own

	"github.com/spf13/cobra"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
	"github.com/feeledger/fees/source"
)

// periodFlags name a period of a ledger: a range of heights, a month, or two ends.
type periodFlags struct {
	month    string
	from, to string
	last     string // the name of the flag that sets to
	timezone string
	partial  bool
}

const periodUse = "[A..B|A:+N]"

// periodManual is what the manual of a command says of its period; %s is in the place of
// the name of the flag for its end.
const periodManual = `The period is a range of heights, A..B with both included or A:+N; a --month; or
--from and --%s, both heights or both days, the whole of both included. Without any,
it is all that is sealed. Days are those of --timezone, UTC where it is not given, and
a block belongs to the day of its own time. A period of which the ledger lacks a part
is refused; --partial takes what is there, and the result says what is not.`

// add adds the flags. Last is the name of that for the end, "to" where that means
// nothing else to the command.
func (f *periodFlags) add(c *cobra.Command, last string) {
	f.last = last
	flags := c.Flags()
	flags.StringVar(&f.month, "month", "", "the period: a month, such as 2026-01")
	flags.StringVar(&f.from, "from", "", "the first day of the period, such as 2026-01-01, or its first height")
	flags.StringVar(&f.to, last, "", "the last day of the period, or its last height")
	flags.StringVar(&f.timezone, "timezone", "UTC", "whose days they are, such as Europe/Berlin")
	flags.BoolVar(&f.partial, "partial", false, "take what the ledger has of the period, where it lacks a part")
}

// period is what a user asked for of a ledger.
type period struct {
	asked ledger.Period
	all   bool // of the ledger, instead of asked
	zone  *time.Location
	part  bool // will do
	name  string
}

// parse reads the period.
func (f *periodFlags) parse(args []string) (p period, err error) {
	if p.zone, err = time.LoadLocation(f.timezone); err != nil || f.timezone == "Local" {
		return p, fmt.Errorf("--timezone %q: want a time zone such as Europe/Berlin", f.timezone)
	}
	p.part = f.partial
	ends := f.from != "" || f.to != ""
	switch named := len(args) + count(f.month != "") + count(ends); {
	case len(args) > 1:
		return p, fmt.Errorf("%d ranges: want one", len(args))
	case named > 1:
		return p, fmt.Errorf("name the period by a range, by --month, or by --from and --%s: one of them", f.last)
	case named == 0:
		p.all = true
	case f.month != "":
		err = p.month(f.month)
	case ends:
		err = p.ends(f)
	default:
		var r source.Range
		if r, err = source.ParseRange(args[0]); err == nil {
			p.heights(r.First, r.Last)
		}
	}
	return p, err
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (p *period) heights(first, last uint64) {
	span := ledger.Span{First: first, Last: last}
	p.asked = ledger.Period{Heights: chain.Some(span)}
	p.name = "blocks " + span.String()
}

func (p *period) month(text string) error {
	first, err := time.Parse("2006-01", text)
	if err != nil {
		return fmt.Errorf("--month %q: want a month such as 2026-01", text)
	}
	return p.days(text, first, first.AddDate(0, 1, -1))
}

func (p *period) ends(f *periodFlags) error {
	first, err := parseEnd("--from", f.from)
	if err != nil {
		return err
	}
	last, err := parseEnd("--"+f.last, f.to)
	if err != nil {
		return err
	}
	switch {
	case first == nil || last == nil:
		return fmt.Errorf("name both ends of the period, --from and --%s", f.last)
	case first.day.IsZero() != last.day.IsZero():
		return fmt.Errorf("--from and --%s: want two days or two heights", f.last)
	case !first.day.IsZero():
		return p.days(f.from+" to "+f.to, first.day, last.day)
	case first.height > last.height:
		return fmt.Errorf("--from %d --%s %d: the period ends before it begins", first.height, f.last, last.height)
	}
	p.heights(first.height, last.height)
	return nil
}

// days is the period from one day to another, both included, as the zone has them.
func (p *period) days(name string, first, last time.Time) (err error) {
	if last.Before(first) {
		return fmt.Errorf("%s: the period ends before it begins", name)
	}
	if p.asked.From, err = p.begin(first); err != nil {
		return err
	}
	p.asked.To, err = p.begin(last.AddDate(0, 0, 1))
	p.name = name
	if zone := p.zone.String(); zone != "UTC" {
		p.name += " in " + zone
	}
	return err
}

// begin is when a day begins in the zone.
func (p *period) begin(day time.Time) (chain.Time, error) {
	at := midnight(day, p.zone)
	if at.UnixMilli() < 0 {
		return chain.Time{}, fmt.Errorf("%s: no chain is as old", day.Format(time.DateOnly))
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

// ofGateway are the heights of a period that is read without a ledger.
func (p period) ofGateway() (ledger.Span, error) {
	span, ok := p.asked.Heights.Get()
	if !ok {
		return span, errors.New("--gateway: name a range of heights, such as 100..199; for days, fill a ledger by fees sync")
	}
	return span, nil
}

// periodError says that a ledger lacks a part of a period.
type periodError struct {
	period string
	lacks  []string
}

func (e *periodError) Error() string {
	return fmt.Sprintf("%s is not there as a whole: %s; fees sync fills it, --partial takes what is there", e.period, strings.Join(e.lacks, "; "))
}

// covered is a period with what a ledger has of it.
type covered struct {
	period
	ledger.Cover
}

// of finds the period in a ledger. It is a periodError, of the ledger, where a part is
// missing that the user does not do without.
func (p period) of(ctx context.Context, book *ledger.Book, place string) (c covered, err error) {
	if p.all {
		if p.asked, err = book.Sealed(ctx); err != nil {
			return c, ofLedger(place, err)
		}
		p.name = p.asked.String()
	}
	c.period = p
	if c.Cover, err = book.Cover(ctx, p.asked); err != nil {
		return c, ofLedger(place, err)
	}
	if len(c.Lacks) > 0 && !p.part {
		return c, ofLedger(place, &periodError{p.name, c.Lacks})
	}
	return c, nil
}

// notes say what of the period is not there.
func (c *covered) notes() (notes []string) {
	for _, lack := range c.Lacks {
		notes = append(notes, "PARTIAL: this is not all of "+c.name+": it lacks "+lack)
	}
	return notes
}
