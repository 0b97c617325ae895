package network

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"

	"github.com/feeledger/fees/chain"
)

// BlockWeight is how the weight that a block spent on transactions of class Normal
// follows from the block alone.
type BlockWeight string

const (
	// FromEvents sums the ref times in the ExtrinsicSuccess and ExtrinsicFailed of
	// class Normal.
	FromEvents BlockWeight = "events"
	// FromGasLimit sums, for each extrinsic of class Normal, its ref time + base
	// weight, where an EVM transaction's ref time is its gas limit × 25,000.
	FromGasLimit BlockWeight = "gas_limit"
)

// MultiplierUpdate is how a block changes the fee multiplier when it ends.
type MultiplierUpdate struct {
	// Constant is what every block stores, in runtimes that have no rule.
	Constant chain.Optional[chain.Multiplier] `json:"constant,omitzero"`

	Minimum    chain.Multiplier                 `json:"minimum,omitzero"`
	Maximum    chain.Optional[chain.Multiplier] `json:"maximum,omitzero"`
	Adjustment chain.Multiplier                 `json:"adjustment,omitzero"` // v of the formula
	// Target is the fullness, in millionths of what transactions of class Normal
	// may use, above which the multiplier rises.
	Target uint32 `json:"target,omitempty"`
	// MaxRefTime and MaxProofSize, in bytes, are what a whole block may weigh.
	MaxRefTime   chain.RefTime `json:"max_ref_time,omitzero"`
	MaxProofSize uint64        `json:"max_proof_size,omitempty"`
	// NormalClass is what transactions of class Normal may use of a block.
	NormalClass NormalClass `json:"normal_class,omitempty"`
	// LimitingDimension says that ref time or proof size counts, whichever the
	// block has filled more. Otherwise ref time does.
	LimitingDimension bool `json:"limiting_dimension,omitempty"`

	// BlockWeight is empty where the weight has to be read from system.blockWeight.
	BlockWeight BlockWeight   `json:"block_weight,omitempty"`
	BaseWeight  chain.RefTime `json:"base_weight,omitzero"` // for FromGasLimit

	Source string `json:"source"`
	Note   string `json:"note,omitempty"` // what a reader must know of it
}

// MultiplierUpdateRow holds from its runtime until the next row's. An Unknown one
// says that the sources do not tell.
type MultiplierUpdateRow struct {
	FromRuntime uint32 `json:"from_runtime"`
	Unknown     bool   `json:"unknown,omitempty"`
	MultiplierUpdate
}

// Next is the multiplier that a block stores, given the one that its parent stored
// and the weight that it spent on transactions of class Normal:
//
//	previous = parent, at least minimum
//	weight   = that of the dimension that counts, at most max
//	diff     = |weight - target| / max
//	change   = v × diff ± v²/2 × diff²      + above target, - below
//	next     = previous ± change × previous, within minimum and maximum
//
// where max is the normal class's part of what a block may weigh and target its part of that. Every
// product and quotient is a FixedU128, rounded down; v²/2 is v × v, and then / 2.
// It is [chain.ErrOverflow] where the result has more than 128 bits.
//
// Source: substrate, frame/transaction-payment/src/lib.rs,
// TargetedFeeAdjustment::convert.
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

// Bounds tells whether a multiplier is the least or the highest that there can be. A
// constant has no bounds.
func (u MultiplierUpdate) Bounds(m chain.Multiplier) bool {
	highest, limited := u.Maximum.Get()
	return !u.Constant.Known() && (m == u.Minimum || limited && m == highest)
}

// NormalRefTime is the ref time that a block has for transactions of class Normal.
func (u MultiplierUpdate) NormalRefTime() chain.RefTime {
	return chain.NewRefTime(u.NormalClass.of(u.MaxRefTime.Uint64()))
}

// Full is all that a block has for transactions of class Normal.
func (u MultiplierUpdate) Full() chain.Weight {
	return chain.Weight{RefTime: u.NormalRefTime(), ProofSize: u.NormalClass.of(u.MaxProofSize)}
}

// Raise is by which part of itself a full block raises the multiplier, the change in the
// formula of [MultiplierUpdate.Next]; no block raises it more. It is 0 where every block
// stores the same.
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

