package evidence

import (
	"github.com/feeledger/fees/chain"
)

// blockRefTime returns the ref time that the chain counted for the whole block, hooks included.
func blockRefTime(w chain.ClassWeights) (sum chain.RefTime, err error) {
	for _, class := range []chain.Weight{w.Normal, w.Operational, w.Mandatory} {
		if sum, err = sum.Add(class.RefTime); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// baseFeeUpdate checks the stored base fee that prices the next block. An event in this block that sets a base fee
// precedes the update.
func (s *subject) baseFeeUpdate() {
	stored, known := s.stored.Get()
	next, alsoKnown := stored.BaseFee.Get()
	update, _ := s.rules.BaseFeeUpdate.Get()
	refTime, weighed := s.proved.refTime.Get()
	base, determined := s.proved.LastBaseFee().Get()
	switch {
	case !known || !alsoKnown:
		s.skip("the base fee that the block stored is unknown")
	case stored.At != s.proved.Number:
		s.skip(readAtBlock)
	case !weighed && !update.FollowsMultiplier():
		s.skip(notWeighed)
	case !determined:
		s.skip("the base fee is unknown")
	default:
		var want chain.GasPrice
		var err error
		if update.FollowsMultiplier() {
			want, err = update.NextAt(base, stored.Value)
		} else {
			want, err = update.Next(base, refTime)
		}
		switch {
		case err != nil:
			s.broken("%v", err)
		case want != next && update.FollowsMultiplier():
			s.broken("it stored a base fee of %v wei per gas, but %v follows from %v and the multiplier %v", next, want, base, stored.Value)
		case want != next:
			s.broken("it stored a base fee of %v wei per gas, but %v follows from %v and its weight of %v", next, want, base, refTime)
		default:
			s.held()
			switch {
			case want == update.Minimum:
				s.proved.limit = "minimum"
			case update.FollowsMultiplier() && want == update.Maximum:
				s.proved.limit = "maximum"
			}
		}
	}
}

// weigh keeps the block's ref time for the check of the base fee.
func (p *prover) weigh() {
	if weights, known := p.options.BlockWeight.Get(); known && p.rules.BaseFeeUpdate.Known() {
		if refTime, err := blockRefTime(weights); err == nil {
			p.proved.refTime = chain.Some(refTime)
		}
	}
}
