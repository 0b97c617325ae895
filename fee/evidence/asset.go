package evidence

import (
	"errors"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// assetCharged checks a fee that was paid in an asset. The chain withdraws the highest possible fee in the asset, and may
// deposit a part of it again. What it swapped the rest for is credited to the receiver of fees, or burned.
//
// Source: polkadot-sdk, frame/transaction-payment/asset-conversion-tx-payment/src/payment.rs.
func (s *subject) assetCharged() {
	paid := s.t.AssetFee
	if paid == nil {
		return
	}
	payer, _ := s.t.Payer.Get()
	var withdrawn chain.TokenAmount
	found, refunded := false, false
	for i := range s.t.x.Events {
		e := &s.t.x.Events[i]
		if e.Pallet != "assets" && !strings.HasSuffix(e.Pallet, "Assets") || e.Name != "Withdrawn" && e.Name != "Deposited" {
			continue
		}
		account, noAccount := e.Data.At(1).Account()
		amount, noAmount := e.Data.At(2).TokenAmount()
		switch err := errors.Join(noAccount, noAmount); {
		case err != nil:
			s.broken("event %s.%s: %v", e.Pallet, e.Name, err)
			return
		case account != payer:
		case e.Name == "Withdrawn" && !found:
			withdrawn, found = amount, true
		case e.Name == "Deposited" && found:
			whole, err := paid.Amount.Add(amount)
			refunded = refunded || err == nil && whole == withdrawn
		}
	}
	receiver, named := s.rules.Treasury.Get()
	switch {
	case !found:
		s.broken("the fee is %v of the asset %s, but nothing of it was withdrawn from the payer", paid.Amount, paid.Asset)
	case withdrawn != paid.Amount && !refunded:
		s.broken("%v of the asset %s were withdrawn, and no deposit gives back all but the fee of %v", withdrawn, paid.Asset, paid.Amount)
	case !paid.Equivalent.Known():
		s.skip("the equivalent of the fee was not credited to an account")
	case !named:
		s.skip(noTreasury)
	case !s.creditedTo(receiver):
		s.broken("the equivalent of the fee was not credited to the %s", s.rules.TreasuryLabel())
	default:
		s.swapped()
	}
}

// creditedTo reports whether the credit before the event AssetTxFeePaid is to an account.
func (s *subject) creditedTo(receiver chain.Address) bool {
	for i := range s.t.x.Events {
		if s.t.x.Events[i].Is("assetTxPayment", "AssetTxFeePaid") && i > 0 {
			account, err := s.t.x.Events[i-1].Data.At(0).Account()
			return err == nil && account == receiver
		}
	}
	return false
}

// swapped checks that the equivalent is what the swaps took from the pool: its withdrawal less what was deposited to it.
func (s *subject) swapped() {
	equivalent, _ := s.t.AssetFee.Equivalent.Get()
	cash, err := chain.FindCash(s.t.x)
	if err != nil {
		s.broken("the swap of the fee: %v", err)
		return
	}
	for i := range s.t.x.Events {
		e := &s.t.x.Events[i]
		if back, err := cash.Withdrawn.Sub(equivalent); err == nil && (back.IsZero() || moves(e, "Deposit", cash.Payer, back)) {
			s.held()
			return
		}
	}
	s.broken("the pool gave %v wei for the fee, but %v were credited", cash.Withdrawn, equivalent)
}

// paidTip returns the tip that a transaction paid, in the token, if it is known.
func (t *transaction) paidTip() (tip chain.Wei, known bool) {
	switch {
	case t.AssetFee != nil:
		return t.AssetFee.Tip, true
	case t.Layer == fee.EVM:
		return t.PriorityFee.Get()
	}
	return t.Tip.Get()
}
