package movement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
)

// balancesRule lists the fields in the data of a balances event, in order, and the movements that the event makes.
type balancesRule struct {
	fields []string
	legs   []leg
}

// leg is one movement: the names of the fields with the account, the other account (or "") and the amount, and the
// effect on the balances.
type leg struct {
	kind                          Kind
	account, counterparty, amount string
	free, reserved                effect
}

// effect is the effect of an amount on a balance.
type effect int8

const (
	same     effect = iota
	more            // it grew by the amount
	less            // it shrank by the amount
	unstated        // the event does not state it
)

// by returns the change of the balance, if known.
func (f effect) by(amount chain.Wei) chain.Optional[chain.SignedWei] {
	switch f {
	case more:
		return chain.Some(amount.Signed())
	case less:
		return chain.Some(amount.Signed().Negated())
	case unstated:
		return chain.Optional[chain.SignedWei]{}
	}
	return chain.Some(chain.SignedWei{})
}

var (
	whoAmount       = []string{"who", "amount"}
	reasonWhoAmount = []string{"reason", "who", "amount"}
	repatriation    = []string{"from", "to", "amount", "destination_status"}
	onHold          = []string{"reason", "source", "dest", "amount"}
)

// one returns the leg of an event about one account.
func one(kind Kind, free, reserved effect) []leg {
	return []leg{{kind, "who", "", "amount", free, reserved}}
}

// balancesRules contains the movements of each event. [ruleOf] handles events whose movements depend on their data.
var balancesRules = map[string]balancesRule{
	"Deposit":    {whoAmount, one(KindDeposit, more, same)},
	"Withdraw":   {whoAmount, one(KindWithdrawal, less, same)},
	"Minted":     {whoAmount, one(KindMint, more, same)},
	"Burned":     {whoAmount, one(KindBurn, less, same)},
	"Suspended":  {whoAmount, one(KindSuspension, less, same)},
	"Restored":   {whoAmount, one(KindRestoration, more, same)},
	"Reserved":   {whoAmount, one(KindReserve, less, more)},
	"Unreserved": {whoAmount, one(KindUnreserve, more, less)},
	"Slashed":    {whoAmount, one(KindSlash, unstated, unstated)},
	// The remainder of a movement that has its own event. Before the pallet had holds, it was free and reserved
	// together, so part of it may have been reserved; a chain without an existential deposit has no dust.
	"DustLost": {whoAmount, one(KindDust, less, same)},
	"Transfer": {[]string{"from", "to", "amount"}, []leg{
		{KindTransferOut, "from", "to", "amount", less, same},
		{KindTransferIn, "to", "from", "amount", more, same},
	}},
	"ReserveRepatriated": {repatriation, []leg{
		{KindTransferOut, "from", "to", "amount", same, less},
		{KindTransferIn, "to", "from", "amount", more, same},
	}},
	"BalanceSet": {[]string{"who", "free"}, []leg{{KindFreeSet, "who", "", "free", unstated, same}}},

	"Held":       {reasonWhoAmount, one(KindReserve, less, more)},
	"Released":   {reasonWhoAmount, one(KindUnreserve, more, less)},
	"BurnedHeld": {reasonWhoAmount, one(KindBurn, same, less)},
	"TransferAndHold": {[]string{"reason", "source", "dest", "transferred"}, []leg{
		{KindTransferOut, "source", "dest", "transferred", less, same},
		{KindTransferIn, "dest", "source", "transferred", same, more},
	}},
	// The pallet that held it chooses whether it stays on hold; the event does not state it.
	"TransferOnHold": {onHold, []leg{
		{KindTransferOut, "source", "dest", "amount", same, less},
		{KindTransferIn, "dest", "source", "amount", unstated, unstated},
	}},
}

// refunded is the rule for a TransferOnHold that arrives free.
var refunded = balancesRule{onHold, []leg{
	{KindTransferOut, "source", "dest", "amount", same, less},
	{KindTransferIn, "dest", "source", "amount", more, same},
}}

