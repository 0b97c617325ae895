package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/network"
)

// Question is what the questions about a period have in common.
type Question struct {
	Period   Period
	Accounts []chain.Address   // whose; of a report, none is everybody
	Labels   *addressbook.Book // what addresses are called; nil is not known
	Prices   *money.List       // nil for no amounts in a currency
	Progress Progress
}

// heldOf finds what the ledger holds of a period, and its network.
func (d *Desk) heldOf(ctx context.Context, p Period) (held Held, n *network.Network, err error) {
	if held, err = d.Held(ctx, p); err == nil {
		n, err = d.Network(ctx)
	}
	return held, n, err
}
