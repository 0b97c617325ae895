package reconcile

import (
	"fmt"
	"time"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// A fee is booked in the period of its date: a row with the right amount and the wrong date is in the wrong month.

// maxApart is the longest time between a transaction and the date of its row that needs no note.
const maxApart = 24 * time.Hour

// dates counts the rows whose date is in the period, but not near their transaction.
type dates struct {
	count int
	lines []int // the first of them
}

func (d *dates) add(line int) {
	if d.count++; len(d.lines) < maxLines {
		d.lines = append(d.lines, line)
	}
}

func (d *dates) notes() []string {
	if d.count == 0 {
		return nil
	}
	text := console.Counted(d.count, "row") + console.Verb(d.count, " is", " are") + " dated more than a day from the transaction: " + lineNames(d.lines)
	if more := d.count - len(d.lines); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return []string{text + "."}
}

// compareDate compares the date of a row with the period, and with the time of its transaction in the period.
func (m *matcher) compareDate(item *Item, row *Row, t *ledger.Transaction) {
	date, dated := row.Date.Get()
	if !dated {
		return
	}
	first := date.Std()
	last := first
	if isDay(first, m.options.Zone) { // a day without a time of day
		last = first.In(m.options.Zone).AddDate(0, 0, 1).Add(-time.Millisecond)
	}
	period := or(m.options.Dated, m.period.Period)
	isInside := func() bool {
		return last.After(period.From.Std().Add(-time.Millisecond)) && first.Before(period.To.Std())
	}
	isTimes := !period.Heights.Known()
	switch at, known := t.Time.Get(); {
	case item.Outcome == OutsidePeriod:
		if isTimes && isInside() {
			item.note("the row is dated in the period")
		}
	case !m.period.contains(t):
	case isTimes && !isInside():
		item.note("the row is dated %s, outside the period", first.In(m.options.Zone).Format(time.DateOnly))
		if item.Outcome.Agrees() {
			item.Outcome = DatedOutside
		}
	case known && (at.Std().Sub(last) > maxApart || first.Sub(at.Std()) > maxApart):
		m.dates.add(row.Line)
	}
}

// isDay reports whether a time is midnight in a time zone: a date without a time of day is read so.
func isDay(at time.Time, zone *time.Location) bool {
	local := at.In(zone)
	return time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, zone).Equal(local)
}
