package evidence

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

// normalWeight is what the block's transactions of class Normal weighed in ref
// time, as the runtime's row says that it follows from the block alone.
func normalWeight(b *chain.Block, u network.MultiplierUpdate) (sum chain.RefTime, err error) {
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		refTime, counts, err := normalRefTime(x, u)
		if err != nil {
			return sum, fmt.Errorf("extrinsic %d: %w", i, err)
		}
		if !counts {
			continue
		}
		if sum, err = sum.Add(refTime); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

var errNoClass = errors.New("the gateway does not tell the class of each extrinsic")

// normalRefTime is what one extrinsic counts, if it is of class Normal.
func normalRefTime(x *chain.Extrinsic, u network.MultiplierUpdate) (refTime chain.RefTime, counts bool, err error) {
	outcome, err := x.Outcome()
	if err != nil {
		return refTime, false, err
	}
	class, err := outcome.Class()
	if errors.Is(err, chain.ErrMissing) {
		return refTime, false, errNoClass
	}
	if err != nil || class != chain.Normal {
		return refTime, false, err
	}
	weight, err := outcome.Weight()
	if err != nil {
		return refTime, false, err
	}
	refTime = weight.RefTime
	if u.BlockWeight != network.FromGasLimit {
		return refTime, true, nil
	}
	if fee.Classify(x) == fee.EVM {
		payload, err := evm.ParsePayload(x.Args)
		if err != nil {
			return refTime, false, err
		}
		if refTime, err = evm.RefTime(payload.GasLimit); err != nil {
			return refTime, false, err
		}
	}
	refTime, err = refTime.Add(u.BaseWeight)
	return refTime, true, err
}

// weigh keeps what the next block's multiplier follows from.
func (p *prover) weigh(b *chain.Block, r *Report) {
	u, known := p.rules.Update.Get()
	if counted, told := p.options.BlockWeight.Get(); known && u.BlockWeight == "" && told {
		r.normal = chain.Some(counted.Normal)
		p.fits(u, counted.Normal.RefTime)
		return
	}
	if !known || u.BlockWeight == "" {
		const why = "the weight of the block has to be read from system.blockWeight"
		p.skip(blockWeight, why)
		return
	}
	weight, err := normalWeight(b, u)
	if errors.Is(err, errNoClass) {
		p.skip(blockWeight, err.Error())
		return
	}
	if err != nil {
		p.broken(blockWeight, wholeBlock, "%v", err)
		return
	}
	r.normal = chain.Some(chain.Weight{RefTime: weight})
	if u.BlockWeight == network.FromGasLimit {
		p.skip(blockWeight, "the runtime counted gas limits")
		return
	}
	p.fits(u, weight)
}

// fits checks that the class Normal weighs at most what a block has for it.
func (p *prover) fits(u network.MultiplierUpdate, weight chain.RefTime) {
	if most := u.NormalRefTime(); weight.Uint64() > most.Uint64() {
		p.broken(blockWeight, wholeBlock, "the extrinsics weigh %v, and a block takes %v", weight, most)
	} else {
		p.held(blockWeight)
	}
}
