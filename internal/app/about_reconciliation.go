package app

import (
	"context"
	"fmt"
	"slices"

	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/reconcile"
)

// AboutReconciliation states how a comparison of a company's record with the ledger was made.
func (d *Ledger) AboutReconciliation(ctx context.Context, r *reconcile.Result, p Period, request AboutRequest) (*closing.About, error) {
	h, err := d.Held(ctx, p)
	if err != nil {
		return nil, err
	}
	a, err := d.about(ctx, &h, &Request{Accounts: r.Options.Accounts}, request)
	if err != nil {
		return nil, err
	}
	a.Title, a.Notes = "reconciliation of "+r.Name()+": "+r.Headline(), r.Notes
	for _, f := range slices.Backward(r.Files) {
		a.Inputs = append([]closing.Input{{Name: "record", Path: f.Name, SHA256: f.SHA256.String()}}, a.Inputs...)
	}
	if len(r.Options.Accounts) == 0 {
		a.Filters = append(a.Filters, "only the rows of the record: fees missing from it were not looked for")
	}
	for _, s := range append(r.Sums[:len(r.Sums):len(r.Sums)], r.Total) {
		a.Totals.Add("rows: "+string(s.Outcome), fmt.Sprint(s.Count))
	}
	a.Totals.Add("control total: record", fmt.Sprintf("%v %s", r.Total.Books, r.Options.Token().Unit()))
	addWei(&a.Totals, "control total: chain", r.Total.Chain, r.Options.Token())
	return a, nil
}
