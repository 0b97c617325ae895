package rule

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// NativeFee defines how a runtime computes the fee of a native transaction from its weight and length.
type NativeFee struct {
	WeightFee chain.Wei `json:"weight_fee,omitzero"` // per picosecond of ref time
	// WeightFeeBillionths are billionths of a wei per picosecond, added to WeightFee. Rounding defines how their product
	// with a weight is rounded.
	WeightFeeBillionths uint32   `json:"weight_fee_billionths,omitempty"`
	Rounding            Rounding `json:"weight_fee_rounding,omitempty"`
	// ProofFee and ProofFeeBillionths are the fee per byte of proof size, in the same form. Combined defines how it
	// joins the ref time's fee.
	ProofFee           chain.Wei `json:"proof_fee,omitzero"`
	ProofFeeBillionths uint32    `json:"proof_fee_billionths,omitempty"`
	Combined           Combined  `json:"weight_fee_combined,omitempty"`
	// BaseWeight is the weight of an empty extrinsic of class Normal, and OperationalBaseWeight that of class
	// Operational, if known.
	BaseWeight            chain.RefTime                 `json:"base_weight,omitzero"`
	OperationalBaseWeight chain.Optional[chain.RefTime] `json:"operational_base_weight,omitzero"`
	// WeightIncludesBase reports that the weight in ExtrinsicSuccess and ExtrinsicFailed includes the base weight.
	WeightIncludesBase bool      `json:"weight_includes_base,omitempty"`
	LengthFee          LengthFee `json:"length_fee,omitzero"`
	// LowerBound reports that the formula gives a lower bound: the weight in the events may have been reduced
	// after the fee was fixed.
	LowerBound bool   `json:"lower_bound,omitempty"`
	Source     string `json:"source"`
	Note       string `json:"note,omitempty"` // a caveat for readers
}

// LengthFee is the part of a fee for the encoded extrinsic, including its length prefix, in wei per byte and
// in wei per byte³.
type LengthFee struct {
	Linear chain.Wei `json:"linear"`
	Cubic  chain.Wei `json:"cubic,omitzero"`
}

// NativeFeeRow applies from its runtime to the next row. An Unknown row means that the sources do not state
// the rule.
type NativeFeeRow struct {
	FromRuntime uint32 `json:"from_runtime"`
	Unknown     bool   `json:"unknown,omitempty"`
	NativeFee
}

// ErrUnknownBaseWeight means that the base weight of an extrinsic class is unknown.
var ErrUnknownBaseWeight = errors.New("unknown base weight")

// Fee returns the fee of a native transaction that pays for its weight, in wei:
//
//	fee = weightFee(base weight) + lengthFee(length)
//	    + floor(multiplier × weightFee(weight - base weight) / 10^18) + tip
//	weightFee(weight) = the larger, or the sum as Combined says, of
//	    ref time × WeightFee + ref time × WeightFeeBillionths / 10^9, rounded as Rounding says
//	    proof size × ProofFee + proof size × ProofFeeBillionths / 10^9, likewise
//
// Weight is from the extrinsic's ExtrinsicSuccess or ExtrinsicFailed, length is that of the encoded extrinsic
// with its length prefix, and multiplier is the one stored by the block's parent. A transaction whose fee the
// chain waived (paysFee No) pays only its tip: do not call Fee for it.
//
// Source: substrate, frame/transaction-payment/src/lib.rs, compute_fee_raw.
func (n NativeFee) Fee(class chain.DispatchClass, weight chain.Weight, length uint64, multiplier chain.Multiplier, tip chain.Wei) (chain.Wei, error) {
	base, err := n.base(class)
	if err != nil {
		return chain.Wei{}, err
	}
	if n.WeightIncludesBase {
		if weight.RefTime, err = weight.RefTime.Sub(base); err != nil {
			return chain.Wei{}, fmt.Errorf("weight - base weight of %v: %w", base, err)
		}
	}
	baseFee, err := n.weightFee(chain.Weight{RefTime: base})
	if err != nil {
		return chain.Wei{}, fmt.Errorf("fee of the base weight: %w", err)
	}
	lengthFee, err := n.LengthFee.of(length)
	if err != nil {
		return chain.Wei{}, err
	}
	weightFee, err := n.weightFee(weight)
	if err == nil {
		weightFee, err = multiplier.OfWei(weightFee)
	}
	if err != nil {
		return chain.Wei{}, fmt.Errorf("fee of the weight: %w", err)
	}
	fee := tip
	for _, part := range []chain.Wei{baseFee, lengthFee, weightFee} {
		if fee, err = fee.Add(part); err != nil {
			return chain.Wei{}, fmt.Errorf("sum of the fee's parts: %w", err)
		}
	}
	return fee, nil
}

