package variance

import (
	"cmp"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
)

// Variance is the difference of the fees of two periods, in steps.
type Variance struct {
	Now, Before Sums    // of all transactions; those without a payer are undetermined
	Steps       []*Line // in the order of [Steps], also those of 0
	Calls       int     // different ones
	WithoutGas  int     // EVM calls of both periods whose fees gas and prices do not explain
	InAssets    *Line   // the calls of which fees were paid in assets, which are in no step: its amounts are 0
}

// Line is a step of a variance.
type Line struct {
	Step
	Amount      chain.Optional[chain.SignedWei] // not known if the step is NotKnown, and not empty
	Shares      []Share                         // of the calls, the largest first
	Now, Before Sums                            // of these calls
}

// Share is a call's share of a step.
type Share struct {
	*Change
	Amount chain.Optional[chain.SignedWei] // like that of its line
}

// Change is a call in both periods. The zero call stands for all transactions without a known payer.
type Change struct {
	Call
	Now, Before Sums
}

// Compare explains the fees of a period by those of another.
func Compare(now, before *Period) (*Variance, error) {
	v := &Variance{InAssets: &Line{Step: paidInAssets, Amount: chain.Some(chain.SignedWei{})}}
	lines := map[Step]*Line{}
	for _, step := range Steps() {
		lines[step] = &Line{Step: step, Amount: chain.Some(chain.SignedWei{})}
		v.Steps = append(v.Steps, lines[step])
	}
	changes := map[Call]*Change{{}: {Now: Sums{Undetermined: now.WithoutPayer}, Before: Sums{Undetermined: before.WithoutPayer}}}
	for c, s := range now.calls {
		changes[c] = &Change{Call: c, Now: *s}
	}
	for c, s := range before.calls {
		if changes[c] == nil {
			changes[c] = &Change{Call: c}
		}
		changes[c].Before = *s
	}
	for _, change := range changes {
		if err := v.add(change, lines); err != nil {
			return nil, err
		}
	}
	v.Calls = len(changes) - 1
	for _, line := range append(v.Steps, v.InAssets) {
		slices.SortFunc(line.Shares, func(x, y Share) int {
			a, _ := x.Amount.Get()
			b, _ := y.Amount.Get()
			return cmp.Or(b.Size().Cmp(a.Size()), x.Call.compare(&y.Call))
		})
	}
	return v, nil
}

// add adds a call to the totals and to its steps.
func (v *Variance) add(c *Change, lines map[Step]*Line) error {
	if err := cmp.Or(v.Now.plus(&c.Now), v.Before.plus(&c.Before)); err != nil {
		return err
	}
	parts, err := split(&c.Now, &c.Before)
	if err != nil {
		return err
	}
	if c.Layer == fee.EVM && c.Compared() && !c.ByGas() {
		v.WithoutGas++
	}
	for i, step := range steps {
		if parts[i].Sign() != 0 {
			if err := lines[step].add(Share{c, chain.Some(parts[i])}); err != nil {
				return err
			}
		}
	}
	if c.Now.InAssets+c.Before.InAssets > 0 {
		if err := v.InAssets.add(Share{c, v.InAssets.Amount}); err != nil {
			return err
		}
	}
	if c.Now.Undetermined+c.Before.Undetermined > 0 {
		return lines[NotKnown].add(Share{Change: c})
	}
	return nil
}

// add adds a call's share.
func (l *Line) add(s Share) (err error) {
	if l.Amount, err = sum(l.Amount, s.Amount); err != nil {
		return err
	}
	l.Shares = append(l.Shares, s)
	return cmp.Or(l.Now.plus(&s.Now), l.Before.plus(&s.Before))
}

// sum adds amounts. The sum is unknown if one of them is.
func sum(x, y chain.Optional[chain.SignedWei]) (none chain.Optional[chain.SignedWei], err error) {
	a, known := x.Get()
	b, too := y.Get()
	if !known || !too {
		return none, nil
	}
	a, err = a.Add(b)
	return chain.Some(a), err
}

// Known returns the difference of the known fees: the sum of all steps with a known amount.
func (v *Variance) Known() chain.SignedWei { return v.Now.Fee.Difference(v.Before.Fee) }

// IsKnown reports whether all fees of both periods are known.
func (v *Variance) IsKnown() bool { return v.Now.Undetermined+v.Before.Undetermined == 0 }

// Difference returns the difference of the fees; unknown if one of the fees is.
func (v *Variance) Difference() (none chain.Optional[chain.SignedWei]) {
	if !v.IsKnown() {
		return none
	}
	return chain.Some(v.Known())
}

// Holds reports whether every fee of both periods is known, and is what the chain charged.
func (v *Variance) Holds() bool { return v.IsKnown() && v.Now.Drifts+v.Before.Drifts == 0 }

// ByGas reports whether gas and prices explain the call's fees in both periods. Otherwise its fees are explained by the
// number of transactions and the fee of each.
func (c *Change) ByGas() bool { return c.Now.byGas() && c.Before.byGas() }

// Compared reports whether the call's transactions have known fees in both periods.
func (c *Change) Compared() bool { return c.Now.Transactions > 0 && c.Before.Transactions > 0 }
