package fee

import (
	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// setBaseFee returns the base fee per gas after events: that of the last event that sets a new one, otherwise the
// previous one. It is unknown if that event cannot be decoded.
func setBaseFee(stored network.StoredBaseFee, events []chain.Event, previous chain.Optional[chain.GasPrice]) (none chain.Optional[chain.GasPrice]) {
	pallet, name := stored.Event()
	for i := len(events) - 1; i >= 0; i-- {
		if e := &events[i]; e.Is(pallet, name) {
			base, err := chain.Read[chain.GasPrice](e.Data.Index(0))
			if err != nil {
				return none
			}
			return chain.Some(base)
		}
	}
	return previous
}
