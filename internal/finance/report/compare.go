package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/ledger"
)

// Comparison compares the fees of a period with those of another one, usually the previous
// one.
type Comparison struct {
	Now, Before *Report
	Top         int     // number of pairs besides one for all others; 0 for all
	Pairs       []*Pair // in their order
	Totals      Pair
	Notes       []string // notes on both periods, missing data first
	same        *Same    // nil if the ledger contains all of both
}

// Part names what is compared if the ledger lacks part of either period; "" for all.
func (c *Comparison) Part() string {
	if c.same == nil {
		return ""
	}
	return c.same.Part
}

// Pair is a group in both periods. A side without transactions of the group has zero figures, even if its period
// has no such day.
type Pair struct {
	Now, Before *Group
	at          position
	apart       bool // the figures are of different parts of the time, and have no difference
}

// Same are the reports of the part that the ledger contains of both periods.
type Same struct {
	Now, Before *Report   // nil for none
	Part        string    // the name of the part
	Sides       [2]string // what it is of each period
}

// Compare compares a report with that of another period. Both must be of the same request with Compared set,
// except for the period. Same is nil if the ledger contains all of both; otherwise only what is in both is compared,
// and the totals are those of that part.
//
// Groups of time are paired by position: the first day with the first day. Other groups are paired by key.
// Every group of either period is part of a pair. Pairs of time are ordered by position; others by the current
// fee, then by the previous one. Top limits the pairs to the first ones and combines the others in one.
func Compare(now, before *Report, same *Same, top int) (*Comparison, error) {
	c := &Comparison{Now: now, Before: before, Top: top, same: same}
	c.Notes = c.bothNotes()
	x, y := c.summed()
	c.Totals = Pair{Now: &Group{Figures: x.Totals}, Before: &Group{Figures: y.Totals}, apart: same != nil && same.Now == nil}
	if !c.bySlots() {
		now, before = x, y
	}
	pairs := map[pairKey]*Pair{}
	for _, g := range now.Groups {
		key := now.pairKey(&g.Key)
		p := &Pair{Now: g, Before: before.without(g, key.position), at: key.position}
		pairs[key] = p
		c.Pairs = append(c.Pairs, p)
	}
	for _, g := range before.Groups {
		key := before.pairKey(&g.Key)
		if p := pairs[key]; p != nil {
			p.Before = g
			continue
		}
		c.Pairs = append(c.Pairs, &Pair{Now: now.without(g, key.position), Before: g, at: key.position})
	}
	if same != nil {
		c.compareSame()
	}
	by := now.By
	if by.OfTime() && top == 0 {
		slices.SortFunc(c.Pairs, func(x, y *Pair) int { return x.at.compare(y.at) })
		return c, nil
	}
	slices.SortFunc(c.Pairs, func(x, y *Pair) int {
		return cmp.Or(y.Now.Fee.Cmp(x.Now.Fee), y.Before.Fee.Cmp(x.Before.Fee), x.at.compare(y.at), by.compare(x.Now, y.Now))
	})
	return c, c.gather()
}

// bySlots reports whether the pairs are of the same hours, days or months of two periods of times. Where the ledger lacks
// part of a period of heights, the time of its first block is not known, and with it which of its days is the first.
func (c *Comparison) bySlots() bool {
	return c.Now.By.OfTime() && !c.Now.Period.Heights.Known() && !c.Before.Period.Heights.Known()
}

// compareSame leaves in each pair what the ledger contains of both sides.
func (c *Comparison) compareSame() {
	if !c.bySlots() {
		for _, p := range c.Pairs {
			p.apart = c.Totals.apart
		}
		return
	}
	of := func(whole, part *Report) map[position]*Group { // by their positions in the whole period
		groups := map[position]*Group{}
		if part != nil {
			for _, g := range part.Groups {
				groups[whole.positionOf(&g.Key)] = g
			}
		}
		return groups
	}
	now, before := of(c.Now, c.same.Now), of(c.Before, c.same.Before)
	for _, p := range c.Pairs {
		if p.Now.Slot == nil && before[p.at] == nil || p.Before.Slot == nil && now[p.at] == nil { // one period has no such day, and the day of the other is not in the part
			p.apart = true
			continue
		}
		if p.Now.lacking() || p.Before.lacking() || !p.Now.part() && !p.Before.part() {
			continue
		}
		x, y := now[p.at], before[p.at]
		if p.Now.Slot == nil { // its period has no such day
			x = p.Now
		}
		if p.Before.Slot == nil {
			y = p.Before
		}
		if p.apart = x == nil || y == nil || !sameOffsets(p.Now.Slot, x.Slot, p.Before.Slot, y.Slot); !p.apart {
			p.Now, p.Before = p.Now.cutTo(x), p.Before.cutTo(y)
		}
	}
}

