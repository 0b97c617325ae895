package fee

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// baseFeeEvent names the event that sets a new base fee within a block. It is empty on chains that do not store theirs.
type baseFeeEvent struct{ pallet, name string }

func baseFeeEventOf(rules *network.Rules) baseFeeEvent {
	stored, ok := rules.BaseFee.Stored.Get()
	if !ok {
		return baseFeeEvent{}
	}
	pallet, name := stored.Event()
	return baseFeeEvent{pallet, name}
}

// after returns the base fee per gas after events: that of the last event that sets a new one, otherwise the previous one.
// It is unknown if that event cannot be decoded.
func (set baseFeeEvent) after(events []chain.Event, previous chain.Optional[chain.GasPrice]) (none chain.Optional[chain.GasPrice]) {
	if set == (baseFeeEvent{}) {
		return previous
	}
	for i := len(events) - 1; i >= 0; i-- {
		if e := &events[i]; e.Is(set.pallet, set.name) {
			base, err := e.Data.At(0).GasPrice()
			if err != nil {
				return none
			}
			return chain.Some(base)
		}
	}
	return previous
}
