package grandpa

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
)

// Chain follows the sets of a chain, from a trusted one to later ones, by the blocks that hand over.
type Chain struct {
	// AcceptForced makes a forced change hand over like a scheduled one, if the block with it is final. Without it, such
	// a block is an error.
	AcceptForced bool

	set     *Set
	final   chain.Anchor // highest final block
	pending *Change      // scheduled change that has not taken effect
	last    uint64       // last block of the set, if a change is pending
}

// NewChain returns a chain that starts with a trusted set.
func NewChain(root *Set) *Chain { return &Chain{set: root} }

// SetFromHeader returns the set with an ID that a header announces. The header is trusted.
func SetFromHeader(id uint64, h *header.Header) (*Set, error) {
	c, err := ReadChange(h)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, fmt.Errorf("the header of block %d announces no set", h.Number)
	case c.Forced:
		return nil, forced(h)
	}
	s, err := NewSet(id, c.Authorities)
	if err == nil {
		s.First = h.Number + c.Delay + 1
	}
	return s, err
}

func forced(h *header.Header) error {
	return fmt.Errorf("block %d: a forced change hands over without proof; start from a later trusted set", h.Number)
}

// Finalize checks that a justification proves the next block final, by the set in force at its height. With the block's
// header, it follows the change that the header announces; without one, h is nil. Heights must not go down.
func (c *Chain) Finalize(j *Justification, h *header.Header) (by *Set, t Tally, err error) {
	if h != nil {
		if have := (chain.Anchor{Height: h.Number, Hash: h.Hash()}); have != j.Target {
			return nil, t, fmt.Errorf("block %d: the header is that of block %v, the justification is for block %v", j.Target.Height, have, j.Target)
		}
	}
	set, pending, err := c.inForce(j.Target)
	if err != nil {
		return nil, t, err
	}
	if t, err = set.Verify(j); err != nil {
		return nil, t, err
	}
	next, last := pending, c.last
	if h != nil {
		change, err := ReadChange(h)
		switch {
		case err != nil:
			return nil, t, err
		case change == nil || j.Target == c.final && pending != nil: // none, or read before
		case change.Forced && !c.AcceptForced:
			return nil, t, forced(h)
		case pending != nil:
			return nil, t, fmt.Errorf("block %d announces a set, though the one announced before is not in force until block %d", h.Number, c.last+1)
		default:
			next, last = change, h.Number+change.Delay
		}
	}
	c.set, c.pending, c.last, c.final = set, next, last, j.Target
	return set, t, nil
}

// inForce returns the set that finalizes a block after those before, and the change that is pending then.
func (c *Chain) inForce(block chain.Anchor) (*Set, *Change, error) {
	set, pending, height := c.set, c.pending, block.Height
	if pending != nil && height > c.last {
		next, err := set.next(pending.Authorities, c.last+1)
		if err != nil {
			return nil, nil, fmt.Errorf("the set after %d: %w", set.ID, err)
		}
		set, pending = next, nil
	}
	switch {
	case height < c.final.Height:
		return nil, nil, fmt.Errorf("block %d is below block %d, which was proved final before it; sort the justifications by height", height, c.final.Height)
	case height == c.final.Height && c.final.Hash != (chain.Hash{}) && block != c.final:
		return nil, nil, fmt.Errorf("block %v contradicts block %v, which was proved final before it", block, c.final)
	case height < set.First:
		return nil, nil, fmt.Errorf("block %d is below block %d, the first of set %d", height, set.First, set.ID)
	}
	return set, pending, nil
}

// Announced returns the set that the last header announced, with the last block of the current set, if a change is
// pending.
func (c *Chain) Announced() (next *Set, last uint64, err error) {
	if c.pending == nil {
		return nil, 0, nil
	}
	next, err = c.set.next(c.pending.Authorities, c.last+1)
	return next, c.last, err
}
