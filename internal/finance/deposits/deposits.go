package deposits

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
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
	number uint64 // in the order in which they were taken
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
}

// Passed reports whether another account got the deposit back than had paid it.
func (c *Change) Passed() bool { return c.To.Known() && c.Payer.Known() && c.To != c.Payer }

// Deposits are the deposits of a chain after the blocks that were added.
type Deposits struct {
	// Each is called for each change, if it is not nil.
	Each func(*Change) error
	// Unstated counts movements whose event does not state how what is held changed.
	Unstated uint64

	open   map[place][]Deposit
	count  int
	number uint64
}

// place is where deposits are held.
type place struct {
	holder chain.Address
	reason chain.HoldReason
}

// maxOpen limits the open deposits, which are held in memory: each takes about 200 bytes.
const maxOpen = 5_000_000

// Add adds the deposits of the next block.
func (d *Deposits) Add(c *ledger.Content) error {
	list := c.Movements
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Where == list[0].Where {
			n++
		}
		if err := d.extrinsic(c, list[:n]); err != nil {
			return fmt.Errorf("%s: deposits: %w", list[0].Where.In(c.Height), err)
		}
		list = list[n:]
	}
	return nil
}

// extrinsic adds the deposits of an extrinsic or a hook.
func (d *Deposits) extrinsic(c *ledger.Content, list []ledger.Movement) error {
	var payer chain.Optional[chain.Address]
	if index, ok := list[0].Where.Extrinsic(); ok {
		for i := range c.Transactions {
			if c.Transactions[i].Index == index {
				payer = c.Transactions[i].Payer
			}
		}
	}
	for i := range list {
		if !list[i].Reserved.Known() {
			d.Unstated++
		}
	}
	at := At{c.Height, list[0].Where, c.Time}
	for _, x := range movement.DepositsAmong(len(list), func(i int) *movement.Movement { return &list[i].Movement }, payer) {
		reason, _ := x.Reason.Get()
		if err := d.change(at, place{x.Holder, reason}, x); err != nil {
			return err
		}
	}
	return nil
}

func (d *Deposits) change(at At, p place, x movement.Deposit) error {
	if d.open == nil {
		d.open = map[place][]Deposit{}
	}
	if x.Amount.Sign() < 0 {
		return d.give(at, p, x.Amount.Size(), x.Party)
	}
	if d.count++; d.count > maxOpen {
		return fmt.Errorf("more than %d are open", maxOpen)
	}
	d.number++
	d.open[p] = append(d.open[p], Deposit{p.holder, p.reason, x.Party, x.Amount.Size(), at, d.number})
	return d.report(Change{At: at, Holder: p.holder, Reason: p.reason, Amount: x.Amount, Payer: x.Party, Taken: chain.Some(at)})
}

// give gives an amount back to an account: of the deposits that it paid, then of those of others, the last one first.
func (d *Deposits) give(at At, p place, amount chain.Wei, to chain.Optional[chain.Address]) error {
	for _, own := range []bool{true, false} {
		list := d.open[p]
		for i := len(list) - 1; i >= 0 && !amount.IsZero(); i-- {
			x := list[i]
			if own != (to.Known() && x.Payer == to) {
				continue
			}
			part := x.Amount
			if part.Cmp(amount) > 0 {
				part = amount
			}
			rest, err := x.Amount.Sub(part)
			if err == nil {
				amount, err = amount.Sub(part)
			}
			if err != nil {
				return err
			}
			if list[i].Amount = rest; rest.IsZero() {
				list = slices.Delete(list, i, i+1)
				d.count--
			}
			if err := d.report(Change{at, p.holder, p.reason, part.Signed().Negated(), x.Payer, to, chain.Some(x.Taken)}); err != nil {
				return err
			}
		}
		if d.open[p] = list; len(list) == 0 {
			delete(d.open, p)
		}
	}
	if amount.IsZero() {
		return nil
	}
	return d.report(Change{At: at, Holder: p.holder, Reason: p.reason, Amount: amount.Signed().Negated(), To: to})
}

func (d *Deposits) report(c Change) error {
	if d.Each == nil {
		return nil
	}
	return d.Each(&c)
}

// Open returns the open deposits, in the order in which they were taken.
func (d *Deposits) Open() []Deposit {
	list := make([]Deposit, 0, d.count)
	for _, some := range d.open {
		list = append(list, some...)
	}
	slices.SortFunc(list, func(a, b Deposit) int { return cmp.Compare(a.number, b.number) })
	return list
}
