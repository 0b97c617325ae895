package evidence

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

// Diagnosis is one change to the pricing of a block after which the fee of every EVM transaction in it matches
// what the chain charged.
type Diagnosis struct {
	Class Class `json:"class"`
	// Message describes the change and how to make it.
	Message string `json:"message"`
	// Deciding is the number of transactions that depend on the change. The others match with and without it:
	// legacy and eip2930 ones, and those whose price is capped.
	Deciding      int                            `json:"deciding"`
	BaseFeePerGas chain.Optional[chain.GasPrice] `json:"base_fee_per_gas"` // with the change
}

// Neighbours contains the inputs that priced the surrounding blocks.
type Neighbours struct {
	Multipliers []chain.StoredMultiplier // at heights near the block
	Rules       []network.Rules          // of the runtime after an upgrade in the block
}

// alternative is an alternative pricing of a block.
type alternative struct {
	class      Class
	message    string
	rules      network.Rules
	multiplier chain.Optional[chain.StoredMultiplier]
}

// Diagnose searches for an explanation of drifts of EVM fees: the neighbours' rules and multipliers, known
// faults of old runtimes, and a different base constant. The first alternative that makes all of them match,
// without breaking a match, sets the class of the drifts. Unexplained drifts stay [Unknown].
func (r *Report) Diagnose(b *chain.Block, rules network.Rules, around Neighbours) {
	if !r.DriftsOnEVM() {
		return
	}
	for _, a := range alternatives(r, rules, around) {
		if r.explainedBy(b, a) {
			return
		}
	}
	if a, ok := r.otherBaseFee(b, rules); ok {
		r.explainedBy(b, a)
	}
}

// DriftsOnEVM reports whether there are drifts to diagnose.
func (r *Report) DriftsOnEVM() bool {
	for i := range r.Transactions {
		if t := &r.Transactions[i]; t.Layer == fee.EVM && t.Drift.Known() {
			return true
		}
	}
	return false
}

func alternatives(r *Report, rules network.Rules, around Neighbours) []alternative {
	var list []alternative
	for _, next := range around.Rules {
		list = append(list, alternative{UpgradeBoundary,
			fmt.Sprintf("the rules of %s match: the runtime changed with this block", next.Name), next, r.Multiplier})
	}
	for _, m := range around.Multipliers {
		list = append(list, alternative{MultiplierHeight,
			fmt.Sprintf("the multiplier stored at block %d matches: %v. See --multiplier-at.", m.At, m.Value), rules, chain.Some(m)})
	}
	for _, f := range rules.Faults {
		with, applied := f.Apply(rules)
		if !applied {
			continue
		}
		what, field := "a gas price not capped by maxFeePerGas matches", "price_uncapped"
		if !f.PriceUncapped {
			what, field = fmt.Sprintf("a weight without the base weight of %v matches", f.WeightCorrection), "weight_correction"
		}
		list = append(list, alternative{HistoricBug,
			fmt.Sprintf("%s, as in %s. Set %s in a network file (--network-file).", what, strings.Join(f.Where, ", "), field), with, r.Multiplier})
	}
	return list
}

// explainedBy prices the block with the alternative, and makes it the diagnosis if the fees match.
func (r *Report) explainedBy(b *chain.Block, a alternative) bool {
	other := fee.Price(b, &a.rules, a.multiplier)
	deciding := 0
	for i := range r.Transactions {
		t := &r.Transactions[i]
		charged, known := t.Charged.Get()
		if t.Layer != fee.EVM || !known {
			continue
		}
		if fits, ok := other.Transactions[i].Fee.Get(); !ok || fits != charged {
			return false
		}
		if other.Transactions[i].Fee != t.Fee {
			deciding++
		}
	}
	for i := range r.Transactions {
		if t := &r.Transactions[i]; t.Layer == fee.EVM && t.Drift.Known() {
			t.Class = chain.Some(a.class)
		}
	}
	r.Diagnosis = &Diagnosis{a.class, a.message, deciding, other.BaseFeePerGas}
	return true
}

// otherBaseFee computes the base fee that the first drifting transaction with a price that follows it must
// have paid, and the constant that results in it.
func (r *Report) otherBaseFee(b *chain.Block, rules network.Rules) (alternative, bool) {
	for i := range r.Transactions {
		t := &r.Transactions[i]
		base, ok := r.impliedBaseFee(t, &b.Extrinsics[t.Index])
		if !ok {
			continue
		}
		return withBaseFee(rules, r.Multiplier, base)
	}
	return alternative{}, false
}

// impliedBaseFee returns the price that was charged less the priority fee. It is unknown if the price does not
// follow the base fee.
func (r *Report) impliedBaseFee(t *Transaction, x *chain.Extrinsic) (none chain.GasPrice, ok bool) {
	charged, known := t.Charged.Get()
	gas, weighed := t.Gas.Get()
	if !t.Drift.Known() || !known || !weighed {
		return none, false
	}
	if r.rules.ChargesLimit || r.rules.EVMUnit > 1 {
		return none, false
	}
	payload, err := x.Ethereum()
	if err != nil || !payload.Capped() {
		return none, false
	}
	price, exact := charged.PricePer(gas)
	if !exact || price.Cmp(payload.MaxFeePerGas) >= 0 {
		return none, false
	}
	base, err := price.Sub(payload.MaxPriorityFeePerGas)
	return base, err == nil
}

// withBaseFee changes the rules so that they result in a base fee.
func withBaseFee(rules network.Rules, multiplier chain.Optional[chain.StoredMultiplier], base chain.GasPrice) (a alternative, ok bool) {
	a = alternative{class: BaseConstant, rules: rules, multiplier: multiplier}
	if rules.BaseFee.Static.Known() {
		a.rules.BaseFee.Static = chain.Some(base)
		a.message = fmt.Sprintf("a static base fee of %v wei per gas matches. Set static_base_fee in a network file (--network-file).", base)
		return a, true
	}
	m, known := multiplier.Get()
	if !known || rules.BaseFee.Stored.Known() {
		return a, false
	}
	constant, err := m.Value.Least(base)
	if err != nil {
		return a, false
	}
	a.rules.BaseFee.Constant = constant
	a.message = fmt.Sprintf("the base constant %v matches; the rules have %v. Set base_fee_constant in a network file (--network-file).", constant, rules.BaseFee.Constant)
	return a, true
}
