package chain

import "strings"

// HoldReason states why an amount is held: the pallet that holds it, and its reason, such as
// "revive.StorageDepositReserve".
type HoldReason string

// Pallet returns the pallet that holds the amount.
func (r HoldReason) Pallet() string {
	pallet, _, _ := strings.Cut(string(r), ".")
	return pallet
}

// HoldReasonValue returns a reason of a hold.
func HoldReasonValue(r HoldReason) Value { return Value{of: &content{kind: held, text: string(r)}} }

// HoldReason returns a reason of a hold.
func (v Value) HoldReason() (HoldReason, error) {
	if err := v.check(held); err != nil {
		return "", err
	}
	return HoldReason(v.of.text), nil
}
