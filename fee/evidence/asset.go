package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/native"
	"github.com/feeledger/fees/network/rule"
)

// assetCharged checks a fee that was paid in an asset. The chain withdraws the highest possible fee in the asset, and may
// deposit a part of it again. What it swapped the rest for is credited to the receiver of fees, or burned.
//
// Source: polkadot-sdk, frame/transaction-payment/asset-conversion-tx-payment/src/payment.rs.
func (s *subject) assetCharged() {
	paid := s.t.AssetFee
	if paid == nil {
		if native.HasFeeEvent(s.t.x) && native.HasAssetFeeEvent(s.t.x) {
			s.broken("it paid %v wei, but also a fee in an asset", s.t.Fee)
		}
		return
	}
	payer, _ := s.t.Payer.Get()
	var withdrawn chain.TokenAmount
	found, refunded := false, false
	for i := range s.t.x.Events {
		e := &s.t.x.Events[i]
		if !native.MovesAsset(e) {
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
	signed := chain.Optional[string]{}
	if s.t.x.Signed != nil {
		signed = s.t.x.Signed.Asset
	}
	asset, isSigned := signed.Get()
	cash, noCash := chain.FindCash(s.t.x)
	if noCash != nil {
		noCash = fmt.Errorf("the swap of the fee: %w", noCash)
	}
	whyNot, broken := s.equivalent(&cash, noCash)
	switch swap, err := s.swap(&cash, noCash); {
	case isSigned && asset != paid.Asset:
		s.broken("the fee was paid in the asset %s, but the sender chose %s", paid.Asset, cmp.Or(asset, "the token"))
	case !found:
		s.broken("the fee is %v of the asset %s, but nothing of it was withdrawn from the payer", paid.Amount, paid.Asset)
	case withdrawn != paid.Amount && !refunded:
		s.broken("%v of the asset %s were withdrawn, and no deposit gives back all but the fee of %v", withdrawn, paid.Asset, paid.Amount)
	case err != nil:
		s.broken("%v", err)
	case swap != (swapped{}) && (swap.in != withdrawn || swap.asset != paid.Asset):
		s.broken("%v of the asset %s were withdrawn, but %v of %s were swapped", withdrawn, paid.Asset, swap.in, swap.asset)
	case broken != nil:
		s.broken("%v", broken)
	case whyNot != "":
		s.skip(whyNot)
	default:
		s.held()
	}
}

// swapped is the first swap of an extrinsic, which takes the fee from the payer's asset to the token.
type swapped struct {
	asset string
	in    chain.TokenAmount
}

// swap returns the first swap, or nothing.
func (s *subject) swap(cash *chain.Cash, noCash error) (none swapped, err error) {
	for i := range s.t.x.Events {
		e := &s.t.x.Events[i]
		if !e.Is("assetConversion", "SwapCreditExecuted") {
			continue
		}
		in, noIn := e.Data.At(0).TokenAmount()
		out, noOut := e.Data.At(1).TokenAmount()
		path, noPath := e.Data.At(2).Text()
		asset, isPath := strings.CutPrefix(path, "[[")
		asset, _, found := strings.Cut(asset, `,"`+in.String()+`"]`)
		if err := errors.Join(noIn, noOut, noPath); err != nil || !isPath || !found {
			return none, fmt.Errorf("event assetConversion.SwapCreditExecuted: its values do not describe a swap of the fee")
		}
		if noCash != nil {
			return none, noCash
		}
		if out.Big().Cmp(cash.Withdrawn.Big()) != 0 {
			return none, fmt.Errorf("%v wei were swapped for the fee, but the pool gave %v", out, cash.Withdrawn)
		}
		return swapped{asset, in}, nil
	}
	return none, nil
}

// equivalent returns why the equivalent of a fee paid in an asset cannot be checked, or what is wrong with it: it is what the
// swaps took from the pool, and goes where fees go.
func (s *subject) equivalent(cash *chain.Cash, noCash error) (whyNot string, broken error) {
	equivalent, known := s.t.AssetFee.Equivalent.Get()
	if !known {
		return "", errors.New("nothing was credited or burned for the fee")
	}
	d, told := s.rules.Destinations.Get()
	receiver, named := s.rules.Treasury.Get()
	if pays, err := s.paysFee(); err == nil && !pays && equivalent.IsZero() {
		return "", nil // everything was swapped back
	}
	last := s.t.x.FindEvent("assetTxPayment", "AssetTxFeePaid") - 1
	least, _ := s.rules.ExistentialDeposit.Get()
	burned := s.t.x.Events[last].Is("balances", "BurnedDebt")
	switch to, err := s.t.x.Events[last].Data.At(0).Account(); {
	case !told:
		return noDestinations, nil
	case burned && d.NativeBase != rule.Burned && !(d.BurnedBelowDeposit && equivalent.Cmp(least) < 0):
		return "", fmt.Errorf("the equivalent of the fee was burned, not credited to the %s", s.rules.TreasuryLabel())
	case !burned && d.NativeBase == rule.Burned:
		return "", errors.New("the equivalent of the fee was credited, not burned")
	case !burned && !named:
		return noTreasury, nil
	case !burned && (err != nil || to != receiver):
		return "", fmt.Errorf("the equivalent of the fee was not credited to the %s", s.rules.TreasuryLabel())
	}
	if noCash != nil {
		return "", noCash
	}
	back, err := cash.Withdrawn.Sub(equivalent)
	gaveBack := func(e chain.Event) bool { return moves(&e, "Deposit", cash.Payer, back) }
	if err != nil || !back.IsZero() && !slices.ContainsFunc(s.t.x.Events, gaveBack) {
		return "", fmt.Errorf("the pool gave %v wei for the fee, but %v went to the chain", cash.Withdrawn, equivalent)
	}
	return "", nil
}

func (s *subject) paysFee() (bool, error) {
	outcome, err := s.t.x.Outcome()
	if err != nil {
		return false, err
	}
	return outcome.PaysFee()
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
