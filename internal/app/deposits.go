package app

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/deposits"
	"github.com/feeledger/fees/internal/sys/jsontext"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/network/rule"
)

// DepositsRequest requests the deposits that are open at the end of a period, or those that were taken and given back in it.
type DepositsRequest struct {
	Request      // of accounts that hold deposits, paid them, or got them back; none means all
	Changes bool // list what was taken and given back
}

// holdsDeposits reports whether Ethereum transactions of a network pay deposits, which others hold.
func holdsDeposits(n *network.Network) bool {
	return slices.ContainsFunc(n.Rows, func(row rule.PriceRow) bool { return row.EVM == rule.Revive })
}

// withDeposits returns the ledger with the deposits that passed from or to accounts, and what was open before and after a span.
// It reads them unless kept has them already, and keeps them there.
func (d *Ledger) withDeposits(ctx context.Context, n *network.Network, kept *deposits.Book, accounts []chain.Address, span chain.Heights) (*deposits.Book, error) {
	if kept == nil {
		kept = &deposits.Book{}
	}
	if kept.Book == nil && !holdsDeposits(n) {
		kept.Book = d.Book
	}
	if kept.Book != nil {
		return kept, nil
	}
	book, err := deposits.Read(ctx, d.Book, accounts, span)
	if err != nil {
		return nil, d.wrapErr(err)
	}
	*kept = *book
	return kept, nil
}

// maxChanges limits the changes of deposits that are listed.
const maxChanges = 1_000_000

// Deposits returns the open deposits, or their changes, in all formats.
func (d *Ledger) Deposits(ctx context.Context, q DepositsRequest) (*table.Document, error) {
	held, n, err := d.heldOf(ctx, q.Period)
	if err != nil {
		return nil, err
	}
	span, err := d.span(&held)
	if err != nil {
		return nil, err
	}
	token := console.Token(n.Token())
	_, accounts, err := d.resolve(ctx, token, &q.Request)
	if err != nil {
		return nil, err
	}
	first, _, err := d.Book.Extent(ctx)
	if err != nil {
		return nil, d.wrapErr(err)
	}
	blocks := chain.Heights{First: first, Last: span.Last}
	all, err := deposits.Of(d.Book.Contents(ctx, blocks), accounts)
	if err != nil {
		return nil, d.wrapErr(err)
	}
	wanted := map[chain.Address]bool{}
	for _, a := range accounts {
		wanted[a] = true
	}
	has := func(holder chain.Address, others ...chain.Optional[chain.Address]) bool {
		if len(wanted) == 0 || wanted[holder] {
			return true
		}
		for _, other := range others {
			if a, known := other.Get(); known && wanted[a] {
				return true
			}
		}
		return false
	}
	var changes []deposits.Change
	var unmatched struct {
		count uint64
		sum   chain.SignedWei
	}
	all.Each = func(c *deposits.Change) error {
		if !has(c.Holder, c.Payer, c.To) {
			return nil
		}
		if !c.Taken.Known() {
			unmatched.count++
			if unmatched.sum, err = unmatched.sum.Add(c.Amount); err != nil {
				return err
			}
		}
		if !q.Changes || !held.Asked.Has(c.At.Height, c.At.Time) {
			return nil
		}
		if len(changes) == maxChanges {
			return notUnderstood("more than %d deposits changed. Choose a shorter period, or accounts.", maxChanges)
		}
		changes = append(changes, *c)
		return nil
	}
	for c, err := range d.Book.Contents(ctx, blocks) {
		if err == nil {
			err = all.Add(c)
		}
		if err != nil {
			return nil, d.wrapErr(err)
		}
		q.Progress.show(c.Height-first, blocks.Blocks())
	}
	q.Progress.end()
	y := deposits.Style{Token: token, Labels: q.Labels, Notes: held.Notes()}
	if first > 0 {
		y.Notes = append(y.Notes, fmt.Sprintf("the ledger begins at block %d: deposits that were taken before it are not known, and not listed", first))
	}
	if unmatched.count > 0 {
		y.Notes = append(y.Notes, fmt.Sprintf("%s of %s %s", console.Counted(unmatched.count, "deposit"), token.Amount(unmatched.sum.Size()), console.Verb(unmatched.count,
			"was given back, and the ledger does not contain the transaction that took it", "were given back, and the ledger does not contain the transactions that took them")))
	}
	if all.Unstated > 0 {
		y.Notes = append(y.Notes, fmt.Sprintf("the events of %s do not state what is held: compare with the balances (fees statement)", console.Counted(all.Unstated, "movement")))
	}
	y.Notes = append(y.Notes, "evidence: "+held.Evidence.String())
	var list *table.Sheet
	if q.Changes {
		y.Title = fmt.Sprintf("Deposits taken and given back, %s, %s", n.Name, console.PeriodName(held.Name))
		list = y.Changes(changes)
	} else {
		y.Title = fmt.Sprintf("Open deposits, %s, after block %d", n.Name, span.Last)
		var open []deposits.Deposit
		for _, x := range all.Open() {
			if has(x.Holder, x.Payer) {
				open = append(open, x)
			}
		}
		list = y.Open(open)
	}
	return &table.Document{List: list, JSON: func(w io.Writer) error {
		out := jsontext.NewStream(w, false)
		out.Members(depositsHead{n.Name, token.Symbol, span.Last, append([]string{}, y.Notes...)})
		out.List(list.Name, table.JSONRows(list))
		return out.Close()
	}}, nil
}

// depositsHead is the JSON before the list.
type depositsHead struct {
	Network string   `json:"network"`
	Symbol  string   `json:"symbol"`
	Block   uint64   `json:"block"` // after which they are open
	Notes   []string `json:"notes"`
}
