package evidence

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evm"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// normalWeight returns the ref time of the block's transactions of class Normal, computed from the block as
// the runtime's row prescribes.
func normalWeight(b *chain.Block, u rule.MultiplierUpdate, perGas network.WeightPerGas) (sum chain.RefTime, err error) {
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		refTime, counts, err := normalRefTime(x, u, perGas)
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

var errNoClass = errors.New("the gateway does not return the class of each extrinsic")

// normalRefTime returns the ref time that one extrinsic counts, if it is of class Normal.
func normalRefTime(x *chain.Extrinsic, u rule.MultiplierUpdate, perGas network.WeightPerGas) (refTime chain.RefTime, counts bool, err error) {
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
	if u.BlockWeight != rule.FromGasLimit {
		return refTime, true, nil
	}
	if rule.Frontier.Carries(x.Pallet, x.Call) {
		payload, err := x.Ethereum()
		if err != nil {
			return refTime, false, err
		}
		if refTime, err = evm.RefTime(payload.GasLimit, perGas); err != nil {
			return refTime, false, err
		}
	}
	refTime, err = refTime.Add(u.BaseWeight)
	return refTime, true, err
}

// weight records the input of the next block's multiplier, and checks that the class Normal does not exceed
// its limit.
func (s *subject) weight() {
	u, _ := s.rules.Update.Get()
	normal, err := s.normalWeight(u)
	switch {
	case errors.Is(err, errNotWeighed), errors.Is(err, errNoClass):
		s.skip(err.Error())
		return
	case err != nil:
		s.broken("%v", err)
		return
	}
	s.proved.normal = chain.Some(normal)
	switch limit := u.NormalRefTime(); {
	case u.BlockWeight == rule.FromGasLimit:
		s.skip("the runtime counted gas limits")
	case normal.RefTime.Uint64() > limit.Uint64():
		s.broken("the extrinsics weigh %v, but the limit of a block is %v", normal.RefTime, limit)
	default:
		s.held()
	}
}

var errNotWeighed = errors.New(notWeighed)

// normalWeight returns the weight of the block's transactions of class Normal: as counted by the chain, or as
// computed from the block.
func (s *subject) normalWeight(u rule.MultiplierUpdate) (none chain.Weight, err error) {
	if u.BlockWeight == "" {
		counted, told := s.options.BlockWeight.Get()
		if !told {
			return none, errNotWeighed
		}
		return counted.Normal, nil
	}
	refTime, err := normalWeight(s.block, u, s.rules.WeightPerGas)
	return chain.Weight{RefTime: refTime}, err
}
