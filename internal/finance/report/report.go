package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Choice is what somebody wants to see of the fees.
type Choice struct {
	By   By   // what makes a group
	Only Only // only these transactions
	// Percentiles asks for those of the gas price. Then every transaction is read.
	Percentiles bool
	// Top is how many groups to show: those with the highest fees, highest first, and one group
	// for the rest. 0 shows all groups.
	Top int
}

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
	Choice
	Zone   *time.Location         // whose hours, days and months they are; nil is UTC
	Payers map[chain.Address]bool // only what these paid for; nil is everybody
	Labels *addressbook.Book      // what addresses are called; nil is not known
	// Prices are what the token cost; nil for no amounts in a currency. Each transaction is
	// valued at the price of its own day or hour.
	Prices *money.List
	// PartialPrices says that not all of those prices need be there.
	PartialPrices bool
	// Compared says that the report is for [Compare], which adds groups up and counts from when
	// the period begins.
	Compared bool
}

// Report is what the fees of a period add up to.
type Report struct {
	Question
	Rules    []string      // that priced the transactions, in the order of their names
	Groups   []*Group      // in their order; without a transaction there is only an account that was asked for
	Totals   Figures       // of all groups
	Findings uint64        // checks that did not hold in the period's blocks
	Drifts   uint64        // fees that are not what the chain charged
	Notes    []string      // what a reader must know, first what is missing
	valuer   *money.Valuer // nil without prices
	// limits are those of the period where the report is compared, by groups of time.
	limits chain.Optional[limits]
}

// Group is what some of the transactions add up to.
type Group struct {
	Key
	Figures
	sums *ledger.Sums // where the report is compared; nil of no transaction
}

// mostGroups bounds the memory of a report: each group takes one or two kilobytes.
var mostGroups = 1_000_000

// TooManyGroupsError says that a report would have more groups than there is memory for.
type TooManyGroupsError struct {
	By   By
	Most int
}

// Kind is [failure.NotUnderstood].
func (*TooManyGroupsError) Kind() failure.Kind { return failure.NotUnderstood }

func (e *TooManyGroupsError) Error() string {
	return fmt.Sprintf("a report by %s would have more than %d groups: name a shorter period, or a coarser grouping", e.By, e.Most)
}

// Make adds up what the question asks for. The ledger's totals answer it: of whole months, days
// and quarters of an hour, and block by block for what is left of the period. A report by block
// or type, one with percentiles, one of what some accounts paid, and most of those of some
// transactions only read the transactions.
// Progress is told how many of the period's blocks are read.
//
// An error is the book's, or says that an amount, or the number of groups, is more
// than can be.
func Make(ctx context.Context, book *ledger.Book, q Question, progress func(done, total uint64)) (r *Report, err error) {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	r = &Report{Question: q}
	a := newAdder(&r.Question)
	defer func() { err = errors.Join(err, a.gasPrices.close()) }()
	r.valuer = a.valuer
	span, ok := q.Cover.Span.Get()
	if ok {
		shown := func(done uint64) { progress(min(done, span.Blocks()), span.Blocks()) }
		if by, whole := q.totals(); whole {
			err = a.totals(ctx, book, span, by, shown)
		} else {
			err = a.transactions(ctx, book, span, shown)
		}
		if err != nil {
			return nil, err
		}
		shown(span.Blocks())
	}
	if a.valuer != nil {
		if err := a.valuer.Check(q.PartialPrices); err != nil {
			return nil, err
		}
	}
	var notes []string // of the blocks
	var unread error   // why there are none
	var reading sync.WaitGroup
	if ok {
		reading.Go(func() { notes, unread = r.notesOn(ctx, book, span) })
	} else {
		notes = []string{"the ledger has no block of this period"}
	}
	r.Groups, r.Totals, err = a.result()
	reading.Wait()
	if err := cmp.Or(err, unread); err != nil {
		return nil, err
	}
	if q.Compared {
		if err := r.findLimits(ctx, book); err != nil {
			return nil, err
		}
	}
	r.Rules = slices.Sorted(maps.Keys(a.rules))
	r.Drifts = a.all.Drifts
	r.Notes = slices.Concat(q.Partial, a.notes(), notes)
	if a.valuer != nil {
		r.Notes = append(r.Notes, a.valuer.Notes()...)
	}
	return r, nil
}

