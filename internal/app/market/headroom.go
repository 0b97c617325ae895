package market

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network/rule"
)

// Movement defines how the base fee moves after the next block.
type Movement struct {
	Update   rule.MultiplierUpdate
	Constant chain.GasPrice // the base fee at a multiplier of 1
	// Multiplier prices the next block. If unknown, the highest multiplier that results in the block's base fee is
	// used.
	Multiplier chain.Optional[chain.Multiplier]
}

// MaxFullBlocks is the limit for counting full blocks: those of more than a week.
const MaxFullBlocks = 100_000

// outlasts returns the number of consecutive full blocks after which the base fee is still at most a price:
// the largest n for which
//
//	floor(multiplier after n full blocks × constant) ≤ price
//
// and at most [MaxFullBlocks]. The multiplier after a block follows from the previous one by
// [rule.MultiplierUpdate.Next].
func (m Movement) outlasts(base, price chain.GasPrice) (blocks int, err error) {
	multiplier, known := m.Multiplier.Get()
	if !known {
		if multiplier, err = chain.HighestMultiplier(base, m.Constant); err != nil {
			return 0, fmt.Errorf("the multiplier for a base fee of %v wei per gas: %w", base, err)
		}
	}
	full := m.Update.Full()
	for blocks < MaxFullBlocks {
		if multiplier, err = m.Update.Next(multiplier, full); err != nil {
			return 0, err
		}
		risen, err := multiplier.Of(m.Constant)
		if err != nil {
			return 0, err
		}
		if risen.Cmp(price) > 0 {
			break
		}
		blocks++
	}
	return blocks, nil
}
