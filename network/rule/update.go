package rule

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"

	"github.com/feeledger/fees/chain"
)

// BlockWeight defines how to compute, from the block only, the weight that it spent on transactions of class
// Normal.
type BlockWeight string

const (
	// FromEvents sums the ref times in the ExtrinsicSuccess and ExtrinsicFailed of class Normal.
	FromEvents BlockWeight = "events"
	// FromGasLimit sums ref time + base weight over the extrinsics of class Normal, where an EVM transaction's ref
	// time is its gas limit × 25,000.
	FromGasLimit BlockWeight = "gas_limit"
)

// MultiplierUpdate defines how a block changes the fee multiplier at its end.
type MultiplierUpdate struct {
	// Constant is the multiplier that every block stores, in runtimes without a rule.
	Constant chain.Optional[chain.Multiplier] `json:"constant,omitzero"`

	Minimum    chain.Multiplier                 `json:"minimum,omitzero"`
	Maximum    chain.Optional[chain.Multiplier] `json:"maximum,omitzero"`
	Adjustment chain.Multiplier                 `json:"adjustment,omitzero"` // v of the formula
	// Target is the fullness above which the multiplier rises, in millionths of the limit for transactions of
	// class Normal.
	Target uint32 `json:"target,omitempty"`
	// MaxRefTime, in picoseconds, and MaxProofSize, in bytes, are the weight limit of a whole block.
	MaxRefTime   chain.RefTime `json:"max_ref_time,omitzero"`
	MaxProofSize uint64        `json:"max_proof_size,omitempty"`
	// NormalClass is the share of a block that transactions of class Normal may use.
	NormalClass NormalClass `json:"normal_class,omitempty"`
	// LimitingDimension reports that the fuller of ref time and proof size counts. Otherwise only ref time counts.
	LimitingDimension bool `json:"limiting_dimension,omitempty"`

	// BlockWeight is empty if the weight must be read from system.blockWeight.
	BlockWeight BlockWeight   `json:"block_weight,omitempty"`
	BaseWeight  chain.RefTime `json:"base_weight,omitzero"` // for FromGasLimit

	Source string `json:"source"`
	Note   string `json:"note,omitempty"` // a caveat for readers
}

// MultiplierUpdateRow applies from its runtime to the next row. An Unknown row means that the sources do not
// state the rule.
type MultiplierUpdateRow struct {
	FromRuntime uint32 `json:"from_runtime"`
	Unknown     bool   `json:"unknown,omitempty"`
	MultiplierUpdate
}

// Next returns the multiplier that a block stores, given the one that its parent stored and the weight that
// the block spent on transactions of class Normal:
//
//	previous = parent, at least minimum
//	weight   = weight in the dimension that counts, at most max
//	diff     = |weight - target| / max
//	change   = v × diff ± v²/2 × diff²      + above target, - below
//	next     = previous ± change × previous, within minimum and maximum
//
// where max is the normal class's share of the block's weight limit and target its share of max. Every product
// and quotient is a FixedU128, rounded down; v²/2 is v × v, then / 2. It returns [chain.ErrOverflow] if the
// result has more than 128 bits.
//
// Source: substrate, frame/transaction-payment/src/lib.rs, TargetedFeeAdjustment::convert.
func (u MultiplierUpdate) Next(parent chain.Multiplier, normal chain.Weight) (chain.Multiplier, error) {
	if constant, ok := u.Constant.Get(); ok {
		return constant, nil
	}
	diff, above, err := u.difference(normal)
	if err != nil {
		return chain.Multiplier{}, err
	}
	next, err := u.adjust(larger(parent, u.Minimum), diff, above)
	if err != nil {
		return chain.Multiplier{}, fmt.Errorf("multiplier after %v: %w", parent, err)
	}
	next = larger(next, u.Minimum)
	if maximum, ok := u.Maximum.Get(); ok && next.Cmp(maximum) > 0 {
		next = maximum
	}
	return next, nil
}

// Bounds reports whether a multiplier is the minimum or the maximum. A constant has no bounds.
func (u MultiplierUpdate) Bounds(m chain.Multiplier) bool {
	highest, limited := u.Maximum.Get()
	return !u.Constant.Known() && (m == u.Minimum || limited && m == highest)
}

// NormalRefTime returns the ref time in a block for transactions of class Normal.
func (u MultiplierUpdate) NormalRefTime() chain.RefTime {
	return chain.NewRefTime(u.NormalClass.of(u.MaxRefTime.Uint64()))
}

// Full returns the weight limit for transactions of class Normal.
func (u MultiplierUpdate) Full() chain.Weight {
	return chain.Weight{RefTime: u.NormalRefTime(), ProofSize: u.NormalClass.of(u.MaxProofSize)}
}

// Raise returns the relative increase of the multiplier after a full block, the change in the formula of
// [MultiplierUpdate.Next]; no block raises it more. It returns 0 if every block stores the same multiplier.
func (u MultiplierUpdate) Raise() (chain.Multiplier, error) {
	if u.Constant.Known() {
		return chain.Multiplier{}, nil
	}
	diff, above, err := u.difference(u.Full())
	if err != nil {
		return chain.Multiplier{}, err
	}
	return u.change(diff, above)
}

// difference returns the distance of a block's weight from the target, as a fraction of the maximum.
func (u MultiplierUpdate) difference(normal chain.Weight) (diff chain.Multiplier, above bool, err error) {
	weight, limit := u.counting(normal)
	target := portion(limit, u.Target)
	if diff, err = chain.Ratio(max(weight, target)-min(weight, target), limit); err != nil {
		return diff, false, fmt.Errorf("difference to the target: %w", err)
	}
	return diff, weight >= target, nil
}

