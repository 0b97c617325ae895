package evidence

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/network"
)

// A gateway that does not know one of a runtime's transaction extensions decodes the call of each signed
// extrinsic from the wrong byte, and reports a different call with different arguments. The events are not
// affected. Sidecar 18.0.0 does this on chains with CheckMetadataHash.

// misreadAdvice is the remedy for a gateway that misreads calls.
const misreadAdvice = "The gateway misreads signed extrinsics: start it with the chain's types bundle, or read from the chain's node (--gateway ws://HOST)"

// call checks that a signed extrinsic is possible as the gateway decoded it: its call could have this outcome
// and emit these events, and its nonce and era exist.
func (s *subject) call() {
	why := impossibleFrame(s.t.x)
	if why == "" {
		why = impossibleEnd(s.t.x)
	}
	if why == "" {
		why = impossibleEvents(s.t.x, s.rules.AccountMapping)
	}
	if why == "" {
		s.held()
	} else {
		s.broken("%s. %s", why, misreadAdvice)
	}
}

// impossibleFrame returns why the nonce or the era is impossible, or "".
func impossibleFrame(x *chain.Extrinsic) string {
	if x.Signed == nil {
		return ""
	}
	if nonce, err := x.Signed.Nonce.Uint64(); err == nil && nonce > math.MaxUint32 {
		return fmt.Sprintf("no account can have the nonce %d", nonce)
	}
	period, phase := x.Signed.Era.Period, x.Signed.Era.Phase
	if x.Signed.Era == (chain.Era{}) { // immortal, or unknown
		return ""
	}
	if period < 4 || period > 1<<16 || bits.OnesCount64(period) != 1 || phase >= period {
		return fmt.Sprintf("no era has the period %d and the phase %d", period, phase)
	}
	return ""
}

// unsigned lists the calls that a runtime rejects from any signer, with BadOrigin.
//
// Source: frame system, parachain system, timestamp, balances, author inherent, randomness: ensure_root and
// ensure_none.
var unsigned = map[string][]string{
	"system":          {"setHeapPages", "setCode", "setCodeWithoutChecks", "setStorage", "killStorage", "killPrefix", "authorizeUpgrade", "authorizeUpgradeWithoutChecks"},
	"parachainSystem": {"setValidationData", "sudoSendUpwardMessage"},
	"timestamp":       {"set"},
	"balances":        {"forceTransfer", "setBalance", "forceSetBalance", "forceUnreserve", "forceAdjustTotalIssuance"},
	"authorInherent":  {"kickOffAuthorshipValidation"},
	"randomness":      {"setBabeRandomnessResults"},
}

// impossibleEnd returns why a call cannot have had its outcome, or "".
func impossibleEnd(x *chain.Extrinsic) string {
	outcome, err := x.Outcome()
	if err != nil {
		return "" // reported by block.outcome
	}
	refused := !outcome.Success && isRefusal(outcome.Error())
	if slices.Contains(unsigned[x.Pallet], x.Call) && !refused {
		return fmt.Sprintf("a signer cannot call %s.%s, but the extrinsic did not fail with BadOrigin", x.Pallet, x.Call)
	}
	if x.Pallet == "system" && !outcome.Success && !refused {
		return fmt.Sprintf("%s.%s cannot fail as the extrinsic did", x.Pallet, x.Call)
	}
	return ""
}

// isRefusal reports whether a dispatch failed with BadOrigin, or with an error of pallet system, whose index
// is 0: its call filter fails with one.
func isRefusal(e chain.DispatchError) bool {
	pallet, known := e.Pallet.Get()
	return strings.EqualFold(e.Name, "badOrigin") || strings.EqualFold(e.Name, "module") && known && pallet == 0
}

// ownEvents lists events that, in a signed extrinsic, only a call of the same pallet emits, directly or when
// dispatched by another call. A successful call listed here emits one of them.
var ownEvents = map[string][]string{
	"proxy":    {"ProxyExecuted"},
	"utility":  {"BatchCompleted", "BatchCompletedWithErrors", "BatchInterrupted", "ItemCompleted", "ItemFailed", "DispatchedAs"},
	"multisig": {"NewMultisig", "MultisigApproval", "MultisigExecuted", "MultisigCancelled"},
	"sudo":     {"Sudid", "SudoAsDone"},
	"evm":      {"Executed", "ExecutedFailed", "Created", "CreatedFailed"},
	"ethereum": {"Executed"},
}

// follow lists the events of which a successful call emits one.
var follow = map[string][]string{
	"proxy.proxy":            {"ProxyExecuted"},
	"utility.batch":          {"BatchCompleted", "BatchInterrupted"},
	"utility.batchAll":       {"BatchCompleted"},
	"utility.forceBatch":     {"BatchCompleted", "BatchCompletedWithErrors"},
	"sudo.sudo":              {"Sudid"},
	"system.remarkWithEvent": {"Remarked"},
}

// impossibleEvents returns why a call cannot have emitted its events, or "".
func impossibleEvents(x *chain.Extrinsic, accounts network.AccountMapping) string {
	call := x.Pallet + "." + x.Call
	followed, transferred := false, false
	from, to, amount, transfers := transferOf(x)
	to = accounts.Of(to)
	claimed := accounts.MayBeClaimed(to) // then the call does not name the account
	for i := range x.Events {
		e := &x.Events[i]
		if (x.Pallet == "system" || x.Pallet == "balances") && slices.Contains(ownEvents[e.Pallet], e.Name) {
			return fmt.Sprintf("%s cannot emit %s.%s", call, e.Pallet, e.Name)
		}
		if call == "system.remark" && e.Is("system", "Remarked") {
			return fmt.Sprintf("%s cannot emit system.Remarked", call)
		}
		followed = followed || e.Pallet == x.Pallet && slices.Contains(follow[call], e.Name)
		transferred = transferred || transfers && e.Is("balances", "Transfer") && isTransfer(e.Data, from, to, claimed, amount)
	}
	outcome, err := x.Outcome()
	switch {
	case err != nil || !outcome.Success:
	case follow[call] != nil && !followed:
		return fmt.Sprintf("%s succeeded without the event %s.%s", call, x.Pallet, strings.Join(follow[call], " or "))
	case transfers && !transferred:
		return fmt.Sprintf("%s succeeded, but no balances.Transfer moved %v wei from %v to %v", call, amount, from, to)
	}
	return ""
}

// transferOf decodes a transfer between two accounts from the call's arguments.
func transferOf(x *chain.Extrinsic) (from, to chain.Address, amount chain.Wei, ok bool) {
	if x.Signed == nil || x.Pallet != "balances" || !slices.Contains([]string{"transfer", "transferAllowDeath", "transferKeepAlive"}, x.Call) {
		return from, to, amount, false
	}
	from, noSigner := x.Signed.Signer.Account()
	to, noDestination := x.Args.At(0).Account()
	amount, noAmount := x.Args.At(1).Wei()
	ok = noSigner == nil && noDestination == nil && noAmount == nil && from != to && !amount.IsZero()
	return from, to, amount, ok
}

// isTransfer reports whether an event moved an amount between two accounts, or to any account if another one has claimed
// the recipient.
func isTransfer(data chain.Values, from, to chain.Address, claimed bool, amount chain.Wei) bool {
	payer, noPayer := data.At(0).Account()
	payee, noPayee := data.At(1).Account()
	moved, noAmount := data.At(2).Wei()
	return noPayer == nil && noPayee == nil && noAmount == nil && payer == from && (payee == to || claimed) && moved == amount
}
