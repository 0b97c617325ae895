package explain

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// Receipt is the way from the Ethereum receipt of a transaction of pallet revive to its fee: what left the payer, and how the
// receipt states it.
type Receipt struct {
	Inputs []Input `json:"inputs"` // the receipt, if it is known; deposits taken and given back
	Steps  []Step  `json:"steps"`
}

func (r *Receipt) step(s Step, result fmt.Stringer) {
	s.Result = Digits(result.String())
	r.Steps = append(r.Steps, s)
}

// receiptSteps explains the receipt of a transaction whose fee and charge are known; nil for others.
func (v *Explanation) receiptSteps() *Receipt {
	t := &v.Transaction
	paid, known := t.Fee.Get()
	payer, _ := t.Payer.Get()
	flow, err := chain.FindFlow(v.extrinsic, v.rules.Treasury)
	if !known || err != nil || v.Cash == nil {
		return nil
	}
	r := &Receipt{Inputs: []Input{}}
	v.statedReceipt(r)
	stakes := flow.Stakes(v.extrinsic, payer)
	cost, formula, values := paid.Difference(chain.Wei{}), "fee", []Value{with("fee", paid)}
	for _, part := range []struct {
		name, one, sign, place string
		list                   []chain.Deposit
	}{
		{"deposits taken", "deposit taken", " + ", "data[1], put on hold for ", stakes.Taken},
		{"existential deposits", "existential deposit", " + ", "data[1], to the new account ", stakes.Endowed},
		{"given back", "deposit given back", " − ", "data[1], released from ", stakes.GivenBack},
	} {
		sum, err := chain.Sum(part.list)
		if err != nil {
			return nil
		}
		if len(part.list) == 0 {
			continue
		}
		var amounts []string
		for _, d := range part.list {
			r.Inputs = append(r.Inputs, input(part.one, d.Amount, InWei, v.event(d.At, part.place+v.Token.Account(d.Account))))
			amounts = append(amounts, d.Amount.String())
		}
		r.step(Step{Name: part.name, Formula: strings.Join(amounts, " + "), Values: []Value{}, Unit: InWei}, sum)
		signed := sum.Difference(chain.Wei{})
		if part.sign == " − " {
			signed = signed.Negated()
		}
		if cost, err = cost.Add(signed); err != nil {
			return nil
		}
		formula, values = formula+part.sign+part.name, append(values, with(part.name, sum))
	}
	s := Step{Name: "cost", Formula: formula, Values: values, Unit: InWei, Note: "what the payer paid besides the value that it sent and the rounding"}
	if cost.Sign() < 0 {
		s.Note = "less than nothing: the payer got more back than the fee"
	}
	r.step(s, cost)
	if stated := t.Receipt; stated != nil {
		r.step(Step{Name: "receipt", Formula: "gas used × effective gas price", Unit: InAttos,
			Values: []Value{with("gas used", stated.GasUsed), with("effective gas price", stated.Price)}, Note: v.receiptNote(cost)}, stated.Total)
		if rounding, known := stated.Rounding.Get(); known {
			r.step(Step{Name: "rounding", Formula: fmt.Sprintf("receipt − cost × %d", max(v.rules.EVMUnit, 1)), Unit: InAttos,
				Values: []Value{with("receipt", stated.Total), with("cost", cost)}, Note: v.roundingNote(rounding)}, rounding)
		}
	}
	return r
}

// statedReceipt adds what the receipt states.
func (v *Explanation) statedReceipt(r *Receipt) {
	stated := v.Transaction.Receipt
	if stated == nil {
		const from = "no node serves it (--node); state it with --receipt"
		r.Inputs = append(r.Inputs, Input{Name: "gas used", Unit: InGas, From: from})
		return
	}
	from := fmt.Sprintf("the node's Ethereum receipt: ReviveApi.eth_receipt_data at block %d", v.Block)
	if stated.Given {
		from = "the Ethereum receipt stated with --receipt"
	}
	r.Inputs = append(r.Inputs, input("gas used", stated.GasUsed, InGas, from), input("effective gas price", stated.Price, InWeiPerGas, from))
}

// receiptNote says why a receipt states nothing.
func (v *Explanation) receiptNote(cost chain.SignedWei) string {
	switch {
	case v.Transaction.Receipt.GasUsed != (chain.Gas{}):
		return ""
	case v.Transaction.DispatchesNative():
		return "a native call that an Ethereum key signed: its receipt states no gas, but the fee was paid"
	case cost.Sign() <= 0:
		return "a receipt cannot state less than nothing"
	}
	return ""
}

// roundingNote says who paid the rounding.
func (v *Explanation) roundingNote(rounding chain.SignedWei) string {
	t := &v.Transaction
	outcome, _ := t.Outcome.Get()
	perGas, _ := t.Receipt.Price.MulDivFloor(1, 1)
	switch {
	case t.DispatchesNative() || rounding.Sign() < 0:
		return ""
	case rounding.Size().Cmp(perGas) < 0 && outcome == fee.Succeeded:
		return "less than one gas: the chain burned it from the payer"
	case rounding.Size().Cmp(perGas) < 0:
		return "less than one gas: nobody paid it, because the chain rolled it back with the call"
	case v.Creates && outcome != fee.Succeeded:
		return "contains a deposit for the contract, which nobody paid: the chain rolled it back with the call"
	}
	return ""
}
