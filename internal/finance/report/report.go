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
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/chart"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/money"
)

// Choice is the selection and grouping of a report.
type Choice struct {
	By   By   // the grouping
	Only Only // the selected transactions
	// Percentiles adds percentiles of the gas price. It requires reading every transaction.
	Percentiles bool
	// Top is how many groups to show: those with the highest fees, highest first, and one group
	// for the rest. 0 shows all groups.
	Top int
	// Listed selects the groups in the report, unless they are of time. The totals are of all groups. Top has precedence.
	Listed Window
	// Chart and Tags are the files of a user for [AccountCode] and [Tag].
	Chart *chart.Chart
	Tags  *chart.Tags
}

// Request describes a report of a ledger.
type Request struct {
	Network       string // of the ledger
	console.Token        // the network's
	Name          string // display name of the period
	Period        ledger.Period
	Cover         ledger.Cover // the part of the period in the ledger
	// Evidence is the evidence for the ledger's blocks of the period.
	Evidence evidence.Evidence
	// Partial describes missing parts of the period; it is shown first.
	Partial []string
	// Part names the part of the period that the totals are of; "" for all of it.
	Part string
	Choice
	Zone   *time.Location         // time zone of hours, days and months; nil for UTC
	Payers map[chain.Address]bool // the selected payers; nil for all
	Labels *addressbook.Book      // address labels; nil for none
	// Prices are the token's prices; nil for no amounts in a currency. Each transaction is
	// valued at the price of its own day or hour.
	Prices *money.List
	// PartialPrices allows prices to be missing.
	PartialPrices bool
	// Marker marks transactions for groupings by a user's files.
	Marker Marker
	// Compared prepares the report for [Compare], which adds up groups and counts from the start of
	// the period.
	Compared bool
}

// Report contains the sums of the fees of a period.
type Report struct {
	Request
	Rules  []string // that priced the transactions, sorted by name
	Groups []*Group // in order; hours, days, months and selected accounts may be without transactions
	Totals Figures  // of all groups
	// Unlisted describes the groups that Choice.Listed leaves out.
	Unlisted Unlisted
	// AssetFees are the fees that were paid in assets, by asset. They are in no total of the token.
	AssetFees fee.AssetTotals
	Findings  uint64        // failed checks in the period's blocks
	Drifts    uint64        // fees that differ from what the chain charged
	Notes     []string      // notes for readers, missing data first
	valuer    *money.Valuer // nil without prices
	// limits are those of the period if the groups are of time.
	limits chain.Optional[limits]
	apart  bool // the times of the blocks are too far apart for all hours, days or months between them
	// noted are the parts of Notes after those on missing data.
	noted struct{ sums, blocks, prices []string }
}

// Group contains the sums of some of the transactions.
type Group struct {
	Key
	Figures
	// AssetFees are the group's fees that were paid in assets.
	AssetFees fee.AssetTotals

	Slot *Slot        // of an hour, a day or a month; nil for other groups
	sums *ledger.Sums // for comparisons
}

// Window selects some groups by their place in the order of fees, highest first. The zero value selects all.
type Window struct {
	After, Count int // Count 0 means all
}

// Unlisted describes groups that a report does not list.
type Unlisted struct {
	Groups            int
	Highest           chain.Wei // fee
	Labelled, Grouped bool      // some are of addresses with a label, or in a group of the address book
	OtherThanCharged  bool      // some of their fees are not what was charged
}

// maxGroups limits a report's memory: each group takes one to two kilobytes, and about one if it is not listed.
var maxGroups = 1_000_000

// TooManyGroupsError reports that a report would exceed the maximum number of groups.
type TooManyGroupsError struct {
	By   By
	Most int
}

// Kind returns [failure.NotUnderstood].
func (*TooManyGroupsError) Kind() failure.Kind { return failure.NotUnderstood }

func (e *TooManyGroupsError) Error() string {
	return fmt.Sprintf("a report by %s would have more than %d groups; choose a shorter period or a coarser grouping", e.By, e.Most)
}

