package rule

import (
	"errors"

	"github.com/feeledger/fees/chain"
)

// ExistentialDepositRow is the minimum balance of an account, from its runtime to the next row. An account
// below it is removed, and its balance is lost: the event balances.DustLost reports the amount. If the deposit
// is 0, nothing is ever lost. An Unknown row means that the sources do not state it.
type ExistentialDepositRow struct {
	FromRuntime uint32     `json:"from_runtime"`
	Unknown     bool       `json:"unknown,omitempty"`
	Deposit     *chain.Wei `json:"deposit,omitempty"` // nil if unknown
	Source      string     `json:"source"`
	Note        string     `json:"note,omitempty"`
}

func (r ExistentialDepositRow) head() rowHead { return rowHead{r.FromRuntime, r.Unknown, r.Source} }

func (r ExistentialDepositRow) check() error {
	switch {
	case r.Unknown:
		return empty(r.Deposit)
	case r.Deposit == nil:
		return errors.New("deposit: missing; want an amount in wei, 0 if dust is never lost")
	}
	return nil
}
