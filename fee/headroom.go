package fee

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// Movement is how the base fee moves after the next block.
type Movement struct {
	Update   network.MultiplierUpdate
	Constant chain.GasPrice // the base fee at a multiplier of 1
	// Multiplier prices the next block. Where it is not known, it is taken to be the
	// highest that gives the block's base fee.
	Multiplier chain.Optional[chain.Multiplier]
}

// MostFullBlocks is the number that full blocks are counted to: those of a week and more.
const MostFullBlocks = 100_000

// outlasts is the number of full blocks in a row after which the base fee is still at
// most a price: the largest n for which
//
//	floor(multiplier after n full blocks × constant) ≤ price
//
// and at most [MostFullBlocks]. The multiplier after a block follows from the one before
// it by [network.MultiplierUpdate.Next].
func (m Movement) outlasts(base, price chain.GasPrice) (blocks int, err error) {
	multiplier, known := m.Multiplier.Get()
	if !known {
		if multiplier, err = chain.HighestMultiplier(base, m.Constant); err != nil {
			return 0, fmt.Errorf("the multiplier of a base fee of %v wei per gas: %w", base, err)
		}
	}
	full := m.Update.Full()
	for blocks < MostFullBlocks {
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
