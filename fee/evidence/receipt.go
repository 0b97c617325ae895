package evidence

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
)

// Receipt is the Ethereum receipt of a transaction of pallet revive, and the way from it to the fee:
//
//	gas used × price = unit × (fee + taken + endowed − given back) + rounding
//
// where unit is the number of wei, 10^-18 of the token, in the token's smallest unit, in which the amounts are. The gas is
// rounded up, so the rounding is less than the price of one gas. A receipt of 0 gas leaves all open.
//
// Source: polkadot-sdk, frame/revive/src/evm/block_storage.rs; measured on the recorded chain stack-template-3.
type Receipt struct {
	GasUsed   chain.Gas                       `json:"gas_used"`
	Price     chain.GasPrice                  `json:"effective_gas_price"` // in wei
	Total     chain.Wei                       `json:"total"`               // gas used × price, in wei
	Taken     chain.Wei                       `json:"taken"`               // deposits put on hold
	Endowed   chain.Wei                       `json:"endowed"`             // existential deposits of new accounts
	GivenBack chain.Wei                       `json:"given_back"`          // deposits released
	Rounding  chain.Optional[chain.SignedWei] `json:"rounding"`            // in wei; null if the receipt states no gas
	Given     bool                            `json:"-"`                   // by the user, not by the node
}

// GivenReceipt is a receipt that a user has, of the transaction with an index.
type GivenReceipt struct {
	Index int
	chain.Receipt
}

// receiptOf returns the transaction's receipt: the node's receipts are those of the block's Ethereum transactions, in order.
func (s *subject) receiptOf() (r chain.Receipt, given, known bool, err error) {
	if own, has := s.options.Receipt.Get(); has && own.Index == s.t.Index {
		return own.Receipt, true, true, nil
	}
	list, asked := s.options.Receipts.Get()
	if !asked {
		return r, false, false, nil
	}
	at, all := 0, 0
	for i := range s.priced.Transactions {
		if t := &s.priced.Transactions[i]; t.Layer == fee.EVM {
			if t.Index < s.t.Index {
				at++
			}
			all++
		}
	}
	if len(list) != all {
		return r, false, false, fmt.Errorf("the node has %d receipts for %d Ethereum transactions of the block", len(list), all)
	}
	return list[at], false, true, nil
}

// receipt compares a transaction's Ethereum receipt with its fee and deposits.
func (s *subject) receipt() {
	if s.t.flow == nil {
		return // the fee is undetermined, with a reason
	}
	stated, given, known, err := s.receiptOf()
	switch {
	case err != nil:
		s.broken("%v", err)
		return
	case !known:
		s.skip("only a node has the Ethereum receipts, and only of a runtime that keeps them")
		return
	}
	r := &Receipt{GasUsed: stated.GasUsed, Price: stated.Price, Given: given}
	stakes := s.t.stakes()
	due, err := r.due(s.t, &stakes)
	if err == nil {
		r.Total, err = evm.FeeOfGas(r.Price, r.GasUsed, 1)
	}
	unit := max(s.rules.EVMUnit, 1)
	var needed chain.Wei
	if err == nil && due.Cmp(r.GivenBack) > 0 {
		if needed, err = due.Sub(r.GivenBack); err == nil {
			needed, err = needed.Times(unit)
		}
	}
	if err != nil {
		s.broken("the receipt: %v", err)
		return
	}
	s.t.Receipt = r
	if s.t.DispatchesNative() && r.GasUsed == (chain.Gas{}) { // pallet revive counts no gas for it
		s.held()
		return
	}
	rounding := r.Total.Difference(needed)
	if !needed.IsZero() {
		r.Rounding = chain.Some(rounding)
	}
	gas, _ := evm.FeeOfGas(r.Price, chain.NewGas(1), 1) // it did not overflow
	base, priced := s.t.GasPrice.Get()
	switch {
	case priced && base != r.Price:
		s.broken("the receipt states a price of %v wei per gas, but the base fee is %v", r.Price, base)
	case rounding.Sign() >= 0 && (rounding.Size().Cmp(gas) < 0 || rounding.Size().IsZero()):
		s.held()
	case rounding.Sign() > 0 && s.rolledBack():
		s.skip("a reverted creation of a contract: the receipt may contain a deposit that was rolled back")
	case len(stakes.Own) > 0:
		s.skip(callMovedMoney)
	default:
		s.broken("the receipt states %v × 10^-18 of the token, but the fee and deposits are %v × 10^-18", r.Total, needed)
	}
}

// due returns the fee with the deposits taken and the existential deposits given, and sets these and those given back.
func (r *Receipt) due(t *transaction, stakes *chain.Stakes) (sum chain.Wei, err error) {
	var errs [3]error
	r.Taken, errs[0] = chain.Sum(stakes.Taken)
	r.Endowed, errs[1] = chain.Sum(stakes.Endowed)
	r.GivenBack, errs[2] = chain.Sum(stakes.GivenBack)
	if err := errors.Join(errs[:]...); err != nil {
		return sum, err
	}
	sum, _ = t.Fee.Get()
	for _, part := range []chain.Wei{r.Taken, r.Endowed} {
		if sum, err = sum.Add(part); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// rolledBack reports whether a creation of a contract was reverted.
func (s *subject) rolledBack() bool {
	outcome, _ := s.t.Outcome.Get()
	if !s.t.readable || outcome != fee.Reverted && outcome != fee.Failed {
		return false
	}
	action, err := s.t.payload.Action.Get()
	return err == nil && action.Create
}
