package balances

import (
	"fmt"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/movement"
)

// Running is a balance while movements are added to it. Its zero value begins with a
// balance that is not known: then Balance is what the movements add.
type Running struct {
	Balance Change
	known   bool // from the opening on
	// What the last block's events do not tell is not in the balance.
	freeUnknown, reservedUnknown bool
	unsettled                    Change // is in the balance, and no event says it
}

// From begins with a balance.
func From(opening chain.Optional[chain.Balance]) (r Running) {
	if b, ok := opening.Get(); ok {
		r.Balance, r.known = Of(b), true
	}
	return r
}

// Free is the free balance, where it is known.
func (r *Running) Free() (none chain.Optional[chain.SignedWei]) {
	if r.known && !r.freeUnknown {
		return chain.Some(r.Balance.Free)
	}
	return none
}

// Reserved is the reserved balance, where it is known.
func (r *Running) Reserved() (none chain.Optional[chain.SignedWei]) {
	if r.known && !r.reservedUnknown {
		return chain.Some(r.Balance.Reserved)
	}
	return none
}

// Add adds a movement, or what of it is known, and tells by how much it changed free and
// reserved.
func (r *Running) Add(m *movement.Movement) (free, reserved chain.Optional[chain.SignedWei], err error) {
	free, err = r.add(m, movement.KindFreeSet, m.Free, &r.Balance.Free, &r.freeUnknown)
	if err == nil {
		reserved, err = r.add(m, movement.KindReservedSet, m.Reserved, &r.Balance.Reserved, &r.reservedUnknown)
	}
	return free, reserved, err
}

// add adds to one of the balances. A movement of the kind set says what it becomes.
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

// Settle adds, at the end of a block, what the balances on both sides of it have beside
// its movements, where that is known.
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

// IsSet tells whether a movement says what a balance became.
func IsSet(m *movement.Movement) bool {
	return m.Kind == movement.KindFreeSet || m.Kind == movement.KindReservedSet
}

// IsUnknown tells whether a movement says neither by how much it changed a balance, nor
// what that became.
func IsUnknown(m *movement.Movement) bool { return !m.Known() && !IsSet(m) }
