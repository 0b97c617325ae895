package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// Step is a line of arithmetic. Formula consists of names of inputs and earlier results, integers, + − × / ^,
// min( ) and floor( ), which rounds down.
type Step struct {
	Name    string              `json:"name"`
	Formula string              `json:"formula"`
	Values  []Value             `json:"values"` // values of the names in the formula
	Result  Digits              `json:"result"`
	Unit    string              `json:"unit"`
	Rule    chain.Optional[int] `json:"rule"` // number of the specification's fee rule, null if none applies
	Note    string              `json:"note"`
}

// Value is the value of a name in a formula.
type Value struct {
	Name  string `json:"name"`
	Value Digits `json:"value"`
}

func with(name string, v fmt.Stringer) Value { return Value{name, Digits(v.String())} }

// Calculation returns the formula with values in place of the names.
func (s *Step) Calculation() string {
	longest := slices.SortedStableFunc(slices.Values(s.Values), func(a, b Value) int { return len(b.Name) - len(a.Name) })
	var pairs []string
	for _, v := range longest { // longest first, because names contain each other
		pairs = append(pairs, v.Name, string(v.Value))
	}
	return strings.NewReplacer(pairs...).Replace(s.Formula)
}

func (v *Explanation) step(s Step, result fmt.Stringer) {
	s.Result = Digits(result.String())
	v.Steps = append(v.Steps, s)
}

// stepsEVM adds the steps of fee rules 6, 3 or 4, and 2, as far as they are known.
func (v *Explanation) stepsEVM() {
	t := &v.Transaction
	base, hasBase := v.report.BaseFeeOf(v.Transaction.Transaction).Get()
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
	charged := with("gas", gas)
	if v.rules.ChargesLimit || v.rules.EVMUnit > 1 {
		if v.rules.ChargesLimit {
			p, err := v.extrinsic.Ethereum()
			if err != nil {
				return
			}
			charged = with("gas limit", p.GasLimit)
		}
		v.step(Step{Name: "fee", Formula: fmt.Sprintf("floor(gas price × %s / %d)", charged.Name, max(v.rules.EVMUnit, 1)),
			Values: []Value{with("gas price", price), charged}, Unit: InWei, Note: "in the token's smallest unit"}, paid)
	} else {
		v.step(Step{Name: "fee", Formula: "floor(gas price × " + weight.Name + " / " + v.rules.WeightPerGas.String() + ")",
			Values: []Value{with("gas price", price), weight}, Unit: InWei, Rule: chain.Some(2)}, paid)
	}
	if priority, ok := t.PriorityFee.Get(); ok && hasBase {
		v.partSteps(paid, priority, price, base, charged)
	}
}

func (v *Explanation) baseFeeStep(base chain.GasPrice) {
	s := Step{Name: "base fee per gas", Unit: InWeiPerGas, Rule: chain.Some(6)}
	if static, ok := v.rules.BaseFee.Static.Get(); ok {
		s.Formula, s.Values = "static base fee", []Value{with("static base fee", static)}
		s.Note = "static in this runtime: independent of the multiplier"
	} else if v.rules.BaseFee.Stored.Known() {
		s.Formula, s.Values = "stored base fee", []Value{with("stored base fee", base)}
	} else {
		m, _ := v.report.Multiplier.Get()
		s.Formula = "floor(multiplier × base constant / 10^18)"
		s.Values = []Value{with("multiplier", m.Value), with("base constant", v.rules.BaseFee.Constant)}
		if scale := v.rules.BaseFee.Scale; scale > 1 {
			s.Formula, s.Values = s.Formula+" × gas scale", append(s.Values, with("gas scale", Digits(fmt.Sprint(scale))))
		}
	}
	v.step(s, base)
}

