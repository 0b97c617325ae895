package evidence

import (
	"errors"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network/rule"
)

func (s *subject) final() {
	switch final, known := s.block.Finalized.Get(); {
	case !known:
		s.skip("the gateway does not report whether the block is final")
	case !final:
		s.skip("the block is not final yet")
	default:
		s.held()
	}
}

func (s *subject) outcomes() {
	for i := range s.block.Extrinsics {
		if _, err := s.block.Extrinsics[i].Outcome(); err != nil {
			s.brokenAt(i, "%v", err)
		} else {
			s.held()
		}
	}
}

func (s *subject) baseFee() {
	base, ok := s.priced.BaseFeePerGas.Get()
	switch {
	case !ok:
		s.skip("the base fee is unknown")
	case base.Cmp(s.rules.MinGasPrice) < 0:
		s.broken("%v wei per gas is below the minimum of %v", base, s.rules.MinGasPrice)
	case s.aboveMaximum(base):
		s.broken("%v wei per gas is above the maximum that the highest multiplier allows", base)
	default:
		s.held()
	}
}

// aboveMaximum reports whether a base fee is higher than the highest multiplier, if there is one, allows.
func (p *prover) aboveMaximum(base chain.GasPrice) bool {
	update, _ := p.rules.Update.Get()
	highest, limited := update.Maximum.Get()
	if !limited || p.rules.BaseFee.Stored.Known() {
		return false
	}
	limit, err := p.rules.BaseFee.Of(highest)
	return err == nil && base.Cmp(limit) > 0
}

// totals recomputes the sum of the fees.
func (s *subject) totals() {
	totals := s.priced.Totals
	var sum chain.Wei
	for i := range s.priced.Transactions {
		if fee, ok := s.priced.Transactions[i].Fee.Get(); ok {
			sum, _ = sum.Add(fee) // fee.Price rejects totals that overflow
		}
	}
	uncounted, found := unknownPayer(s.block, s.rules.EVM)
	switch {
	case found:
		s.brokenAt(uncounted, "it paid a fee but is neither a native nor an EVM transaction")
	case sum != totals.Fee:
		s.broken("the fees add up to %v wei, but the total is %v", sum, totals.Fee)
	case totals.EVM+totals.Native+totals.Inherents != len(s.block.Extrinsics):
		s.broken("%d EVM and %d native transactions and %d inherents do not add up to %d extrinsics",
			totals.EVM, totals.Native, totals.Inherents, len(s.block.Extrinsics))
	default:
		s.held()
	}
}

// unknownPayer returns an extrinsic that is counted as an inherent but paid like a transaction. An inherent
// that itself withdraws funds, through XCM, is of class Mandatory.
func unknownPayer(b *chain.Block, kind rule.EVM) (index int, found bool) {
	for i := range b.Extrinsics {
		x := &b.Extrinsics[i]
		if fee.Classify(x, kind) != fee.Inherent {
			continue
		}
		outcome, err := x.Outcome()
		if err != nil {
			continue // reported by block.outcome
		}
		class, err := outcome.Class()
		if err != nil || class == chain.Mandatory {
			continue
		}
		if _, err := chain.FindCash(x); !errors.Is(err, chain.ErrNoWithdraw) {
			return i, true
		}
	}
	return 0, false
}
