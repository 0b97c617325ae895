package evidence

import (
	"errors"

	"github.com/feeledger/fees/chain"
)

// classWeights compares the weights in the extrinsics' events with the weights that the chain counted. For the
// classes Normal and Operational, the chain's figure is the sum over the extrinsics, base weights included.
// The class Mandatory also includes the block's hooks, so its figure is at least the sum.
//
// In older runtimes the events lack the base weights, and in newer ones extensions reduce an extrinsic's
// weight after the chain has counted it: the sum is then a lower bound. Proof sizes are not compared: newer
// runtimes give back the unused part without an event.
//
// Source: frame system, note_applied_extrinsic and CheckWeight; exact on the recorded blocks of Moonbeam 2600
// and of DataHaven 100.
func (s *subject) classWeights() {
	b := s.block
	counted, known := s.options.BlockWeight.Get()
	if !known {
		s.skip(notWeighed)
		return
	}
	var sums struct{ normal, operational, mandatory chain.RefTime }
	for i := range b.Extrinsics {
		class, refTime, err := dispatched(&b.Extrinsics[i])
		sum := &sums.mandatory
		switch class {
		case chain.Normal:
			sum = &sums.normal
		case chain.Operational:
			sum = &sums.operational
		}
		if err == nil {
			*sum, err = sum.Add(refTime)
		}
		switch {
		case errors.Is(err, chain.ErrMissing):
			s.skip(errNoClass.Error())
			return
		case err != nil:
			s.brokenAt(i, "%v", err)
			return
		}
	}
	fee, priced := s.rules.NativeFee.Get()
	exact := priced && fee.WeightIncludesBase && !fee.LowerBound
	for _, c := range []struct {
		class   chain.DispatchClass
		sum     chain.RefTime
		counted chain.Weight
		exact   bool
	}{
		{chain.Normal, sums.normal, counted.Normal, exact},
		{chain.Operational, sums.operational, counted.Operational, exact},
		{chain.Mandatory, sums.mandatory, counted.Mandatory, false},
	} {
		have, want := c.sum.Uint64(), c.counted.RefTime.Uint64()
		if have > want || c.exact && have < want {
			s.broken("the extrinsics of class %s weigh %d, but the chain counted %d", c.class, have, want)
			return
		}
	}
	s.held()
}

// dispatched returns the class and the ref time in an extrinsic's outcome.
func dispatched(x *chain.Extrinsic) (class chain.DispatchClass, refTime chain.RefTime, err error) {
	outcome, err := x.Outcome()
	if err != nil {
		return "", refTime, err
	}
	if class, err = outcome.Class(); err != nil {
		return "", refTime, err
	}
	weight, err := outcome.Weight()
	return class, weight.RefTime, err
}
