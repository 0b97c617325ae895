package statement

import (
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// group contains the effects of an extrinsic or a hook on the account: its movements, and the payment of its
// fee, if any.
type group struct {
	at        movement.Where
	movements []*ledger.Movement
	payment   *ledger.Transaction
	cause     *ledger.Transaction // the payment, or what another account paid for
}

// groups yields the groups of a block, in the order of the chain.
func groups(block *ledger.Activity) iter.Seq[*group] {
	return func(yield func(*group) bool) {
		movements, payments, causes := block.Movements, block.Transactions, block.Causes
		for len(movements)+len(payments) > 0 {
			g := &group{at: movement.OnFinalize}
			if len(movements) > 0 {
				g.at = movements[0].Where
			}
			if len(payments) > 0 && movement.Where(payments[0].Index) <= g.at {
				g.at = movement.Where(payments[0].Index)
				g.payment, payments = payments[0], payments[1:]
			}
			for len(causes) > 0 && movement.Where(causes[0].Index) < g.at {
				causes = causes[1:]
			}
			if g.cause = g.payment; g.cause == nil && len(causes) > 0 && movement.Where(causes[0].Index) == g.at {
				g.cause = causes[0]
			}
			n := 0
			for n < len(movements) && movements[n].Where == g.at {
				n++
			}
			g.movements, movements = movements[:n], movements[n:]
			if !yield(g) {
				return
			}
		}
	}
}

// lines returns the group's lines.
func (g *group) lines() []*Line {
	lines := make([]*Line, 0, len(g.movements)+1)
	parts := g.feeParts()
	if g.payment != nil && len(parts) == 0 {
		t := g.payment
		zero := chain.Some(chain.SignedWei{})
		lines = append(lines, &Line{Height: t.Height, Time: t.Time, Final: t.Final, Where: g.at, Payment: t, Cause: t, Free: zero, Reserved: zero})
	}
	for i, m := range g.movements {
		l := &Line{
			Height: m.Height, Time: m.Time, Final: m.Final, Where: m.Where,
			Movement: &m.Movement, OfFee: parts[i], Cause: g.cause, Free: m.Free, Reserved: m.Reserved,
		}
		if l.OfFee && g.payment != nil {
			l.Payment, g.payment = g.payment, nil
		}
		lines = append(lines, l)
	}
	return lines
}

// feeParts reports which movements make up the fee: the withdrawal and the refund, if any. They qualify
// only if they add up to the amount charged, to the wei.
func (g *group) feeParts() map[int]bool {
	if g.payment == nil {
		return nil
	}
	charged, known := g.payment.Charged.Get()
	payer, isPaid := g.payment.Payer.Get()
	if !known || !isPaid {
		return nil
	}
	parts, err := movement.FeeAmong(len(g.movements), func(i int) *movement.Movement { return &g.movements[i].Movement }, payer, charged)
	if err != nil {
		return nil
	}
	return parts.At
}
