package journal

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// before returns the payments of the accounts in the ledger's blocks before the period.
func (p *Payments) before() *Payments {
	earlier := &Payments{book: p.book, accounts: p.accounts, asked: p.asked}
	if span, ok := p.span.Get(); ok && span.First > 0 {
		span = chain.Heights{Last: span.First - 1}
		earlier.period, earlier.span = ledger.Period{Heights: chain.Some(span)}, chain.Some(span)
	}
	return earlier
}

// feesBefore returns the accounts used by the entries of fees before the period. Fees without an entry are
// skipped: no journal contains them.
func feesBefore(ctx context.Context, payments *Payments, style Style) (map[Account]bool, error) {
	found, assets := map[Account]bool{}, map[chain.Address]Account{}
	for _, a := range payments.accounts {
		assets[a] = style.names().Asset(a)
	}
	for part, err := range payments.before().parts(ctx, false) {
		if err != nil {
			return nil, err
		}
		for _, p := range part.payments {
			if !p.Paid.Known() || !p.Payer.Known() {
				continue
			}
			if e, err := feeEntry(ctx, p, assets, &style); err == nil {
				e.uses(found)
			}
		}
	}
	return found, nil
}

// before returns the accounts used by the entries of movements before the period, likewise.
func (c *composer) before(ctx context.Context, payments *Payments) (map[Account]bool, error) {
	found := map[Account]bool{}
	for part, err := range payments.before().parts(ctx, true) {
		if err != nil {
			return nil, err
		}
		for group, paid := range part.groups() {
			e := &entry{}
			if err := c.post(ctx, e, group, paid); err == nil {
				e.uses(found)
			}
		}
	}
	return found, nil
}

// uses adds the accounts of an entry.
func (e *entry) uses(accounts map[Account]bool) {
	for _, p := range e.postings {
		accounts[p.account] = true
	}
}
