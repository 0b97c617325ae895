package movement

import (
	"strings"

	"github.com/feeledger/fees/chain"
)

// FreeChange sums what events changed in an account's free balance. The sum is unknown if any of them does not state the
// change or cannot be read.
func FreeChange(account chain.Address, events []chain.Event) (sum chain.Optional[chain.SignedWei]) {
	sum = chain.Some(chain.SignedWei{})
	text := ""
	for i := range events {
		e := &events[i]
		if e.Pallet != "balances" || movesNothing[e.Name] {
			continue
		}
		if text == "" {
			text = account.String()
		}
		if !mentions(e, text, account) {
			continue
		}
		sum = addTo(sum, e, account)
	}
	return sum
}

// mentions reports whether one of the event's values is the account, of which text is one form. SS58 has one form for
// each prefix.
func mentions(e *chain.Event, text string, account chain.Address) bool {
	for v := range e.Data.Elements() {
		value, ok := v.Text()
		if ok && account.Size() == chain.AddressSize {
			ok = strings.EqualFold(value, text)
		} else if ok && value != text {
			a, err := chain.Read[chain.Address](v)
			ok = err == nil && a == account
		}
		if ok {
			return true
		}
	}
	return false
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
