package movement

import (
	"slices"

	"github.com/feeledger/fees/chain"
)

// FreeChange sums what events changed in an account's free balance. The sum is unknown if any of them does not state the
// change or cannot be read.
func FreeChange(account chain.Address, events []chain.Event) (sum chain.Optional[chain.SignedWei]) {
	sum = chain.Some(chain.SignedWei{})
	for i := range events {
		e := &events[i]
		if e.Pallet != "balances" || movesNothing[e.Name] {
			continue
		}
		if mentions(e, account) {
			sum = addTo(sum, e, account)
		}
	}
	return sum
}

// mentions reports whether one of the event's values is the account.
func mentions(e *chain.Event, account chain.Address) bool {
	return slices.ContainsFunc(e.Data, func(v chain.Value) bool {
		a, err := v.Account()
		return err == nil && a == account
	})
}

// addTo adds what the event did to an account's free balance.
func addTo(sum chain.Optional[chain.SignedWei], e *chain.Event, account chain.Address) (none chain.Optional[chain.SignedWei]) {
	movements, err := addLegs(nil, e, account.Size())
	if err != nil {
		return none
	}
	for i := range movements {
		m := &movements[i]
		if m.Account != account {
			continue
		}
		change, told := m.Free.Get()
		so, known := sum.Get()
		if !told || !known {
			return none
		}
		so, err = so.Add(change)
		if err != nil {
			return none
		}
		sum = chain.Some(so)
	}
	return sum
}
