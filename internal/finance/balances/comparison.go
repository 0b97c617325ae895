package balances

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// MaxDifferences limits the differences that are listed.
const MaxDifferences = 1000

// Comparison compares an account's balances before and after some blocks with its movements.
type Comparison struct {
	// Opening is the balance before the first block, Closing that after the last. They are unknown if balances
	// were not queried.
	Opening, Closing chain.Optional[chain.Balance]
	// Unexplained is Closing minus Opening and the movements. It is zero if they match, or if errors
	// cancel out.
	Unexplained chain.Optional[Change]
	// Differences are the blocks that do not match, ascending, up to MaxDifferences. Differences that cancel out are
	// found only with Options.EveryBlock.
	Differences []Difference
	More        bool // there are differences beyond those listed
	// Settled are blocks with an event that does not state its change, which the balances show: the total of free and
	// reserved changed by the amount of the events, or not at all.
	Settled []Difference
	Proved  uint64 // heights besides the opening at which the movements match the balance

	closes  chain.Optional[Change]
	outside map[uint64]outside // by height
}

// outside is the part of a block's change that its events do not state.
type outside struct {
	Change
	settled bool // the events confirm the total of free and reserved
}

// Difference is a change in a block that its movements do not explain.
type Difference struct {
	Height uint64 `json:"block"`
	// Before is the number of preceding blocks that may also contain it, because no balance between them is
	// available. It is 0 unless Options.FirstOnly is set.
	Before uint64 `json:"-"`
	Change
	// UnknownChange reports that the block contains movements whose events do not state the change; the difference is
	// then the change besides the other movements.
	UnknownChange bool `json:"not_stated"`
}

// In formats the difference for display, with the name of the token's smallest unit.
func (d Difference) In(unit string) string {
	text := fmt.Sprintf("block %d: free %v %s, reserved %v %[3]s", d.Height, d.Free, unit, d.Reserved)
	if d.UnknownChange {
		text += ", where an event does not state its change"
	} else {
		text += d.Cause()
	}
	return text
}

// Holds reports whether nothing is unexplained. It also returns true if balances were not queried; Opening is
// then unknown.
func (c *Comparison) Holds() bool {
	unexplained, _ := c.Unexplained.Get()
	return len(c.Differences) == 0 && unexplained.IsZero()
}

// Closes returns the opening balance plus the movements and the settled changes. It is unknown without
// balances.
func (c *Comparison) Closes() chain.Optional[Change] { return c.closes }

// Close compares the opening balance plus the movements with the closing balance.
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
