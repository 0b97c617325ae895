package app

import (
	"cmp"
	"fmt"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/report"
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
		return fmt.Sprintf("known part, blocks %v, %s of %s blocks", span, console.Grouped(span.Blocks()), console.Grouped(asked.Blocks()))
	}
	begin, end := h.Asked.From.Std(), h.Asked.To.Std()
	from, to, some, _ := h.Known.Part(begin, end)
	if !some {
		return "nothing of it " + inLedger
	}
	return "known part, " + between(begin, end, from, to, h.Zone) + ", " + share(to.Sub(from), end.Sub(begin))
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

// moment is a place in a period, from its beginning on.
type moment struct {
	months, days int
	rest         time.Duration
}

func (m moment) compare(n moment) int {
	return cmp.Or(cmp.Compare(m.months, n.months), cmp.Compare(m.days, n.days), cmp.Compare(m.rest, n.rest))
}

// momentOf returns where a time is in a period: after how many months, if the period begins with one, days and hours.
func (h *Held) momentOf(at time.Time) (m moment) {
	first, local := h.Asked.From.Std().In(h.Zone), at.In(h.Zone)
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	m.rest = at.Sub(report.Midnight(day(local), h.Zone))
	if first.Day() == 1 {
		m.months = (local.Year()-first.Year())*12 + int(local.Month()) - int(first.Month())
		m.days = local.Day() - 1
		return m
	}
	m.days = int(day(local).Sub(day(first)) / (24 * time.Hour))
	return m
}

// at returns the time at a place in the period, at most its end.
func (h *Held) at(m moment) time.Time {
	first := h.Asked.From.Std().In(h.Zone)
	day := time.Date(first.Year(), first.Month()+time.Month(m.months), 1, 0, 0, 0, 0, time.UTC)
	if first.Day() != 1 {
		day = time.Date(first.Year(), first.Month(), first.Day(), 0, 0, 0, 0, time.UTC)
	}
	next := report.Midnight(day.AddDate(0, 1, 0), h.Zone)
	at := report.Midnight(day.AddDate(0, 0, m.days), h.Zone).Add(m.rest)
	if first.Day() == 1 && at.After(next) { // the month has fewer days
		at = next
	}
	if end := h.Asked.To.Std(); at.After(end) {
		return end
	}
	return at
}

// isAlike reports whether two periods of times both begin with a month, or neither does: then places are comparable.
func (h *Held) isAlike(other *Held) bool {
	begins := func(x *Held) bool { return x.Asked.From.Std().In(x.Zone).Day() == 1 }
	return !h.Asked.Heights.Known() && !other.Asked.Heights.Known() && begins(h) == begins(other)
}

// known returns the places where the known part of the period begins and ends; its end is unknown if it is the period's.
func (h *Held) known() (first moment, last chain.Optional[moment], some bool) {
	begin, end := h.Asked.From.Std(), h.Asked.To.Std()
	from, to, some, _ := h.Known.Part(begin, end)
	if from.After(begin) {
		first = h.momentOf(from)
	}
	if to.Before(end) {
		last = chain.Some(h.momentOf(to))
	}
	return first, last, some
}

// cut returns the part of the period between two places.
func (h *Held) cut(first moment, last chain.Optional[moment]) (part Held, err error) {
	part = *h
	if first != (moment{}) {
		if part.Asked.From, err = chain.TimeAt(uint64(h.at(first).UnixMilli())); err != nil {
			return part, err
		}
	}
	if m, ok := last.Get(); ok {
		// The block at the edge belongs to the part, as it does to the known part of the period.
		part.Asked.To, err = chain.TimeAt(uint64(h.at(m).UnixMilli()) + 1)
		if end := h.Asked.To; part.Asked.To.Std().After(end.Std()) {
			part.Asked.To = end
		}
	}
	return part, err
}
