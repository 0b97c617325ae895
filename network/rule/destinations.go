package rule

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/feeledger/fees/chain"
)

// Share is a rule that divides a part of a fee: one of the constants below, or treasury_ with a whole
// percentage from 1 to 100, such as treasury_20. The treasury receives that percentage and the rest is burned.
type Share string

// The shares other than a fixed percentage.
const (
	// Burned burns the whole amount.
	Burned Share = "burned"
	// TreasuryParameter gives the treasury the proportion set by governance, FeesTreasuryProportion, as of the
	// block's parent.
	TreasuryParameter Share = "treasury_parameter"
	// Pot gives the whole amount to the treasury's account, which can be another pot with its own name.
	Pot Share = "pot"
	// Author gives the whole amount to the block's author.
	Author Share = "author"
)

// Destinations defines where the parts of a fee go.
type Destinations struct {
	EVMBase     Share `json:"evm_base,omitempty"`     // gas × base fee
	EVMPriority Share `json:"evm_priority,omitempty"` // gas × (price - base fee)
	NativeBase  Share `json:"native_base,omitempty"`  // the fee without the tip
	NativeTip   Share `json:"native_tip,omitempty"`
	// EVMWhole reports that the two EVM parts are divided together, as one amount: that rounds once instead of
	// twice.
	EVMWhole bool `json:"evm_whole,omitempty"`
	// PriorityMinted reports that the chain minted the EVM priority part again, to the block's author, although it
	// had already divided that part.
	PriorityMinted bool `json:"priority_minted,omitempty"`
	// BurnedBelowDeposit reports that a fee below the existential deposit is burned, not credited, while the account that
	// would receive it does not exist.
	BurnedBelowDeposit bool `json:"burned_below_deposit,omitempty"`
	// Account and AccountName replace the network's treasury and its name, for runtimes that pay another pot.
	Account     *chain.Address `json:"account,omitempty"`
	AccountName string         `json:"account_name,omitempty"`
	Source      string         `json:"source"`
	Note        string         `json:"note,omitempty"` // a caveat for readers
}

// LooksAt reports whether any part of a fee is divided by a share.
func (d Destinations) LooksAt(share Share) bool {
	return slices.Contains([]Share{d.EVMBase, d.EVMPriority, d.NativeBase, d.NativeTip}, share)
}

// ToTreasury reports whether the treasury receives anything from any part of a fee.
func (d Destinations) ToTreasury() bool {
	return slices.ContainsFunc([]Share{d.EVMBase, d.EVMPriority, d.NativeBase, d.NativeTip}, func(s Share) bool {
		return s != Burned && s != Author
	})
}

// DestinationsRow applies from its runtime to the next row. An Unknown row means that the sources do not state
// the destinations.
type DestinationsRow struct {
	FromRuntime uint32 `json:"from_runtime"`
	Unknown     bool   `json:"unknown,omitempty"`
	Destinations
}

// Parts is the division of an amount: the three parts add up to the amount.
type Parts struct {
	Burned   chain.Wei
	Treasury chain.Wei
	Author   chain.Wei
}

// Split divides an amount, in wei:
//
//	burned   = floor(amount × (1 - proportion))
//	treasury = amount - burned
//
// so the treasury receives the odd wei. Proportion is FeesTreasuryProportion; only [TreasuryParameter] uses
// it, and returns [chain.ErrMissing] if it is unknown.
//
// Source: Imbalance::ration, as called by runtime/common/src/deal_with_fees.rs.
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
		return Parts{}, fmt.Errorf("unknown share %q", string(s))
	}
	p, err := chain.NewPerbill(percent * perbillPerPercent)
	if err != nil {
		return Parts{}, err
	}
	return withTreasury(amount, p)
}

// Percent returns the treasury's fixed percentage, if the share is one: 100 for [Pot].
func (s Share) Percent() (percent uint64, fixed bool) {
	if s == Pot {
		return 100, true
	}
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

// perbillPerPercent is one percent in parts per billion.
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
			return fmt.Errorf("%s %q: want %s, %s, %s, %s, or a percentage such as treasury_20", part.name, string(part.share), Burned, Pot, TreasuryParameter, Author)
		}
	}
	if (d.Account == nil) != (d.AccountName == "") {
		return errors.New("account and account_name: want both, or neither")
	}
	if d.EVMWhole && d.EVMBase != d.EVMPriority {
		return errors.New("evm_whole: want the same share for evm_base and evm_priority")
	}
	return nil
}
