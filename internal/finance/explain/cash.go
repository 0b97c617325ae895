package explain

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/network/rule"
)

// Settlement describes the amounts that moved.
type Settlement struct {
	Payer  chain.Optional[chain.Address] `json:"payer"`  // null if nothing was withdrawn
	Inputs []Input                       `json:"inputs"` // withdrawn, given back, credited
	Steps  []Step                        `json:"steps"`  // charged, burned, drift
}

// paid returns the inputs that make up the amount charged.
func (s *Settlement) paid() []Input { return s.Inputs[:len(s.Steps[0].Values)] }

func (s *Settlement) read(name string, amount chain.Wei, from string) {
	s.Inputs = append(s.Inputs, input(name, amount, InWei, from))
}

func (s *Settlement) step(st Step, result fmt.Stringer) {
	st.Unit, st.Result = InWei, Digits(result.String())
	s.Steps = append(s.Steps, st)
}

// settle derives the settlement from the events. The resulting amounts come from the report.
func (v *Explanation) settle() *Settlement {
	t := &v.Transaction
	charged, known := t.Charged.Get()
	if !known {
		return nil
	}
	s := &Settlement{Inputs: []Input{}}
	verdict, _ := t.Verdict.Get()
	nothing := Step{Name: "charged", Formula: "0", Values: []Value{}}
	switch cash, err := chain.FindCash(v.extrinsic); {
	case v.isRevive():
		if !v.settledRevive(s, charged) {
			return nil
		}
		v.destinations(s)
	case errors.Is(err, chain.ErrMissing) && charged.IsZero():
		nothing.Note = "no balances.Withdraw event"
		s.step(nothing, charged)
	case err != nil:
		return nil
	case v.settled(s, cash, charged):
		v.proportion(s)
		v.destinations(s)
	case charged.IsZero() && verdict == evidence.CashOnly:
		nothing.Note = "the call is exempt from fees; the withdrawal is part of the call itself"
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

// settled lists the withdrawal, the refund and the credits. It returns false if no interpretation of the deposits
// gives the amount charged in the report.
func (v *Explanation) settled(s *Settlement, cash chain.Cash, charged chain.Wei) bool {
	credits, ok := v.credits(cash, charged)
	if !ok {
		return false
	}
	s.Payer = chain.Some(cash.Payer)
	s.read("withdrawn", cash.Withdrawn, v.event(cash.At, "data[1], from "+v.Token.Account(cash.Payer)))
	whole := Step{Name: "charged", Formula: "withdrawn", Values: []Value{with("withdrawn", cash.Withdrawn)}}
	if back := len(cash.Deposits) - len(credits) - 1; back >= 0 {
		refund := cash.Deposits[back]
		s.read("given back", refund.Amount, v.event(refund.At, "data[1], to the payer"))
		whole.Formula, whole.Values = "withdrawn − given back", append(whole.Values, with("given back", refund.Amount))
	}
	s.step(whole, charged)
	for _, c := range credits {
		s.read("credited", c.Amount, v.event(c.At, "data[1], to "+v.Token.Account(c.Account)))
	}
	return true
}

// credits separates the credits from the refund, like the report.
func (v *Explanation) credits(cash chain.Cash, charged chain.Wei) (credits []chain.Deposit, ok bool) {
	author, _ := v.Transaction.Author.Get()
	for _, authorPaid := range []bool{!author.IsZero(), author.IsZero()} {
		refund, credits := cash.Settle(authorPaid)
		if made, err := cash.Charged(refund); err == nil && made == charged {
			return credits, true
		}
	}
	return nil, false
}

// proportion adds the treasury's share of the fee if governance sets it.
func (v *Explanation) proportion(s *Settlement) {
	d, _ := v.rules.Destinations.Get()
	base, above := d.NativeBase, d.NativeTip
	if v.Transaction.Layer == fee.EVM {
		base, above = d.EVMBase, d.EVMPriority
	}
	if base != rule.TreasuryParameter && above != rule.TreasuryParameter {
		return
	}
	in := Input{Name: "FeesTreasuryProportion", Unit: InPerbill, From: fmt.Sprintf("state after block %d, in force for the next block", max(v.Block, 1)-1)}
	if share, known := v.report.FeesTreasuryProportion.Get(); known {
		in.Value = chain.Some(Digits(share.String()))
		if p, _ := v.rules.Proportion.Get(); p.Default != nil && *p.Default == share {
			in.From += "; equals the default if governance has set none"
		}
	}
	s.Inputs = append(s.Inputs, in)
}

// destinations adds the destinations of the fee, as far as known.
func (v *Explanation) destinations(s *Settlement) {
	t := &v.Transaction
	burned, hasBurned := t.Burned.Get()
	treasury, hasTreasury := t.Treasury.Get()
	author, hasAuthor := t.Author.Get()
	if !hasBurned || !hasTreasury || !hasAuthor {
		return
	}
	charged, _ := t.Charged.Get()
	s.read("treasury", treasury, "credited to the "+v.rules.TreasuryLabel())
	s.read("author", author, "credited to the block author")
	if d, _ := v.rules.Destinations.Get(); d.PriorityMinted && t.Layer == fee.EVM {
		s.step(Step{Name: "burned", Formula: "charged − treasury", Note: "the author's amount was minted in addition to the fee",
			Values: []Value{with("charged", charged), with("treasury", treasury)}}, burned)
		return
	}
	s.step(Step{Name: "burned", Formula: "charged − treasury − author",
		Values: []Value{with("charged", charged), with("treasury", treasury), with("author", author)}}, burned)
}
