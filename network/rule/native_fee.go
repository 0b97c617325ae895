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
	// RefTimeFee is the fee per picosecond, and ProofSizeFee that per byte, as fractions of 10^18 (FixedU128): in place of the
	// figures above, and the larger fee counts. Each product is rounded down.
	RefTimeFee   chain.Multiplier `json:"ref_time_fee,omitzero"`
	ProofSizeFee chain.Multiplier `json:"proof_size_fee,omitzero"`
	// Reclaims reports that the fee includes proof size that the weight in the events no longer has: the runtime reclaims it
	// after the fee was fixed (StorageWeightReclaim). See [NativeFee.ProofSize].
	Reclaims bool `json:"reclaims,omitempty"`
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

// NativeInput are the inputs of the fee of a native transaction.
type NativeInput struct {
	Class      chain.DispatchClass
	Weight     chain.Weight     // in the extrinsic's ExtrinsicSuccess or ExtrinsicFailed
	Length     uint64           // of the encoded extrinsic with its length prefix
	Multiplier chain.Multiplier // stored by the block's parent
	Tip        chain.Wei
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
//	or, if there are such, the larger of
//	    floor(ref time × RefTimeFee / 10^18)
//	    floor(proof size × ProofSizeFee / 10^18)
//
// A transaction whose fee the chain waived (paysFee No) pays only its tip: do not call Fee for it.
//
// Source: substrate, frame/transaction-payment/src/lib.rs, compute_fee_raw.
func (n NativeFee) Fee(in NativeInput) (chain.Wei, error) {
	weight := in.Weight
	base, err := n.base(in.Class)
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
	lengthFee, err := n.LengthFee.of(in.Length)
	if err != nil {
		return chain.Wei{}, err
	}
	weightFee, err := n.weightFee(weight)
	if err == nil {
		weightFee, err = in.Multiplier.OfWei(weightFee)
	}
	if err != nil {
		return chain.Wei{}, fmt.Errorf("fee of the weight: %w", err)
	}
	fee := in.Tip
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

// ProofSize returns the size of the proof, in bytes, that explains a fee of a runtime that reclaims proof size: the fee
// follows from the weight with a proof size of at least that in the event. It is unknown if the fee follows from the weight
// as it is, or from no size. Explained is false if it follows from none: then it is not the chain's.
func (n NativeFee) ProofSize(fee chain.Wei, in NativeInput) (size chain.Optional[uint64], explained bool, err error) {
	of := func(proof uint64) (chain.Wei, error) {
		with := in
		with.Weight.ProofSize = proof
		return n.Fee(with)
	}
	least, err := n.Fee(in)
	if err != nil || fee.Cmp(least) <= 0 {
		return size, fee == least, err
	}
	// The fee does not fall as the size rises, so the smallest size with at least this fee is the only one to try.
	const maxProofSize = 1 << 32 // of a block: far less
	low, high := in.Weight.ProofSize, uint64(maxProofSize)
	for low+1 < high {
		middle := low + (high-low)/2
		charged, err := of(middle)
		if err == nil && charged.Cmp(fee) < 0 {
			low = middle
		} else { // more than the fee, or than any balance
			high = middle
		}
	}
	charged, err := of(high)
	if err != nil || charged != fee {
		return size, false, nil
	}
	return chain.Some(high), true, nil
}

// Before returns the inputs with the weight that a runtime states before the call: without the base weight.
func (n NativeFee) Before(in NativeInput, weight chain.Weight) (NativeInput, error) {
	base, err := n.base(in.Class)
	if err == nil && n.WeightIncludesBase {
		weight.RefTime, err = weight.RefTime.Add(base)
	}
	in.Weight = weight
	return in, err
}

func (n NativeFee) weightFee(weight chain.Weight) (chain.Wei, error) {
	if !n.RefTimeFee.IsZero() {
		return n.fixedFee(weight)
	}
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

// fixedFee returns the larger of the fees that RefTimeFee and ProofSizeFee give.
//
// Source: polkadot-sdk, frame/revive/src/evm/fees.rs, BlockRatioFee.
func (n NativeFee) fixedFee(weight chain.Weight) (chain.Wei, error) {
	byTime, err := n.RefTimeFee.OfWei(chain.NewWei(weight.RefTime.Uint64()))
	if err != nil {
		return chain.Wei{}, fmt.Errorf("ref time: %w", err)
	}
	byProof, err := n.ProofSizeFee.OfWei(chain.NewWei(weight.ProofSize))
	if err != nil {
		return chain.Wei{}, fmt.Errorf("proof size: %w", err)
	}
	return LargerFee.of(byTime, byProof)
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
	case n.RefTimeFee.IsZero() != n.ProofSizeFee.IsZero():
		return errors.New("want both ref_time_fee and proof_size_fee, or neither")
	case !n.RefTimeFee.IsZero() && (n.hasWholeFees() || n.Combined != ""):
		return errors.New("ref_time_fee and proof_size_fee: want no other fee of the weight in the same row")
	case n.Reclaims && (n.LowerBound || n.ProofSizeFee.IsZero() && n.ProofFee.IsZero() && n.ProofFeeBillionths == 0):
		return errors.New("reclaims: want a fee of the proof size, and no lower_bound, in the same row")
	case n.RefTimeFee.IsZero() && n.WeightFee.IsZero() && n.WeightFeeBillionths == 0 || n.BaseWeight.IsZero() || n.LengthFee.Linear.IsZero():
		return errors.New("want weight_fee or ref_time_fee, base_weight and length_fee with linear")
	}
	return nil
}

// hasWholeFees reports whether the fee of a weight is in wei and billionths of a wei.
func (n NativeFee) hasWholeFees() bool {
	return !n.WeightFee.IsZero() || n.WeightFeeBillionths != 0 || !n.ProofFee.IsZero() || n.ProofFeeBillionths != 0
}
