package deposits

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// Deposit is an amount that an account holds or reserves.
type Deposit struct {
	Holder chain.Address
	Reason chain.HoldReason // "" for a reserve, or if the event does not state it
	Payer  chain.Optional[chain.Address]
	Amount chain.Wei
	Taken  At
}

// At is a position in the chain: an extrinsic or a hook.
type At struct {
	Height uint64
	Where  movement.Where
	Time   chain.Optional[chain.Time]
}

// String returns the place, such as "25-7" or "25-onInitialize".
func (a At) String() string { return a.Where.In(a.Height) }

// Change is a deposit that was taken, or a part of one that was given back.
type Change struct {
	At     At
	Holder chain.Address
	Reason chain.HoldReason
	Amount chain.SignedWei               // above 0 if it was taken
	Payer  chain.Optional[chain.Address] // who paid it; unknown if the ledger does not have the transaction that took it
	To     chain.Optional[chain.Address] // who got it back; unknown if it was taken, or burned
	Taken  chain.Optional[At]            // where it was taken, if the ledger has it

	by event
}

// event is the event that states a change.
type event struct {
	name            string
	index, position int
	final           bool // the block is
}

// Passed reports whether another account got the deposit back than had paid it.
func (c *Change) Passed() bool { return c.To.Known() && c.Payer.Known() && c.To != c.Payer }

// Deposits are the deposits of a chain after the blocks that were added.
type Deposits struct {
	// Each is called for each change, if it is not nil.
	Each func(*Change) error
	// Unstated counts movements whose event does not state how what is held changed.
	Unstated uint64

	only   map[place]bool // nil for all places
	piles  map[place]*pile
	latest map[payment]*open
	count  int
	number uint64
}

// place is where deposits are held.
type place struct {
	holder chain.Address
	reason chain.HoldReason
}

// payment is who paid deposits at a place.
type payment struct {
	place
	payer chain.Address
}

// open is an open deposit. What is left of it is 0 once it was given back.
type open struct {
	Deposit
	number uint64 // in the order in which they were taken
	below  *open  // the deposit that the same account paid before at the same place; nil for none, or if the payer is unknown
}

// pile contains the deposits at a place in the order in which they were taken.
type pile struct {
	list []*open
	gone int // how many of them were given back
}

// maxOpen limits the open deposits, which are held in memory: each takes about 400 bytes.
var maxOpen = 2_500_000

// ErrTooMany reports that more deposits are open, or passed, than can be held in memory.
var ErrTooMany = failure.New(failure.NotUnderstood, "Too many deposits are open at once. Name accounts, or fewer of them.")

// Of returns deposits of the places that concern some accounts in blocks: those where one of them held, paid or got back a
// deposit. An account that clears a place may get back what any other paid there, so all deposits of these places are held, and no
// others. Without accounts, all places count.
func Of(blocks iter.Seq2[*ledger.Content, error], accounts []chain.Address) (*Deposits, error) {
	d := &Deposits{}
	if len(accounts) == 0 {
		return d, nil
	}
	selected := setOf(accounts)
	d.only = map[place]bool{}
	for c, err := range blocks {
		if err != nil {
			return nil, err
		}
		for x := range changes(c) {
			if !selected[x.Holder] && !isAmong(x.Payer, selected) && !isAmong(x.To, selected) {
				continue
			}
			if d.only[place{x.Holder, x.Reason}] = true; len(d.only) > maxOpen {
				return nil, ErrTooMany
			}
		}
	}
	return d, nil
}

func setOf(accounts []chain.Address) map[chain.Address]bool {
	set := map[chain.Address]bool{}
	for _, a := range accounts {
		set[a] = true
	}
	return set
}

func isAmong(account chain.Optional[chain.Address], set map[chain.Address]bool) bool {
	a, known := account.Get()
	return known && set[a]
}

// Add adds the deposits of the next block.
func (d *Deposits) Add(c *ledger.Content) error {
	for i := range c.Movements {
		if !c.Movements[i].Reserved.Known() {
			d.Unstated++
		}
	}
	for x := range changes(c) {
		if d.only != nil && !d.only[place{x.Holder, x.Reason}] {
			continue
		}
		add := d.take
		if x.Amount.Sign() < 0 {
			add = d.give
		}
		if err := add(x); err != nil {
			return fmt.Errorf("%v: deposits: %w", x.At, err)
		}
	}
	return nil
}

// changes returns what was taken and given back in a block, before it is known whose deposit was given back. Each is valid
// until the next one.
func changes(c *ledger.Content) iter.Seq[*Change] {
	return func(yield func(*Change) bool) {
		list := c.Movements
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].Where == list[0].Where {
				n++
			}
			for x := range changesIn(c, list[:n]) {
				if !yield(x) {
					return
				}
			}
			list = list[n:]
		}
	}
}

