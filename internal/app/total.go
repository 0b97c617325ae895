package app

import (
	"context"
	"encoding/hex"
	"path/filepath"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/reconcile"
)

// StatedTotal is the total of fees in a company's general ledger, compared with what its accounts paid in a period.
type StatedTotal struct {
	Books         chain.SignedWei                 `json:"books"`
	Chain         chain.Optional[chain.Wei]       `json:"chain"`
	Difference    chain.Optional[chain.SignedWei] `json:"difference"` // books minus chain
	Tolerance     chain.Wei                       `json:"tolerance"`
	Transactions  int                             `json:"transactions"`
	Symbol        string                          `json:"symbol"`             // of the token, or the currency
	Postings      *StatedPostings                 `json:"postings,omitempty"` // that the total is the sum of
	InAssets      int                             `json:"fees_in_assets_not_compared,omitempty"`
	Reconciled    chain.Optional[bool]            `json:"reconciled"` // null if the sums agree, but not all fees were compared
	Notes         []string                        `json:"notes"`
	console.Token `json:"-"`
}

// StatedPostings are the postings to accounts in the export of a general ledger.
type StatedPostings struct {
	File     string   `json:"file"`
	SHA256   string   `json:"sha256"`
	Accounts []string `json:"accounts"`
	Count    int      `json:"count"` // in the period
}

// CompareTotal compares a total with what the accounts paid in a period: in the token, or in the currency of the prices
// with the value of each charge. Only the sums are compared. Errors about the total are of type [InputError].
func (d *Ledger) CompareTotal(ctx context.Context, total string, p Period, o reconcile.Options) (*StatedTotal, error) {
	t, o, err := newTotal(FieldTotal, o)
	if err != nil {
		return nil, err
	}
	books, err := reconcile.ParseTotal(total, o.Token())
	if err != nil {
		return nil, notUnderstood("%v %q: %v", FieldTotal, total, err)
	}
	t.Books = books.Signed()
	return t, d.compareTotal(ctx, t, p, o)
}

// ComparePostings compares the postings to accounts in the export of a general ledger, like [Ledger.CompareTotal]. Those
// dated outside the period are not in the total; if the period is one of heights, all are.
func (d *Ledger) ComparePostings(ctx context.Context, in *BooksInput, accounts []string, p Period, o reconcile.Options) (*StatedTotal, error) {
	t, o, err := newTotal(FieldGLAccount, o)
	if err != nil {
		return nil, err
	}
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	isDates := !p.All && !p.Asked.Heights.Known()
	posted, err := reconcile.ReadPostings(ctx, file, accounts, func(at chain.Time) bool { return !isDates || p.Asked.Has(0, chain.Some(at)) }, o)
	if err != nil {
		return nil, notUnderstood("%s: %v.", in.Path, err)
	}
	t.Books = posted.Sum
	t.Postings = &StatedPostings{filepath.Base(in.Path), hex.EncodeToString(posted.SHA256[:]), accounts, posted.Count}
	if posted.Outside > 0 {
		t.Notes = append(t.Notes, console.Counted(posted.Outside, "posting")+console.Verb(posted.Outside, " is", " are")+" dated outside the period, and not in the total.")
	}
	return t, d.compareTotal(ctx, t, p, o)
}

// newTotal returns a total without its figures, and the options in its token or currency.
func newTotal(of Field, o reconcile.Options) (*StatedTotal, reconcile.Options, error) {
	if len(o.Accounts) == 0 {
		return nil, o, notUnderstood("%v compares with what your accounts paid. Name them with %v.", of, FieldAccounts)
	}
	if o.Prices != nil {
		o = o.InCurrency()
	}
	return &StatedTotal{Symbol: o.Symbol, Token: o.Token(), Tolerance: o.Tolerance, Notes: []string{}}, o, nil
}

// compareTotal compares the books of a total.
func (d *Ledger) compareTotal(ctx context.Context, t *StatedTotal, p Period, o reconcile.Options) (err error) {
	if o, err = d.matching(ctx, p, o); err != nil {
		return err
	}
	r, err := d.match(ctx, []reconcile.Record{{Rows: func(func(*reconcile.Row, error) bool) {}, Options: o}})
	if err != nil {
		return err
	}
	defer r.Close()
	t.Chain, t.Transactions, t.InAssets, t.Notes = r.Total.Chain, r.Total.Count, r.InAssets, append(t.Notes, r.PriceNotes()...)
	if r.InAssets > 0 {
		t.Notes = append(t.Notes, r.NotCompared()+".")
	}
	if paid, known := t.Chain.Get(); known {
		apart, err := t.Books.Add(paid.Signed().Negated())
		if err != nil {
			return err
		}
		t.Difference = chain.Some(apart)
		if agrees := apart.Size().Cmp(t.Tolerance) <= 0; !agrees || r.InAssets == 0 {
			t.Reconciled = chain.Some(agrees)
		}
	} else {
		t.Reconciled = chain.Some(false)
	}
	return nil
}
