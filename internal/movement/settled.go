package movement

import (
	"errors"

	"github.com/feeledger/fees/chain"
)

// Payment is the fee of an Ethereum transaction of pallet revive.
type Payment struct {
	Payer    chain.Address
	Fee      chain.Wei
	Receiver chain.Optional[chain.Address] // of fees; none if they are burned
}

// SettledAmong returns the movements of an Ethereum transaction of pallet revive with the fee and each deposit apart. Its
// events withdraw the highest possible cost from the payer and deposit the rest, which mixes them. Instead of these, there
// is one withdrawal of the fee; and what a contract or a new account gets from that withdrawal, or gives back to it, is a
// transfer between the payer and the account, with the reason of the hold beside it. It returns false if they do not
// add up.
func SettledAmong(movements int, at func(int) *Movement, p Payment) (list []Movement, ok bool) {
	cash, err := CashAmong(movements, at, p.Payer)
	if err != nil {
		return nil, false
	}
	pool := pool{Cash: cash, need: p.Fee.Signed(), beside: map[int]Deposit{}}
	for _, d := range DepositsAmong(movements, at, chain.Some(p.Payer)) {
		if d.Party != chain.Some(p.Payer) || d.Holder == p.Payer {
			continue
		}
		switch at(d.At).Kind {
		case KindReserve:
			pool.beside[d.At-1] = d
		case KindUnreserve:
			pool.beside[d.At+1] = d
		default: // paid and given back directly
			continue
		}
		err = errors.Join(err, pool.add(d.Amount))
	}
	second := cash.At + 1
	if second < movements && at(second).Account == p.Payer && at(second).Kind == KindWithdrawal {
		pool.second = chain.Some(at(second).Amount)
	}
	ok = err == nil && pool.settle(movements, at, &p)
	if !ok {
		return nil, false
	}
	for i := range movements {
		m := *at(i)
		d, held := pool.beside[i]
		switch {
		case i == cash.At:
			m.Amount, m.Free = p.Fee, chain.Some(p.Fee.Signed().Negated())
		case pool.dropped[i]:
			continue
		case held || pool.endowed[i]:
			list = append(list, m.between(p.Payer, d.Reason)...)
			continue
		}
		list = append(list, m)
	}
	return list, true
}

// between returns a deposit or a withdrawal as a transfer from or to the payer.
func (m *Movement) between(payer chain.Address, reason chain.Optional[chain.HoldReason]) []Movement {
	its, payers := *m, *m
	its.Kind, payers.Kind = KindTransferIn, KindTransferOut
	if m.Kind == KindWithdrawal {
		its.Kind, payers.Kind = KindTransferOut, KindTransferIn
	}
	free, _ := m.Free.Get()
	payers.Account, payers.Free = payer, chain.Some(free.Negated())
	its.Counterparty, payers.Counterparty = chain.Some(payer), chain.Some(m.Account)
	its.Reason, payers.Reason = reason, reason
	return []Movement{payers, its}
}

// pool is what was withdrawn for a transaction's highest possible cost, and what of it was paid.
type pool struct {
	chain.Cash
	second  chain.Optional[chain.Wei] // the second withdrawal
	need    chain.SignedWei           // the fee and the deposits
	beside  map[int]Deposit           // the deposits and withdrawals of those that hold deposits
	endowed map[int]bool              // deposits to new accounts
	dropped map[int]bool              // the payer's movements besides the first withdrawal
}

func (p *pool) add(amount chain.SignedWei) (err error) {
	p.need, err = p.need.Add(amount)
	return err
}

// settle finds which movements are of the pool: the first withdrawal, often a second one, and mostly a deposit at the end.
// The others are of the call itself, such as a swap. So are deposits to others, unless they are existential deposits of new
// accounts, out of the pool.
func (p *pool) settle(movements int, at func(int) *Movement, payment *Payment) bool {
	if p.sum() {
		return true
	}
	p.endowed = map[int]bool{}
	for i := range movements {
		m := at(i)
		if _, held := p.beside[i]; m.Kind == KindDeposit && m.Account != payment.Payer && !held && payment.Receiver != chain.Some(m.Account) {
			p.endowed[i] = true
			if p.add(m.Amount.Signed()) != nil {
				return false
			}
		}
	}
	return p.sum()
}

// sum finds the withdrawals and the deposit that leave what is needed.
func (p *pool) sum() bool {
	for _, both := range []bool{true, false} {
		amount, dropped := p.Withdrawn, map[int]bool{}
		if more, is := p.second.Get(); is && both {
			sum, err := amount.Add(more)
			if err != nil {
				return false
			}
			amount, dropped[p.At+1] = sum, true
		} else if both {
			continue
		}
		if amount.Signed() == p.need {
			p.dropped = dropped
			return true
		}
		for i := len(p.Deposits) - 1; i >= 0; i-- {
			if amount.Difference(p.Deposits[i].Amount) == p.need {
				dropped[p.Deposits[i].At] = true
				p.dropped = dropped
				return true
			}
		}
	}
	return false
}
