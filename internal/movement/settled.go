package movement

import "github.com/feeledger/fees/chain"

// SettledAmong returns the payer's movements in an Ethereum transaction of pallet revive, with the fee and each deposit apart.
// The events withdraw the highest possible cost and deposit the rest, which mixes them. Instead of these withdrawals and
// deposits, there is one withdrawal of the fee, and a transfer for each deposit and each existential deposit. It returns
// false if they do not add up.
func SettledAmong(movements int, at func(int) *Movement, p Payment) (list []Movement, ok bool) {
	outlay, err := OutlayAmong(movements, at, p)
	o, known := outlay.Get()
	if err != nil || !known || o.Other.Sign() != 0 {
		return nil, false
	}
	pooled := map[int]Deposit{} // the payer's deposits that others hold
	beside := map[int]bool{}    // the deposits and withdrawals of the holders
	for _, d := range DepositsAmong(movements, at, chain.Some(p.Payer)) {
		if d.Party != chain.Some(p.Payer) || d.Holder == p.Payer {
			continue
		}
		switch at(d.At).Kind {
		case KindReserve:
			pooled[d.At], beside[d.At-1] = d, true
		case KindUnreserve:
			pooled[d.At], beside[d.At+1] = d, true
		}
	}
	paid := false
	for i := range movements {
		m := *at(i)
		d, deposit := pooled[i]
		switch {
		case deposit:
			m.Kind, m.Free = KindTransferOut, chain.Some(d.Amount.Negated())
			if d.Amount.Sign() < 0 {
				m.Kind = KindTransferIn
			}
			m.Account, m.Counterparty, m.Reserved = p.Payer, chain.Some(d.Holder), chain.Some(chain.SignedWei{})
		case m.Account == p.Payer && m.Kind == KindWithdrawal && !paid:
			paid = true
			m.Amount, m.Free = p.Fee, chain.Some(p.Fee.Signed().Negated())
		case m.Account == p.Payer && (m.Kind == KindWithdrawal || m.Kind == KindDeposit):
			continue
		case m.Account == p.Payer:
		case m.Kind == KindDeposit && !beside[i] && p.Receiver != chain.Some(m.Account):
			m.Kind, m.Free = KindTransferOut, chain.Some(m.Amount.Signed().Negated())
			m.Account, m.Counterparty = p.Payer, chain.Some(m.Account)
		default:
			continue
		}
		list = append(list, m)
	}
	return list, paid
}

// Mirrored reports whether the counterparty has a movement of the same event. One of [SettledAmong] has none.
func (m *Movement) Mirrored() bool {
	switch m.Event {
	case eventNames["Held"], eventNames["Released"], eventNames["Deposit"]:
		return false
	}
	return m.Counterparty.Known()
}
