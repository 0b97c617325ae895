package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/source"
)

// Reconcile compares a company's record with the ledger: a file, or several, such as one for each wallet.
func (d *Ledger) Reconcile(ctx context.Context, files []reconcile.NamedFile, p Period, o reconcile.Options) (*reconcile.Result, error) {
	o, err := d.matching(ctx, p, o)
	if err != nil {
		return nil, err
	}
	var withdrawn []reconcile.Acceptance
	if slices.ContainsFunc(o.Accepted, func(a reconcile.Acceptance) bool { return a.Act > 0 }) {
		trail, err := d.Book.Trail(ctx)
		if err != nil {
			return nil, d.wrapErr(err)
		}
		o.Accepted, withdrawn = standing(trail, o.Accepted)
	}
	var records []reconcile.Record
	for _, f := range files {
		if read := f.Matching(o); !read.Values && read.Token().Places() != o.Token().Places() {
			return nil, fmt.Errorf("internal error: the record was read with %d decimals, but %s has %d", read.Token().Places(), o.Symbol, o.Token().Places())
		}
		records = append(records, reconcile.Record{Name: f.Name, Rows: f.Rows.All(), Options: f.Matching(o)})
	}
	if len(records) == 1 {
		records[0].Name = ""
	}
	result, err := d.match(ctx, records)
	if err != nil {
		return nil, err
	}
	result.Files, result.Unfit = files, append(result.Unfit, withdrawn...)
	deposits, err := d.HoldsDeposits(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		notes := f.Notes
		if f.Profile != nil && f.Profile.Receipts && deposits {
			notes = append(slices.Clone(notes), depositsInReceipts)
		}
		for _, note := range notes {
			if len(files) > 1 {
				note = f.Name + ": " + note
			}
			result.Notes = append(result.Notes, note)
		}
	}
	return result, nil
}

// depositsInReceipts explains why the fees of an explorer differ from the chain's.
const depositsInReceipts = "The fees of this file are from Ethereum receipts. On this network, a receipt adds the storage deposits that the transaction paid, which are not a fee, " +
	"and subtracts those that it got back. For calls of the runtime's pallets it shows 0."

// HoldsDeposits reports whether Ethereum transactions of the network pay deposits, which their receipts contain.
func (d *Ledger) HoldsDeposits(ctx context.Context) (bool, error) {
	id, err := d.Book.Identity(ctx)
	n, known := d.Tables.Named(id.Network)
	return known && holdsDeposits(n), d.wrapErr(err)
}

// match compares records with the ledger.
func (d *Ledger) match(ctx context.Context, records []reconcile.Record) (*reconcile.Result, error) {
	result, err := reconcile.MatchAll(ctx, d.Book, records)
	if err != nil && !errors.Is(err, chain.ErrOverflow) && !as[*money.MissingError](err) {
		err = d.wrapErr(err)
	}
	return result, err
}

// matching returns the options of a comparison with the ledger in a period.
func (d *Ledger) matching(ctx context.Context, p Period, o reconcile.Options) (_ reconcile.Options, err error) {
	o.Partial = p.Partial
	token, err := d.Token(ctx)
	if err == nil {
		o.Accounts, err = d.natives(ctx, o.Accounts)
	}
	if err == nil {
		o.Prices, err = pricesOf(token, o.Prices)
	}
	if err == nil && !p.All {
		o.Period = chain.Some(p.Asked)
		_, err = d.Held(ctx, p)
	}
	return o, err
}

// CheckPeriod returns an [InputError] if a record is of another period: it has rows, but none of them names a transaction
// of the compared blocks or is dated in the period.
func CheckPeriod(r *reconcile.Result, p Period) error {
	span, _ := r.Span.Get()
	outside := 0
	for i, err := range r.Items() {
		if err != nil {
			return err
		}
		if i.Row == nil {
			continue
		}
		t, named := i.Transaction.Get()
		switch {
		case named && t.Place.Height >= span.First && t.Place.Height <= span.Last, !named && p.Asked.Has(0, i.Row.Date):
			return nil
		case named || i.Outcome != reconcile.LeftOut || i.Row.Date.Known():
			outside++
		}
	}
	if outside == 0 {
		return nil
	}
	return notUnderstood("%s is not of %s: none of its rows names a transaction of that period or is dated in it. Choose the record's own period, or give the record of %[2]s.", r.Name(), p.Name)
}

// TokenOf returns a source's token in the first block of a period of heights.
func TokenOf(ctx context.Context, reader *source.Reader, p Period) (token console.Token, err error) {
	span, err := p.heightsAlone()
	if err != nil {
		return token, err
	}
	item, err := reader.Read(ctx, source.Height(span.First))
	return console.Token(item.Rules.Token), err
}
