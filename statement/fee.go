package statement

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/ledger"
)

// group is what an extrinsic, or a hook, did to the account: the movements, and the
// payment of its fee where it made one.
type group struct {
	at        place
	movements []*ledger.Movement
	payment   *ledger.Transaction
}

// lines are the group's.
func (g *group) lines() []*Line {
	lines := make([]*Line, 0, len(g.movements)+1)
	parts := g.feeParts()
	if g.payment != nil && len(parts) == 0 {
		t := g.payment
		zero := chain.Some(chain.SignedWei{})
		lines = append(lines, &Line{Height: t.Height, Time: t.Time, Final: t.Final, Where: g.at.where, Payment: t, Free: zero, Reserved: zero})
	}
	for i, m := range g.movements {
		l := &Line{
			Height: m.Height, Time: m.Time, Final: m.Final, Where: m.Where,
			Movement: &m.Movement, OfFee: parts[i], Free: m.Free, Reserved: m.Reserved,
		}
		if l.OfFee && g.payment != nil {
			l.Payment, g.payment = g.payment, nil
		}
		lines = append(lines, l)
	}
	return lines
}

// feeParts tells which of the movements make up the fee: the first withdrawal, and the
// deposit of what was too much, if anything was. They are such only if they make what
// was charged, to the wei.
//
// It is the last deposit of that amount: the extrinsic itself may have made another
// before. A deposit after it, to an author who paid, is the author's part.
//
// Source: as [chain.FindCash] and [chain.Cash.Settle].
func (g *group) feeParts() map[int]bool {
	if g.payment == nil {
		return nil
	}
	charged, known := g.payment.Charged.Get()
	if !known {
		return nil
	}
	for i, m := range g.movements {
		if m.Event != "balances.Withdraw" {
			continue
		}
		refund := m.Amount.Difference(charged)
		switch {
		case refund.Sign() == 0:
			return map[int]bool{i: true}
		case refund.Sign() > 0:
			for j := len(g.movements) - 1; j > i; j-- {
				if d := g.movements[j]; d.Event == "balances.Deposit" && d.Amount == refund.Size() {
					return map[int]bool{i: true, j: true}
				}
			}
		}
		return nil // only the first can be the fee's
	}
	return nil
}
