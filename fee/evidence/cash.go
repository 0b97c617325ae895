package evidence

import (
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network/rule"
)

// charge computes what the chain charged for a transaction and who received it, and compares the fee with it.
func (p *prover) charge(t *transaction) {
	switch {
	case t.AssetFee != nil:
		t.free()
		return
	case t.Layer == fee.EVM && p.rules.EVM == rule.Revive:
		p.chargeRevive(t)
		return
	}
	paid, determined := t.Fee.Get()
	cash, err := chain.FindCash(t.x)
	t.withdrew = !errors.Is(err, chain.ErrNoWithdraw)
	t.Proof = Proof{Verdict: chain.Some(NoEvidence)}
	switch {
	case !t.withdrew && (p.rules.NoWithdrawEvent || !p.rules.Runtime.Known()):
		t.charged = skips("the chain recorded no withdrawal, but the runtime may not have had an event for it")
		return
	case !t.withdrew && determined && paid.IsZero():
		t.free()
		return
	case !t.withdrew && determined:
		t.Proof = drifted(chain.Wei{}, paid, Unknown)
		t.charged = breaks("%v: nothing was charged for a fee of %v wei", err, paid)
		return
	case err != nil:
		t.charged = breaks("%v", err)
		return
	}
	refund, credits := cash.Settle(p.authorPaid(t, &cash))
	charged, err := cash.Charged(refund)
	if determined && (err != nil || charged != paid) && p.rules.EVM != rule.Frontier {
		// Calls of these runtimes move money as fees do: a swap withdraws and deposits. The split and the chain's record of
		// what it burned show whether the fee is that of the extrinsic.
		switch {
		case paid.IsZero() && p.isWaived(t.x, false):
			t.free()
			return
		case paid == cash.Withdrawn:
			charged, refund, err = paid, chain.Wei{}, nil
		}
	}
	if err != nil {
		t.charged = breaks("%v", err)
		return
	}
	if byCash(t.Transaction.Transaction) && paid.IsZero() && !charged.IsZero() { // withdrawals of the free call itself
		t.free()
		return
	}
	if payer, ok := t.Payer.Get(); ok && payer != cash.Payer && determined {
		t.Proof = drifted(chain.Wei{}, paid, Unknown)
		t.charged = breaks("the fee was withdrawn from %v, but the payer is %v", cash.Payer, payer)
		return
	}
	t.settle(charged, cash.PayerRemoved && refund.IsZero())
	t.divided = p.divide(t, credits, len(credits) < len(cash.Deposits))
	t.withdrawn = cash.Withdrawn
}

// free records a fee of 0: nothing is withdrawn and no one receives a part.
func (t *transaction) free() {
	t.settle(chain.Wei{}, false)
	nothing := chain.Some(chain.Wei{})
	t.Burned, t.Treasury, t.Author = nothing, nothing, nothing
}

// settle compares the fee with the amount charged.
func (t *transaction) settle(charged chain.Wei, zeroed bool) {
	t.Proof = Proof{Charged: chain.Some(charged), Verdict: chain.Some(Match)}
	paid, determined := t.Fee.Get()
	switch drift := charged.Difference(paid); {
	case !determined, byCash(t.Transaction.Transaction):
		t.Verdict = chain.Some(CashOnly)
		t.charged = skips(noIndependentFee)
	case drift.Sign() == 0:
		t.charged = (*subject).held
	default:
		class := Unknown
		if zeroed && t.Layer == fee.Native && drift.Sign() > 0 {
			class = ZeroedPayer
		}
		t.Proof = drifted(charged, paid, class)
		t.charged = breaks("the chain charged %v wei, but the fee is %v (difference %v wei)", charged, paid, drift)
	}
}

func (s *subject) charged() { s.enter(s.t.charged) }

// byCash reports whether the fee was computed from cash movements, by [native.ReadCash].
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

// hold checks the amount withdrawn before the transaction ran: its highest possible fee.
func (s *subject) hold() {
	if verdict, _ := s.t.Verdict.Get(); verdict != Match || !s.t.readable || s.refused(s.t.Transaction.Transaction) {
		return
	}
	price, priced := s.t.GasPrice.Get()
	if !priced {
		s.skip("the base fee is unknown")
		return
	}
	switch held, err := evm.FeeOfGas(price, s.t.payload.GasLimit, s.rules.EVMUnit); {
	case err != nil:
		s.broken("gas limit × gas price: %v", err)
	case held != s.t.withdrawn:
		s.broken("%v wei were withdrawn, but gas limit × gas price is %v", s.t.withdrawn, held)
	default:
		s.held()
	}
}

// total sums what the chain recorded.
func (p *prover) total(transactions []Transaction) Totals {
	totals := Totals{Totals: p.priced.Totals}
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

// plus adds an amount to a sum. The result is unknown if either is unknown, or if it exceeds the highest
// balance.
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
