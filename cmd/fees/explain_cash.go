package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/fee"
)

// settlement is the money that moved.
type settlement struct {
	Payer  chain.Optional[chain.Address] `json:"payer"`  // null where nothing was withdrawn
	Inputs []input                       `json:"inputs"` // withdrawn, given back, credited
	Steps  []step                        `json:"steps"`  // charged, burned, drift
}

// paid are the inputs that make what was charged.
func (s *settlement) paid() []input { return s.Inputs[:len(s.Steps[0].Values)] }

func (s *settlement) read(name string, amount chain.Wei, from string) {
	s.Inputs = append(s.Inputs, input{name, digits(amount.String()), inWei, from})
}

func (s *settlement) step(st step, result fmt.Stringer) {
	st.Unit, st.Result = inWei, digits(result.String())
	s.Steps = append(s.Steps, st)
}

// settle reads the cash. What it came to is the report's.
func (v *invoice) settle() *settlement {
	t := &v.Transaction
	charged, known := t.Charged.Get()
	if !known {
		return nil
	}
	s := &settlement{Inputs: []input{}}
	verdict, _ := t.Verdict.Get()
	nothing := step{Name: "charged", Formula: "0", Values: []value{}}
	switch cash, err := chain.FindCash(v.extrinsic); {
	case errors.Is(err, chain.ErrMissing) && charged.IsZero():
		nothing.Note = "there is no event balances.Withdraw"
		s.step(nothing, charged)
	case err != nil:
		return nil
	case v.settled(s, cash, charged):
		v.destinations(s)
	case charged.IsZero() && verdict == evidence.CashOnly:
		nothing.Note = "the call is free of fees: what was withdrawn is its own"
		s.step(nothing, charged)
	default:
		return nil
	}
	if drift, ok := t.Drift.Get(); ok {
		paid, _ := t.Fee.Get()
		s.step(step{Name: "drift", Formula: "charged − fee", Values: []value{with("charged", charged), with("fee", paid)}}, drift)
	}
	return s
}

// settled lists what was withdrawn, given back and credited. It is false where no
// way to tell these gives what the report says was charged.
func (v *invoice) settled(s *settlement, cash chain.Cash, charged chain.Wei) bool {
	credits, places, ok := v.credits(cash, charged)
	if !ok {
		return false
	}
	s.Payer = chain.Some(cash.Payer)
	s.read("withdrawn", cash.Withdrawn, v.event(firstWithdraw(v.extrinsic), fmt.Sprintf("data[1], from %v", cash.Payer)))
	whole := step{Name: "charged", Formula: "withdrawn", Values: []value{with("withdrawn", cash.Withdrawn)}}
	if back := len(cash.Deposits) - len(credits) - 1; back >= 0 {
		refund := cash.Deposits[back].Amount
		s.read("given back", refund, v.event(places[back], "data[1], to the payer"))
		whole.Formula, whole.Values = "withdrawn − given back", append(whole.Values, with("given back", refund))
	}
	s.step(whole, charged)
	for i, c := range credits {
		s.read("credited", c.Amount, v.event(places[len(places)-len(credits)+i], fmt.Sprintf("data[1], to %v", c.Account)))
	}
	return true
}

// credits tells the credits from the refund, as the report did, and where each
// deposit stands among the events.
func (v *invoice) credits(cash chain.Cash, charged chain.Wei) (credits []chain.Deposit, places []int, ok bool) {
	for i := len(v.extrinsic.Events) - 1; i >= 0 && len(places) < len(cash.Deposits); i-- {
		if v.extrinsic.Events[i].Is("balances", "Deposit") {
			places = append(places, i)
		}
	}
	slices.Reverse(places)
	author, _ := v.Transaction.Author.Get()
	for _, authorPaid := range []bool{!author.IsZero(), author.IsZero()} {
		refund, credits := cash.Settle(authorPaid)
		if made, err := cash.Charged(refund); err == nil && made == charged {
			return credits, places, true
		}
	}
	return nil, nil, false
}

// destinations are where the money went, as far as the report knows.
func (v *invoice) destinations(s *settlement) {
	t := &v.Transaction
	burned, hasBurned := t.Burned.Get()
	treasury, hasTreasury := t.Treasury.Get()
	author, hasAuthor := t.Author.Get()
	if !hasBurned || !hasTreasury || !hasAuthor {
		return
	}
	charged, _ := t.Charged.Get()
	s.read("treasury", treasury, "what was credited to the treasury")
	s.read("author", author, "what was credited to the author of the block")
	if d, _ := v.rules.Destinations.Get(); d.PriorityMinted && t.Layer == fee.EVM {
		s.step(step{Name: "burned", Formula: "charged − treasury", Note: "what the author got was minted, beside the fee",
			Values: []value{with("charged", charged), with("treasury", treasury)}}, burned)
		return
	}
	s.step(step{Name: "burned", Formula: "charged − treasury − author",
		Values: []value{with("charged", charged), with("treasury", treasury), with("author", author)}}, burned)
}

func firstWithdraw(x *chain.Extrinsic) int {
	return slices.IndexFunc(x.Events, func(e chain.Event) bool { return e.Is("balances", "Withdraw") })
}