// priceStep adds the gas price. Types whose price depends on the base fee require it.
func (v *Explanation) priceStep(price, base chain.GasPrice) {
	p, err := v.extrinsic.Ethereum()
	if err != nil {
		return
	}
	s := Step{Name: "gas price", Unit: InWeiPerGas, Rule: chain.Some(4)}
	sum := []Value{with("base fee per gas", base), with("maxPriorityFeePerGas", p.MaxPriorityFeePerGas)}
	switch {
	case !p.Capped():
		s.Formula, s.Values, s.Rule = "gasPrice", []Value{with("gasPrice", p.LegacyGasPrice)}, chain.Some(3)
	case v.rules.PriceCapped:
		s.Formula, s.Values = "min(base fee per gas + maxPriorityFeePerGas, maxFeePerGas)", append(sum, with("maxFeePerGas", p.MaxFeePerGas))
	default:
		s.Formula, s.Values = "base fee per gas + maxPriorityFeePerGas", sum
		s.Note = "contrary to the rule, this runtime does not cap it at maxFeePerGas"
	}
	v.step(s, price)
}

// weightStep returns the charged weight with its name.
func (v *Explanation) weightStep(gas chain.Gas) Value {
	reported, _ := v.Transaction.Weight.Get()
	weight := with("weight", reported)
	if correction := v.rules.WeightCorrection; !correction.IsZero() {
		whole, _ := reported.Add(correction) // fee.Price has checked it
		v.step(Step{Name: "whole weight", Formula: "weight + weight correction",
			Values: []Value{weight, with("weight correction", correction)}, Unit: InRefTime,
			Note: "this runtime reports the weight without the base weight of the extrinsic"}, whole)
		weight = with("whole weight", whole)
	}
	v.step(Step{Name: "gas", Formula: "floor(" + weight.Name + " / " + v.rules.WeightPerGas.String() + ")",
		Values: []Value{weight}, Unit: InGas, Rule: chain.Some(2)}, gas)
	return weight
}

// partSteps split the fee into the part at the base fee and the part above it.
func (v *Explanation) partSteps(paid, priority chain.Wei, price, base chain.GasPrice, charged Value) {
	formula := charged.Name + " × (gas price − base fee per gas)"
	if v.rules.EVMUnit > 1 {
		formula = fmt.Sprintf("floor(%s / %d)", formula, v.rules.EVMUnit)
	}
	v.step(Step{Name: "priority fee", Formula: formula,
		Values: []Value{charged, with("gas price", price), with("base fee per gas", base)}, Unit: InWei}, priority)
	if rest, err := paid.Sub(priority); err == nil {
		v.step(Step{Name: "base part", Formula: "fee − priority fee",
			Values: []Value{with("fee", paid), with("priority fee", priority)}, Unit: InWei}, rest)
	}
}

// stepsNative adds fee rule 1, or the settlement.
func (v *Explanation) stepsNative() {
	t := &v.Transaction
	paid, ok := t.Fee.Get()
	if !ok {
		return
	}
	s := Step{Name: "fee", Unit: InWei}
	switch method, _ := t.Method.Get(); {
	case t.AssetFee != nil:
		s.Formula, s.Note = "0", "paid in an asset: the payer pays nothing in the token"
	case method != fee.ByCash:
		s.Formula, s.Values, s.Rule = "fee paid", []Value{with("fee paid", paid)}, chain.Some(1)
		if v.waived() {
			s.Note = "waived by the chain (paysFee No): only a tip is paid"
		}
	case v.Cash == nil: // the origin of the charge is unknown
		return
	default:
		s = v.Cash.Steps[0] // charged
		s.Name, s.Note = "fee", "the runtime has no fee event: the fee is the amount charged"
		if !v.Cash.Payer.Known() {
			s.Note = "the chain withdrew nothing and reports paysFee No"
		}
	}
	v.step(s, paid)
	if tip, _ := t.Tip.Get(); !tip.IsZero() {
		if rest, err := paid.Sub(tip); err == nil {
			v.step(Step{Name: "inclusion fee", Formula: "fee − tip",
				Values: []Value{with("fee", paid), with("tip", tip)}, Unit: InWei}, rest)
		}
	}
}

func (v *Explanation) waived() bool {
	outcome, err := v.extrinsic.Outcome()
	if err != nil {
		return false
	}
	pays, err := outcome.PaysFee()
	return err == nil && !pays
}
