package evidence

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// subject is the input of a check and records its result. Which fields are set depends on the check's
// [occasion].
type subject struct {
	*prover
	rules *network.Rules // the prover's, unless the transaction contradicts them
	t     *transaction

	before     chain.Optional[Predecessor]
	earlier    *Sequence
	stored     chain.Optional[chain.StoredMultiplier]
	difference string                                 // from the block of another gateway
	pricedBy   chain.Optional[chain.StoredMultiplier] // the multiplier that priced the other block
	account    chain.Address
	balances   [2]chain.Balance // before and after

	check *Check
	tally *Tally
}

// run makes the checks of an occasion.
func (s *subject) run(on occasion) {
	for i := range checks {
		c := &checks[i]
		if c.on != on {
			continue
		}
		s.check, s.tally = c, &s.proved.Tallies[i]
		if why := c.whyNot(s.rules); why != "" {
			if !slices.Contains(unlisted, why) {
				s.skip(why)
			}
		} else {
			c.make(s)
		}
	}
}

// later makes the checks of an occasion after the report is complete.
func (r *Report) later(on occasion, block *chain.Block, s subject) {
	s.prover, s.rules = &prover{block: block, rules: r.rules, proved: r}, r.rules
	s.run(on)
	r.sort()
}

// sort puts the findings in the order of their checks, and gives each transaction its own.
func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return place(a.Check) - place(b.Check) })
	r.assign()
}

// places maps the ID of a check to its index in [Checks].
var places = func() map[string]int {
	m := map[string]int{}
	for i := range checks {
		m[checks[i].ID] = i
	}
	return m
}()

func place(id string) int {
	i, known := places[id]
	if !known {
		panic("evidence: no check " + id)
	}
	return i
}

// Tally counts the results of a check. Why is the reason why checks could not be made.
type Tally struct {
	Held, Broken, NotApplicable int
	Why                         string
}

// Tallies are indexed like [Checks].
type Tallies []Tally

// Add adds the counts of another block.
func (t *Tallies) Add(x Tallies) {
	if *t == nil {
		*t = make(Tallies, len(x))
	}
	for i := range x {
		(*t)[i].add(&x[i])
	}
}

func (t *Tally) add(x *Tally) {
	t.Held += x.Held
	t.Broken += x.Broken
	t.NotApplicable += x.NotApplicable
	if t.Why == "" {
		t.Why = x.Why
	}
}

func (s *subject) held() { s.tally.Held++ }

// broken records a finding on the transaction, or on the block if there is none.
func (s *subject) broken(format string, args ...any) {
	index := wholeBlock
	if s.t != nil {
		index = s.t.Index
	}
	s.brokenAt(index, format, args...)
}

const wholeBlock = -1 // instead of an extrinsic's index

func (s *subject) brokenAt(index int, format string, args ...any) {
	s.tally.Broken++
	f := Finding{Check: s.check.ID, Block: s.proved.Number, Message: fmt.Sprintf(format, args...)}
	if index != wholeBlock {
		f.Extrinsic = chain.Some(index)
	}
	s.proved.Findings = append(s.proved.Findings, f)
}

func (s *subject) skip(why string) {
	s.tally.NotApplicable++
	if s.tally.Why == "" {
		s.tally.Why = why
	}
}

// result is the result of a check that others depend on: it is computed before them, and recorded when it is
// the check's turn. It is nil if there is nothing to record.
type result func(*subject)

func skips(why string) result { return func(s *subject) { s.skip(why) } }

func breaks(format string, args ...any) result {
	return func(s *subject) { s.broken(format, args...) }
}

func (s *subject) enter(r result) {
	if r != nil {
		r(s)
	}
}
