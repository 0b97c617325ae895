package ledger

import (
	"context"
	"iter"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// Settled returns the payer's movements in an Ethereum transaction of pallet revive with the fee and each deposit apart; see
// [movement.SettledAmong]. It returns false for other transactions, and if the movements do not add up.
func Settled(ctx context.Context, movements func(context.Context, Query) iter.Seq2[*Movement, error], t *Transaction) (list []*Movement, ok bool, err error) {
	charged, isCharged := t.Charged.Get()
	payer, isPaid := t.Payer.Get()
	if !t.HoldsDeposits() || !isCharged || !isPaid {
		return nil, false, nil
	}
	var all []*Movement
	for m, err := range movements(ctx, Query{Span: chain.Heights{First: t.Height, Last: t.Height}}) {
		if err != nil {
			return nil, false, err
		}
		if m.Where == movement.Where(t.Index) {
			all = append(all, m)
		}
	}
	p := movement.Payment{Payer: payer, Fee: charged, Revive: true}
	if credited, _ := t.Treasury.Get(); !credited.IsZero() && len(all) > 0 { // the credit of the fee is the last event of a balance
		if last := all[len(all)-1]; last.Kind == movement.KindDeposit {
			p.Receiver = chain.Some(last.Account)
		}
	}
	settled, ok := movement.SettledAmong(len(all), func(i int) *movement.Movement { return &all[i].Movement }, p)
	for i := range settled {
		like := all[slices.IndexFunc(all, func(m *Movement) bool { return m.EventIndex == settled[i].EventIndex })]
		list = append(list, &Movement{like.Height, like.Time, like.Final, like.Position, settled[i]})
	}
	return list, ok, nil
}

// Replace returns movements in which those of a transaction are replaced.
func Replace(list []*Movement, t *Transaction, by []*Movement) []*Movement {
	is := func(m *Movement) bool { return m.Height == t.Height && m.Where == movement.Where(t.Index) }
	if at := slices.IndexFunc(list, is); at >= 0 {
		return slices.Concat(list[:at], by, slices.DeleteFunc(slices.Clone(list[at:]), is))
	}
	return list
}
