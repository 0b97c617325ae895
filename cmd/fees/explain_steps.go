package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
)

// step is one line of arithmetic. Formula has the names of inputs and of earlier
// results, whole numbers, + − × / ^ min( ) and floor( ), which rounds down.
type step struct {
	Name    string              `json:"name"`
	Formula string              `json:"formula"`
	Values  []value             `json:"values"` // of the names in the formula
	Result  digits              `json:"result"`
	Unit    string              `json:"unit"`
	Rule    chain.Optional[int] `json:"rule"` // of the specification's fee rules, null where none says so
	Note    string              `json:"note"`
}

// value is what a name in a formula stands for.
type value struct {
	Name  string `json:"name"`
	Value digits `json:"value"`
}

func with(name string, v fmt.Stringer) value { return value{name, digits(v.String())} }

// calculation is the formula with the values in the place of their names.
func (s *step) calculation() string {
	longest := slices.SortedStableFunc(slices.Values(s.Values), func(a, b value) int { return len(b.Name) - len(a.Name) })
	var pairs []string
	for _, v := range longest { // so that no name is found inside of another
		pairs = append(pairs, v.Name, string(v.Value))
	}
	return strings.NewReplacer(pairs...).Replace(s.Formula)
}

func (v *invoice) step(s step, result fmt.Stringer) {
	s.Result = digits(result.String())
	v.Steps = append(v.Steps, s)
}

// stepsEVM are fee rules 6, 3 or 4, and 2, as far as they can be followed.
func (v *invoice) stepsEVM() {
	t := &v.Transaction
	base, hasBase := v.report.BaseFeePerGas.Get()
	if hasBase {
		v.baseFeeStep(base)
	}
	price, priced := t.GasPrice.Get()
	if priced {
		v.priceStep(price, base)
	}
	gas, weighed := t.Gas.Get()
	if !weighed {
		return
	}
	weight := v.weightStep(gas)
	paid, ok := t.Fee.Get()
	if !priced || !ok {
		return
	}
	v.step(step{Name: "fee", Formula: "floor(gas price × " + weight.Name + " / 25000)",
		Values: []value{with("gas price", price), weight}, Unit: inWei, Rule: chain.Some(2)}, paid)
	if priority, ok := t.PriorityFee.Get(); ok && hasBase {
		v.partSteps(paid, priority, price, base, gas)
	}
}

func (v *invoice) baseFeeStep(base chain.GasPrice) {
	s := step{Name: "base fee per gas", Unit: inWeiPerGas, Rule: chain.Some(6)}
	if static, ok := v.rules.BaseFee.Static.Get(); ok {
		s.Formula, s.Values = "static base fee", []value{with("static base fee", static)}
		s.Note = "static in this runtime: the multiplier has no part in it"
	} else {
		m, _ := v.report.Multiplier.Get()
		s.Formula = "floor(multiplier × base constant / 10^18)"
		s.Values = []value{with("multiplier", m.Value), with("base constant", v.rules.BaseFee.Constant)}
	}
	v.step(s, base)
}

// priceStep needs the base fee of those types whose price follows it.
func (v *invoice) priceStep(price, base chain.GasPrice) {
	p, err := evm.ParsePayload(v.extrinsic.Args)
	if err != nil {
		return
	}
	s := step{Name: "gas price", Unit: inWeiPerGas, Rule: chain.Some(4)}
	sum := []value{with("base fee per gas", base), with("maxPriorityFeePerGas", p.MaxPriorityFeePerGas)}
	switch {
	case !p.Capped():
		s.Formula, s.Values, s.Rule = "gasPrice", []value{with("gasPrice", p.LegacyGasPrice)}, chain.Some(3)
	case v.rules.PriceCapped:
		s.Formula, s.Values = "min(base fee per gas + maxPriorityFeePerGas, maxFeePerGas)", append(sum, with("maxFeePerGas", p.MaxFeePerGas))
	default:
		s.Formula, s.Values = "base fee per gas + maxPriorityFeePerGas", sum
		s.Note = "not capped by maxFeePerGas in this runtime, otherwise than the rule says"
	}
	v.step(s, price)
}

// weightStep gives the weight that is charged, with its name.
func (v *invoice) weightStep(gas chain.Gas) value {
	reported, _ := v.Transaction.Weight.Get()
	weight := with("weight", reported)
	if correction := v.rules.WeightCorrection; !correction.IsZero() {
		whole, _ := reported.Add(correction) // fee.Price did so
		v.step(step{Name: "whole weight", Formula: "weight + weight correction",
			Values: []value{weight, with("weight correction", correction)}, Unit: inRefTime,
			Note: "this runtime reports the weight without the base weight of the extrinsic"}, whole)
		weight = with("whole weight", whole)
	}
	v.step(step{Name: "gas", Formula: "floor(" + weight.Name + " / 25000)",
		Values: []value{weight}, Unit: inGas, Rule: chain.Some(2)}, gas)
	return weight
}

// partSteps divide the fee into the part at the base fee and the part above it.
func (v *invoice) partSteps(paid, priority chain.Wei, price, base chain.GasPrice, gas chain.Gas) {
	v.step(step{Name: "priority fee", Formula: "gas × (gas price − base fee per gas)",
		Values: []value{with("gas", gas), with("gas price", price), with("base fee per gas", base)}, Unit: inWei}, priority)
	if rest, err := paid.Sub(priority); err == nil {
		v.step(step{Name: "base part", Formula: "fee − priority fee",
			Values: []value{with("fee", paid), with("priority fee", priority)}, Unit: inWei}, rest)
	}
}

// stepsNative is fee rule 1, or the cash.
func (v *invoice) stepsNative() {
	t := &v.Transaction
	paid, ok := t.Fee.Get()
	if !ok {
		return
	}
	s := step{Name: "fee", Unit: inWei}
	switch method, _ := t.Method.Get(); {
	case method != fee.ByCash:
		s.Formula, s.Values, s.Rule = "fee paid", []value{with("fee paid", paid)}, chain.Some(1)
		if v.waived() {
			s.Note = "waived by the chain (paysFee No): only a tip is paid"
		}
	case v.Cash == nil: // it cannot be told how the charge came about
		return
	default:
		s = v.Cash.Steps[0] // charged
		s.Name, s.Note = "fee", "the runtime had no fee event: the fee is what was charged"
		if !v.Cash.Payer.Known() {
			s.Note = "the chain withdrew nothing, and says paysFee No"
		}
	}
	v.step(s, paid)
	if tip, _ := t.Tip.Get(); !tip.IsZero() {
		if rest, err := paid.Sub(tip); err == nil {
			v.step(step{Name: "inclusion fee", Formula: "fee − tip",
				Values: []value{with("fee", paid), with("tip", tip)}, Unit: inWei}, rest)
		}
	}
}

func (v *invoice) waived() bool {
	outcome, err := v.extrinsic.Outcome()
	if err != nil {
		return false
	}
	pays, err := outcome.PaysFee()
	return err == nil && !pays
}
