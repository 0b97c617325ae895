package app

import (
	"cmp"
	"context"
	"fmt"
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
	return "known part, " + h.shareOfTime(from, to)
}

// shareOfBlocks names a part of a period of heights, such as "blocks 3..7, 5 of 10 blocks".
func shareOfBlocks(span, all chain.Heights) string {
	return fmt.Sprintf("blocks %v, %s of %s blocks", span, console.Grouped(span.Blocks()), console.Grouped(all.Blocks()))
}

// shareOfTime names a part of a period of times, such as "to 30 Jan 08:30, 29.4 of 31 days".
func (p *Period) shareOfTime(from, to time.Time) string {
	begin, end := p.Asked.From.Std(), p.Asked.To.Std()
	return between(begin, end, from, to, p.Zone) + ", " + share(to.Sub(from), end.Sub(begin))
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
	case !from.After(begin):
		return "to " + last
	case !to.Before(end):
		return "from " + first
	}
	return first + " to " + last
}

// share says how much of a time is known, in days, or in hours of a single one. What is not all is not rounded to all, and
// what is something not to nothing.
func share(known, all time.Duration) string {
	unit, name := 24*time.Hour, "days"
	if all <= 25*time.Hour {
		unit, name = time.Hour, "hours"
	}
	whole := int64(all.Round(unit) / unit)
	tenths := max(1, min(int64(known.Round(unit/10)/(unit/10)), 10*whole-1))
	return fmt.Sprintf("%d.%d of %d %s", tenths/10, tenths%10, whole, name)
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

// at returns the time at a place in the period, at most its end.
func (p *Period) at(by measure, m moment) time.Time {
	first := p.Asked.From.Std().In(p.Zone)
	day := time.Date(first.Year(), first.Month()+time.Month(m.months), first.Day(), 0, 0, 0, 0, time.UTC)
	at := report.Midnight(day.AddDate(0, 0, m.days), p.Zone).Add(m.rest)
	if next := report.Midnight(day.AddDate(0, 1, 0), p.Zone); by == byMonths && at.After(next) { // the month has fewer days
		at = next
	}
	if end := p.Asked.To.Std(); at.After(end) {
		return end
	}
	return at
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
		// The block at the edge belongs to the part, as it does to the known part of the period.
		part.To, err = chain.TimeAt(uint64(p.at(by, m).UnixMilli()) + 1)
		if part.To.Std().After(p.Asked.To.Std()) {
			part.To = p.Asked.To
		}
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
	some        bool
}

// part says what is compared.
func (c *common) part() string { return "compared, part known of both, " + c.names[0] }

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
			c.names[i] = side.whole.shareOfTime(side.asked.From.Std(), side.asked.To.Std())
		}
	}
	return c, nil
}
