package statement

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/movement"
)

// group contains the effects of an extrinsic or a hook on the account: its movements, and the payment of its
// fee, if any.
type group struct {
	at        place
	movements []*ledger.Movement
	payment   *ledger.Transaction
}

// lines returns the group's lines.
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
	cash, err := movement.CashAmong(len(g.movements), func(i int) *movement.Movement { return &g.movements[i].Movement }, payer)
	if err != nil {
		return nil
	}
	refund, err := cash.Refund(charged)
	if err != nil {
		return nil
	}
	parts := map[int]bool{cash.At: true}
	if back, given := refund.Get(); given {
		parts[back.At] = true
	}
	return parts
}
