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
	return f, nil
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
	charged, err := in.Sub(out)
	if err != nil {
		return Wei{}, fmt.Errorf("%v wei withdrawn but %v deposited: %w", in, out, err)
	}
	return charged, nil
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
}

// Stakes returns what moved through other accounts than the payer's.
func (f *Flow) Stakes(x *Extrinsic, payer Address) (s Stakes) {
	for _, w := range f.Withdrawals {
		if w.Account != payer {
			s.GivenBack = append(s.GivenBack, w)
		}
	}
	for _, d := range f.Deposits {
		switch {
		case d.Account == payer:
		case d.At > 0 && endows(&x.Events[d.At-1], d):
			s.Endowed = append(s.Endowed, d)
		default:
			s.Taken = append(s.Taken, d)
		}
	}
	return s
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
