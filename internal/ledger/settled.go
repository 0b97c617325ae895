package ledger

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// settle replaces the movements of each Ethereum transaction of pallet revive by those with its fee and each deposit apart,
// if they add up; see [movement.SettledAmong].
func (c *Content) settle() {
	var list []Movement // nil until a transaction is settled
	at := 0
	for i := range c.Transactions {
		t := &c.Transactions[i]
		if !t.HoldsDeposits() {
			continue
		}
		where, first := movement.Where(t.Index), at
		for first < len(c.Movements) && c.Movements[first].Where < where {
			first++
		}
		end := first
		for end < len(c.Movements) && c.Movements[end].Where == where {
			end++
		}
		if settled := settledOf(t, c.Movements[first:end]); settled != nil {
			list = append(append(list, c.Movements[at:first]...), settled...)
			at = end
		}
	}
	if list != nil {
		c.Movements = append(list, c.Movements[at:]...)
	}
}

// settledOf returns the settled movements of a transaction, or nil if they do not add up.
func settledOf(t *Transaction, all []Movement) (list []Movement) {
	charged, isCharged := t.Charged.Get()
	payer, isPaid := t.Payer.Get()
	if !isCharged || !isPaid || len(all) == 0 {
		return nil
	}
	p := movement.Payment{Payer: payer, Fee: charged}
	if credited, _ := t.Treasury.Get(); !credited.IsZero() { // the credit of the fee is the last event of a balance
		if last := all[len(all)-1]; last.Kind == movement.KindDeposit {
			p.Receiver = chain.Some(last.Account)
		}
	}
	settled, ok := movement.SettledAmong(len(all), func(i int) *movement.Movement { return &all[i].Movement }, p)
	if !ok {
		return nil
	}
	position := map[int]int{} // by event
	for i := len(all) - 1; i >= 0; i-- {
		position[all[i].EventIndex] = all[i].Position
	}
	for _, m := range settled {
		list = append(list, Movement{all[0].Height, all[0].Time, all[0].Final, position[m.EventIndex], m})
	}
	return list
}
