package ledger

import (
	"fmt"
	"math"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
)

// partSums are all sums in the order stored in stretches and parts. The order is part of the format.
var partSums = []field[Sums]{
	{"blocks", fact, func(s *Sums) any { return &s.Blocks }},
	{"inherents", fact, func(s *Sums) any { return &s.Inherents }},
	{"evm", fact, func(s *Sums) any { return &s.EVM }},
	{"native", fact, func(s *Sums) any { return &s.Native }},
	{"evm_failed", fact, func(s *Sums) any { return &s.EVMFailed }},
	{"native_failed", fact, func(s *Sums) any { return &s.NativeFailed }},
	{"outcome_unknown", fact, func(s *Sums) any { return &s.OutcomeUnknown }},
	{"undetermined", fact, func(s *Sums) any { return &s.Undetermined }},
	{"uncharged", fact, func(s *Sums) any { return &s.Uncharged }},
	{"unaccounted", fact, func(s *Sums) any { return &s.Unaccounted }},
	{"gas", fact, func(s *Sums) any { return &s.Gas }},
	{"fee", fact, func(s *Sums) any { return &s.Fee }},
	{"evm_fee", fact, func(s *Sums) any { return &s.EVMFee }},
	{"native_fee", fact, func(s *Sums) any { return &s.NativeFee }},
	{"priority_fee", fact, func(s *Sums) any { return &s.PriorityFee }},
	{"tip", fact, func(s *Sums) any { return &s.Tip }},
	{"charged", fact, func(s *Sums) any { return &s.Charged }},
	{"burned", fact, func(s *Sums) any { return &s.Burned }},
	{"treasury", fact, func(s *Sums) any { return &s.Treasury }},
	{"author", fact, func(s *Sums) any { return &s.Author }},
	{"drifts", fact, func(s *Sums) any { return &s.Drifts }},
	{"priority_unknown", fact, func(s *Sums) any { return &s.PriorityUnknown }},
	{"burned_unknown", fact, func(s *Sums) any { return &s.BurnedUnknown }},
	{"treasury_unknown", fact, func(s *Sums) any { return &s.TreasuryUnknown }},
	{"author_unknown", fact, func(s *Sums) any { return &s.AuthorUnknown }},
	{"priced_gas", fact, func(s *Sums) any { return &s.PricedGas }},
	{"priced", fact, func(s *Sums) any { return &s.Priced }},
	{"gas_unknown", fact, func(s *Sums) any { return &s.GasUnknown }},
	{"tip_unknown", fact, func(s *Sums) any { return &s.TipUnknown }},
}

// Sums are totals of transactions. An unknown amount adds nothing and is counted: if its count is not 0, the
// sum is incomplete.
type Sums struct {
	Blocks, Inherents uint64 // 0 in sums by account or contract
	EVM, Native       uint64 // transactions
	fee.OutcomeCounts        // of them
	Undetermined      uint64 // without a fee
	Uncharged         uint64 // whose charged amount is unknown
	Unaccounted       uint64 // whose charged amount is known, but not where all of it went
	Gas               uint64
	Fee               chain.Wei
	EVMFee            chain.Wei
	NativeFee         chain.Wei
	PriorityFee       chain.Wei
	Tip               chain.Wei
	Charged           chain.Wei
	Burned            chain.Wei
	Treasury          chain.Wei
	Author            chain.Wei
	Drifts            uint64 // transactions whose fee differs from what was charged
	PriorityUnknown   uint64 // EVM transactions with a fee but an unknown priority fee
	GasUnknown        uint64 // EVM transactions with a fee that does not follow from gas, or whose gas is unknown
	TipUnknown        uint64 // native transactions with a fee but an unknown tip
	// Transactions for which the burned amount, or the treasury's or author's share, is unknown.
	BurnedUnknown, TreasuryUnknown, AuthorUnknown uint64
	// PricedGas is the gas of the EVM transactions whose gas price and fee are known, and Priced is their
	// Σ gas price × gas.
	PricedGas uint64
	Priced    chain.Wei
}

