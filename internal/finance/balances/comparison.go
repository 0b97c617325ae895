package balances

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// MaxDifferences is how many differences are listed; there may be more.
const MaxDifferences = 1000

// Comparison is what an account had before and after some blocks, beside what its
// movements make.
type Comparison struct {
	// Opening is the balance before the first block, and Closing that after the last. They
	// are not known where no balances were asked for.
	Opening, Closing chain.Optional[chain.Balance]
	// Unexplained is Closing less what Opening and the movements make. It is zero where
	// they fit, or where what is wrong cancels out.
	Unexplained chain.Optional[Change]
	// Differences are the blocks that do not fit, rising, MaxDifferences of them at most.
	// Those that cancel out are only found with Options.EveryBlock.
	Differences []Difference
	More        bool // differences than are listed
	// Settled are blocks in which an event does not tell a change, and the balances do:
	// free and reserved together changed by as much as the events say, or not at all.
	Settled []Difference
	Proved  uint64 // heights at which the movements lead to the balance, beside the opening

	closes  chain.Optional[Change]
	outside map[uint64]outside // by height
}

// outside is what the balances have of a block beside the changes that its events tell.
type outside struct {
	Change
	settled bool // the events say as much, of free and reserved together
}

// Difference is what a block changed and no movement of it tells.
type Difference struct {
	Height uint64 `json:"block"`
	// Before is how many blocks before Height it may be in as well: no balance between
	// them could be had. It is 0 but for Options.FirstOnly.
	Before uint64 `json:"-"`
	Change
	// UnknownChange says that the block has movements whose events do not tell the change:
	// this is what the balances have beside the others.
	UnknownChange bool `json:"untold"`
}

// String is the difference for people.
func (d Difference) String() string {
	text := fmt.Sprintf("block %d: free %v wei, reserved %v wei", d.Height, d.Free, d.Reserved)
	if d.UnknownChange {
		text += ", where an event does not tell its change"
	}
	return text
}

// Holds tells whether nothing is unexplained. It says so too where no balances were
// asked for; then Opening is not known.
func (c *Comparison) Holds() bool {
	unexplained, _ := c.Unexplained.Get()
	return len(c.Differences) == 0 && unexplained.IsZero()
}

// Closes is the balance that the opening, the movements and what is settled make. It is
// not known without balances.
func (c *Comparison) Closes() chain.Optional[Change] { return c.closes }

// Close compares where the movements lead, from the opening, with the closing balance.
func (c *Comparison) Close(end Running) error {
	closing, ok := c.Closing.Get()
	if !ok {
		return nil
	}
	closes, err := end.Balance.Minus(end.unsettled)
	if err != nil {
		return err
	}
	unexplained, err := Of(closing).Minus(closes)
	if err != nil {
		return err
	}
	c.closes, c.Unexplained = chain.Some(closes), chain.Some(unexplained)
	return nil
}
