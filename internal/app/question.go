package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/network"
)

// Question contains the fields that all questions about a period share.
type Question struct {
	Period   Period
	Accounts []chain.Address   // in a report, none means all
	Labels   *addressbook.Book // labels of addresses; may be nil
	Prices   *money.List       // nil for no amounts in a currency
	Progress Progress
}

// heldOf returns what the ledger contains of a period, and its network.
func (d *Desk) heldOf(ctx context.Context, p Period) (held Held, n *network.Network, err error) {
	if held, err = d.Held(ctx, p); err == nil {
		n, err = d.Network(ctx)
	}
	return held, n, err
}
