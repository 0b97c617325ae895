package chain

import (
	"errors"
	"fmt"
)

// Flow is the money that moved through an Ethereum transaction of pallet revive, according to its events. The pallet
// withdraws the highest possible cost from the payer in two parts, deposits what the transaction puts on hold to those who
// hold it, withdraws what it releases, and deposits the rest to the payer. What is left of all withdrawals is the fee, which
// is credited to the receiver of fees, or burned, directly before TransactionFeePaid.
//
// Source: polkadot-sdk, frame/revive/src/evm/fees.rs, withdraw_txfee and deposit_txfee.
type Flow struct {
	Withdrawals []Deposit // from any account
	Deposits    []Deposit // to any account, without the credits
	Credits     []Deposit // of the fee
	// Burned is what the call itself burned of its withdrawals, less what it issued for its deposits. It is 0 if the fee
	// that the chain states is left without it: then it was of other amounts, such as dust.
	Burned SignedWei
}

// FindFlow returns the money that moved through an extrinsic with an event TransactionFeePaid. Receiver is the account that
// receives fees, if there is one.
func FindFlow(x *Extrinsic, receiver Optional[Address]) (f Flow, err error) {
	stated := len(x.Events)
	for i := range x.Events {
		if x.Events[i].Is("transactionPayment", "TransactionFeePaid") {
			stated = i
		}
	}
	if stated == len(x.Events) {
		return Flow{}, fmt.Errorf("event transactionPayment.TransactionFeePaid: %w", ErrMissing)
	}
	for i := range x.Events[:stated] {
		e := &x.Events[i]
		list := &f.Deposits
		switch {
		case e.Is("balances", "Withdraw"):
			list = &f.Withdrawals
		case !e.Is("balances", "Deposit"):
			continue
		}
		account, amount, err := readBalanceEvent(e)
		if err != nil {
			return Flow{}, err
		}
		*list = append(*list, Deposit{account, amount, i})
	}
	to, known := receiver.Get()
	for last := len(f.Deposits) - 1; known && last >= 0 && f.Deposits[last].Account == to && endsWith(x.Events[f.Deposits[last].At+1:stated], to); last-- {
		f.Deposits, f.Credits = f.Deposits[:last], append(f.Credits, f.Deposits[last])
	}
	if burned, err := burnedBy(x.Events[:stated]); err == nil {
		f.follow(&x.Events[stated], burned)
	}
	return f, nil
}