// Add adds other sums. It returns chain.ErrOverflow if a sum exceeds its column.
func (s *Sums) Add(x *Sums) (err error) {
	counts, amounts := s.counts(), s.amounts()
	for i, n := range x.counts() {
		if *n > math.MaxInt64-*counts[i] {
			return sumError(s, counts[i], chain.ErrOverflow)
		}
		*counts[i] += *n
	}
	for i, w := range x.amounts() {
		if w.IsZero() {
			continue
		}
		if *amounts[i], err = amounts[i].Add(*w); err != nil {
			return sumError(s, amounts[i], err)
		}
	}
	return nil
}

// counts are the sums that are not amounts.
func (s *Sums) counts() [19]*uint64 {
	return [...]*uint64{
		&s.Blocks, &s.Inherents, &s.EVM, &s.Native, &s.EVMFailed, &s.NativeFailed, &s.OutcomeUnknown, &s.Undetermined, &s.Uncharged, &s.Unaccounted, &s.Gas,
		&s.Drifts, &s.PriorityUnknown, &s.BurnedUnknown, &s.TreasuryUnknown, &s.AuthorUnknown, &s.PricedGas, &s.GasUnknown, &s.TipUnknown,
	}
}

// amounts are the other sums.
func (s *Sums) amounts() [10]*chain.Wei {
	return [...]*chain.Wei{&s.Fee, &s.EVMFee, &s.NativeFee, &s.PriorityFee, &s.Tip, &s.Charged, &s.Burned, &s.Treasury, &s.Author, &s.Priced}
}

// sumError names the sum that could not be added to.
func sumError(s *Sums, sum any, err error) error {
	i := slices.IndexFunc(partSums, func(f field[Sums]) bool { return f.at(s) == sum })
	return fmt.Errorf("the sum of %s: %w", partSums[i].name, err)
}

const (
	dayMS         = 86_400_000
	quarterHourMS = dayMS / 96
)

// SumsOf returns the sums of one transaction. It returns chain.ErrOverflow if gas price × gas exceeds an amount.
func SumsOf(c *Cost) (s Sums, err error) {
	err = s.of(c)
	return s, err
}

// of turns zero sums into those of one transaction.
func (s *Sums) of(c *Cost) (err error) {
	s.Fee, s.PriorityFee, s.Tip, s.Charged = or(c.Fee), or(c.PriorityFee), or(c.Tip), or(c.Charged)
	s.Burned, s.Treasury, s.Author, s.Gas = or(c.Burned), or(c.Treasury), or(c.Author), or(c.Gas).Uint64()
	s.Undetermined, s.Uncharged, s.Drifts = flag(!c.Fee.Known()), flag(!c.Charged.Known()), flag(c.Verdict == evidence.Drift)
	s.BurnedUnknown, s.TreasuryUnknown, s.AuthorUnknown = flag(!c.Burned.Known()), flag(!c.Treasury.Known()), flag(!c.Author.Known())
	s.Unaccounted = flag(c.Charged.Known() && s.BurnedUnknown+s.TreasuryUnknown+s.AuthorUnknown > 0)
	s.CountOutcome(c.Layer, c.Outcome)
	if c.Layer != fee.EVM {
		s.Native, s.NativeFee = 1, s.Fee
		s.TipUnknown = flag(c.Fee.Known() && !c.Tip.Known())
		return nil
	}
	s.EVM, s.EVMFee = 1, s.Fee
	s.PriorityUnknown, s.GasUnknown = flag(c.Fee.Known() && !c.PriorityFee.Known()), flag(c.Fee.Known() && !c.Gas.Known())
	price, priced := c.GasPrice.Get()
	gas, used := c.Gas.Get()
	if priced && used && c.Fee.Known() {
		s.PricedGas = gas.Uint64()
		if s.Priced, err = price.Times(gas); err != nil {
			err = fmt.Errorf("gas price × gas: %w", err)
		}
	}
	return err
}
