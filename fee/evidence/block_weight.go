package evidence

import (
	"errors"

	"github.com/feeledger/fees/chain"
)

// classWeights checks the weights in the events of the extrinsics against what the
// chain counted. Of the classes Normal and Operational that is the sum of them, base
// weights included. What is Mandatory has the hooks of the block in it, too, and is
// at least the sum.
//
// In older runtimes the events lack the base weights, and in newer ones extensions lower an
// extrinsic's weight after the chain has counted it: the sum is the least that a class can
// have then. Proof sizes are not
// compared: newer runtimes give back what was not used without telling.
//
// Source: frame system, note_applied_extrinsic and CheckWeight; to the digit on the
// recorded blocks of Moonbeam 2600 and of DataHaven 100.
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
			s.broken("the extrinsics of class %s weigh %d, and the chain counted %d", c.class, have, want)
			return
		}
	}
	s.held()
}

// dispatched is what an extrinsic's outcome tells of its weight.
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
