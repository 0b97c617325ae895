package evidence

import (
	"cmp"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// listed describes how a check depends on the row for a block's runtime in a list of a network's table: the
// check fails if the row is wrong.
type listed struct {
	list string
	// proves returns how many times the check passed in a way that only the right row allows, and, if it passed
	// otherwise, why that proves nothing. It is nil if a pass always proves the row, within a small error.
	proves func(*Report, *chain.Block, Tally) (held int, whyNot string)
}

// lists are the checks that depend on a list of a network's table.
var lists = map[string]listed{
	"block.base_fee":        {rule.PriceList, nil},
	"evm.weight":            {rule.PriceList, nil},
	"evm.gas":               {rule.PriceList, nil},
	"evm.price":             {rule.PriceList, nil},
	"evm.cash":              {rule.PriceList, followed},
	"evm.hold":              {rule.PriceList, atBaseFee},
	"evm.formula":           {rule.NativeFeeList, always},
	"evm.split":             {rule.DestinationList, always},
	"native.split":          {rule.DestinationList, always},
	"block.multiplier":      {rule.MultiplierUpdateList, moved},
	"block.base_fee_update": {rule.BaseFeeUpdateList, baseFeeMoved},
	"block.weight":          {rule.MultiplierUpdateList, nil},
	"native.formula":        {rule.NativeFeeList, always},
	"block.dust":            {rule.ExistentialDepositList, always},
}

// ListOf returns the list of a network's table that the check with an ID depends on, or "".
func ListOf(id string) string { return lists[id].list }

// Proves returns how many times a check of a block proves the row of the check's list, and, if not always, why
// not: the check was not made, or passes with other rows too.
func (r *Report) Proves(c *Check, b *chain.Block) (held int, whyNot string) {
	for i := range checks {
		if l := lists[c.ID]; checks[i].ID == c.ID && l.proves != nil {
			held, whyNot = l.proves(r, b, r.Tallies[i])
			return held, cmp.Or(r.Tallies[i].Why, whyNot)
		}
	}
	return 0, ""
}

func always(_ *Report, _ *chain.Block, t Tally) (held int, whyNot string) { return t.Held, "" }

// atBaseFee counts the amounts that pallet revive withdrew first: gas limit × base fee, whatever the sender offered.
func atBaseFee(r *Report, _ *chain.Block, t Tally) (held int, whyNot string) {
	if r.rules.EVM == rule.Revive {
		return t.Held, ""
	}
	return 0, ""
}

// baseFeeMoved counts a base fee other than the lowest or the highest one: many rows result in those two.
func baseFeeMoved(r *Report, _ *chain.Block, t Tally) (held int, whyNot string) {
	if t.Held > 0 && r.limit != "" {
		return 0, "the base fee stays at its " + r.limit
	}
	return t.Held, ""
}

// moved counts a multiplier other than the lowest or the highest one: many rows result in those two.
func moved(r *Report, _ *chain.Block, t Tally) (held int, whyNot string) {
	if t.Held > 0 && r.bound {
		return 0, "the multiplier stays at its minimum or maximum"
	}
	return t.Held, ""
}

// followed counts the transactions whose charge matches the base fee: others match with any base fee.
func followed(r *Report, b *chain.Block, t Tally) (held int, whyNot string) {
	for i := range r.Transactions {
		x := &r.Transactions[i]
		if verdict, _ := x.Verdict.Get(); verdict == Match && x.followsBaseFee(&b.Extrinsics[x.Index], r.rules) {
			held++
		}
	}
	if t.Held > 0 && held == 0 {
		whyNot = "no transaction's price follows the base fee: each states its whole price, or pays its maxFeePerGas"
	}
	return held, whyNot
}

// followsBaseFee reports whether an EVM transaction's price follows the base fee. A transaction that states
// its whole price does not, and neither does one whose price is capped at its maxFeePerGas.
func (t *Transaction) followsBaseFee(x *chain.Extrinsic, rules *network.Rules) bool {
	payload, err := x.Ethereum()
	price, priced := t.GasPrice.Get()
	if t.Layer != fee.EVM || err != nil || !priced || !payload.Capped() {
		return false
	}
	return !rules.PriceCapped || price.Cmp(payload.MaxFeePerGas) < 0
}