// sameOffsets reports whether parts of two slots cover the same time after their beginnings, as far as both slots are that
// long. A slot that its period does not have is nil, and has no part.
func sameOffsets(now, part, before, other *Slot) bool {
	if now == nil || before == nil {
		return true
	}
	shorter := min(now.End.Sub(now.Begin), before.End.Sub(before.Begin))
	within := func(whole, part *Slot) (from, to time.Duration) {
		return part.Begin.Sub(whole.Begin), min(part.End.Sub(whole.Begin), shorter)
	}
	from, to := within(now, part)
	first, last := within(before, other)
	return from == first && to == last && from < to
}

// cutTo returns the group with the figures of a part of its time.
func (g *Group) cutTo(part *Group) *Group {
	if g == part {
		return g
	}
	cut, slot := *part, *part.Slot
	cut.Key = g.Key
	if g.Slot != nil && (slot.Begin.After(g.Slot.Begin) || slot.End.Before(g.Slot.End)) {
		slot.From, slot.To, slot.state = slot.Begin, slot.End, slotPartial
		slot.Begin, slot.End = g.Slot.Begin, g.Slot.End
	}
	cut.Slot = &slot
	return &cut
}

// gather combines all pairs after the first Top ones.
func (c *Comparison) gather() error {
	rest := len(c.Pairs) - c.Top
	if c.Top == 0 || rest <= 0 {
		return nil
	}
	key := Key{Others: chain.Some(uint64(rest))}
	others := &Pair{Now: &Group{Key: key}, Before: &Group{Key: key}}
	var now, before []*Group
	for _, p := range c.Pairs[c.Top:] {
		now, before = append(now, p.Now), append(before, p.Before)
		others.apart = others.apart || p.apart || p.Now.lacking() || p.Before.lacking()
	}
	c.Pairs = append(c.Pairs[:c.Top], others)
	return cmp.Or(others.Now.combine(now, c.Now.nothing()), others.Before.combine(before, c.Before.nothing()))
}

// pairKey identifies the groups of a pair.
type pairKey struct {
	Key // for groups other than time
	position
}

func (r *Report) pairKey(k *Key) pairKey {
	if r.By.OfTime() {
		return pairKey{position: r.positionOf(k)}
	}
	return pairKey{Key: *k}
}

// without returns an empty group to pair with a group of the other side.
func (r *Report) without(other *Group, at position) *Group {
	g := &Group{Key: other.Key, Figures: figuresOf(&ledger.Sums{}).valued(r.nothing())}
	if r.By.OfTime() {
		g.Key = r.keyAt(at)
	}
	return g
}

func worthOf(f *Figures) worth { return worth{f.FeeWorth, f.ChargedWorth} }

// Holds reports whether both periods are free of problems.
func (c *Comparison) Holds() bool { return c.Now.Holds() && c.Before.Holds() }

// Title returns the title of the comparison.
func (c *Comparison) Title() string {
	title := c.Now.Title() + ", compared with " + console.PeriodName(c.Before.Name)
	if c.Top > 0 {
		title += fmt.Sprintf(", top %d by fee", c.Top)
	}
	return title
}

// bothNotes returns the notes on both periods. A note on only one of them is prefixed with its name; notes on
// missing data already name their period.
func (c *Comparison) bothNotes() []string {
	notes := slices.Concat(c.Now.Partial, c.Before.Partial)
	if c.same != nil {
		notes = append(notes, console.PeriodName(c.Now.Name)+" and "+console.PeriodName(c.Before.Name)+": "+c.same.Part)
	}
	now, before := c.summed()
	ours, others := c.Now.notesWith(now), c.Before.notesWith(before)
	for _, note := range ours {
		if !slices.Contains(others, note) {
			note = console.PeriodName(c.Now.Name) + ": " + note
		}
		notes = append(notes, note)
	}
	for _, note := range others {
		if !slices.Contains(ours, note) {
			notes = append(notes, console.PeriodName(c.Before.Name)+": "+note)
		}
	}
	return notes
}

// summed returns the reports that the totals are of.
func (c *Comparison) summed() (now, before *Report) {
	if c.same != nil && c.same.Now != nil {
		return c.same.Now, c.same.Before
	}
	return c.Now, c.Before
}

// warnings returns the number of notes on missing data, which are first.
func (c *Comparison) warnings() int {
	n := len(c.Now.Partial) + len(c.Before.Partial)
	if c.same != nil {
		n++
	}
	return n
}

// Warnings returns the notes on missing data, and the others.
func (c *Comparison) Warnings() (missing, others []string) {
	n := c.warnings()
	return c.Notes[:n], c.Notes[n:]
}

// evidence describes the evidence for the blocks of both periods.
func (c *Comparison) evidence() []string {
	return []string{console.PeriodName(c.Now.Name) + ": " + c.Now.evidence(), console.PeriodName(c.Before.Name) + ": " + c.Before.evidence()}
}