// Make builds the report. Where possible it uses the ledger's totals: of whole months, days and quarters of an
// hour, and block by block for the rest of the period. Reports by block or type, with percentiles, for selected
// accounts, and most of those for selected transactions read the transactions instead. It calls progress with
// the number of blocks read.
//
// It returns an error if the ledger does, or if an amount overflows or there are too many groups.
func Make(ctx context.Context, book *ledger.Book, q Request, progress func(done, total uint64)) (r *Report, err error) {
	if q.Zone == nil {
		q.Zone = time.UTC
	}
	r = &Report{Request: q}
	a := newAdder(&r.Request)
	defer func() { err = errors.Join(err, a.gasPrices.close()) }()
	r.valuer = a.valuer
	span, ok := q.Cover.Span.Get()
	if ok {
		shown := func(done uint64) { progress(min(done, span.Blocks()), span.Blocks()) }
		if by, whole := q.totals(); whole {
			if err = a.totals(ctx, book, span, by, shown); err == nil {
				err = a.assetFees(ctx, book, span)
			}
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
	var notes []string // on the blocks
	var unread error   // why they could not be read
	var reading sync.WaitGroup
	if ok {
		reading.Go(func() { notes, unread = r.notesOn(ctx, book, span) })
	} else {
		notes = []string{"the ledger contains no blocks of this period"}
	}
	err = a.result(r)
	reading.Wait()
	if err := cmp.Or(err, unread); err != nil {
		return nil, err
	}
	if err := cmp.Or(r.findLimits(ctx, book), r.addSlots()); err != nil {
		return nil, err
	}
	r.Rules = slices.Sorted(maps.Keys(a.rules))
	r.Drifts = a.all.sums.Drifts
	r.noted.sums, r.noted.blocks = slices.Concat(a.suspended.notes(q.Token), a.notes(), r.AssetFees.Notes(q.Amount)), notes
	if r.apart {
		r.noted.blocks = append(r.noted.blocks, fmt.Sprintf("more than %s %ss lie between the times of the blocks: those without transactions are not listed", console.Grouped(uint64(maxSlots)), r.By))
	}
	if a.valuer != nil {
		r.noted.prices = a.valuer.Notes()
	}
	r.Notes = slices.Concat(q.Partial, r.notesWith(r))
	return r, nil
}

// totals returns the ledger's totals that suffice, if any do.
func (q *Request) totals() (by ledger.TotalsBy, ok bool) {
	if q.Percentiles || q.Payers != nil {
		return 0, false
	}
	by, ok = q.coarsest()
	if !q.Only.IsAll() {
		switch {
		case !q.Only.ofTotals():
			return 0, false
		case by == ledger.ByDay || by == ledger.ByMonth:
			by = ledger.ByContractDay
		case by != ledger.ByContract:
			return 0, false
		}
	}
	if ok && q.Prices != nil {
		return q.priced(by)
	}
	return by, ok
}

// priced returns totals that each fall under a single price, in place of the coarser ones that suffice without
// prices.
func (q *Request) priced(by ledger.TotalsBy) (ledger.TotalsBy, bool) {
	days := !q.Prices.Hourly && q.Prices.Zone.String() == time.UTC.String() // the ledger's days are UTC
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

// coarsest returns the coarsest totals that separate the groups.
func (q *Request) coarsest() (by ledger.TotalsBy, ok bool) {
	switch q.By {
	case Hour:
		return ledger.ByQuarterHour, true
	case Day, Month:
		switch {
		case q.Zone != time.UTC:
			return ledger.ByQuarterHour, true // the days of every time zone start on a quarter hour
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

// adder sums up transactions.
type adder struct {
	request *Request
	groups  map[id]*subtotal
	list    []*subtotal // in the order found
	words   words
	all     subtotal
	rules   map[string]bool
	valuer  *money.Valuer // nil without prices
	// gasPrices are counted if percentiles are requested: group 0 contains all transactions.
	gasPrices gasPrices
	last      *subtotal              // the previous block's group, if groups are periods of time
	height    uint64                 // of the previous block
	untold    uint64                 // transactions left out because their outcome is unknown
	idle      map[chain.Address]bool // selected payers without transactions so far
	mark      chain.Optional[string] // of the transaction, if the grouping needs it
	suspended suspended

	free []subtotal // allocated together, since there may be many
}

// next returns the next of some values that are allocated together.
func next[T any](free *[]T) *T {
	if len(*free) == 0 {
		*free = make([]T, 64)
	}
	first := &(*free)[0]
	*free = (*free)[1:]
	return first
}

func newAdder(q *Request) *adder {
	a := &adder{request: q, groups: map[id]*subtotal{}, words: words{numbers: map[[2]string]int32{}}, rules: map[string]bool{}, idle: maps.Clone(q.Payers)}
	if q.Prices != nil {
		a.valuer = q.Prices.Valuer()
	}
	return a
}

// totals sums up the ledger's totals.
func (a *adder) totals(ctx context.Context, book *ledger.Book, span chain.Heights, by ledger.TotalsBy, shown func(uint64)) error {
	rules, err := book.Totals(ctx, a.request.Period, span, by, func(t *ledger.Total) error {
		if t.EVM+t.Native == 0 || !a.request.Only.hasTotal(t) { // blocks without transactions
			return nil
		}
		s := ofTotal(t)
		g, err := a.subtotalOf(&s)
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

// assetFees adds the fees that were paid in assets to their groups: the ledger's totals do not contain them.
func (a *adder) assetFees(ctx context.Context, book *ledger.Book, span chain.Heights) error {
	q := a.request
	fees := q.Only.Fee.In(q.Token)
	for t, err := range book.PaidInAssets(ctx, q.Only.Query(span)) {
		if err != nil {
			return err
		}
		if !q.Period.Has(t.Height, t.Time) || q.Only.Untold(&t.Kind) || !fees.Has(&t.Cost) {
			continue
		}
		s := ofCost(&t.Cost)
		g, err := a.subtotalOf(&s)
		if err == nil {
			err = g.assets.Add(&t.AssetFee)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// transactions sums up the transactions one by one.
func (a *adder) transactions(ctx context.Context, book *ledger.Book, span chain.Heights, shown func(uint64)) error {
	if a.request.Payers != nil && len(a.request.Payers) == 0 {
		return nil
	}
	q := a.request.Only.Query(span)
	q.Accounts = slices.Collect(maps.Keys(a.request.Payers))
	q.Progress = func(height uint64) { shown(height - span.First) }
	fees := a.request.Only.Fee.In(a.request.Token)
	for t, err := range book.Transactions(ctx, q) {
		if err != nil {
			return err
		}
		c := &t.Cost
		if !a.request.Period.Has(c.Height, c.Time) {
			continue
		}
		if a.request.Only.Untold(&c.Kind) || fees.Untold(c) {
			a.untold++
			continue
		}
		if !fees.Has(c) {
			continue
		}
		if a.mark, err = a.marked(ctx, t); err != nil {
			return err
		}
		if err = a.transaction(c); err == nil && t.InAsset() {
			err = a.last.assets.Add(&t.AssetFee)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *adder) transaction(c *ledger.Cost) error {
	if !a.request.By.OfTime() || a.last == nil || a.height != c.Height { // a block belongs to a single group
		s := ofCost(c)
		s.mark = a.mark
		g, err := a.subtotalOf(&s)
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
	if !a.request.Percentiles || !priced || !isEVM(c) {
		return nil
	}
	if err := a.gasPrices.add(0, price); err != nil {
		return err
	}
	return a.gasPrices.add(a.last.number, price)
}

// subtotalOf returns the subtotal of a subject's group.
func (a *adder) subtotalOf(s *subject) (*subtotal, error) {
	by := a.request.By
	if s.account.Known() && by.Labelled() {
		labels := a.request.Labels
		if s.label, s.group = labels.LabelOf(s.account), labels.GroupOf(s.account); !s.group.Known() {
			s.group = chain.Some(NoGroup)
		}
	}
	id := by.id(s, a.request.Zone, &a.words)
	t := a.groups[id]
	if t == nil {
		if len(a.list) == maxGroups {
			return nil, &TooManyGroupsError{by, maxGroups}
		}
		if t = a.newSubtotal(id); by.OfTime() {
			key := by.timed(s, a.request.Zone)
			t.time = &key
		}
		if by == Block { // the previous block is complete
			clear(a.groups)
		}
		a.groups[id] = t
	}
	return t, nil
}

// result adds the groups in order, and the totals.
func (a *adder) result(r *Report) error {
	prices, err := a.gasPrices.ranked()
	if err != nil {
		return err
	}
	by, top := a.request.By, a.request.Top
	if by == Account {
		for payer := range a.idle {
			a.newSubtotal(id{address: payer, addressed: true})
		}
	}
	a.all.worth = a.nothing()
	if err := a.all.joinAll(a.list); err != nil {
		return err
	}
	r.Totals, r.AssetFees = a.all.figures(prices), a.all.assets
	if top == 0 && by.OfTime() {
		for _, t := range a.list {
			r.Groups = append(r.Groups, a.groupOf(t, prices))
		}
		slices.SortFunc(r.Groups, by.compare)
		return nil
	}
	var others []*subtotal
	listed := a.request.Listed
	if top > 0 {
		listed = Window{Count: top}
	} else if listed.Count == 0 {
		listed.Count = len(a.list)
	}
	r.Groups, others = a.ranked(listed, prices)
	if top == 0 {
		r.Unlisted = a.unlisted(others)
	} else if len(others) > 0 {
		rest := &subtotal{worth: a.nothing()}
		if err := rest.joinAll(others); err != nil {
			return err
		}
		g := a.groupOf(rest, nil)
		g.Key = Key{Others: chain.Some(uint64(len(others)))}
		r.Groups = append(r.Groups, g)
	}
	return nil
}

// combine adds up groups; nothing is the worth of none.
func (g *Group) combine(groups []*Group, nothing worth) error {
	sum := subtotal{worth: &nothing}
	for _, part := range groups {
		value := worthOf(&part.Figures)
		x := subtotal{worth: &value, assets: part.AssetFees}
		if part.sums != nil {
			x.sums = *part.sums
		}
		if err := sum.join(&x); err != nil {
			return err
		}
	}
	g.Figures, g.AssetFees = sum.figures(nil), sum.assets
	return nil
}
