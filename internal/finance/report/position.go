package report

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// position locates a group of time within its period. Groups of two periods with the same position are
// compared.
type position struct {
	timed  bool
	number int64 // number of blocks, hours, days or months after the first
	again  bool  // an hour repeated when clocks go back
}

// compare orders positions; groups without a time come first.
func (p position) compare(q position) int {
	return cmp.Or(order(p.timed)-order(q.timed), cmp.Compare(p.number, q.number), order(p.again)-order(q.again))
}

// positionOf returns the position of a group of time.
func (r *Report) positionOf(k *Key) position {
	if height, ok := k.Block.Get(); ok {
		span, _ := r.Period.Heights.Get()
		return position{timed: true, number: int64(height - span.First)}
	}
	limits, known := r.limits.Get()
	if !known || !k.timed() {
		return position{}
	}
	at := k.clock()
	return position{timed: true, number: r.By.distance(limits.begins, at), again: r.By == Hour && isAgain(at, r.Zone)}
}

// clock returns the local start of an hour, day or month.
func (k *Key) clock() time.Time {
	if text, ok := k.Hour.Get(); ok {
		at, _ := time.Parse("2006-01-02T15:04:05-07:00", text) // formatted by this package
		return at
	}
	return time.Unix(k.start, 0).UTC()
}

// limits are the local start of a period, and its first and its last hour, day or month.
type limits struct {
	begins      time.Time
	first, last Key
}

// findLimits finds the start and the end of the period; for a range of heights, those of the first and the
// last stored block. Block 0 has no time, and times may go backwards: the period then starts with its
// earliest group.
func (r *Report) findLimits(ctx context.Context, book *ledger.Book) error {
	if !r.By.OfTime() || r.By == Block {
		return nil
	}
	wall := func(at time.Time, hour int) time.Time {
		return time.Date(at.Year(), at.Month(), at.Day(), hour, 0, 0, 0, time.UTC)
	}
	if !r.Period.Heights.Known() {
		from, last := r.Period.From.Std().In(r.Zone), r.Period.To.Std().Add(-time.Millisecond).In(r.Zone)
		r.limits = chain.Some(limits{wall(from, 0), r.By.timeKey(from), r.By.timeKey(last)})
		return nil
	}
	span, some := r.Cover.Span.Get()
	if !some {
		return nil
	}
	var ends []Key
	for _, height := range []uint64{span.First, min(span.First+1, span.Last), span.Last} {
		b, err := book.Predecessor(ctx, height)
		if err != nil {
			return err
		}
		block, _ := b.Get()
		if at, ok := block.Time.Get(); ok {
			ends = append(ends, r.By.timeKey(at.Std().In(r.Zone)))
		}
	}
	for _, g := range r.Groups {
		if g.timed() {
			ends = append(ends, g.Key)
		}
	}
	if len(ends) == 0 {
		return nil
	}
	byStart := func(x, y Key) int { return cmp.Compare(x.start, y.start) }
	first := slices.MinFunc(ends, byStart)
	begins := first.clock()
	r.limits = chain.Some(limits{wall(begins, begins.Hour()), first, slices.MaxFunc(ends, byStart)})
	return nil
}

// distance returns the number of hours, days or months between two local times, regardless of
// time zones.
func (b By) distance(from, to time.Time) int64 {
	if b == Month {
		return int64(to.Year()-from.Year())*12 + int64(to.Month()-from.Month())
	}
	day := func(t time.Time) int64 {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
	}
	days := day(to) - day(from)
	if b == Hour {
		return days*24 + int64(to.Hour()-from.Hour())
	}
	return days
}

// isAgain reports whether an hour repeats the previous one because the clocks of the zone went
// back.
func isAgain(hour time.Time, zone *time.Location) bool {
	_, offset := hour.Zone()
	_, earlier := hour.Add(-time.Hour).In(zone).Zone()
	first := hour.Add(time.Duration(offset-earlier) * time.Second)
	_, then := first.In(zone).Zone()
	return offset < earlier && then == earlier
}

// keyAt returns the key of a position without transactions, or nothing if the period has no such
// position, such as the 31st day of a shorter month.
func (r *Report) keyAt(p position) (none Key) {
	if span, ok := r.Period.Heights.Get(); ok && r.By == Block {
		if p.number >= 0 && uint64(p.number) <= span.Last-span.First {
			return Key{Block: chain.Some(span.First + uint64(p.number))}
		}
		return none
	}
	limits, known := r.limits.Get()
	if !p.timed || !known || p.again || p.number < 0 {
		return none
	}
	begins := limits.begins
	n := int(p.number)
	var at time.Time
	switch r.By {
	case Hour:
		wall := begins.Add(time.Duration(n) * time.Hour)
		at = time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), 0, 0, 0, r.Zone)
		if at.Hour() != wall.Hour() { // the clocks skip it
			return none
		}
		if before := at.Add(-time.Hour); before.Hour() == at.Hour() {
			at = before
		}
	case Day:
		at = begins.AddDate(0, 0, n)
	default:
		at = time.Date(begins.Year(), begins.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
	}
	key := r.By.timeKey(at)
	if key.start > limits.last.start {
		return none
	}
	return key
}
