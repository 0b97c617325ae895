package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
	"github.com/feeledger/fees/internal/ledger"
)

// Part names the part of the period that the ledger contains, as the heading of totals; "" if that is all of it.
func (h *Held) Part() string {
	if len(h.Lacks) == 0 {
		return ""
	}
	if asked, ok := h.Asked.Heights.Get(); ok {
		span, some := h.Span.Get()
		if !some {
			return "nothing of it " + inLedger
		}
		return "known part, " + shareOfBlocks(span, asked)
	}
	begin, end := h.Asked.From.Std(), h.Asked.To.Std()
	from, to, some, _ := h.Known.Part(begin, end)
	if !some {
		return "nothing of it " + inLedger
	}
	return "known part, " + between(begin, end, from, to, h.Zone) + ", " + share(to.Sub(from), end.Sub(begin))
}

// shareOfBlocks names a part of a period of heights, such as "blocks 3..7, 5 of 10 blocks".
func shareOfBlocks(span, all chain.Heights) string {
	return fmt.Sprintf("blocks %v, %s of %s blocks", span, console.Grouped(span.Blocks()), console.Grouped(all.Blocks()))
}

// shareOfTime says how much of a period of times a part of it is, such as "29.4 of 31 days", and where it begins or ends, such
// as "to 30 Jan 08:30, "; "all 31 days" if it is the whole.
func (p *Period) shareOfTime(from, to time.Time) (where, much string) {
	begin, end := p.Asked.From.Std(), p.Asked.To.Std()
	if !from.After(begin) && !to.Before(end) {
		_, _, words := lengthOf(end.Sub(begin))
		return "", "all " + words
	}
	return between(begin, end, from, to, p.Zone) + ", ", share(to.Sub(from), end.Sub(begin))
}

const inLedger = "is in the ledger"

// between names the part of a time from one moment to another.
func between(begin, end, from, to time.Time, zone *time.Location) string {
	layout := "2 Jan 15:04"
	if begin.In(zone).Year() != end.Add(-1).In(zone).Year() {
		layout = "2 Jan 2006 15:04"
	}
	first, last := from.In(zone).Format(layout), to.In(zone).Format(layout)
	switch {
	case !to.Before(end):
		return "from " + first
	case !from.After(begin):
		return "to " + last
	}
	return first + " to " + last
}

// lengthOf returns a time in tenths of a day, or of an hour for a single day, and in words. A day whose clocks change has its
// own number of hours; of several days, the calendar's number counts.
func lengthOf(all time.Duration) (tenth time.Duration, tenths int, words string) {
	if all > 25*time.Hour {
		days := int(all.Round(24*time.Hour) / (24 * time.Hour))
		return 24 * time.Hour / 10, 10 * days, console.Counted(days, "day")
	}
	tenths = int(all.Round(time.Hour/10) / (time.Hour / 10))
	return time.Hour / 10, tenths, strings.TrimSuffix(inTenths(tenths), ".0") + " hours"
}

func inTenths(n int) string { return fmt.Sprintf("%d.%d", n/10, n%10) }

// share says how much of a time is known. It is not all, so it is not rounded to all, and what is something not to nothing.
func share(known, all time.Duration) string {
	tenth, length, words := lengthOf(all)
	return inTenths(max(1, min(int(known.Round(tenth)/tenth), length-1))) + " of " + words
}

// measure is how places in two periods are compared.
type measure int

// The measures. Periods of different lengths have no common one.
const (
	unlike measure = iota
	byBlocks
	byMonths
	byDays
)

// measureOf returns the measure of two periods: both have the same number of blocks, of whole months, or of days.
func measureOf(x, y *Period) measure {
	blocks, ofHeights := x.Asked.Heights.Get()
	others, too := y.Asked.Heights.Get()
	switch {
	case ofHeights && too && blocks.Blocks() == others.Blocks():
		return byBlocks
	case ofHeights || too:
		return unlike
	case x.countMonths() > 0 && x.countMonths() == y.countMonths():
		return byMonths
	case x.countDays() == y.countDays():
		return byDays
	}
	return unlike
}

