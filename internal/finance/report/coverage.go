package report

import (
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/table"
)

// Slot is the hour, day or month of a group, with the part of it that the ledger contains. As text it is complete,
// partial or none.
type Slot struct {
	Begin, End time.Time // before End, within the period
	From, To   time.Time // the part in the ledger, if it is partial
	state      string
}

// The states of a slot.
const (
	slotComplete = "complete"
	slotPartial  = "partial"
	slotNone     = "none"
)

// NotInLedger are the words for a slot that the ledger lacks.
const NotInLedger = "not in the ledger"

// String returns the state.
func (s *Slot) String() string { return s.state }

// MarshalText returns the state.
func (s *Slot) MarshalText() ([]byte, error) { return []byte(s.state), nil }

// Words returns the state for people: "" if the slot is complete, otherwise the part in the ledger, such as "to 08:30".
func (s *Slot) Words() string {
	switch s.state {
	case slotComplete:
		return ""
	case slotNone:
		return NotInLedger
	}
	layout := "15:04"
	if s.End.Sub(s.Begin) > 25*time.Hour {
		layout = "2 Jan 15:04"
	}
	from, to := s.From.Format(layout), s.To.Format(layout)
	switch {
	case !s.From.After(s.Begin):
		return "to " + to
	case !s.To.Before(s.End):
		return "from " + from
	}
	return from + " to " + to
}

// lacking reports whether the ledger has nothing of the group's time: its figures are not known.
func (g *Group) lacking() bool { return g.Slot != nil && g.Slot.state == slotNone }

// part reports whether the ledger has only a part of the group's time.
func (g *Group) part() bool { return g.Slot != nil && g.Slot.state == slotPartial }

// maxSlots limits the hours, days or months of a period.
var maxSlots = 100_000

// addSlots gives each hour, day or month of the period its group, also those without transactions and those that the
// ledger lacks.
func (r *Report) addSlots() error {
	ends, known := r.limits.Get()
	if !known || r.Top > 0 || !r.Cover.Known.Some {
		return nil
	}
	count := 0
	for range r.slots(ends.first, ends.last) {
		if count++; count <= maxSlots {
			continue
		}
		if !r.Period.Heights.Known() {
			return &TooManyGroupsError{r.By, maxSlots}
		}
		// The times of blocks decide, which their authors state: a false one must not hide the fees of the others.
		r.apart = true
		return nil
	}
	groups := map[int64]*Group{}
	list := slices.DeleteFunc(r.Groups, func(g *Group) bool {
		if g.timed() {
			groups[g.start] = g
		}
		return g.timed()
	})
	for key, s := range r.slots(ends.first, ends.last) {
		g := groups[key.start]
		if g == nil {
			g = &Group{Key: key, Figures: figuresOf(&ledger.Sums{}).valued(r.nothing())}
		}
		r.cover(s)
		if s.state == slotNone && g.EVM+g.Native > 0 { // the time of the blocks went backwards
			s.state = slotPartial
		}
		g.Slot = s
		list = append(list, g)
	}
	r.Groups = list
	return nil
}

// cover finds the part of a slot that the ledger contains.
func (r *Report) cover(s *Slot) {
	if !r.Period.Heights.Known() {
		s.Begin, s.End = later(s.Begin, r.Period.From.Std()), earlier(s.End, r.Period.To.Std())
	}
	from, to, some, whole := r.Cover.Known.Part(s.Begin, s.End)
	switch {
	case whole:
		s.state = slotComplete
	case some:
		s.state = slotPartial
	default:
		s.state = slotNone
	}
	s.Begin, s.End, s.From, s.To = s.Begin.In(r.Zone), s.End.In(r.Zone), from.In(r.Zone), to.In(r.Zone)
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// slots yields the hours, days or months from the first to the last.
func (r *Report) slots(first, last Key) func(yield func(Key, *Slot) bool) {
	return func(yield func(Key, *Slot) bool) {
		if r.By == Hour {
			r.hours(first, last, yield)
			return
		}
		months, days := 0, 1
		if r.By == Month {
			months, days = 1, 0
		}
		for at := time.Unix(first.start, 0).UTC(); at.Unix() <= last.start; at = at.AddDate(0, months, days) {
			s := &Slot{Begin: Midnight(at, r.Zone), End: Midnight(at.AddDate(0, months, days), r.Zone)}
			if s.Begin.Before(s.End) && !yield(r.By.timeKey(at), s) { // a zone can skip a day
				return
			}
		}
	}
}

// hours yields the hours from the first to the last. One ends early if the clocks change within it.
func (r *Report) hours(first, last Key, yield func(Key, *Slot) bool) {
	for at := time.Unix(first.start, 0).In(r.Zone); at.Unix() <= last.start; {
		key := r.By.timeKey(at)
		end := time.Unix(key.start, 0).Add(time.Hour).In(r.Zone)
		if _, change := at.ZoneBounds(); !change.IsZero() && change.Before(end) {
			end = change
		}
		if !yield(key, &Slot{Begin: at, End: end}) {
			return
		}
		at = end
	}
}

// Midnight returns the first moment of a day in a zone. If clocks go forward at midnight, the day begins at the
// change; if they go back to midnight, the first of the two midnights counts.
func Midnight(day time.Time, zone *time.Location) time.Time {
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

// gathered returns the groups with those that the ledger lacks in a row as one, for people.
func (r *Report) gathered() (list []*Group) {
	for _, g := range r.Groups {
		if n := len(list); g.lacking() && n > 0 && list[n-1].lacking() {
			run := *list[n-1]
			run.through = chain.Some(g.Name(r.Token))
			list[n-1] = &run
			continue
		}
		list = append(list, g)
	}
	return list
}

// coverageColumn says how much of the group's time the ledger contains.
var coverageColumn = column{table.Column{Name: "coverage", Kind: table.Text, Term: true}, func(g *Group) any {
	if g.Slot == nil {
		return nil
	}
	return g.Slot
}}

// ofSlots reports whether the groups have slots.
func (r *Report) ofSlots() bool { return r.By.OfTime() && r.By != Block && r.Top == 0 }

// isComplete reports whether the ledger contains all of each slot.
func (r *Report) isComplete() bool {
	return !slices.ContainsFunc(r.Groups, func(g *Group) bool { return g.lacking() || g.part() })
}
