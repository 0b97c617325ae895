package evm

import (
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
)

// Executed is the chain's record of a transaction's execution: the event ethereum.Executed. The payload
// contains none of it.
type Executed struct {
	From chain.Address
	// To is the recipient; for a creation, the address of the contract, even if the creation failed.
	To   chain.Address
	Hash chain.Hash // the transaction's hash in the EVM
	Exit chain.Exit // zero if the gateway wrote none that can be parsed
	// Count is the number of such events in the extrinsic. The transaction's own is the last; the others belong to
	// transactions that ran inside it, through XCM.
	Count int
}

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

func readExecuted(data chain.Values) (e Executed, err error) {
	if e.From, err = address(data, 0); err != nil {
		return Executed{}, err
	}
	if e.To, err = address(data, 1); err != nil {
		return Executed{}, err
	}
	if e.Hash, err = data.At(2).Hash(); err != nil {
		return Executed{}, fmt.Errorf("data[2]: %w", err)
	}
	if e.Exit, err = data.At(3).Exit(); err != nil {
		return Executed{}, fmt.Errorf("data[3]: %w", err)
	}
	return e, nil
}

// address returns an address of 20 bytes. Chains with native accounts of 32 bytes have it on the EVM too.
func address(data chain.Values, i int) (chain.Address, error) {
	a, err := data.At(i).Account()
	if err == nil && a.Size() != chain.AddressSize {
		_, err = a.EVM()
	}
	if err != nil {
		return chain.Address{}, fmt.Errorf("data[%d]: %w", i, err)
	}
	return a, nil
}

// Refused reports whether the runtime refused a failed transaction before it ran, as a pallet that forbids deployments does.
// The failure undoes everything that the extrinsic did, so nothing is charged and the nonce is not raised. Only runtimes with
// the event balances.Withdraw show that nothing was charged.
func Refused(x *chain.Extrinsic) bool {
	return !slices.ContainsFunc(x.Events, func(e chain.Event) bool {
		return e.Is("ethereum", "Executed") || e.Is("balances", "Withdraw")
	})
}
