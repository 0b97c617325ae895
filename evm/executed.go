package evm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Executed is the chain's record of a transaction's execution: the event ethereum.Executed. The payload
// contains none of it.
type Executed struct {
	From chain.Address
	// To is the recipient; for a creation, the address of the contract, even if the creation failed.
	To   chain.Address
	Hash chain.Hash // the transaction's hash in the EVM
	Exit Exit       // zero if the gateway wrote none that can be parsed
	// Count is the number of such events in the extrinsic. The transaction's own is the last; the others belong to
	// transactions that ran inside it, through XCM.
	Count int
}

// Exit is the reason why the EVM stopped.
type Exit struct {
	State  ExitState
	Reason string // such as "Stopped", "Reverted", "outOfGas" or "invalidCode(254)"
}

// ExitState is the kind of an exit.
type ExitState string

// The four exit states. In every state the transaction paid for the gas it used.
const (
	Succeed ExitState = "succeed"
	Revert  ExitState = "revert"
	Error   ExitState = "error"
	Fatal   ExitState = "fatal"
)

// OutOfGas reports whether the transaction used up its gas limit.
func (e Exit) OutOfGas() bool { return e.State == Error && strings.EqualFold(e.Reason, "outOfGas") }

// FindExecuted decodes the extrinsic's ethereum.Executed (specification, EVM field mapping: sender, recipient,
// hash and status are data[0] to data[3]).
func FindExecuted(x *chain.Extrinsic) (Executed, error) {
	var last *chain.Event
	count := 0
	for i := range x.Events {
		if e := &x.Events[i]; e.Is("ethereum", "Executed") {
			last = e
			count++
		}
	}
	if last == nil {
		return Executed{}, fmt.Errorf("event ethereum.Executed: %w", chain.ErrMissing)
	}
	executed, err := readExecuted(last.Data)
	if err != nil {
		return Executed{}, fmt.Errorf("event ethereum.Executed: %w", err)
	}
	executed.Count = count
	return executed, nil
}

func readExecuted(data chain.Value) (e Executed, err error) {
	i := 0
	for v := range data.Elements() {
		switch i {
		case 0:
			e.From, err = readAddress(v)
		case 1:
			e.To, err = readAddress(v)
		case 2:
			e.Hash, err = chain.Read[chain.Hash](v)
		case 3:
			e.Exit = readExit(v)
		}
		if err != nil {
			return Executed{}, fmt.Errorf("data[%d]: %w", i, err)
		}
		i++
	}
	if i < 4 {
		return Executed{}, fmt.Errorf("data[%d]: %w", i, chain.ErrMissing)
	}
	return e, nil
}

// readExit decodes {"succeed": "Stopped"}, {"error": {"outOfGas": null}} and similar values. No fee depends on
// it, so an unknown form is not an error.
func readExit(v chain.Value) Exit {
	name, reason, _ := v.Only()
	state := ExitState(name)
	switch state {
	case Succeed, Revert, Error, Fatal:
	default:
		return Exit{}
	}
	if text, ok := reason.Text(); ok {
		return Exit{state, text}
	}
	variant, detail, ok := reason.Only()
	if !ok {
		return Exit{}
	}
	switch text, isText := detail.Text(); {
	case isText:
		variant += "(" + text + ")"
	case detail.Kind() != jsonscan.Null:
		variant += "(" + jsonscan.Excerpt(detail.Raw()) + ")"
	}
	return Exit{state, variant}
}

// Refused reports whether the runtime refused a failed transaction before it ran, as a pallet that forbids deployments does.
// The failure undoes everything that the extrinsic did, so nothing is charged and the nonce is not raised. Only runtimes with
// the event balances.Withdraw show that nothing was charged.
func Refused(x *chain.Extrinsic) bool {
	return !slices.ContainsFunc(x.Events, func(e chain.Event) bool {
		return e.Is("ethereum", "Executed") || e.Is("balances", "Withdraw")
	})
}
