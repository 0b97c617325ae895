package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Comparison is what the fees of a period add up to beside those of another one, mostly the
// one before it.
type Comparison struct {
	Now, Before *Report
	Top         int     // so many pairs, and one of all others; 0 is all
	Pairs       []*Pair // in their order
	Totals      Pair
	Notes       []string // what a reader must know of both, first what is missing
}

// Pair is a group as each of two periods has it. A side without a transaction of the group has
// figures of 0, also where its period has no such day.
type Pair struct {
	Now, Before *Group
	at          position
}

// Compare puts a report beside that of another period. Both have been made of the same
// question, with Compared, but for the period.
//
// A group of time has the place in its period that the other has in its own: the first day
// stands beside the first day. Another group stands beside the one of the same key. What either
// has is a pair. Those of time stand in the order of their places; others by the fee of now,
// then of before. Top asks for the first so many by these, and one of all others.
func Compare(now, before *Report, top int) (*Comparison, error) {
	c := &Comparison{Now: now, Before: before, Top: top, Totals: Pair{Now: &Group{Figures: now.Totals}, Before: &Group{Figures: before.Totals}}}
	c.Notes = c.bothNotes()
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
	by := now.By
	if by.ofTime() && top == 0 {
		slices.SortFunc(c.Pairs, func(x, y *Pair) int { return x.at.compare(y.at) })
		return c, nil
	}
	slices.SortFunc(c.Pairs, func(x, y *Pair) int {
		return cmp.Or(y.Now.Fee.Cmp(x.Now.Fee), y.Before.Fee.Cmp(x.Before.Fee), x.at.compare(y.at), by.compare(x.Now, y.Now))
	})
	return c, c.gather()
}

// gather makes one pair of all but the first.
func (c *Comparison) gather() (err error) {
	rest := len(c.Pairs) - c.Top
	if c.Top == 0 || rest <= 0 {
		return nil
	}
	key := Key{Others: chain.Some(uint64(rest))}
	others := &Pair{}
	side := func(r *Report, of func(*Pair) *Group) (*Group, error) {
		var sums ledger.Sums
		worth := r.nothing()
		for _, p := range c.Pairs[c.Top:] {
			g := of(p)
			if g.sums != nil {
				if err := sums.Add(g.sums); err != nil {
					return nil, err
				}
			}
			worth = worth.plus(worthOf(&g.Figures))
		}
		return &Group{Key: key, Figures: figuresOf(&sums).valued(worth)}, nil
	}
	if others.Now, err = side(c.Now, func(p *Pair) *Group { return p.Now }); err != nil {
		return err
	}
	if others.Before, err = side(c.Before, func(p *Pair) *Group { return p.Before }); err != nil {
		return err
	}
	c.Pairs = append(c.Pairs[:c.Top], others)
	return nil
}

// pairKey is what groups of a pair have in common.
type pairKey struct {
	Key // of a group that is not of time
	position
}

func (r *Report) pairKey(k *Key) pairKey {
	if r.By.ofTime() {
		return pairKey{position: r.positionOf(k)}
	}
	return pairKey{Key: *k}
}

// without is the group of the other side's where this one has no transaction of it.
func (r *Report) without(other *Group, at position) *Group {
	g := &Group{Key: other.Key, Figures: figuresOf(&ledger.Sums{}).valued(r.nothing())}
	if r.By.ofTime() {
		g.Key = r.keyAt(at)
	}
	return g
}

// nothing is what no transaction is worth.
func (r *Report) nothing() (w worth) {
	if r.Prices != nil {
		none := chain.Some(money.NothingIn(r.Prices.Currency))
		w = worth{none, none}
	}
	return w
}

func worthOf(f *Figures) worth { return worth{f.FeeWorth, f.ChargedWorth} }

// Holds tells whether all is well in both periods.
func (c *Comparison) Holds() bool { return c.Now.Holds() && c.Before.Holds() }

// Title says what is compared.
func (c *Comparison) Title() string {
	title := c.Now.Title() + ", beside " + c.Before.Name
	if c.Top > 0 {
		title += fmt.Sprintf(", the %d with the greatest fees", c.Top)
	}
	return title
}

// bothNotes are the notes on both periods. Which of them it is on stands before one that is
// not on both; one on a part that is missing names its period itself.
func (c *Comparison) bothNotes() []string {
	notes := slices.Concat(c.Now.Partial, c.Before.Partial)
	for _, side := range []struct{ of, other *Report }{{c.Now, c.Before}, {c.Before, c.Now}} {
		for _, note := range side.of.Notes[len(side.of.Partial):] {
			switch {
			case !slices.Contains(side.other.Notes, note):
				notes = append(notes, side.of.Name+": "+note)
			case side.of == c.Now:
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// evidence says, for people, how well the blocks of both are known.
func (c *Comparison) evidence() []string {
	return []string{c.Now.Name + ": " + c.Now.evidence(), c.Before.Name + ": " + c.Before.evidence()}
}
