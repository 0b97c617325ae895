package rule

import (
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"strings"

	"github.com/feeledger/fees/chain"
)

// StoredAt selects the block whose state contains the base fee of a block.
type StoredAt string

// A base fee is stored at the block's parent, or at the block itself if the chain sets it at the start of a block.
const (
	AtBlock  StoredAt = "block"
	AtParent StoredAt = "parent"
)

// StoredBaseFee locates a base fee per gas, in wei, that the chain stores itself.
type StoredBaseFee struct {
	Pallet string `json:"pallet"` // such as BaseFee
	Item   string `json:"item"`   // such as BaseFeePerGas
	// At is the block that stores it; the zero value is the parent.
	At StoredAt `json:"at,omitempty"`
}

// Name returns the item with its pallet, such as "BaseFee.BaseFeePerGas".
func (s StoredBaseFee) Name() string { return s.Pallet + "." + s.Item }

// AtBlock reports whether the base fee is stored at the block itself.
func (s StoredBaseFee) AtBlock() bool { return s.At == AtBlock }

// Height returns the block whose state contains the base fee of the block after parent.
func (s StoredBaseFee) Height(parent uint64) uint64 {
	if s.AtBlock() {
		return parent + 1
	}
	return parent
}

// Event returns the pallet, as gateways write it, and the name of the event that reports a new base fee within a block.
func (s StoredBaseFee) Event() (pallet, name string) {
	return strings.ToLower(s.Pallet[:1]) + s.Pallet[1:], "New" + s.Item
}

var itemForm = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,63}$`)

func (s StoredBaseFee) check() error {
	switch {
	case !itemForm.MatchString(s.Pallet) || !itemForm.MatchString(s.Item):
		return errors.New("base_fee_stored: want the names of pallet and item as in the metadata, such as BaseFee and BaseFeePerGas")
	case s.At != "" && s.At != AtBlock && s.At != AtParent:
		return fmt.Errorf("base_fee_stored: at %q: want %s or %s", string(s.At), AtParent, AtBlock)
	}
	return nil
}

// BaseFeeUpdate defines how a block changes the stored base fee at its end: by its fullness, as pallet base-fee does, or
// towards the fee multiplier, as pallet dynamic-evm-base-fee does ([BaseFeeUpdate.FollowsMultiplier]).
type BaseFeeUpdate struct {
	// Elasticity is the relative change after a full or an empty block, in millionths.
	Elasticity uint32         `json:"elasticity,omitempty"`
	Minimum    chain.GasPrice `json:"minimum,omitzero"` // in wei per gas
	// MaxRefTime is the weight limit of a whole block, in picoseconds.
	MaxRefTime chain.RefTime `json:"max_ref_time,omitzero"`
	// WeightFactor is the fee in wei of an extrinsic's base weight at a multiplier of 1, Step the largest relative change
	// by one block, and Maximum the highest base fee. Only a base fee that follows the multiplier has them.
	WeightFactor chain.GasPrice   `json:"weight_factor,omitzero"`
	Step         chain.Multiplier `json:"step,omitzero"`
	Maximum      chain.GasPrice   `json:"maximum,omitzero"`
	Source       string           `json:"source"`
	Note         string           `json:"note,omitempty"` // a caveat for readers
}

// BaseFeeUpdateRow applies from its runtime to the next row. An Unknown row means that the sources do not state the rule.
type BaseFeeUpdateRow struct {
	FromRuntime uint32 `json:"from_runtime"`
	Unknown     bool   `json:"unknown,omitempty"`
	BaseFeeUpdate
}

// Next returns the base fee that a block stores by its fullness, given the one in force at its end and the ref time of
// all its extrinsics and hooks:
//
//	usage = floor(ref time × 10^6 / max ref time), at most 10^6
//	rate  = floor(elasticity × 2 × |usage - 500000| / 10^6)
//	next  = base fee ± floor(base fee × rate / 10^6), at least minimum      + above half, - below
//
// It returns [chain.ErrOverflow] if the result exceeds a 256-bit word.
//
// Source: frontier, frame/base-fee/src/lib.rs, on_finalize; the minimum from recorded chains.
func (u BaseFeeUpdate) Next(baseFee chain.GasPrice, refTime chain.RefTime) (chain.GasPrice, error) {
	limit := u.MaxRefTime.Uint64()
	high, low := bits.Mul64(min(refTime.Uint64(), limit), million)
	usage, _ := bits.Div64(high, low, limit) // at most a million
	const half = million / 2
	distance := max(usage, half) - min(usage, half)
	rate := uint64(u.Elasticity) * 2 * distance / million
	change, err := chain.NewMultiplier(rate * 1_000_000_000_000).Of(baseFee) // a millionth is 10^12
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("change of the base fee %v: %w", baseFee, err)
	}
	next := baseFee
	if usage > half {
		next, err = baseFee.Add(change)
	} else if usage < half {
		next, err = baseFee.Sub(change)
	}
	if err != nil {
		return chain.GasPrice{}, fmt.Errorf("base fee after %v: %w", baseFee, err)
	}
	if next.Cmp(u.Minimum) < 0 {
		next = u.Minimum
	}
	return next, nil
}

func (r BaseFeeUpdateRow) head() rowHead { return rowHead{r.FromRuntime, r.Unknown, r.Source} }

func (r BaseFeeUpdateRow) check() error {
	u := r.BaseFeeUpdate
	u.Source, u.Note = "", ""
	switch {
	case r.Unknown:
		return empty(u)
	case u.FollowsMultiplier():
		return u.checkMultiplierRule()
	case !u.Step.IsZero() || !u.Maximum.IsZero():
		return errors.New("want weight_factor with step and maximum")
	case u.Elasticity == 0 || u.Elasticity > million || u.MaxRefTime.IsZero():
		return errors.New("want elasticity, in millionths, and max_ref_time")
	}
	return nil
}
