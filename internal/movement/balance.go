package movement

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// ErrUnknownChange reports an event that does not state the change of a balance.
var ErrUnknownChange = errors.New("the event does not state how much the balance changed")

// After applies the account's movements, in order, to its balance: opening + movements = closing. It skips movements of
// other accounts.
//
// It returns ErrUnknownChange if a movement's change is unknown, unless the event states the new balance. It returns
// another error if the final balance is below 0 or exceeds 128 bits: then movements are missing. Between two
// movements the balance may be below 0, as an event can follow the change that it made possible.
func After(b chain.Balance, account chain.Address, movements []Movement) (chain.Balance, error) {
	free, reserved := b.Free.Signed(), b.Reserved.Signed()
	for i := range movements {
		m := &movements[i]
		if m.Account != account {
			continue
		}
		err := m.apply(&free, KindFreeSet, m.Free)
		if err == nil {
			err = m.apply(&reserved, KindReservedSet, m.Reserved)
		}
		if err != nil {
			return chain.Balance{}, fmt.Errorf("%v, event %d, %s: %w", m.Where, m.EventIndex, m.Event, err)
		}
	}
	if free.Sign() < 0 || reserved.Sign() < 0 {
		return chain.Balance{}, fmt.Errorf("free %v wei, reserved %v wei: a balance below 0", free, reserved)
	}
	return chain.Balance{Free: free.Size(), Reserved: reserved.Size()}, nil
}

// apply changes one of the balances; a movement of the kind set replaces it.
func (m *Movement) apply(balance *chain.SignedWei, set Kind, change chain.Optional[chain.SignedWei]) (err error) {
	if m.Kind == set {
		*balance = m.Amount.Signed()
		return nil
	}
	by, known := change.Get()
	if !known {
		return ErrUnknownChange
	}
	*balance, err = balance.Add(by)
	return err
}
