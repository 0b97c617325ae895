package evm

import (
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/jsonscan"
)

// Executed is what the chain recorded of a transaction's execution, the event
// ethereum.Executed. The payload has none of it.
type Executed struct {
	From chain.Address
	// To is the recipient; for a creation the address of the contract, also
	// where the creation came to nothing.
	To   chain.Address
	Hash chain.Hash // the EVM's own hash of the transaction
	Exit Exit       // zero where the gateway wrote none that can be read
	// Count is how many such events the extrinsic has. The transaction's own is
	// the last; others are of transactions that ran inside it, through XCM.
	Count int
}

// Exit is how the EVM stopped.
type Exit struct {
	State  ExitState
	Reason string // such as "Stopped", "Reverted", "outOfGas" or "invalidCode(254)"
}

// ExitState is the kind of an exit.
type ExitState string

// The four exit states. In each the transaction paid for the gas it used.
const (
	Succeed ExitState = "succeed"
	Revert  ExitState = "revert"
	Error   ExitState = "error"
	Fatal   ExitState = "fatal"
)

// OutOfGas tells whether the gas that was sent along was used up.
func (e Exit) OutOfGas() bool { return e.State == Error && strings.EqualFold(e.Reason, "outOfGas") }

// FindExecuted reads the extrinsic's ethereum.Executed (specification, EVM field
// mapping: sender, recipient, hash and status are data[0] to data[3]).
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
			e.From, err = chain.Read[chain.Address](v)
		case 1:
			e.To, err = chain.Read[chain.Address](v)
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

// readExit reads {"succeed": "Stopped"}, {"error": {"outOfGas": null}} and the
// like. No fee depends on it, so that what it cannot read is no error.
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