// difference is that of a block's weight to the target, as a part of the most that it may be.
func (u MultiplierUpdate) difference(normal chain.Weight) (diff chain.Multiplier, above bool, err error) {
	weight, most := u.counting(normal)
	target := portion(most, u.Target)
	if diff, err = chain.Ratio(max(weight, target)-min(weight, target), most); err != nil {
		return diff, false, fmt.Errorf("difference to the target: %w", err)
	}
	return diff, weight >= target, nil
}

// change is by which part of itself the multiplier moves.
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

// adjust moves the multiplier by a block's difference to the target.
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

// counting is the weight of the dimension that counts, and the most that it may
// be. With equal parts per billion, ref time counts.
func (u MultiplierUpdate) counting(normal chain.Weight) (weight, most uint64) {
	mostTime, mostProof := u.NormalClass.of(u.MaxRefTime.Uint64()), u.NormalClass.of(u.MaxProofSize)
	time, proof := min(normal.RefTime.Uint64(), mostTime), min(normal.ProofSize, mostProof)
	if u.LimitingDimension && perBillion(time, mostTime) < perBillion(proof, mostProof) {
		return proof, mostProof
	}
	return time, mostTime
}

// NormalClass is what transactions of class Normal may use of a block, in millionths
// (NORMAL_DISPATCH_RATIO). The zero value is 75 %, as in every runtime of the built-in
// networks.
type NormalClass uint32

const usualNormalClass = 750_000

func (c NormalClass) millionths() uint32 {
	if c == 0 {
		return usualNormalClass
	}
	return uint32(c)
}

// of is the class's part of what a whole block may weigh.
func (c NormalClass) of(most uint64) uint64 { return portion(most, c.millionths()) }

const million = 1_000_000

// portion is floor(n × millionths / 10^6), for at most a million of them.
func portion(n uint64, millionths uint32) uint64 {
	high, low := bits.Mul64(n, uint64(millionths))
	quotient, _ := bits.Div64(high, low, million)
	return quotient
}

// perBillion is floor(n × 10^9 / most), for an n of at most that.
func perBillion(n, most uint64) uint64 {
	if n == 0 {
		return 0
	}
	high, low := bits.Mul64(n, 1_000_000_000)
	quotient, _ := bits.Div64(high, low, most)
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
		return errors.New("constant: want no other figures beside it")
	case constant:
		return nil
	case u.Minimum.IsZero() || u.Adjustment.IsZero() || u.Target == 0 || u.MaxRefTime.IsZero():
		return errors.New("want minimum, adjustment, target and max_ref_time, or constant")
	case u.Target > million:
		return fmt.Errorf("target %d: want millionths, at most %d", u.Target, million)
	case u.NormalClass > million:
		return fmt.Errorf("normal_class %d: want millionths, at most %d", u.NormalClass, million)
	case limited && maximum.Cmp(u.Minimum) < 0:
		return fmt.Errorf("maximum %v: is less than the minimum", maximum)
	case u.LimitingDimension != (u.MaxProofSize > 0):
		return errors.New("want max_proof_size where limiting_dimension is true, and nowhere else")
	case !u.whole(u.MaxRefTime.Uint64()) || !u.whole(u.MaxProofSize):
		return errors.New("target: want a whole weight as target × normal_class of max_ref_time and of max_proof_size")
	}
	switch u.BlockWeight {
	case "", FromEvents, FromGasLimit:
	default:
		return fmt.Errorf("block_weight %q: want %s or %s", string(u.BlockWeight), FromEvents, FromGasLimit)
	}
	if (u.BlockWeight == FromGasLimit) == u.BaseWeight.IsZero() {
		return fmt.Errorf("want base_weight where block_weight is %s, and nowhere else", FromGasLimit)
	}
	return nil
}

// whole tells whether the normal class's part and the target of it are whole
// numbers. The runtimes round them to the nearest, which is then no question.
func (u MultiplierUpdate) whole(most uint64) bool {
	_, low := bits.Mul64(most, uint64(u.NormalClass.millionths()))
	normal := u.NormalClass.of(most)
	return low == normal*million && normal*uint64(u.Target) == portion(normal, u.Target)*million
}
