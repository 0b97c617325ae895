package app

import (
	"context"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/reconcile"
)

// StatedTotal is the total of fees in a company's general ledger, compared with what its accounts paid in a period.
type StatedTotal struct {
	Books         chain.Wei                       `json:"books"`
	Chain         chain.Optional[chain.Wei]       `json:"chain"`
	Difference    chain.Optional[chain.SignedWei] `json:"difference"` // books minus chain
	Tolerance     chain.Wei                       `json:"tolerance"`
	Transactions  int                             `json:"transactions"`
	Symbol        string                          `json:"symbol"` // of the token, or the currency
	Reconciled    bool                            `json:"reconciled"`
	Notes         []string                        `json:"notes"`
	console.Token `json:"-"`
}

// CompareTotal compares a total with what the accounts paid in a period: in the token, or in the currency of the prices
// with the value of each charge. Only the sums are compared. Errors about the total are of type [InputError].
func (d *Ledger) CompareTotal(ctx context.Context, total string, p Period, o reconcile.Options) (*StatedTotal, error) {
	if len(o.Accounts) == 0 {
		return nil, notUnderstood("%v compares with what your accounts paid. Name them with %v.", FieldTotal, FieldAccounts)
	}
	if o.Prices != nil {
		o = o.InCurrency()
	}
	t := &StatedTotal{Symbol: o.Symbol, Token: o.Token(), Tolerance: o.Tolerance}
	var err error
	if t.Books, err = reconcile.ParseTotal(total, o.Token()); err != nil {
		return nil, notUnderstood("%v %q: %v", FieldTotal, total, err)
	}
	if o, err = d.matching(ctx, p, o); err != nil {
		return nil, err
	}
	r, err := d.match(ctx, []reconcile.Record{{Rows: func(func(*reconcile.Row, error) bool) {}, Options: o}})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t.Chain, t.Transactions, t.Notes = r.Total.Chain, r.Total.Count, r.PriceNotes()
	if paid, known := t.Chain.Get(); known {
		apart := t.Books.Difference(paid)
		t.Difference = chain.Some(apart)
		t.Reconciled = apart.Size().Cmp(t.Tolerance) <= 0
	}
	return t, nil
}
