package native

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// ReadCash returns the fee of a native transaction whose runtime had no fee event: the Withdraw from its payer
// less the refund in the same extrinsic. In those runtimes no part of it went to an author. The tip, which the
// payer signed, is extrinsic.tip; it is 0 if the gateway wrote none, and unknown if the runtime's extensions hide it.
//
// A call that the chain declares free of fees (paysFee No) has no fee withdrawal: withdrawals in its events
// are its own, and it paid only its tip. The chain credits the treasury for every fee above 0, so a free call
// with such a credit is a contradiction and an error.
func ReadCash(x *chain.Extrinsic) (FeePaid, error) {
	if x.Signed == nil {
		return FeePaid{}, fmt.Errorf("signature.signer: %w", chain.ErrMissing)
	}
	payer, err := x.Signed.Signer.Account()
	if err != nil {
		return FeePaid{}, fmt.Errorf("signature.signer: %w", err)
	}
	tip, err := ReadTip(x)
	free, hidden := isFree(x), new(chain.UnreportedError)
	switch {
	case err != nil && (free || !errors.As(err, hidden)): // the tip is all that a free call pays
		return FeePaid{}, err
	case err == nil && tip.IsZero() && free:
		if treasuryCredited(x) {
			return FeePaid{}, errors.New("paysFee is No, but the treasury was credited")
		}
		return FeePaid{Payer: payer, Tip: chain.Some(tip)}, nil
	}
	known := err == nil
	cash, err := chain.FindCash(x)
	if err != nil {
		return FeePaid{}, err
	}
	if cash.Payer != payer {
		return FeePaid{}, fmt.Errorf("event balances.Withdraw is from %v, but the signer is %v", cash.Payer, payer)
	}
	refund, _ := cash.Settle(false)
	charged, err := cash.Charged(refund)
	if err != nil {
		return FeePaid{}, err
	}
	if tip.Cmp(charged) > 0 {
		return FeePaid{}, fmt.Errorf("the tip of %v wei exceeds the %v wei charged", tip, charged)
	}
	paid := FeePaid{Payer: payer, Fee: charged}
	if known {
		paid.Tip = chain.Some(tip)
	}
	return paid, nil
}

// ReadTip returns the tip that the sender signed, 0 if the gateway wrote none. The error is a [chain.UnreportedError] if the
// runtime's extensions hide the tip.
func ReadTip(x *chain.Extrinsic) (chain.Wei, error) {
	if x.Signed == nil {
		return chain.Wei{}, nil
	}
	tip, err := x.Signed.Tip.Wei()
	if errors.Is(err, chain.ErrMissing) {
		return chain.Wei{}, nil
	}
	if err != nil {
		return chain.Wei{}, fmt.Errorf("tip: %w", err)
	}
	return tip, nil
}

func treasuryCredited(x *chain.Extrinsic) bool {
	return x.FindEvent("treasury", "Deposit") >= 0
}

func isFree(x *chain.Extrinsic) bool {
	outcome, err := x.Outcome()
	if err != nil {
		return false
	}
	pays, err := outcome.PaysFee()
	return err == nil && !pays
}