// change returns the relative change of the multiplier.
func (u MultiplierUpdate) change(diff chain.Multiplier, above bool) (chain.Multiplier, error) {
	c := checked{}
	square := c.do(u.Adjustment.Mul(u.Adjustment))
	half := c.do(square.Div(chain.NewMultiplier(2_000_000_000_000_000_000)))
	first := c.do(u.Adjustment.Mul(diff))
	second := c.do(half.Mul(c.do(diff.Mul(diff))))
	if above {
		return c.do(first.Add(second)), c.err
	}
	return c.do(first.Sub(second)), c.err
}

// adjust applies a block's difference from the target to the multiplier.
func (u MultiplierUpdate) adjust(previous, diff chain.Multiplier, above bool) (chain.Multiplier, error) {
	c := checked{}
	change := c.do(c.do(u.change(diff, above)).Mul(previous))
	if above {
		return c.do(previous.Add(change)), c.err
	}
	return c.do(previous.Sub(change)), c.err
}

// checked keeps the first error of a chain of operations.
type checked struct{ err error }

func (c *checked) do(m chain.Multiplier, err error) chain.Multiplier {
	c.err = cmp.Or(c.err, err)
	return m
}

// counting returns the weight in the dimension that counts, and its maximum. With equal parts per billion, ref
// time counts.
func (u MultiplierUpdate) counting(normal chain.Weight) (weight, limit uint64) {
	maxTime, maxProof := u.NormalClass.of(u.MaxRefTime.Uint64()), u.NormalClass.of(u.MaxProofSize)
	time, proof := min(normal.RefTime.Uint64(), maxTime), min(normal.ProofSize, maxProof)
	if u.LimitingDimension && perBillion(time, maxTime) < perBillion(proof, maxProof) {
		return proof, maxProof
	}
	return time, maxTime
}

// NormalClass is the share of a block that transactions of class Normal may use, in millionths
// (NORMAL_DISPATCH_RATIO). The zero value is 75 %, as in every runtime of the built-in networks.
type NormalClass uint32

const usualNormalClass = 750_000

func (c NormalClass) millionths() uint32 {
	if c == 0 {
		return usualNormalClass
	}
	return uint32(c)
}

// of returns the class's share of a block's limit.
func (c NormalClass) of(limit uint64) uint64 { return portion(limit, c.millionths()) }

const million = 1_000_000

// portion returns floor(n × millionths / 10^6), for at most a million millionths.
func portion(n uint64, millionths uint32) uint64 {
	high, low := bits.Mul64(n, uint64(millionths))
	quotient, _ := bits.Div64(high, low, million)
	return quotient
}

// perBillion returns floor(n × 10^9 / limit), for n of at most limit.
func perBillion(n, limit uint64) uint64 {
	if n == 0 {
		return 0
	}
	high, low := bits.Mul64(n, 1_000_000_000)
	quotient, _ := bits.Div64(high, low, limit)
	return quotient
}

func larger(a, b chain.Multiplier) chain.Multiplier {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func (r MultiplierUpdateRow) head() rowHead { return rowHead{r.FromRuntime, r.Unknown, r.Source} }

func (r MultiplierUpdateRow) check() error {
	u := r.MultiplierUpdate
	u.Source, u.Note = "", ""
	constant := u.Constant.Known()
	maximum, limited := u.Maximum.Get()
	switch {
	case r.Unknown:
		return empty(u)
	case constant && u != (MultiplierUpdate{Constant: u.Constant}):
		return errors.New("constant: want no other figures in the same row")
	case constant:
		return nil
	case u.Minimum.IsZero() || u.Adjustment.IsZero() || u.Target == 0 || u.MaxRefTime.IsZero():
		return errors.New("want minimum, adjustment, target and max_ref_time, or constant")
	case u.Target > million:
		return fmt.Errorf("target %d: want millionths, at most %d", u.Target, million)
	case u.NormalClass > million:
		return fmt.Errorf("normal_class %d: want millionths, at most %d", u.NormalClass, million)
	case limited && maximum.Cmp(u.Minimum) < 0:
		return fmt.Errorf("maximum %v: less than the minimum", maximum)
	case u.LimitingDimension != (u.MaxProofSize > 0):
		return errors.New("want max_proof_size if, and only if, limiting_dimension is true")
	case !u.whole(u.MaxRefTime.Uint64()) || !u.whole(u.MaxProofSize):
		return errors.New("target: want target × normal_class of max_ref_time and of max_proof_size to be whole numbers")
	}
	switch u.BlockWeight {
	case "", FromEvents, FromGasLimit:
	default:
		return fmt.Errorf("block_weight %q: want %s or %s", string(u.BlockWeight), FromEvents, FromGasLimit)
	}
	if (u.BlockWeight == FromGasLimit) == u.BaseWeight.IsZero() {
		return fmt.Errorf("want base_weight if, and only if, block_weight is %s", FromGasLimit)
	}
	return nil
}

// whole reports whether the normal class's share and its target are whole numbers. The runtimes round them to
// the nearest integer; with whole numbers the rounding mode does not matter.
func (u MultiplierUpdate) whole(limit uint64) bool {
	_, low := bits.Mul64(limit, uint64(u.NormalClass.millionths()))
	normal := u.NormalClass.of(limit)
	return low == normal*million && normal*uint64(u.Target) == portion(normal, u.Target)*million
}
