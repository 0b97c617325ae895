package evidence

import (
	"cmp"
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/network/rule"
)

// executed skips an extrinsic without an outcome, which block.outcome reports.
func (s *subject) executed() {
	if outcome, err := s.t.x.Outcome(); err != nil || !outcome.Success {
		return
	}
	if _, err := evm.FindExecuted(s.t.x); err != nil {
		s.broken("%v", err)
	} else {
		s.held()
	}
}

func (s *subject) wholeGas() {
	if !s.t.Gas.Known() || !s.t.readable {
		return
	}
	weight, _ := s.t.Weight.Get()
	weight, err := weight.Add(s.rules.WeightCorrection)
	if _, exact := evm.Gas(weight, s.rules.WeightPerGas); err == nil && exact {
		s.held()
	} else {
		s.broken("the weight %v is not a multiple of %v", weight, s.rules.WeightPerGas)
	}
}

// intrinsicGas is the minimum gas of an EVM transaction.
const intrinsicGas = 21000

func (s *subject) gas() {
	gas, ok := s.t.Gas.Get()
	if !ok || !s.t.readable {
		return
	}
	limit := s.t.payload.GasLimit
	if g := gas.Uint64(); intrinsicGas <= g && g <= limit.Uint64() {
		s.held()
	} else {
		s.broken("the gas %v is not between %d and the limit of %v", gas, intrinsicGas, limit)
	}
}

func (s *subject) price() {
	price, priced := s.t.GasPrice.Get()
	payload := s.t.payload
	if !s.t.readable || !priced && !s.t.Fee.Known() { // the fee is undetermined, with a reason
		return
	}
	base, ok := s.proved.BaseFeeOf(s.t.Transaction.Transaction).Get()
	switch offered := payload.Offered(); {
	case !ok:
		s.skip("the base fee is unknown")
	case s.rules.EVM == rule.Revive && offered.Cmp(base) < 0:
		s.broken("the sender offers %v wei per gas, less than the base fee of %v", offered, base)
	case price.Cmp(base) < 0:
		s.broken("the gas price of %v wei is below the base fee of %v", price, base)
	case payload.Capped() && s.rules.PriceCapped && price.Cmp(payload.MaxFeePerGas) > 0:
		s.broken("the gas price of %v wei is above maxFeePerGas, %v", price, payload.MaxFeePerGas)
	default:
		s.held()
	}
}

// outcome checks the transaction's result as reported by the chain.
func (s *subject) outcome() {
	outcome, err := s.t.x.Outcome()
	if err != nil {
		return // reported by block.outcome
	}
	pays, noPays := outcome.PaysFee()
	class, noClass := outcome.Class()
	switch err := cmp.Or(noPays, noClass); {
	case errors.Is(err, chain.ErrMissing):
		s.skip("the gateway does not return class or paysFee")
	case err != nil:
		s.broken("%v", err)
	case pays && !s.refused(s.t.Transaction.Transaction):
		s.broken("according to the chain it paid a native fee")
	case class != chain.Normal:
		s.broken("its class is %s", class)
	default:
		s.held()
	}
}