// refunds reports whether a pallet moves what it held only to free balances. Pallet revive always passes
// Restriction::Free (polkadot-sdk, substrate/frame/revive, deposit_payment.rs). Pallet contracts does both: its refunds
// arrive free, and its migration 15 leaves deposits on hold.
func refunds(pallet string) bool { return pallet == "revive" }

// balanceSetBoth is the rule for the older BalanceSet, when root set both balances.
var balanceSetBoth = balancesRule{[]string{"who", "free", "reserved"}, []leg{
	{KindFreeSet, "who", "", "free", unstated, same},
	{KindReservedSet, "who", "", "reserved", same, unstated},
}}

// repatriatedReserved is the rule for a ReserveRepatriated that arrives reserved.
var repatriatedReserved = balancesRule{repatriation, []leg{
	{KindTransferOut, "from", "to", "amount", same, less},
	{KindTransferIn, "to", "from", "amount", same, more},
}}

// movesNothing lists events that change no balance. Endowed repeats what another event has put into a new account. Locks
// and freezes only restrict a balance. The issuance is not an account's balance.
//
// Unexpected is not listed: it reports that one of the chain's own checks failed, so someone has to look.
var movesNothing = map[string]bool{
	"Endowed":  true,
	"Upgraded": true,
	"Locked":   true, "Unlocked": true,
	"Frozen": true, "Thawed": true,
	"Issued": true, "Rescinded": true, "TotalIssuanceForced": true,
	"MintedCredit": true, "BurnedDebt": true,
}

// eventNames maps the names of events that have rules to the names used in movements.
var eventNames = func() map[string]string {
	names := map[string]string{}
	for name := range balancesRules {
		names[name] = "balances." + name
	}
	return names
}()

// ruleOf returns the rule for an event after checking that its data has as many values as the rule reads.
func ruleOf(e *chain.Event) (balancesRule, error) {
	rule, known := balancesRules[e.Name]
	if !known {
		return balancesRule{}, ErrUnknownEvent
	}
	values := e.Data.Len()
	switch e.Name {
	case "BalanceSet":
		if values == len(balanceSetBoth.fields) {
			rule = balanceSetBoth
		}
	case "ReserveRepatriated":
		reserved, err := e.Data.At(3).Uint64()
		if err != nil {
			return balancesRule{}, fmt.Errorf("data[3]: destination_status: %w", err)
		}
		if reserved == 1 {
			rule = repatriatedReserved
		}
	case "TransferOnHold":
		if reason, err := e.Data.At(0).HoldReason(); err == nil && refunds(reason.Pallet()) {
			rule = refunded
		}
	}
	if values != len(rule.fields) {
		return balancesRule{}, fmt.Errorf("data: want %d values (%s), have %d", len(rule.fields), strings.Join(rule.fields, ", "), values)
	}
	return rule, nil
}

// address reads the account in a field, which has size bytes.
func (r *balancesRule) address(e *chain.Event, field string, size int) (chain.Address, error) {
	i := slices.Index(r.fields, field)
	a, err := e.Data.At(i).Account()
	if err == nil && a.Size() != size {
		err = fmt.Errorf("%v has %d bytes, want %d", a, a.Size(), size)
	}
	return a, r.at(i, err)
}

// reason reads the reason of a hold, if the event states one.
func (r *balancesRule) reason(e *chain.Event) (none chain.Optional[chain.HoldReason]) {
	if r.fields[0] == "reason" {
		if reason, err := e.Data.At(0).HoldReason(); err == nil {
			return chain.Some(reason)
		}
	}
	return none
}

// wei reads the amount in a field.
func (r *balancesRule) wei(e *chain.Event, field string) (chain.Wei, error) {
	i := slices.Index(r.fields, field)
	w, err := e.Data.At(i).Wei()
	return w, r.at(i, err)
}

// at adds the field to an error.
func (r *balancesRule) at(i int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("data[%d]: %s: %w", i, r.fields[i], err)
}