// changesIn returns the changes in an extrinsic or a hook.
func changesIn(c *ledger.Content, list []ledger.Movement) iter.Seq[*Change] {
	return func(yield func(*Change) bool) {
		var payer chain.Optional[chain.Address]
		if index, ok := list[0].Where.Extrinsic(); ok {
			for i := range c.Transactions {
				if c.Transactions[i].Index == index {
					payer = c.Transactions[i].Payer
				}
			}
		}
		at := At{c.Height, list[0].Where, c.Time}
		for _, x := range movement.DepositsAmong(len(list), func(i int) *movement.Movement { return &list[i].Movement }, payer) {
			reason, _ := x.Reason.Get()
			m := &list[x.At]
			c := Change{At: at, Holder: x.Holder, Reason: reason, Amount: x.Amount, by: event{m.Event, m.EventIndex, m.Position, m.Final}}
			if x.Amount.Sign() > 0 {
				c.Payer = x.Party
			} else {
				c.To = x.Party
			}
			if !yield(&c) {
				return
			}
		}
	}
}

// take adds a deposit.
func (d *Deposits) take(c *Change) error {
	if d.count++; d.count > maxOpen {
		return ErrTooMany
	}
	if d.piles == nil {
		d.piles, d.latest = map[place]*pile{}, map[payment]*open{}
	}
	at := place{c.Holder, c.Reason}
	if d.piles[at] == nil {
		d.piles[at] = &pile{}
	}
	d.number++
	x := &open{Deposit: Deposit{c.Holder, c.Reason, c.Payer, c.Amount.Size(), c.At}, number: d.number}
	if payer, known := c.Payer.Get(); known {
		x.below = d.latest[payment{at, payer}]
		d.latest[payment{at, payer}] = x
	}
	d.piles[at].list = append(d.piles[at].list, x)
	c.Taken = chain.Some(c.At)
	return d.report(c)
}

// give gives an amount back to an account: of the deposits that it paid, then of those of others, the last one first.
func (d *Deposits) give(c *Change) error {
	at := place{c.Holder, c.Reason}
	p, rest := d.piles[at], c.Amount.Size()
	for p != nil && !rest.IsZero() {
		x := p.last()
		if to, known := c.To.Get(); known && d.latest[payment{at, to}] != nil {
			x = d.latest[payment{at, to}]
		}
		if x == nil {
			break
		}
		part := x.Amount
		if part.Cmp(rest) > 0 {
			part = rest
		}
		var noRest, noAmount error
		rest, noRest = rest.Sub(part)
		if x.Amount, noAmount = x.Amount.Sub(part); x.Amount.IsZero() {
			d.remove(at, p, x)
		}
		given := *c
		given.Amount, given.Payer, given.Taken = part.Signed().Negated(), x.Payer, chain.Some(x.Taken)
		if err := errors.Join(noRest, noAmount, d.report(&given)); err != nil {
			return err
		}
	}
	if rest.IsZero() {
		return nil
	}
	c.Amount = rest.Signed().Negated()
	return d.report(c)
}

// last returns the last open deposit; nil for none.
func (p *pile) last() *open {
	for n := len(p.list) - 1; n >= 0; n-- {
		if x := p.list[n]; !x.Amount.IsZero() {
			return x
		}
		p.list, p.gone = p.list[:n], p.gone-1
	}
	return nil
}

// remove removes a deposit that was given back, which is the last one of its payer.
func (d *Deposits) remove(at place, p *pile, x *open) {
	d.count--
	if payer, known := x.Payer.Get(); known {
		if d.latest[payment{at, payer}] = x.below; x.below == nil {
			delete(d.latest, payment{at, payer})
		}
	}
	if p.gone++; 2*p.gone > len(p.list) {
		p.list, p.gone = slices.DeleteFunc(p.list, func(x *open) bool { return x.Amount.IsZero() }), 0
	}
	if len(p.list) == 0 {
		delete(d.piles, at)
	}
}

func (d *Deposits) report(c *Change) error {
	if d.Each == nil {
		return nil
	}
	return d.Each(c)
}

// Open returns the open deposits, in the order in which they were taken.
func (d *Deposits) Open() []Deposit {
	all := make([]*open, 0, d.count)
	for _, p := range d.piles {
		for _, x := range p.list {
			if !x.Amount.IsZero() {
				all = append(all, x)
			}
		}
	}
	slices.SortFunc(all, func(a, b *open) int { return cmp.Compare(a.number, b.number) })
	list := make([]Deposit, len(all))
	for i, x := range all {
		list[i] = x.Deposit
	}
	return list
}
