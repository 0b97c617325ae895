package evidence

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

// lists are the lists of a network's table that checks are about: where one holds, the row
// of the runtime is right.
var lists = map[string]string{
	"block.base_fee":   network.RowList,
	"evm.weight":       network.RowList,
	"evm.price":        network.RowList,
	"evm.cash":         network.RowList,
	"evm.split":        network.DestinationList,
	"native.split":     network.DestinationList,
	"block.multiplier": network.MultiplierUpdateList,
	"block.weight":     network.MultiplierUpdateList,
	"native.formula":   network.NativeFeeList,
	"block.dust":       network.ExistentialDepositList,
}

// List is the list of a network's table that the check is about, "" where it is about none.
func (c *Check) List() string { return ListOf(c.ID) }

// ListOf is that of the check with an ID.
func ListOf(id string) string { return lists[id] }

// Decides tells whether a transaction's fee follows the base fee: those that name their
// whole price, and those whose price is their maxFeePerGas, cost the same by any.
func (t *Transaction) Decides(x *chain.Extrinsic) bool {
	payload, err := evm.ParsePayload(x.Args)
	price, priced := t.GasPrice.Get()
	return t.Layer == fee.EVM && err == nil && priced && payload.Capped() && price.Cmp(payload.MaxFeePerGas) < 0
}
