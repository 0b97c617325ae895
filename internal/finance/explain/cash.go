package explain

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network"
)

// Settlement is the money that moved.
type Settlement struct {
	Payer  chain.Optional[chain.Address] `json:"payer"`  // null where nothing was withdrawn
	Inputs []Input                       `json:"inputs"` // withdrawn, given back, credited
	Steps  []Step                        `json:"steps"`  // charged, burned, drift
}

// paid are the inputs that make what was charged.
func (s *Settlement) paid() []Input { return s.Inputs[:len(s.Steps[0].Values)] }

func (s *Settlement) read(name string, amount chain.Wei, from string) {
	s.Inputs = append(s.Inputs, input(name, amount, InWei, from))
}

func (s *Settlement) step(st Step, result fmt.Stringer) {
	st.Unit, st.Result = InWei, Digits(result.String())
	s.Steps = append(s.Steps, st)
}

// settle reads the cash. What it came to is the report's.
func (v *Invoice) settle() *Settlement {
	t := &v.Transaction
	charged, known := t.Charged.Get()
	if !known {
		return nil
	}
	s := &Settlement{Inputs: []Input{}}
	verdict, _ := t.Verdict.Get()
	nothing := Step{Name: "charged", Formula: "0", Values: []Value{}}
	switch cash, err := chain.FindCash(v.extrinsic); {
	case errors.Is(err, chain.ErrMissing) && charged.IsZero():
		nothing.Note = "there is no event balances.Withdraw"
		s.step(nothing, charged)
	case err != nil:
		return nil
	case v.settled(s, cash, charged):
		v.proportion(s)
		v.destinations(s)
	case charged.IsZero() && verdict == evidence.CashOnly:
		nothing.Note = "the call is free of fees: what was withdrawn is its own"
		s.step(nothing, charged)
	default:
		return nil
	}
	if drift, ok := t.Drift.Get(); ok {
		paid, _ := t.Fee.Get()
		s.step(Step{Name: "drift", Formula: "charged − fee", Values: []Value{with("charged", charged), with("fee", paid)}}, drift)
	}
	return s
}

// settled lists what was withdrawn, given back and credited. It is false where no
// way to tell these gives what the report says was charged.
func (v *Invoice) settled(s *Settlement, cash chain.Cash, charged chain.Wei) bool {
	credits, ok := v.credits(cash, charged)
	if !ok {
		return false
	}
	s.Payer = chain.Some(cash.Payer)
	s.read("withdrawn", cash.Withdrawn, v.event(cash.At, fmt.Sprintf("data[1], from %v", cash.Payer)))
	whole := Step{Name: "charged", Formula: "withdrawn", Values: []Value{with("withdrawn", cash.Withdrawn)}}
	if back := len(cash.Deposits) - len(credits) - 1; back >= 0 {
		refund := cash.Deposits[back]
		s.read("given back", refund.Amount, v.event(refund.At, "data[1], to the payer"))
		whole.Formula, whole.Values = "withdrawn − given back", append(whole.Values, with("given back", refund.Amount))
	}
	s.step(whole, charged)
	for _, c := range credits {
		s.read("credited", c.Amount, v.event(c.At, fmt.Sprintf("data[1], to %v", c.Account)))
	}
	return true
}

// credits tells the credits from the refund, as the report did.
func (v *Invoice) credits(cash chain.Cash, charged chain.Wei) (credits []chain.Deposit, ok bool) {
	author, _ := v.Transaction.Author.Get()
	for _, authorPaid := range []bool{!author.IsZero(), author.IsZero()} {
		refund, credits := cash.Settle(authorPaid)
		if made, err := cash.Charged(refund); err == nil && made == charged {
			return credits, true
		}
	}
	return nil, false
}

// proportion is the share of the fee that the treasury gets, where governance sets it.
func (v *Invoice) proportion(s *Settlement) {
	d, _ := v.rules.Destinations.Get()
	base, above := d.NativeBase, d.NativeTip
	if v.Transaction.Layer == fee.EVM {
		base, above = d.EVMBase, d.EVMPriority
	}
	if base != network.TreasuryParameter && above != network.TreasuryParameter {
		return
	}
	in := Input{Name: "FeesTreasuryProportion", Unit: InPerbill, From: fmt.Sprintf("as block %d left it, in force for the block after it", max(v.Block, 1)-1)}
	if share, known := v.report.FeesTreasuryProportion.Get(); known {
		in.Value = chain.Some(Digits(share.String()))
		if p, _ := v.rules.Proportion.Get(); p.Default != nil && *p.Default == share {
			in.From += "; also the default, where governance has set none"
		}
	}
	s.Inputs = append(s.Inputs, in)
}

// destinations are where the money went, as far as the report knows.
func (v *Invoice) destinations(s *Settlement) {
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
		s.step(Step{Name: "burned", Formula: "charged − treasury", Note: "what the author got was minted, beside the fee",
			Values: []Value{with("charged", charged), with("treasury", treasury)}}, burned)
		return
	}
	s.step(Step{Name: "burned", Formula: "charged − treasury − author",
		Values: []Value{with("charged", charged), with("treasury", treasury), with("author", author)}}, burned)
}