// dayNumber returns the number of a local day.
func dayNumber(at time.Time) int {
	return int(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

// countDays returns the number of days of a period of times.
func (p *Period) countDays() int {
	return dayNumber(p.Asked.To.Std().In(p.Zone)) - dayNumber(p.Asked.From.Std().In(p.Zone))
}

// countMonths returns the number of months of a period of times; 0 if it does not consist of whole ones.
func (p *Period) countMonths() int {
	first, next := p.Asked.From.Std().In(p.Zone), p.Asked.To.Std().In(p.Zone)
	if first.Day() != 1 || next.Day() != 1 {
		return 0
	}
	return (next.Year()-first.Year())*12 + int(next.Month()) - int(first.Month())
}

// moment is a place in a period, from its beginning on.
type moment struct {
	months, days int
	rest         time.Duration
}

func (m moment) compare(n moment) int {
	return cmp.Or(cmp.Compare(m.months, n.months), cmp.Compare(m.days, n.days), cmp.Compare(m.rest, n.rest))
}

// momentOf returns where a time is in a period: after how many months, if they are the measure, days and hours.
func (p *Period) momentOf(by measure, at time.Time) (m moment) {
	first, local := p.Asked.From.Std().In(p.Zone), at.In(p.Zone)
	m.rest = at.Sub(report.Midnight(time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC), p.Zone))
	if by == byMonths {
		m.months = (local.Year()-first.Year())*12 + int(local.Month()) - int(first.Month())
		m.days = local.Day() - 1
		return m
	}
	m.days = dayNumber(local) - dayNumber(first)
	return m
}

// at returns the time at a place in the period, at most the end of the place's day and month, and its own.
func (p *Period) at(by measure, m moment) time.Time {
	first := p.Asked.From.Std().In(p.Zone)
	day := time.Date(first.Year(), first.Month()+time.Month(m.months), first.Day(), 0, 0, 0, 0, time.UTC)
	begins := report.Midnight(day.AddDate(0, 0, m.days), p.Zone)
	at := earlier(begins.Add(m.rest), report.Midnight(day.AddDate(0, 0, m.days+1), p.Zone)) // the day may have fewer hours
	if by == byMonths {
		at = earlier(at, report.Midnight(day.AddDate(0, 1, 0), p.Zone)) // the month may have fewer days
	}
	return earlier(at, p.Asked.To.Std())
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// known returns the places where the known part of the period begins and ends; its end is unknown if it is the period's.
func (h *Held) known(by measure) (first moment, last chain.Optional[moment], some bool) {
	begin, end := h.Asked.From.Std(), h.Asked.To.Std()
	from, to, some, _ := h.Known.Part(begin, end)
	if from.After(begin) {
		first = h.momentOf(by, from)
	}
	if to.Before(end) {
		last = chain.Some(h.momentOf(by, to))
	}
	return first, last, some
}

// cut returns what is asked of the part of the period between two places.
func (p *Period) cut(by measure, first moment, last chain.Optional[moment]) (part ledger.Period, err error) {
	part = p.Asked
	if first != (moment{}) {
		if part.From, err = chain.TimeAt(uint64(p.at(by, first).UnixMilli())); err != nil {
			return part, err
		}
	}
	if m, ok := last.Get(); ok {
		m.rest += time.Millisecond // the block at the edge belongs to the part, as it does to the known part of the period
		part.To, err = chain.TimeAt(uint64(p.at(by, m).UnixMilli()))
	}
	return part, err
}

// commonBlocks returns the blocks at the same places of two periods of heights that the ledger contains of both.
func commonBlocks(now, before *Held) (x, y ledger.Period, some bool) {
	a, known := now.Span.Get()
	b, too := before.Span.Get()
	if !known || !too {
		return x, y, false
	}
	ours, _ := now.Asked.Heights.Get()
	others, _ := before.Asked.Heights.Get()
	first, last := max(a.First-ours.First, b.First-others.First), min(a.Last-ours.First, b.Last-others.First)
	if last < first {
		return x, y, false
	}
	of := func(begin uint64) ledger.Period {
		return ledger.Period{Heights: chain.Some(chain.Heights{First: begin + first, Last: begin + last})}
	}
	return of(ours.First), of(others.First), true
}

// commonTimes returns the same times of two periods that the ledger contains of both.
func commonTimes(by measure, now, before *Held) (x, y ledger.Period, some bool, err error) {
	first, last, known := now.known(by)
	other, end, too := before.known(by)
	if other.compare(first) > 0 {
		first = other
	}
	if theirs, ends := end.Get(); ends {
		if ours, known := last.Get(); !known || theirs.compare(ours) < 0 {
			last = end
		}
	}
	if x, err = now.cut(by, first, last); err != nil {
		return x, y, false, err
	}
	y, err = before.cut(by, first, last)
	some = known && too && x.From.Std().Before(x.To.Std()) && y.From.Std().Before(y.To.Std())
	return x, y, some, err
}

// NotCompared says that two incomplete periods have no common part.
const NotCompared = "not compared, the ledger contains no same part of both"

// common are the parts of two periods that the ledger contains of both.
type common struct {
	now, before Held
	names       [2]string // what the parts are of their periods
	both        string    // the first part, with the length of the other one if it is another
	some        bool
}

// part says what is compared.
func (c *common) part() string { return "compared, part known of both, " + c.both }

// commonOf cuts two periods to the part that the ledger contains of both. It returns nil if the ledger contains all of both.
func (d *Ledger) commonOf(ctx context.Context, now, before *Held) (*common, error) {
	if len(now.Lacks)+len(before.Lacks) == 0 {
		return nil, nil
	}
	c := &common{now: *now, before: *before}
	x, y := now.Asked, before.Asked
	var err error
	switch by := measureOf(&now.Period, &before.Period); by {
	case unlike:
	case byBlocks:
		x, y, c.some = commonBlocks(now, before)
	default:
		x, y, c.some, err = commonTimes(by, now, before)
	}
	if err != nil || !c.some {
		return c, err
	}
	var much [2]string // of periods of times
	for i, side := range []struct {
		whole, part *Held
		asked       ledger.Period
	}{{now, &c.now, x}, {before, &c.before, y}} {
		side.part.Asked = side.asked
		cover, err := d.Book.Cover(ctx, side.asked)
		if err != nil {
			return c, d.wrapErr(err)
		}
		if side.part.Span = cover.Span; side.asked.Heights.Known() {
			side.part.Known = cover.Known
		}
		if side.part.Evidence, err = d.evidence(ctx, cover); err != nil {
			return c, err
		}
		if span, ok := side.asked.Heights.Get(); ok {
			all, _ := side.whole.Asked.Heights.Get()
			c.names[i] = shareOfBlocks(span, all)
		} else {
			c.names[i], much[i] = side.whole.shareOfTime(side.asked.From.Std(), side.asked.To.Std())
			c.names[i] += much[i]
		}
	}
	if c.both = c.names[0]; x.To.Std().Sub(x.From.Std()) != y.To.Std().Sub(y.From.Std()) { // such as the ends of a long and a short month
		c.both += ", against " + much[1] + " of " + console.PeriodName(before.Name)
	}
	return c, nil
}
