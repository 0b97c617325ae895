package chain

import (
	"encoding/hex"
	"strings"
)

// FreeChange is by how much events changed an account's free balance. It is not known
// where one of them does not tell, or cannot be read.
func FreeChange(account Address, events []Event) (sum Optional[SignedWei]) {
	sum = Some(SignedWei{})
	text := ""
	for i := range events {
		e := &events[i]
		if e.Pallet != "balances" || movesNothing[e.Name] {
			continue
		}
		if text == "" {
			text = "0x" + hex.EncodeToString(account[:])
		}
		if !mentions(e, text) {
			continue
		}
		sum = e.addTo(sum, account)
	}
	return sum
}

// mentions tells whether one of the event's values is an account.
func mentions(e *Event, account string) bool {
	for v := range e.Data.Elements() {
		if text, ok := v.Text(); ok && strings.EqualFold(text, account) {
			return true
		}
	}
	return false
}

// addTo adds what the event did to an account's free balance.
func (e *Event) addTo(sum Optional[SignedWei], account Address) (none Optional[SignedWei]) {
	movements, err := e.movements(nil)
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
		sum = Some(so)
	}
	return sum
}
