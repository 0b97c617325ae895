package report

import (
	"github.com/feeledger/fees/chain"
)

// named is a figure with its display name.
type named[T any] struct {
	name  string
	value T
}

func (f *Figures) counts() []named[uint64] {
	list := []named[uint64]{
		{"EVM transactions", f.EVM}, {"native transactions", f.Native}, {"EVM failed", f.EVMFailed}, {"native failed", f.NativeFailed},
		{"outcome unknown", f.OutcomeUnknown}, {"undetermined", f.Undetermined},
	}
	if gas, known := f.Gas.Get(); known {
		list = append(list, named[uint64]{"gas", gas.Uint64()})
	}
	return list
}

func (f *Figures) amounts() []named[chain.Optional[chain.Wei]] {
	return []named[chain.Optional[chain.Wei]]{
		{"fee", chain.Some(f.Fee)}, {"EVM fee", chain.Some(f.EVMFee)}, {"native fee", chain.Some(f.NativeFee)},
		{"priority fee", f.PriorityFee}, {"tip", f.Tip},
		{"charged", f.Charged}, {"burned", f.Burned}, {"treasury", f.Treasury}, {"author", f.Author},
	}
}

// notKnown is shown for a sum with an unknown part.
const notKnown = "not known"

func (f *Figures) prices() []named[chain.Optional[chain.GasPrice]] {
	return []named[chain.Optional[chain.GasPrice]]{
		{"gas price, average", f.AveragePrice}, {"gas price, 10 %", f.Price10}, {"gas price, median", f.Price50}, {"gas price, 90 %", f.Price90},
	}
}
