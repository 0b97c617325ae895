package movement

import (
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
// add up, or if they do in more than one way.
func SettledAmong(movements int, at func(int) *Movement, p Payment) (list []Movement, ok bool) {
	cash, err := CashAmong(movements, at, p.Payer)
	if err != nil {
		return nil, false
	}
	pool := pool{need: p.Fee.Signed(), beside: map[int]Deposit{}}
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
		if pool.need, err = pool.need.Add(d.Amount); err != nil {
			return nil, false
		}
	}
	pool.findGifts(movements, at, &p)
	parts, ok := pool.settle(&cash, movements, at)
	if !ok {
		return nil, false
	}
	for i := range movements {
		m := *at(i)
		d, held := pool.beside[i]
		switch {
		case i == cash.At:
			m.Amount, m.Free = p.Fee, chain.Some(p.Fee.Signed().Negated())
		case parts.dropped[i]:
			continue
		case held || parts.endowed[i]:
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

// pool is what a transaction's highest possible cost pays.
type pool struct {
	need   chain.SignedWei     // the fee and the deposits
	beside map[int]Deposit     // the deposits and withdrawals of those that hold deposits
	gifts  map[chain.Wei][]int // deposits that can be the existential deposits of new accounts, by amount
}

// parts are the movements that settle a pool.
type parts struct {
	dropped map[int]bool // the payer's movements besides the first withdrawal
	endowed map[int]bool // deposits to new accounts
}

// findGifts finds the deposits that can be existential deposits of new accounts. An event that reports the account directly
// precedes each, so no movement does.
func (p *pool) findGifts(movements int, at func(int) *Movement, payment *Payment) {
	p.gifts = map[chain.Wei][]int{}
	for i := range movements {
		m := at(i)
		_, held := p.beside[i]
		follows := i > 0 && at(i-1).EventIndex+1 == m.EventIndex
		if m.Kind == KindDeposit && m.Account != payment.Payer && payment.Receiver != chain.Some(m.Account) && !held && !follows {
			p.gifts[m.Amount] = append(p.gifts[m.Amount], i)
		}
	}
}

// settle finds which movements are of the pool: the first two withdrawals, in some runtimes only one, and mostly the payer's
// last deposit. The others are of the call itself, such as a swap.
func (p *pool) settle(cash *chain.Cash, movements int, at func(int) *Movement) (parts, bool) {
	if second := cash.At + 1; second < movements && at(second).Account == cash.Payer && at(second).Kind == KindWithdrawal {
		if both, err := cash.Withdrawn.Add(at(second).Amount); err == nil {
			if found := p.ways(cash, both); len(found) > 0 {
				found[0].dropped[second] = true
				return found[0], len(found) == 1
			}
		}
	}
	if found := p.ways(cash, cash.Withdrawn); len(found) == 1 {
		return found[0], true
	}
	return parts{}, false
}

// ways returns the ways to settle what was withdrawn, with the payer's last deposit as the rest and without a rest.
func (p *pool) ways(cash *chain.Cash, withdrawn chain.Wei) (found []parts) {
	last := len(cash.Deposits) - 1
	if last < 0 || !cash.Deposits[last].Amount.IsZero() {
		found = p.endow(withdrawn.Signed(), map[int]bool{})
	}
	if last >= 0 {
		rest := cash.Deposits[last]
		found = append(found, p.endow(withdrawn.Difference(rest.Amount), map[int]bool{rest.At: true})...)
	}
	return found
}

// endow returns the ways in which an amount is what the pool needs and the existential deposits of new accounts, which are
// all the same.
func (p *pool) endow(paid chain.SignedWei, dropped map[int]bool) (found []parts) {
	given, err := paid.Add(p.need.Negated())
	if err != nil || given.Sign() < 0 {
		return nil
	}
	if given.Sign() == 0 {
		return []parts{{dropped: dropped}}
	}
	for amount, list := range p.gifts {
		for n := range list {
			if sum, err := amount.Times(uint64(n + 1)); err == nil && sum.Signed() == given {
				found = append(found, choices(list, n+1, dropped)...)
			}
		}
	}
	return found
}

// choices returns the ways to choose n deposits from a list, but at most two.
func choices(list []int, n int, dropped map[int]bool) (found []parts) {
	for first := 0; first+n <= len(list) && first < 2; first++ {
		way := parts{dropped, map[int]bool{}}
		for _, i := range list[first : first+n] {
			way.endowed[i] = true
		}
		found = append(found, way)
	}
	return found
}
