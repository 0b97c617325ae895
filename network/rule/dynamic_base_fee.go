package rule

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// FollowsMultiplier reports whether the base fee follows the fee multiplier ([BaseFeeUpdate.NextAt]) rather than the
// block's fullness ([BaseFeeUpdate.Next]).
func (u BaseFeeUpdate) FollowsMultiplier() bool { return !u.WeightFactor.IsZero() }

// The fee of one gas is this part of the fee of an extrinsic's base weight.
const (
	gasNumerator   = 25
	gasDenominator = 98974
)

// NextAt returns the base fee that a block stores, given the one in force at its end and the multiplier that the block
// stores:
//
//	ideal = floor(floor(multiplier × WeightFactor / 10^18) × 25 / 98974)
//	step  = base fee × Step / 10^18, rounded to nearest, half down
//	next  = ideal, at least base fee - step and at most base fee + step
//
// and within Minimum and Maximum, unless the base fee is outside of them. It returns [chain.ErrOverflow] if a product
// has too many bits.
//
// Source: Astar, pallets/dynamic-evm-base-fee/src/lib.rs, on_finalize, 212fa81e.
func (u BaseFeeUpdate) NextAt(baseFee chain.GasPrice, multiplier chain.Multiplier) (chain.GasPrice, error) {
	factor, err := multiplier.Of(u.WeightFactor)
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("multiplier × weight_factor: %w", err)
	}
	wei, err := factor.MulDivFloor(gasNumerator, gasDenominator)
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("ideal base fee: %w", err)
	}
	ideal := chain.GasPriceOf(wei.Word())
	step, err := u.Step.Nearest(baseFee)
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("step of the base fee %v: %w", baseFee, err)
	}
	lowest, err := baseFee.Sub(step)
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("base fee %v - step: %w", baseFee, err)
	}
	highest, err := baseFee.Add(step)
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("base fee %v + step: %w", baseFee, err)
	}
	if baseFee.Cmp(u.Minimum) >= 0 && baseFee.Cmp(u.Maximum) <= 0 {
		lowest, highest = higher(lowest, u.Minimum), lower(highest, u.Maximum)
	}
	return lower(higher(ideal, lowest), highest), nil
}

func higher(a, b chain.GasPrice) chain.GasPrice {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func lower(a, b chain.GasPrice) chain.GasPrice {
	if a.Cmp(b) > 0 {
		return b
	}
	return a
}

// wholeStep is the Step that may change a base fee by all of it.
var wholeStep = chain.NewMultiplier(1_000_000_000_000_000_000)

func (u BaseFeeUpdate) checkMultiplierRule() error {
	switch {
	case u.Elasticity != 0 || !u.MaxRefTime.IsZero():
		return errors.New("weight_factor: want no elasticity and no max_ref_time in the same row")
	case u.Step.IsZero() || u.Step.Cmp(wholeStep) > 0:
		return fmt.Errorf("step %v: want more than 0 and at most %v", u.Step, wholeStep)
	case u.Minimum.IsZero() || u.Maximum.Cmp(u.Minimum) < 0:
		return errors.New("weight_factor: want minimum, and maximum that is not lower")
	}
	return nil
}
