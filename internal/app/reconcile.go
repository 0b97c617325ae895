package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/money"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/source"
)

// Reconcile compares a company's record with the ledger. Name is the name of the record's file.
func (d *Ledger) Reconcile(ctx context.Context, file *reconcile.File, name string, p Period, o reconcile.Options) (*reconcile.Result, error) {
	result, err := d.match(ctx, file.Rows.All(), p, file.Matching(o))
	if err != nil {
		return nil, err
	}
	result.File, result.Name = file, name
	result.Notes = append(result.Notes, file.Notes...)
	return result, nil
}

// match compares rows with the ledger.
func (d *Ledger) match(ctx context.Context, rows iter.Seq2[*reconcile.Row, error], p Period, o reconcile.Options) (*reconcile.Result, error) {
	o.Partial = p.Partial
	token, err := d.Token(ctx)
	if err != nil {
		return nil, err
	}
	if read := o.Token(); !o.Values && read.Places() != token.Places() {
		return nil, fmt.Errorf("internal error: the record was read with %d decimals, but %s has %d", read.Places(), token.Symbol, token.Places())
	}
	if o.Accounts, err = d.natives(ctx, o.Accounts); err != nil {
		return nil, err
	}
	if o.Prices, err = pricesOf(token, o.Prices); err != nil {
		return nil, err
	}
	if !p.All {
		if _, err := d.Held(ctx, p); err != nil {
			return nil, err
		}
		o.Period = chain.Some(p.Asked)
	}
	result, err := reconcile.Match(ctx, d.Book, rows, o)
	if err != nil && !errors.Is(err, chain.ErrOverflow) && !as[*money.MissingError](err) {
		err = d.wrapErr(err)
	}
	return result, err
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
	return notUnderstood("%s is not of %s: none of its rows names a transaction of that period or is dated in it. Choose the record's own period, or give the record of %[2]s.", r.Name, p.Name)
}

// WriteReconciliation writes a comparison as json, csv, xlsx or, for any other form, text: the
// mismatches, or all rows.
func WriteReconciliation(w io.Writer, r *reconcile.Result, form string, all bool, width int) error {
	switch form {
	case "json":
		return r.WriteJSON(w, all)
	case "csv":
		return table.WriteCSV(w, r.Details(all))
	case "xlsx":
		return table.WriteXLSX(w, r.Sheets(all)...)
	}
	return r.WriteTable(w, all, width)
}

// TokenOf returns a source's token in the first block of a period of heights.
func TokenOf(ctx context.Context, reader *source.Reader, p Period) (token console.Token, err error) {
	span, err := p.heightsAlone()
	if err != nil {
		return token, err
	}
	item, err := reader.Read(ctx, source.Height(span.First))
	return console.TokenOf(&item.Rules), err
}
