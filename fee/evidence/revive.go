package evidence

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// chargeRevive computes what the chain charged for an Ethereum transaction of pallet revive.
func (p *prover) chargeRevive(t *transaction) {
	t.Proof = Proof{Verdict: chain.Some(NoEvidence)}
	if !t.Fee.Known() {
		return // with a reason
	}
	flow, err := chain.FindFlow(t.x, p.rules.Treasury)
	if err != nil {
		t.charged = breaks("%v", err)
		return
	}
	charged, noCharge := flow.Charged()
	payer, _ := t.Payer.Get()
	t.flow = &flow
	t.withdrawn, err = chain.Sum(flow.Hold(payer))
	if err := errors.Join(noCharge, err); err != nil {
		t.charged = breaks("%v", err)
		return
	}
	if paid, _ := t.Fee.Get(); charged != paid && p.treasuryMissing() { // the credit is among the deposits
		t.charged, t.divided = skips(noTreasury), skips(noTreasury)
		return
	}
	t.settle(charged, false)
	t.divided = p.divide(t, flow.Credits, true)
}

// burnedAsStated checks the event that states what of a fee was burned, directly before TransactionFeePaid: a runtime with
// pallet revive emits one unless all of the fee was credited.
func (p *prover) burnedAsStated(t *transaction) error {
	burned, known := t.Burned.Get()
	if charged, _ := t.Charged.Get(); charged.IsZero() { // what is burned then is not of the fee
		return nil
	}
	for i := range t.x.Events {
		if !known || !t.x.Events[i].Is("transactionPayment", "TransactionFeePaid") {
			continue
		}
		var have chain.Wei
		if i > 0 && t.x.Events[i-1].Is("balances", "BurnedDebt") {
			var err error
			if have, err = t.x.Events[i-1].Data.At(0).Wei(); err != nil {
				return fmt.Errorf("event balances.BurnedDebt: data[0]: %w", err)
			}
		}
		if have != burned {
			return fmt.Errorf("%v wei of the fee were burned, but the event balances.BurnedDebt states %v", burned, have)
		}
	}
	return nil
}

// signerPaid checks that the account that paid is that of the payload's signer.
func (s *subject) signerPaid() {
	payer, paid := s.t.Payer.Get()
	from, signed := s.t.From.Get()
	switch {
	case !paid:
	case !signed:
		s.broken("no account signed the payload, but %v paid", payer)
	case s.rules.AccountMapping.Of(from) != payer:
		s.broken("%v paid, but %v signed, whose account is %v", payer, from, s.rules.AccountMapping.Of(from))
	default:
		s.held()
	}
}

// paidOutcome checks the transaction's result as reported by the chain.
func (s *subject) paidOutcome() {
	outcome, err := s.t.x.Outcome()
	if err != nil {
		return // reported by block.outcome
	}
	pays, noPays := outcome.PaysFee()
	class, noClass := outcome.Class()
	reverted := s.t.x.FindEvent("revive", "EthExtrinsicRevert") >= 0
	switch err := errors.Join(noPays, noClass); {
	case errors.Is(err, chain.ErrMissing):
		s.skip("the gateway does not return class or paysFee")
	case err != nil:
		s.broken("%v", err)
	case !pays && s.t.Charged != chain.Some(chain.Wei{}): // a native call that an Ethereum key signed can be free
		s.broken("according to the chain it paid no fee")
	case class != chain.Normal:
		s.broken("its class is %s", class)
	case reverted && !outcome.Success:
		s.broken("it was reverted and failed at once")
	default:
		s.held()
	}
}

// deposits checks the amounts that a transaction moved besides its fee. What it put on hold was deposited to the same account
// just before; what it released was withdrawn just after. Another account gets a deposit for nothing else than to come into
// being, and the payer gets one: the rest. The call can move money too, from one account to another at once.
func (s *subject) deposits() {
	if s.t.flow == nil {
		return // the fee is undetermined, with a reason
	}
	events := s.t.x.Events
	for i := range events {
		partner, name := i-1, "Deposit"
		switch {
		case events[i].Is("balances", "Released"):
			partner, name = i+1, "Withdraw"
		case !events[i].Is("balances", "Held"):
			continue
		}
		if reason, err := events[i].Data.At(0).HoldReason(); s.t.DispatchesNative() || err == nil && reason.Pallet() != "revive" {
			continue // a native call that an Ethereum key signed holds what an account has
		}
		account, noAccount := events[i].Data.At(1).Account()
		amount, noAmount := events[i].Data.At(2).Wei()
		if err := errors.Join(noAccount, noAmount); err != nil {
			s.broken("event balances.%s: %v", events[i].Name, err)
			return
		}
		if partner < 0 || partner >= len(events) || !moves(&events[partner], name, account, amount) {
			s.broken("event balances.%s of %v: no balances.%s of %v wei goes with it", events[i].Name, account, name, amount)
			return
		}
	}
	switch own := s.t.stakes().Own; {
	case len(own) == 0:
		s.held()
	case chain.Some(own[0].Account) == s.t.Payer && events[own[0].At].Name == "Deposit":
		s.skip("the payer was given money back more than once")
	default:
		s.skip(callMovedMoney)
	}
}

// stakes returns what moved besides the hold and the rest.
func (t *transaction) stakes() chain.Stakes {
	payer, _ := t.Payer.Get()
	return t.flow.Stakes(t.x, payer)
}

const callMovedMoney = "money moved through an account besides the payer and what was put on hold"

// moves reports whether an event moves an amount of an account.
func moves(e *chain.Event, name string, of chain.Address, amount chain.Wei) bool {
	if !e.Is("balances", name) {
		return false
	}
	account, noAccount := e.Data.At(0).Account()
	have, noAmount := e.Data.At(1).Wei()
	return noAccount == nil && noAmount == nil && account == of && have == amount
}
