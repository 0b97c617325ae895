package statement

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// running is a balance while movements are added to it.
type running struct {
	balance Change
	known   bool // from the opening on
	// What the last block's events do not tell is not in the balance.
	freeUntold, reservedUntold bool
	unsettled                  Change // is in the balance, and no event says it
}

// carry adds the line's movement, and completes the line with what it knows.
func (r *running) carry(l *Line) error {
	if l.Movement != nil {
		change, err := r.add(l.Movement)
		if err != nil {
			return ofLedger(fmt.Errorf("%s, event %d, %s: %w", l.Place(), l.Movement.EventIndex, l.Movement.Event, err))
		}
		l.Free, l.Reserved = change.free, change.reserved
	}
	if r.known && !r.freeUntold {
		l.FreeBalance = chain.Some(r.balance.Free)
	}
	if r.known && !r.reservedUntold {
		l.ReservedBalance = chain.Some(r.balance.Reserved)
	}
	return nil
}

// told is the change of a balance as far as it is known.
type told struct {
	free, reserved chain.Optional[chain.SignedWei]
}

// add adds a movement, or what of it is told.
func (r *running) add(m *chain.Movement) (change told, err error) {
	change.free, err = r.part(m, chain.KindFreeSet, m.Free, &r.balance.Free, &r.freeUntold)
	if err == nil {
		change.reserved, err = r.part(m, chain.KindReservedSet, m.Reserved, &r.balance.Reserved, &r.reservedUntold)
	}
	return change, err
}

// part adds to one of the balances. A movement of the kind set says what it becomes.
func (r *running) part(m *chain.Movement, set chain.Kind, change chain.Optional[chain.SignedWei], balance *chain.SignedWei, untold *bool) (none chain.Optional[chain.SignedWei], err error) {
	if m.Kind == set {
		by, err := m.Amount.Signed().Add(balance.Negated())
		if err != nil {
			return none, err
		}
		*balance, *untold = m.Amount.Signed(), false
		if r.known {
			change = chain.Some(by)
		}
		return change, nil
	}
	by, ok := change.Get()
	if !ok {
		*untold = true
		return none, nil
	}
	*balance, err = balance.Add(by)
	return change, err
}

// settle adds, at the end of a block, what the balances on both sides of it have beside
// its movements, where that is known.
func (r *running) settle(rest map[uint64]untold, height uint64) (err error) {
	by, ok := rest[height]
	if !ok {
		return nil
	}
	r.freeUntold, r.reservedUntold = false, false
	if r.balance, err = r.balance.Plus(by.Change); err == nil && !by.settled {
		r.unsettled, err = r.unsettled.Plus(by.Change)
	}
	if err != nil {
		return ofLedger(fmt.Errorf("block %d: %w", height, err))
	}
	return nil
}
