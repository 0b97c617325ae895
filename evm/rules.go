package evm

import (
	"fmt"
	"math"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// BaseFeePerGas implements fee rule 6:
//
//	base fee = floor(multiplier × base constant / 10^18)
//	where
//	  multiplier     the stored integer of NextFeeMultiplier
//	  base constant  of the network and runtime, in wei per gas
//
// A runtime of pallet revive multiplies that by its gas scale.
//
// For a runtime with a static base fee, it returns that fee, and for one that stores its base fee, the stored one. An
// unknown multiplier (block 0 has no parent) makes the others unknown. A runtime without an EVM has none.
//
// Source: runtime/*/src/lib.rs, TransactionPaymentAsGasPrice::min_gas_price, which uses saturating_mul_int: it
// rounds down once.
func BaseFeePerGas(rules network.BaseFee, multiplier chain.Optional[chain.StoredMultiplier]) (chain.Optional[chain.GasPrice], error) {
	if rules.Static.Known() {
		return rules.Static, nil
	}
	m, ok := multiplier.Get()
	if !ok {
		return chain.Optional[chain.GasPrice]{}, nil
	}
	if rules.Stored.Known() {
		return m.BaseFee, nil
	}
	if rules.None {
		return chain.Optional[chain.GasPrice]{}, nil
	}
	price, err := rules.Of(m.Value)
	if err != nil {
		return chain.Optional[chain.GasPrice]{}, err
	}
	return chain.Some(price), nil
}

// GasPrice returns the price that the transaction pays for one gas, in wei (fee rules 3 and 4):
//
//	legacy, eip2930  gasPrice
//	eip1559          base fee + maxPriorityFeePerGas, if that is less than
//	                 maxFeePerGas, otherwise maxFeePerGas
//
// An eip7702 transaction is priced like an eip1559 one (EIP-7702). If the price was not capped (see
// [network.Rules]), it is the sum even above maxFeePerGas.
func GasPrice(p *chain.Payload, baseFee chain.Optional[chain.GasPrice], capped bool) (chain.GasPrice, error) {
	if !p.Type.DynamicFee() {
		return p.LegacyGasPrice, nil
	}
	base, ok := baseFee.Get()
	if !ok {
		return chain.GasPrice{}, fmt.Errorf("base fee per gas: %w", chain.ErrMissing)
	}
	price, err := base.Add(p.MaxPriorityFeePerGas)
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("base fee + maxPriorityFeePerGas: %w", err)
	}
	if capped && price.Cmp(p.MaxFeePerGas) >= 0 {
		return p.MaxFeePerGas, nil
	}
	return price, nil
}

// Weight implements fee rule 5: it returns the ref time in the extrinsic's system.ExtrinsicSuccess. A failed
// extrinsic is an error: the runtime rejected it before it ran.
func Weight(outcome chain.Outcome) (chain.RefTime, error) {
	if !outcome.Success {
		return chain.RefTime{}, fmt.Errorf("event system.ExtrinsicSuccess: %w; the extrinsic ended with ExtrinsicFailed", chain.ErrMissing)
	}
	weight, err := outcome.Weight()
	if err != nil {
		return chain.RefTime{}, fmt.Errorf("event system.ExtrinsicSuccess: data[0].%w", err)
	}
	return weight.RefTime, nil
}

// Gas converts a weight to gas, rounded down. Exact reports whether the division left no remainder, as the
// runtime's own mapping guarantees.
func Gas(weight chain.RefTime, perGas network.WeightPerGas) (gas chain.Gas, exact bool) {
	n, per := weight.Uint64(), perGas.Uint64()
	return chain.NewGas(n / per), n%per == 0
}

// RefTime converts gas to weight, the inverse of [Gas].
func RefTime(gas chain.Gas, perGas network.WeightPerGas) (chain.RefTime, error) {
	n, per := gas.Uint64(), perGas.Uint64()
	if n > math.MaxUint64/per {
		return chain.RefTime{}, fmt.Errorf("gas × %v: %w", perGas, chain.ErrOverflow)
	}
	return chain.NewRefTime(n * per), nil
}

// Fee implements fee rule 2:
//
//	fee = floor(gas price × weight / weight per gas)
//
// in wei, with one division at the end. Weight per gas is 25,000 in the specification.
func Fee(price chain.GasPrice, weight chain.RefTime, perGas network.WeightPerGas) (chain.Wei, error) {
	fee, err := price.MulDivFloor(weight.Uint64(), perGas.Uint64())
	if err != nil {
		return chain.Wei{}, fmt.Errorf("gas price × weight / %v: %w", perGas, err)
	}
	return fee, nil
}

// FeeOfGas returns floor(gas price × gas / unit), the fee of a transaction that pays for a known amount of gas. Unit is
// that of [network.Rules].
func FeeOfGas(price chain.GasPrice, gas chain.Gas, unit uint64) (chain.Wei, error) {
	fee, err := price.MulDivFloor(gas.Uint64(), max(unit, 1))
	if err != nil {
		return chain.Wei{}, fmt.Errorf("gas price × gas: %w", err)
	}
	return fee, nil
}

// FeeOf returns the fee of a transaction of a runtime: by its weight ([Fee]), or by its gas limit. It is in the token's
// smallest units, rounded down once.
func FeeOf(rules *network.Rules, price chain.GasPrice, weight chain.RefTime, limit chain.Gas) (chain.Wei, error) {
	if rules.ChargesLimit {
		return FeeOfGas(price, limit, rules.EVMUnit)
	}
	fee, err := Fee(price, weight, rules.WeightPerGas)
	if err != nil || rules.EVMUnit <= 1 {
		return fee, err
	}
	return fee.DivFloor(rules.EVMUnit), nil
}

// PriorityFee returns the part of a fee above the base fee: gas × (gas price − base fee), in wei. It is
// unknown if the price is below the base fee. With a unit other than 1, it is floor(that / unit).
func PriorityFee(price, baseFee chain.GasPrice, gas chain.Gas, unit uint64) (chain.Optional[chain.Wei], error) {
	tip, err := price.Sub(baseFee)
	if err != nil {
		return chain.Optional[chain.Wei]{}, nil
	}
	fee, err := tip.MulDivFloor(gas.Uint64(), max(unit, 1))
	if err != nil {
		return chain.Optional[chain.Wei]{}, fmt.Errorf("gas × (gas price − base fee): %w", err)
	}
	return chain.Some(fee), nil
}
