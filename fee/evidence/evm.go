package evidence

import (
	"cmp"
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
)

// executed leaves an extrinsic without an outcome to block.outcome.
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
		s.broken("the weight %v is no multiple of %v", weight, s.rules.WeightPerGas)
	}
}

// intrinsicGas is what every EVM transaction costs.
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
		s.broken("gas %v is not between %d and the limit of %v", gas, intrinsicGas, limit)
	}
}

func (s *subject) price() {
	price, priced := s.t.GasPrice.Get()
	payload := &s.t.payload
	if !priced || !s.t.readable {
		return
	}
	base, ok := s.proved.BaseFeePerGas.Get()
	switch {
	case !ok:
		s.skip("the base fee is not known")
	case price.Cmp(base) < 0:
		s.broken("the gas price of %v wei is below the base fee of %v", price, base)
	case payload.Capped() && s.rules.PriceCapped && price.Cmp(payload.MaxFeePerGas) > 0:
		s.broken("the gas price of %v wei is above maxFeePerGas, %v", price, payload.MaxFeePerGas)
	default:
		s.held()
	}
}

// outcome checks how the chain says that the transaction ended.
func (s *subject) outcome() {
	outcome, err := s.t.x.Outcome()
	if err != nil {
		return // block.outcome says so
	}
	pays, noPays := outcome.PaysFee()
	class, noClass := outcome.Class()
	switch err := cmp.Or(noPays, noClass); {
	case errors.Is(err, chain.ErrMissing):
		s.skip("the gateway gives no class or paysFee")
	case err != nil:
		s.broken("%v", err)
	case pays:
		s.broken("the chain says that it paid a native fee")
	case class != chain.Normal:
		s.broken("its class is %s", class)
	default:
		s.held()
	}
}
