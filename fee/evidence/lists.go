package evidence

import (
	"cmp"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

// listed is what a check says of the row for a block's runtime in a list of a network's
// table: a row that is wrong breaks it.
type listed struct {
	list string
	// proves tells how often it held as only a right row lets it hold, and, where it held
	// otherwise, why that proves nothing. It is nil where any row that is not far off holds.
	proves func(*Report, *chain.Block, Tally) (held int, whyNot string)
}

// lists are the checks that are about a list of a network's table.
var lists = map[string]listed{
	"block.base_fee":   {network.RowList, nil},
	"evm.weight":       {network.RowList, nil},
	"evm.gas":          {network.RowList, nil},
	"evm.price":        {network.RowList, nil},
	"evm.cash":         {network.RowList, followed},
	"evm.split":        {network.DestinationList, always},
	"native.split":     {network.DestinationList, always},
	"block.multiplier": {network.MultiplierUpdateList, moved},
	"block.weight":     {network.MultiplierUpdateList, nil},
	"native.formula":   {network.NativeFeeList, always},
	"block.dust":       {network.ExistentialDepositList, always},
}

// ListOf is the list of a network's table that the check with an ID is about, "" where it is about none.
func ListOf(id string) string { return lists[id].list }

// Proves tells how often a check of a block proves the row of the check's list, and why it
// does not where it does not always: it was not made, or it holds with other rows, too.
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

// moved counts a multiplier that is not the least or the highest one: many rows give those.
func moved(r *Report, _ *chain.Block, t Tally) (held int, whyNot string) {
	if t.Held > 0 && r.bound {
		return 0, "the multiplier stays at its minimum or maximum"
	}
	return t.Held, ""
}

// followed counts the transactions that were charged what the base fee makes of them:
// others match by any base fee.
func followed(r *Report, b *chain.Block, t Tally) (held int, whyNot string) {
	for i := range r.Transactions {
		x := &r.Transactions[i]
		if verdict, _ := x.Verdict.Get(); verdict == Match && x.followsBaseFee(&b.Extrinsics[x.Index], r.rules) {
			held++
		}
	}
	if t.Held > 0 && held == 0 {
		whyNot = "no transaction's price follows the base fee: each names its whole price, or pays its maxFeePerGas"
	}
	return held, whyNot
}

// followsBaseFee tells whether an EVM transaction's price follows the base fee: those that
// name their whole price cost the same by any, and so do those whose price is their
// maxFeePerGas, where the rules cap it by that.
func (t *Transaction) followsBaseFee(x *chain.Extrinsic, rules *network.Rules) bool {
	payload, err := evm.ParsePayload(x.Args)
	price, priced := t.GasPrice.Get()
	if t.Layer != fee.EVM || err != nil || !priced || !payload.Capped() {
		return false
	}
	return !rules.PriceCapped || price.Cmp(payload.MaxFeePerGas) < 0
}