// burnedBy returns what the events before that of the fee burned of withdrawals, less what they issued. Dust is of no
// withdrawal, and the last event burns the fee.
func burnedBy(events []Event) (sum SignedWei, err error) {
	for i := range events {
		e := &events[i]
		burns := e.Is("balances", "BurnedDebt") || e.Is("balances", "Rescinded")
		switch {
		case !burns && !e.Is("balances", "MintedCredit") && !e.Is("balances", "Issued"),
			i == len(events)-1 && e.Name == "BurnedDebt", i > 0 && events[i-1].Is("balances", "DustLost"):
			continue
		}
		amount, noAmount := e.Data.At(0).Wei()
		signed := amount.Signed()
		if !burns {
			signed = signed.Negated()
		}
		var noSum error
		sum, noSum = sum.Add(signed)
		if err = errors.Join(noAmount, noSum); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// follow sets what the call burned if the fee that an event states follows only with it.
func (f *Flow) follow(stated *Event, burned SignedWei) {
	_, fee, err := readBalanceEvent(stated)
	if charged, noCharge := f.Charged(); err != nil || noCharge == nil && charged == fee {
		return
	}
	with := *f
	with.Burned = burned
	if charged, err := with.Charged(); err == nil && charged == fee {
		f.Burned = burned
	}
}

// endsWith reports whether events consist of deposits to an account, and of those that its creation emits.
func endsWith(events []Event, account Address) bool {
	for i := range events {
		e := &events[i]
		if !e.Is("balances", "Deposit") && !e.Is("balances", "Endowed") && !e.Is("system", "NewAccount") {
			return false
		}
		if of, err := e.Data.At(0).Account(); err != nil || of != account {
			return false
		}
	}
	return true
}

// Charged returns the fee: what is left of all withdrawals. It returns ErrOverflow if more was deposited than withdrawn.
func (f *Flow) Charged() (Wei, error) {
	in, err := Sum(f.Withdrawals)
	out, noSum := Sum(f.Deposits)
	if err := errors.Join(err, noSum); err != nil {
		return Wei{}, err
	}
	charged, err := in.Difference(out).Add(f.Burned.Negated())
	if err == nil && charged.Sign() < 0 {
		err = ErrOverflow
	}
	if err != nil {
		return Wei{}, fmt.Errorf("%v wei withdrawn but %v deposited: %w", in, out, err)
	}
	return charged.Size(), nil
}

// Hold returns the withdrawals before the transaction ran: the first two of its payer, which are the first events.
func (f *Flow) Hold(payer Address) []Deposit {
	const parts = 2
	n := 0
	for n < len(f.Withdrawals) && n < parts && f.Withdrawals[n].At == n && f.Withdrawals[n].Account == payer {
		n++
	}
	return f.Withdrawals[:n]
}

// Stakes are the amounts that an Ethereum transaction moved besides its fee, by what they are.
type Stakes struct {
	Taken     []Deposit // put on hold for storage or code: they are given back with it
	Endowed   []Deposit // to accounts that came into being
	GivenBack []Deposit // released from accounts, and part of what the payer got back
	// Own are withdrawals and deposits of the call itself whose counterpart is unknown, such as those of a transfer to
	// another chain. What it passed on, or burned, at once is in no list.
	Own []Deposit
}

// Stakes returns what moved besides the hold and the rest that the payer got back, its last deposit.
func (f *Flow) Stakes(x *Extrinsic, payer Address) (s Stakes) {
	passed := map[int]bool{}
	for _, w := range f.Withdrawals[len(f.Hold(payer)):] {
		to, isPassed := passedOn(x.Events, &w)
		switch {
		case w.At > 0 && holds(&x.Events[w.At-1], "Released", w):
			s.GivenBack = append(s.GivenBack, w)
		case isPassed:
			passed[to] = true
		case !w.Amount.IsZero():
			s.Own = append(s.Own, w)
		}
	}
	rest := len(f.Deposits) - 1
	for rest >= 0 && (f.Deposits[rest].Account != payer || passed[f.Deposits[rest].At]) {
		rest--
	}
	for i, d := range f.Deposits {
		switch {
		case i == rest || passed[d.At]:
		case holds(&x.Events[d.At+1], "Held", d): // the fee's event follows
			s.Taken = append(s.Taken, d)
		case d.At > 0 && endows(&x.Events[d.At-1], d):
			s.Endowed = append(s.Endowed, d)
		case !d.Amount.IsZero():
			s.Own = append(s.Own, d)
		}
	}
	return s
}

// passedOn returns the index of the event that moves on what was withdrawn: the next one, besides those that the creation of
// an account emits, unless that puts the amount on hold.
func passedOn(events []Event, w *Deposit) (at int, passed bool) {
	for at = w.At + 1; at < len(events)-1; at++ {
		e := &events[at]
		if e.Is("balances", "Endowed") || e.Is("system", "NewAccount") {
			continue
		}
		if e.Is("balances", "BurnedDebt") {
			amount, err := e.Data.At(0).Wei()
			return at, err == nil && amount == w.Amount
		}
		account, amount, err := readBalanceEvent(e)
		return at, err == nil && e.Is("balances", "Deposit") && amount == w.Amount && !holds(&events[at+1], "Held", Deposit{Account: account, Amount: amount})
	}
	return at, false
}

// holds reports whether an event of a name states that pallet revive holds, or released, an amount.
func holds(e *Event, name string, d Deposit) bool {
	reason, err := e.Data.At(0).HoldReason()
	account, noAccount := e.Data.At(1).Account()
	amount, noAmount := e.Data.At(2).Wei()
	return e.Is("balances", name) && (err != nil || reason.Pallet() == "revive") && noAccount == nil && noAmount == nil && account == d.Account && amount == d.Amount
}

func endows(e *Event, d Deposit) bool {
	account, amount, err := readBalanceEvent(e)
	return err == nil && e.Is("balances", "Endowed") && account == d.Account && amount == d.Amount
}

// Sum returns the sum of amounts.
func Sum(list []Deposit) (sum Wei, err error) {
	for _, d := range list {
		if sum, err = sum.Add(d.Amount); err != nil {
			return Wei{}, err
		}
	}
	return sum, nil
}