func (n NativeFee) base(class chain.DispatchClass) (chain.RefTime, error) {
	switch class {
	case chain.Normal:
		return n.BaseWeight, nil
	case chain.Operational:
		if base, ok := n.OperationalBaseWeight.Get(); ok {
			return base, nil
		}
	}
	return chain.RefTime{}, fmt.Errorf("%w of class %s", ErrUnknownBaseWeight, class)
}

func (n NativeFee) weightFee(weight chain.Weight) (chain.Wei, error) {
	byTime, err := n.Rounding.price(weight.RefTime.Uint64(), n.WeightFee, n.WeightFeeBillionths)
	if err != nil {
		return chain.Wei{}, fmt.Errorf("ref time: %w", err)
	}
	byProof, err := n.Rounding.price(weight.ProofSize, n.ProofFee, n.ProofFeeBillionths)
	if err != nil {
		return chain.Wei{}, fmt.Errorf("proof size: %w", err)
	}
	return n.Combined.of(byTime, byProof)
}

// of returns length × linear + length³ × cubic.
func (l LengthFee) of(length uint64) (chain.Wei, error) {
	fee, err := l.Linear.Times(length)
	cubic := l.Cubic
	for range 3 {
		if err == nil {
			cubic, err = cubic.Times(length)
		}
	}
	if err == nil {
		fee, err = fee.Add(cubic)
	}
	if err != nil {
		return chain.Wei{}, fmt.Errorf("fee of a length of %d bytes: %w", length, err)
	}
	return fee, nil
}

func (r NativeFeeRow) head() rowHead { return rowHead{r.FromRuntime, r.Unknown, r.Source} }

func (r NativeFeeRow) check() error {
	n := r.NativeFee
	n.Source, n.Note = "", ""
	switch {
	case r.Unknown:
		return empty(n)
	case n.WeightFeeBillionths >= billion:
		return fmt.Errorf("weight_fee_billionths %d: want less than a billion", n.WeightFeeBillionths)
	case n.ProofFeeBillionths >= billion:
		return fmt.Errorf("proof_fee_billionths %d: want less than a billion", n.ProofFeeBillionths)
	case !n.Rounding.valid() || (n.Rounding == "") != (n.WeightFeeBillionths == 0 && n.ProofFeeBillionths == 0):
		return fmt.Errorf("weight_fee_rounding %q: want %s or %s with billionths", string(n.Rounding), RoundDown, RoundNearest)
	case !n.Combined.valid() || n.Combined != "" && n.ProofFee.IsZero() && n.ProofFeeBillionths == 0:
		return fmt.Errorf("weight_fee_combined %q: want %s or %s with proof_fee or proof_fee_billionths", string(n.Combined), LargerFee, SumOfFees)
	case n.WeightFee.IsZero() && n.WeightFeeBillionths == 0 || n.BaseWeight.IsZero() || n.LengthFee.Linear.IsZero():
		return errors.New("want weight_fee, base_weight and length_fee with linear")
	}
	return nil
}
