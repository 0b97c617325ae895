package evidence

import (
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/network"
)

// GasSpent is the gas that a native transaction of pallet evm spent from another account than the one that pays its fee.
// It is part of neither the fee nor of any total.
type GasSpent struct {
	Source  chain.Address `json:"source"`  // of the EVM, as named by the call
	Account chain.Address `json:"account"` // the source's native account, which paid
	Amount  chain.Wei     `json:"amount"`  // withdrawn from it, less what was refunded
}

// evmCalls are the calls of pallet evm that run with the gas of their argument source.
var evmCalls = []string{"call", "create", "create2"}

// gasSpent returns the gas that a transaction spent from another account than its payer's. It is unknown if there is
// none, and if a figure cannot be decoded, which block.outcome and the checks of cash report.
func gasSpent(x *chain.Extrinsic, t *fee.Transaction, accounts network.AccountMapping) (none chain.Optional[GasSpent]) {
	if x.Pallet != "evm" || !slices.Contains(evmCalls, x.Call) {
		return none
	}
	source, err := x.Args.At(0).Account()
	payer, paid := t.Payer.Get()
	if err != nil || !paid || accounts.Of(source) == payer {
		return none
	}
	s := GasSpent{Source: source, Account: accounts.Of(source)}
	found := !accounts.MayBeClaimed(source)
	for i := range x.Events {
		e := &x.Events[i]
		withdrawn := e.Is("balances", "Withdraw")
		if !withdrawn && !e.Is("balances", "Deposit") {
			continue
		}
		account, err := e.Data.At(0).Account()
		if err != nil {
			return none
		}
		if !found && withdrawn && account != payer { // the account that claimed the source
			s.Account, found = account, true
		}
		if account != s.Account {
			continue
		}
		amount, err := e.Data.At(1).Wei()
		if err == nil && withdrawn {
			s.Amount, err = s.Amount.Add(amount)
		} else if err == nil {
			s.Amount, err = s.Amount.Sub(amount)
		}
		if err != nil {
			return none
		}
	}
	if s.Amount.IsZero() {
		return none
	}
	return chain.Some(s)
}
