package network

import (
	"errors"

	"github.com/feeledger/fees/chain"
)

// ExistentialDepositRow is the least that an account can have, from its runtime until the
// next row's. An account with less is removed, and what it had is lost: the event
// balances.DustLost says how much. Nothing is ever lost where it is 0. An Unknown row says
// that the sources do not tell.
type ExistentialDepositRow struct {
	FromRuntime uint32     `json:"from_runtime"`
	Unknown     bool       `json:"unknown,omitempty"`
	Deposit     *chain.Wei `json:"deposit,omitempty"` // nil where it is unknown
	Source      string     `json:"source"`
	Note        string     `json:"note,omitempty"`
}

func (r ExistentialDepositRow) head() rowHead { return rowHead{r.FromRuntime, r.Unknown, r.Source} }

func (r ExistentialDepositRow) check() error {
	switch {
	case r.Unknown:
		return empty(r.Deposit)
	case r.Deposit == nil:
		return errors.New("deposit: none; want wei, 0 where nothing is ever lost")
	}
	return nil
}
