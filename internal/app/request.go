package app

import (
	"context"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/addressbook"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/network"
)

// resolve checks the prices and labels of a request against the ledger's token, and returns the prices and the accounts as
// the ledger has them.
func (d *Ledger) resolve(ctx context.Context, token console.Token, q *Request) (prices *money.List, accounts []chain.Address, err error) {
	if prices, err = pricesOf(token, q.Prices); err != nil {
		return nil, nil, err
	}
	if err := checkChain(q.Labels, token); err != nil {
		return nil, nil, err
	}
	accounts, err = d.natives(ctx, q.Accounts)
	return prices, accounts, err
}

// Request contains the fields that all requests about a period share.
type Request struct {
	Period   Period
	Accounts []chain.Address   // in a report, none means all
	Labels   *addressbook.Book // labels of addresses; may be nil
	Prices   *money.List       // nil for no amounts in a currency
	Progress Progress

	deposits *deposits.Book // what one request about deposits has read, for others of the same accounts and blocks; nil for one request
}

// natives returns the ledger's accounts that a person named: where accounts have 32 bytes, an EVM address means the one
// that pays for it. Each is returned once.
func (d *Ledger) natives(ctx context.Context, accounts []chain.Address) (list []chain.Address, err error) {
	mapping, check, err := d.accountForm(ctx)
	if err != nil {
		return nil, err
	}
	list = mapped(mapping, accounts)
	for _, account := range list {
		if err := check(account); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// accountForm returns how an address becomes an account of the ledger, and a check that the ledger can have an account.
func (d *Ledger) accountForm(ctx context.Context) (mapping network.AccountMapping, check func(chain.Address) error, err error) {
	id, err := d.Book.Identity(ctx)
	if err != nil {
		return mapping, nil, d.wrapErr(err)
	}
	n, known := d.Tables.Named(id.Network)
	if !known {
		return mapping, func(account chain.Address) error { return d.checkSize(ctx, id.Network, account) }, nil
	}
	mapping = n.AccountMapping
	return mapping, func(account chain.Address) error {
		if wrong := mapping.CheckSize(account, id.Network); wrong != nil {
			return notUnderstood("%v", wrong)
		}
		return nil
	}, nil
}

// mapped returns native accounts: where they have 32 bytes, those that pay for EVM addresses. Each is returned once.
func mapped(mapping network.AccountMapping, accounts []chain.Address) (list []chain.Address) {
	seen := map[chain.Address]bool{}
	for _, a := range accounts {
		if account := mapping.Of(a); !seen[account] {
			seen[account] = true
			list = append(list, account)
		}
	}
	return list
}

// NativesOf returns the accounts of the chain of a user's network file, as a ledger has them: where they have 32 bytes,
// those that pay for EVM addresses. It returns an error for an EVM address if the file's chains differ. Tables without a
// file change nothing.
func NativesOf(tables network.Tables, accounts []chain.Address) ([]chain.Address, error) {
	var own []network.AccountMapping
	for _, n := range tables.All() {
		if n.File != "" && !slices.Contains(own, n.AccountMapping) {
			own = append(own, n.AccountMapping)
		}
	}
	switch {
	case len(own) == 0 || len(accounts) == 0:
		return accounts, nil
	case len(own) == 1:
		return mapped(own[0], accounts), nil
	}
	if i := slices.IndexFunc(accounts, func(a chain.Address) bool { return a.Size() == chain.AddressSize }); i >= 0 {
		return nil, notUnderstood("%v %v: the chains in %v have accounts of different sizes. Name a file of one chain", FieldAccounts, accounts[i], FieldNetworkFile)
	}
	return accounts, nil
}

// checkSize checks that a ledger without a table can have an account: its transactions tell the size.
func (d *Ledger) checkSize(ctx context.Context, network string, account chain.Address) error {
	have := account.Size()
	want, err := d.Book.AccountSize(ctx)
	if err != nil || want == 0 || have == want {
		return d.wrapErr(err)
	}
	return notUnderstood("%v has %d bytes, and accounts of %s have %d. Name the network's table with %v, which says how one becomes the other", account, have, network, want, FieldNetworkFile)
}

// heldOf returns what the ledger contains of a period, and its network.
func (d *Ledger) heldOf(ctx context.Context, p Period) (held Held, n *network.Network, err error) {
	if held, err = d.Held(ctx, p); err == nil {
		n, err = d.Network(ctx)
	}
	return held, n, err
}
