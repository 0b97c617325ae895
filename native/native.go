package native

import (
	"fmt"

	"github.com/feeledger/fees/chain"
)

// FeePaid is the fee that a native transaction paid.
type FeePaid struct {
	Payer chain.Address
	Fee   chain.Wei // the whole fee, tip included
	// Tip is the part of Fee that the sender added. It is unknown if only the extrinsic states it, in an unknown form.
	Tip chain.Optional[chain.Wei]
}

// HasFeeEvent reports whether the extrinsic has a TransactionFeePaid event.
func HasFeeEvent(x *chain.Extrinsic) bool {
	_, count := feeEvent(x)
	return count > 0
}

// ReadFeePaid implements fee rule 1: payer, fee and tip are data[0], data[1] and data[2] of the extrinsic's
// event transactionPayment.TransactionFeePaid. The fee includes the tip (polkadot-sdk, pallet
// transaction-payment: actual_fee). A fee of 0 means that the chain waived it.
//
// Older runtimes do not have this event. ReadFeePaid then returns an error; use [ReadCash].
func ReadFeePaid(x *chain.Extrinsic) (FeePaid, error) {
	event, count := feeEvent(x)
	switch {
	case count == 0:
		return FeePaid{}, fmt.Errorf("event transactionPayment.TransactionFeePaid: %w", chain.ErrMissing)
	case count > 1:
		return FeePaid{}, fmt.Errorf("%d events transactionPayment.TransactionFeePaid, want one", count)
	}
	paid, err := readFeePaid(event.Data)
	if err != nil {
		return FeePaid{}, fmt.Errorf("event transactionPayment.TransactionFeePaid: %w", err)
	}
	return paid, nil
}

func feeEvent(x *chain.Extrinsic) (event *chain.Event, count int) {
	return named(x, "transactionPayment", "TransactionFeePaid")
}

// named returns the last event of a name, and how many there are.
func named(x *chain.Extrinsic, pallet, name string) (event *chain.Event, count int) {
	for i := range x.Events {
		if e := &x.Events[i]; e.Is(pallet, name) {
			event = e
			count++
		}
	}
	return event, count
}

func readFeePaid(data chain.Values) (paid FeePaid, err error) {
	if paid.Payer, err = data.At(0).Account(); err != nil {
		return FeePaid{}, fmt.Errorf("data[0]: %w", err)
	}
	if paid.Fee, err = data.At(1).Wei(); err != nil {
		return FeePaid{}, fmt.Errorf("data[1]: %w", err)
	}
	tip, err := data.At(2).Wei()
	if err != nil {
		return FeePaid{}, fmt.Errorf("data[2]: %w", err)
	}
	if tip.Cmp(paid.Fee) > 0 {
		return FeePaid{}, fmt.Errorf("data[2]: a tip of %v wei exceeds the fee of %v wei that includes it", tip, paid.Fee)
	}
	paid.Tip = chain.Some(tip)
	return paid, nil
}
