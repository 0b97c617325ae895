package evidence

import (
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
)

// cash compares a fee with the money that moved, and tells what was withdrawn
// before the transaction ran.
func (p *prover) cash(t *fee.Transaction, x *chain.Extrinsic, of check) (proof Proof, withdrawn chain.Wei) {
	fee, determined := t.Fee.Get()
	cash, err := chain.FindCash(x)
	switch {
	case errors.Is(err, chain.ErrNoWithdraw) && (p.rules.NoWithdrawEvent || !p.rules.Runtime.Known()):
		p.skip(of, "the chain recorded no withdrawal, as runtimes before 1201")
		return Proof{Verdict: chain.Some(NoEvidence)}, withdrawn
	case errors.Is(err, chain.ErrNoWithdraw) && determined && fee.IsZero():
		return p.free(t, of), withdrawn
	case errors.Is(err, chain.ErrNoWithdraw) && determined:
		p.broken(of, t.Index, "%v: nothing was charged for a fee of %v wei", err, fee)
		return drifted(chain.Wei{}, fee, Unknown), withdrawn
	case err != nil:
		p.broken(of, t.Index, "%v", err)
		return Proof{Verdict: chain.Some(NoEvidence)}, withdrawn
	}
	refund, credits := cash.Settle(p.authorPaid(t))
	charged, err := cash.Charged(refund)
	if err != nil {
		p.broken(of, t.Index, "%v", err)
		return Proof{Verdict: chain.Some(NoEvidence)}, withdrawn
	}
	if byCash(t) && fee.IsZero() && !charged.IsZero() { // what a free call withdrew itself
		return p.free(t, of), withdrawn
	}
	if payer, ok := t.Payer.Get(); ok && payer != cash.Payer && determined {
		p.broken(of, t.Index, "the fee was withdrawn from %v, and the payer is %v", cash.Payer, payer)
		return drifted(chain.Wei{}, fee, Unknown), withdrawn
	}
	proof = p.settled(t, of, charged, cash.PayerRemoved && refund.IsZero())
	p.destinations(t, x, &proof, credits, len(credits) < len(cash.Deposits))
	return proof, cash.Withdrawn
}

// free is the proof of a fee of 0: nothing is withdrawn for it, and nobody gets a part.
func (p *prover) free(t *fee.Transaction, of check) Proof {
	proof := p.settled(t, of, chain.Wei{}, false)
	nothing := chain.Some(chain.Wei{})
	proof.Burned, proof.Treasury, proof.Author = nothing, nothing, nothing
	return proof
}

// settled gives the verdict on what was charged.
func (p *prover) settled(t *fee.Transaction, of check, charged chain.Wei, zeroed bool) Proof {
	proof := Proof{Charged: chain.Some(charged), Verdict: chain.Some(Match)}
	paid, determined := t.Fee.Get()
	switch drift := charged.Difference(paid); {
	case !determined, byCash(t):
		proof.Verdict = chain.Some(CashOnly)
		p.skip(of, "there is no rule to compare the charge with")
	case drift.Sign() == 0:
		p.held(of)
	default:
		class := Unknown
		if zeroed && t.Layer == fee.Native && drift.Sign() > 0 {
			class = ZeroedPayer
		}
		proof = drifted(charged, paid, class)
		p.broken(of, t.Index, "the chain charged %v wei, and the fee is %v: %v wei apart", charged, paid, drift)
	}
	return proof
}

// byCash tells whether the fee is what the cash says, by [native.ReadCash].
func byCash(t *fee.Transaction) bool {
	method, _ := t.Method.Get()
	return method == fee.ByCash
}

func drifted(charged, fee chain.Wei, class Class) Proof {
	return Proof{
		Charged: chain.Some(charged), Verdict: chain.Some(Drift),
		Drift: chain.Some(charged.Difference(fee)), Class: chain.Some(class),
	}
}

// hold checks what was withdrawn before the transaction ran: the most that it
// could cost. Older runtimes held more for eip1559 ones.
func (p *prover) hold(t *fee.Transaction, payload *evm.Payload, withdrawn chain.Wei) {
	if p.rules.HoldsMore {
		p.skip(evmHold, "older runtimes, or a runtime that is not known")
		return
	}
	price, _ := t.GasPrice.Get()
	switch most, err := price.Times(payload.GasLimit); {
	case err != nil:
		p.broken(evmHold, t.Index, "gas limit × gas price: %v", err)
	case most != withdrawn:
		p.broken(evmHold, t.Index, "%v wei were withdrawn, and gas limit × gas price is %v", withdrawn, most)
	default:
		p.held(evmHold)
	}
}

// total sums up what the chain recorded.
func (p *prover) total(transactions []Transaction) Totals {
	totals := Totals{Totals: p.report.Totals}
	zero := chain.Some(chain.Wei{})
	totals.Charged, totals.Burned, totals.Treasury, totals.Author = zero, zero, zero, zero
	for i := range transactions {
		t := &transactions[i]
		totals.Charged = plus(totals.Charged, t.Charged)
		totals.Burned = plus(totals.Burned, t.Burned)
		totals.Treasury = plus(totals.Treasury, t.Treasury)
		totals.Author = plus(totals.Author, t.Author)
		if t.Charged.Known() && !t.accounted() {
			totals.Unaccounted++
		}
		switch verdict, _ := t.Verdict.Get(); verdict {
		case Match:
			totals.Match++
		case Drift:
			totals.Drift++
		case CashOnly:
			totals.CashOnly++
		case NoEvidence:
			totals.NoEvidence++
		}
	}
	return totals
}

// plus is a sum with one more amount. It is not known where either is not, or where it
// is more than any balance can be.
func plus(sum, amount chain.Optional[chain.Wei]) (none chain.Optional[chain.Wei]) {
	a, known := amount.Get()
	s, ok := sum.Get()
	if !known || !ok {
		return none
	}
	s, err := s.Add(a)
	if err != nil {
		return none
	}
	return chain.Some(s)
}
