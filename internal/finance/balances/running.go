package balances

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// Running is a balance to which movements are added. With the zero value the opening balance is unknown, and Balance
// is the sum of the movements.
type Running struct {
	Balance Change
	known   bool // the opening balance is known
	// Changes that the last block's events do not state are not included in the balance.
	freeUnknown, reservedUnknown bool
	unsettled                    Change // part of the balance that no event states
}

// From starts with a balance.
func From(opening chain.Optional[chain.Balance]) (r Running) {
	if b, ok := opening.Get(); ok {
		r.Balance, r.known = Of(b), true
	}
	return r
}

// Free returns the free balance, if known.
func (r *Running) Free() (none chain.Optional[chain.SignedWei]) {
	if r.known && !r.freeUnknown {
		return chain.Some(r.Balance.Free)
	}
	return none
}

// Reserved returns the reserved balance, if known.
func (r *Running) Reserved() (none chain.Optional[chain.SignedWei]) {
	if r.known && !r.reservedUnknown {
		return chain.Some(r.Balance.Reserved)
	}
	return none
}

// Add adds the known part of a movement and returns the changes of free and reserved.
func (r *Running) Add(m *movement.Movement) (free, reserved chain.Optional[chain.SignedWei], err error) {
	free, err = r.add(m, movement.KindFreeSet, m.Free, &r.Balance.Free, &r.freeUnknown)
	if err == nil {
		reserved, err = r.add(m, movement.KindReservedSet, m.Reserved, &r.Balance.Reserved, &r.reservedUnknown)
	}
	return free, reserved, err
}

// add adds to one of the balances. A movement of the kind set states the new value.
func (r *Running) add(m *movement.Movement, set movement.Kind, change chain.Optional[chain.SignedWei], balance *chain.SignedWei, unknown *bool) (none chain.Optional[chain.SignedWei], err error) {
	if m.Kind == set {
		by, err := m.Amount.Signed().Add(balance.Negated())
		if err != nil {
			return none, err
		}
		*balance, *unknown = m.Amount.Signed(), false
		if r.known {
			change = chain.Some(by)
		}
		return change, nil
	}
	by, ok := change.Get()
	if !ok {
		*unknown = true
		return none, nil
	}
	*balance, err = balance.Add(by)
	return change, err
}

// Settle adds, at the end of a block, the known change of the balances that its movements do not
// state.
func (r *Running) Settle(c *Comparison, height uint64) (err error) {
	by, ok := c.outside[height]
	if !ok {
		return nil
	}
	r.freeUnknown, r.reservedUnknown = false, false
	if r.Balance, err = r.Balance.Plus(by.Change); err == nil && !by.settled {
		r.unsettled, err = r.unsettled.Plus(by.Change)
	}
	if err != nil {
		return fmt.Errorf("block %d: %w", height, err)
	}
	return nil
}

// IsSet reports whether a movement states the new value of a balance.
func IsSet(m *movement.Movement) bool {
	return m.Kind == movement.KindFreeSet || m.Kind == movement.KindReservedSet
}

// IsUnknown reports whether a movement states neither the change nor the new value of a
// balance.
func IsUnknown(m *movement.Movement) bool { return !m.Known() && !IsSet(m) }