// totals tells which of the ledger's totals answer the question, if any do.
func (q *Question) totals() (by ledger.TotalsBy, ok bool) {
	if q.Percentiles || q.Payers != nil {
		return 0, false
	}
	by, ok = q.coarsest()
	if !q.Only.IsAll() && !(by == ledger.ByContract && q.Only.ofTotals()) {
		return 0, false
	}
	if ok && q.Prices != nil {
		return q.priced(by)
	}
	return by, ok
}

// priced are the totals of which each is of one price, instead of those that would do without
// prices.
func (q *Question) priced(by ledger.TotalsBy) (ledger.TotalsBy, bool) {
	days := !q.Prices.Hourly && q.Prices.Zone.String() == time.UTC.String() // those of the ledger
	switch by {
	case ledger.ByDay, ledger.ByMonth:
		if days {
			return ledger.ByDay, true
		}
		return ledger.ByQuarterHour, true
	case ledger.ByAccount:
		return ledger.ByAccountDay, days
	case ledger.ByContract:
		return ledger.ByContractDay, days
	}
	return by, true
}

// coarsest are the fewest totals that tell the groups apart.
func (q *Question) coarsest() (by ledger.TotalsBy, ok bool) {
	switch q.By {
	case Hour:
		return ledger.ByQuarterHour, true
	case Day, Month:
		switch {
		case q.Zone != time.UTC:
			return ledger.ByQuarterHour, true // every zone's days begin with one
		case q.By == Day:
			return ledger.ByDay, true
		}
		return ledger.ByMonth, true
	case Account, Label, InGroup:
		return ledger.ByAccount, true
	case Layer, Call, Contract:
		return ledger.ByContract, true
	}
	return 0, false
}

// adder adds transactions up.
type adder struct {
	question *Question
	groups   map[id]*group
	list     []*group // in the order in which they were found
	all      ledger.Sums
	rules    map[string]bool
	worth    worth         // of all
	valuer   *money.Valuer // nil without prices
	// gasPrices are counted where percentiles are asked for: group 0 is all transactions.
	gasPrices gasPrices
	last      *group                 // that of the block before, where a block has one
	height    uint64                 // of that block
	untold    uint64                 // transactions that may be asked for: it is not known what came of them
	idle      map[chain.Address]bool // payers that are asked for and, so far, paid for nothing
}

// group is one in the making.
type group struct {
	Key
	ledger.Sums
	worth  worth
	number int  // from 1 on
	idle   bool // nothing was paid for
}

func newAdder(q *Question) *adder {
	a := &adder{question: q, groups: map[id]*group{}, rules: map[string]bool{}, idle: maps.Clone(q.Payers)}
	if q.Prices != nil {
		a.valuer = q.Prices.Valuer()
	}
	a.worth = a.nothing()
	return a
}

// totals adds up the ledger's totals.
func (a *adder) totals(ctx context.Context, book *ledger.Book, span chain.Heights, by ledger.TotalsBy, shown func(uint64)) error {
	rules, err := book.Totals(ctx, a.question.Period, span, by, func(t *ledger.Total) error {
		if t.EVM+t.Native == 0 || !a.question.Only.hasTotal(t) { // blocks without a transaction
			return nil
		}
		g, err := a.groupOf(ofTotal(t))
		if err == nil {
			err = a.add(g, &t.Sums, t.Start)
		}
		return err
	}, shown)
	for _, name := range rules {
		a.rules[name] = true
	}
	return err
}

// transactions adds up the transactions one by one.
func (a *adder) transactions(ctx context.Context, book *ledger.Book, span chain.Heights, shown func(uint64)) error {
	if a.question.Payers != nil && len(a.question.Payers) == 0 {
		return nil
	}
	for c, err := range book.Costs(ctx, ledger.Query{Accounts: slices.Collect(maps.Keys(a.question.Payers)), Span: span}) {
		if err != nil {
			return err
		}
		shown(c.Height - span.First)
		if !a.question.Period.Has(c.Height, c.Time) {
			continue
		}
		if !a.question.Only.Has(c) {
			if a.question.Only.Outcome.Known() && c.Outcome == "" {
				a.untold++
			}
			continue
		}
		if err := a.transaction(c); err != nil {
			return err
		}
	}
	return nil
}

