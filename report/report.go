package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/ledger"
)

// Question is what a report is asked for.
type Question struct {
	Network string // that the book is of
	Symbol  string // of its token
	Name    string // of the period, for people
	Period  ledger.Period
	Cover   ledger.Cover // what the book has of the period
	// Evidence is how well the blocks are known that the book has of it.
	Evidence evidence.Evidence
	// Partial says, for people, what of the period is not there; it stands at the top.
	Partial []string
	By      By
	Zone    *time.Location         // whose hours, days and months they are; nil is UTC
	Payers  map[chain.Address]bool // only what these paid for; nil is everybody
}

// Report is what the fees of a period add up to.
type Report struct {
	Question
	Rules    []string // that priced the transactions, in the order of their names
	Groups   []*Group // in their order; without a transaction there is only an account that was asked for
	Totals   Figures  // of all groups
	Findings uint64   // checks that did not hold in the period's blocks
	Drifts   uint64   // fees that are not what the chain charged
	Notes    []string // what a reader must know, first what is missing
}

// Group is what some of the transactions add up to.
type Group struct {
	Key
	Figures
}

// mostGroups bounds the memory of a report: each group takes one or two kilobytes.
const mostGroups = 1_000_000

// Make adds up what the question asks for. Progress is told how many of the period's
// blocks are read.
//
// An error is the book's, or says that an amount, or the number of groups, is more
// than can be.
func Make(ctx context.Context, book *ledger.Book, q Question, progress func(done, total uint64)) (r *Report, err error) {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	r = &Report{Question: q}
	span, ok := q.Cover.Span.Get()
	a := newAdder(&r.Question)
	if ok {
		if q.Payers == nil || len(q.Payers) > 0 {
			for c, err := range book.Costs(ctx, ledger.Query{Accounts: slices.Collect(maps.Keys(q.Payers)), Span: span}) {
				if err != nil {
					return nil, err
				}
				progress(c.Height-span.First, span.Blocks())
				if err := a.transaction(c); err != nil {
					return nil, err
				}
			}
		}
		progress(span.Blocks(), span.Blocks())
	}
	var notes []string // of the blocks
	var unread error   // why there are none
	var reading sync.WaitGroup
	if ok {
		reading.Go(func() { notes, unread = r.notesOn(ctx, book, span) })
	} else {
		notes = []string{"the ledger has no block of this period"}
	}
	r.Groups, r.Totals, err = a.result(q.By)
	reading.Wait()
	if err := cmp.Or(err, unread); err != nil {
		return nil, err
	}
	r.Rules = slices.Sorted(maps.Keys(a.rules))
	r.Drifts = a.drifts
	r.Notes = slices.Concat(q.Partial, a.notes(r.Totals), notes)
	return r, nil
}

// adder adds transactions up.
type adder struct {
	question *Question
	groups   map[id]*group
	done     []*Group // to which nothing more comes
	all      sums
	rules    map[string]bool
	last     *group // that of the block before, where a block has one
	height   uint64 // of that block
	drifts   uint64
	timeless uint64
	unknown  unknown
	idle     map[chain.Address]bool // payers that are asked for and, so far, paid for nothing
}

// group is one in the making.
type group struct {
	Key
	sums
}

func newAdder(q *Question) *adder {
	return &adder{question: q, groups: map[id]*group{}, rules: map[string]bool{}, idle: maps.Clone(q.Payers)}
}

// unknown counts the transactions of which something is not known that a sum has.
type unknown struct{ charged, shares, priority uint64 }

func (a *adder) transaction(t *ledger.Cost) error {
	if !a.question.Period.Has(t.Height, t.Time) {
		return nil
	}
	g, err := a.group(t)
	if err != nil {
		return err
	}
	if err := g.add(t); err != nil {
		return fmt.Errorf("block %d, extrinsic %d: %w", t.Height, t.Index, err)
	}
	a.rules[t.Rules] = true
	if payer, ok := t.Payer.Get(); ok {
		delete(a.idle, payer)
	}
	a.count(t)
	return nil
}

// group is that of a transaction. All those of a block have the same one where they are
// grouped by time: it is found once.
func (a *adder) group(t *ledger.Cost) (*group, error) {
	by := a.question.By
	if by.ofTime() && a.last != nil && a.height == t.Height {
		return a.last, nil
	}
	if by == Block { // the one before is behind
		if err := a.close(); err != nil {
			return nil, err
		}
	}
	id := by.id(t, a.question.Zone)
	g := a.groups[id]
	if g == nil {
		if len(a.groups)+len(a.done) == mostGroups {
			return nil, fmt.Errorf("a report by %s would have more than %d groups: name a shorter period, or a coarser grouping", by, mostGroups)
		}
		g = &group{Key: by.key(t, a.question.Zone)}
		a.groups[id] = g
	}
	a.last, a.height = g, t.Height
	return g, nil
}

// close ends the groups, to which nothing more comes: their prices are no longer held.
func (a *adder) close() error {
	for _, g := range a.groups { // in any order: they are sorted, and sums are the same
		a.done = append(a.done, &Group{g.Key, g.figures()})
		if err := a.all.addAll(&g.sums); err != nil {
			return err
		}
	}
	clear(a.groups)
	return nil
}

func (a *adder) count(t *ledger.Cost) {
	if t.Verdict == evidence.Drift {
		a.drifts++
	}
	if !t.Time.Known() {
		a.timeless++
	}
	if !t.Charged.Known() {
		a.unknown.charged++
	} else if !t.Burned.Known() || !t.Treasury.Known() || !t.Author.Known() {
		a.unknown.shares++
	}
	if isEVM(t) && t.Fee.Known() && !t.PriorityFee.Known() {
		a.unknown.priority++
	}
}

// result are the groups in their order, and all of them together.
func (a *adder) result(by By) ([]*Group, Figures, error) {
	if err := a.close(); err != nil {
		return nil, Figures{}, err
	}
	if by == Account {
		for payer := range a.idle {
			a.done = append(a.done, &Group{Key: Key{Account: chain.Some(payer)}})
		}
	}
	slices.SortFunc(a.done, by.compare)
	return a.done, a.all.figures(), nil
}
