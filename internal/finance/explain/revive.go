package explain

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network/rule"
)

// isRevive reports whether it is an Ethereum transaction of pallet revive.
func (v *Explanation) isRevive() bool {
	return v.Transaction.Layer == fee.EVM && v.rules.EVM == rule.Revive
}

// readRevive adds the inputs of the fee of an Ethereum transaction of pallet revive.
func (v *Explanation) readRevive() {
	v.readFeePaid()
	if p, err := v.extrinsic.Ethereum(); err == nil {
		action, err := p.Action.Get()
		v.Creates = err == nil && action.Create
		name := "gasPrice"
		if p.Capped() {
			name = "maxFeePerGas"
		}
		v.read("gas limit", p.GasLimit, InGas, v.field("args.payload: gasLimit"))
		v.read("offered price", p.Offered(), InWeiPerGas, v.field("args.payload: "+name))
	}
	v.readWeight()
	v.readRules()
}

// stepsRevive adds the fee that the chain states, the price, and the hold.
func (v *Explanation) stepsRevive() {
	t := &v.Transaction
	if paid, ok := t.Fee.Get(); ok {
		v.step(Step{Name: "fee", Formula: "fee paid", Values: []Value{with("fee paid", paid)}, Unit: InWei, Rule: chain.Some(1),
			Note: "the native fee of its weight and length, in the token's smallest unit"}, paid)
	}
	base, known := t.GasPrice.Get()
	if !known {
		return
	}
	v.baseFeeStep(base)
	v.step(Step{Name: "gas price", Formula: "base fee per gas", Values: []Value{with("base fee per gas", base)}, Unit: InWeiPerGas,
		Note: "always: what the sender offers above it changes nothing"}, base)
	p, err := v.extrinsic.Ethereum()
	if err != nil {
		return
	}
	if hold, err := base.MulDivFloor(p.GasLimit.Uint64(), max(v.rules.EVMUnit, 1)); err == nil {
		v.step(Step{Name: "hold", Formula: fmt.Sprintf("floor(gas limit × gas price / %d)", max(v.rules.EVMUnit, 1)),
			Values: []Value{with("gas limit", p.GasLimit), with("gas price", base)}, Unit: InWei,
			Note: "withdrawn first, in two parts; it pays the fee and deposits, and the rest is given back"}, hold)
	}
}

// settledRevive lists what was withdrawn and deposited. It returns false if that does not give the amount charged.
func (v *Explanation) settledRevive(s *Settlement, charged chain.Wei) bool {
	flow, err := chain.FindFlow(v.extrinsic, v.rules.Treasury)
	if err != nil {
		return false
	}
	if have, err := flow.Charged(); err != nil || have != charged {
		return false
	}
	s.Payer = v.Transaction.Payer
	var in, out chain.Wei
	for _, w := range flow.Withdrawals {
		s.read("withdrawn", w.Amount, v.event(w.At, "data[1], from "+v.Token.Account(w.Account)))
		in, _ = in.Add(w.Amount) // Charged has checked the sums
	}
	for _, d := range flow.Deposits {
		s.read("deposited", d.Amount, v.event(d.At, "data[1], to "+v.Token.Account(d.Account)))
		out, _ = out.Add(d.Amount)
	}
	whole := Step{Name: "charged", Formula: "all withdrawn − all deposited", Values: []Value{with("all withdrawn", in), with("all deposited", out)},
		Note: "amounts put on hold are deposits to those who hold them, not fees"}
	switch flow.Burned.Sign() {
	case +1:
		whole.Formula += " − burned by the call"
		whole.Values = append(whole.Values, with("burned by the call", flow.Burned.Size()))
	case -1:
		whole.Formula += " + issued by the call"
		whole.Values = append(whole.Values, with("issued by the call", flow.Burned.Size()))
	}
	s.step(whole, charged)
	for _, c := range flow.Credits {
		s.read("credited", c.Amount, v.event(c.At, "data[1], to "+v.Token.Account(c.Account)))
	}
	return true
}
