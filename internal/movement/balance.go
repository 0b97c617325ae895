package movement

import (
	"errors"
	"fmt"

	"github.com/feeledger/fees/chain"
)

// ErrUnknownChange says that a movement's event does not tell the change.
var ErrUnknownChange = errors.New("the event does not tell by how much the balance changed")

// After is the balance that the account's movements, in their order, make of what it was:
// opening + movements = closing. Movements of other accounts are passed over.
//
// It is ErrUnknownChange where a movement's change is not known, except where the
// event says what the balance was set to. It is another error where a balance
// would end below 0 or above 128 bits: then movements are missing. Between two
// movements it may be below 0, for an event can stand after what it made possible.
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

// apply changes one of the balances; a movement of the kind set says what it
// becomes.
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
