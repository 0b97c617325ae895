package network

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Share is a rule that divides one amount of a fee: one of those below, or treasury_ with a
// whole number of percent from 1 to 100, which the treasury gets. What it does not get is
// burned. An example is treasury_20.
type Share string

// The shares that are no fixed percentage.
const (
	// Burned leaves nothing of the amount.
	Burned Share = "burned"
	// TreasuryParameter gives the treasury the proportion that governance has
	// set, FeesTreasuryProportion, as it stood at the block's parent.
	TreasuryParameter Share = "treasury_parameter"
	// Author gives all to the block's author.
	Author Share = "author"
)

// Destinations is where the parts of a fee go.
type Destinations struct {
	EVMBase     Share `json:"evm_base,omitempty"`     // gas × base fee
	EVMPriority Share `json:"evm_priority,omitempty"` // gas × (price - base fee)
	NativeBase  Share `json:"native_base,omitempty"`  // the fee without the tip
	NativeTip   Share `json:"native_tip,omitempty"`
	// EVMWhole says that the two EVM parts are divided together, as one amount:
	// that rounds once instead of twice.
	EVMWhole bool `json:"evm_whole,omitempty"`
	// PriorityMinted says that the chain minted the EVM priority part anew to the
	// block's author, though it had already been divided.
	PriorityMinted bool   `json:"priority_minted,omitempty"`
	Source         string `json:"source"`
	Note           string `json:"note,omitempty"` // what a reader must know of it
}

// LooksAt tells whether a part of a fee is divided by a share.
func (d Destinations) LooksAt(share Share) bool {
	return slices.Contains([]Share{d.EVMBase, d.EVMPriority, d.NativeBase, d.NativeTip}, share)
}

// ToTreasury tells whether the treasury gets anything of some part of a fee.
func (d Destinations) ToTreasury() bool {
	return slices.ContainsFunc([]Share{d.EVMBase, d.EVMPriority, d.NativeBase, d.NativeTip}, func(s Share) bool {
		return s != Burned && s != Author
	})
}

// DestinationsRow holds from its runtime until the next row's. An Unknown one
// says that the sources do not tell.
type DestinationsRow struct {
	FromRuntime uint32 `json:"from_runtime"`
	Unknown     bool   `json:"unknown,omitempty"`
	Destinations
}

// Parts are what became of an amount: the three together are the amount.
type Parts struct {
	Burned   chain.Wei
	Treasury chain.Wei
	Author   chain.Wei
}

// Split divides an amount:
//
//	burned   = floor(amount × (1 - proportion))
//	treasury = amount - burned
//
// so that the treasury has the odd wei. Proportion is FeesTreasuryProportion; only
// [TreasuryParameter] looks at it, and is [chain.ErrMissing] without it.
//
// Source: Imbalance::ration, as runtime/common/src/deal_with_fees.rs calls it.
func (s Share) Split(amount chain.Wei, proportion chain.Optional[chain.Perbill]) (Parts, error) {
	switch s {
	case Burned:
		return Parts{Burned: amount}, nil
	case Author:
		return Parts{Author: amount}, nil
	case TreasuryParameter:
		p, ok := proportion.Get()
		if !ok {
			return Parts{}, fmt.Errorf("FeesTreasuryProportion: %w", chain.ErrMissing)
		}
		return withTreasury(amount, p)
	}
	percent, ok := s.Percent()
	if !ok {
		return Parts{}, fmt.Errorf("no share %q", string(s))
	}
	p, err := chain.NewPerbill(percent * perbillPerPercent)
	if err != nil {
		return Parts{}, err
	}
	return withTreasury(amount, p)
}

// Percent is what the treasury gets by a fixed percentage.
func (s Share) Percent() (percent uint64, fixed bool) {
	digits, is := strings.CutPrefix(string(s), "treasury_")
	percent, err := strconv.ParseUint(digits, 10, 64)
	if !is || err != nil || percent < 1 || percent > 100 || strconv.FormatUint(percent, 10) != digits {
		return 0, false
	}
	return percent, true
}

func (s Share) valid() bool {
	_, fixed := s.Percent()
	return fixed || slices.Contains([]Share{Burned, TreasuryParameter, Author}, s)
}

// perbillPerPercent is how many parts per billion one percent is.
const perbillPerPercent = 10_000_000

func withTreasury(amount chain.Wei, proportion chain.Perbill) (Parts, error) {
	burned := proportion.Rest().Of(amount)
	treasury, err := amount.Sub(burned)
	return Parts{Burned: burned, Treasury: treasury}, err
}

func (r DestinationsRow) head() rowHead { return rowHead{r.FromRuntime, r.Unknown, r.Source} }

func (r DestinationsRow) check() error {
	d := r.Destinations
	d.Source, d.Note = "", ""
	if r.Unknown {
		return empty(d)
	}
	for _, part := range []struct {
		name  string
		share Share
	}{
		{"evm_base", d.EVMBase}, {"evm_priority", d.EVMPriority}, {"native_base", d.NativeBase}, {"native_tip", d.NativeTip},
	} {
		if !part.share.valid() {
			return fmt.Errorf("%s %q: want %s, %s, %s, or a percentage such as treasury_20", part.name, string(part.share), Burned, TreasuryParameter, Author)
		}
	}
	if d.EVMWhole && d.EVMBase != d.EVMPriority {
		return errors.New("evm_whole: want the same share for evm_base and evm_priority")
	}
	return nil
}