func (a *adder) transaction(c *ledger.Cost) error {
	if !a.question.By.ofTime() || a.last == nil || a.height != c.Height { // those of a block have one
		g, err := a.groupOf(ofCost(c))
		if err != nil {
			return err
		}
		a.last, a.height = g, c.Height
	}
	sums, err := ledger.SumsOf(c)
	if err == nil {
		err = a.add(a.last, &sums, c.Time)
	}
	if err != nil {
		return fmt.Errorf("block %d, extrinsic %d: %w", c.Height, c.Index, err)
	}
	a.rules[c.Rules] = true
	if payer, ok := c.Payer.Get(); ok {
		delete(a.idle, payer)
	}
	price, priced := c.GasPrice.Get()
	if !a.question.Percentiles || !priced || !isEVM(c) {
		return nil
	}
	if err := a.gasPrices.add(0, price); err != nil {
		return err
	}
	return a.gasPrices.add(a.last.number, price)
}

// groupOf is the group of what is added.
func (a *adder) groupOf(s subject) (*group, error) {
	by := a.question.By
	if s.account.Known() && by.Labelled() {
		labels := a.question.Labels
		if s.label, s.group = labels.LabelOf(s.account), labels.GroupOf(s.account); !s.group.Known() {
			s.group = chain.Some(NoGroup)
		}
	}
	id := by.id(&s, a.question.Zone)
	g := a.groups[id]
	if g == nil {
		if len(a.list) == mostGroups {
			return nil, &TooManyGroupsError{by, mostGroups}
		}
		g = &group{Key: by.key(&s, a.question.Zone), worth: a.nothing(), number: len(a.list) + 1}
		a.list = append(a.list, g)
		if by == Block { // the one before is behind
			clear(a.groups)
		}
		a.groups[id] = g
	}
	return g, nil
}

// result are the groups in their order, and all of them together.
func (a *adder) result() (groups []*Group, all Figures, err error) {
	ranked, err := a.gasPrices.ranked()
	if err != nil {
		return nil, all, err
	}
	rankedOf := func(number int) (p percentiles) {
		if number < len(ranked) {
			p = ranked[number]
		}
		return p
	}
	by := a.question.By
	if by == Account {
		for payer := range a.idle {
			a.list = append(a.list, &group{Key: Key{Account: chain.Some(payer)}, worth: a.nothing(), idle: true})
		}
	}
	sums := map[*Group]*group{}
	for _, g := range a.list {
		if err := a.all.Add(&g.Sums); err != nil {
			return nil, all, err
		}
		a.worth = a.worth.plus(g.worth)
		made := &Group{Key: g.Key, Figures: Figures{}.valued(g.worth)}
		if !g.idle {
			made.Figures = figuresOf(&g.Sums).with(rankedOf(g.number)).valued(g.worth)
			if a.question.Compared {
				made.sums = &g.Sums
			}
		}
		groups, sums[made] = append(groups, made), g
	}
	for _, g := range groups {
		for _, address := range []chain.Optional[chain.Address]{g.Account, g.Contract} {
			if address.Known() {
				g.Label, g.InGroup = a.question.Labels.LabelOf(address), a.question.Labels.GroupOf(address)
			}
		}
	}
	all = figuresOf(&a.all).with(rankedOf(0)).valued(a.worth)
	top := a.question.Top
	if top == 0 {
		slices.SortFunc(groups, by.compare)
		return groups, all, nil
	}
	slices.SortFunc(groups, by.compareFees)
	if len(groups) <= top {
		return groups, all, nil
	}
	others := group{Key: Key{Others: chain.Some(uint64(len(groups) - top))}, worth: a.nothing()}
	for _, g := range groups[top:] {
		if err := others.Add(&sums[g].Sums); err != nil {
			return nil, all, err
		}
		others.worth = others.worth.plus(sums[g].worth)
	}
	return append(groups[:top], &Group{Key: others.Key, Figures: figuresOf(&others.Sums).valued(others.worth)}), all, nil
}
