package app

import (
	"context"
	"fmt"
	"io"

	"github.com/feeledger/fees/internal/finance/closing"
)

// varianceFiles explain the difference from the period before.
var varianceFiles = []string{"variance.csv", "variance.json"}

// other returns the month or year before the package's, complete.
func (x *maker) other() (in PeriodInput, p Period, err error) {
	in = x.period
	in.Partial = false
	if in, err = in.Before(); err == nil {
		p, err = in.Parse()
	}
	return in, p, err
}

// findBefore finds the period before in the ledger. If the ledger lacks it, a new package has no variance, and one that is
// made again keeps its own.
func (x *maker) findBefore(ctx context.Context) error {
	o := &x.manifest.Options
	if x.again && o.Variance == nil || len(x.held.Lacks) > 0 {
		return nil
	}
	in, p, err := x.other()
	if as[*InputError](err) { // no period precedes it
		return nil
	}
	if err != nil {
		return err
	}
	held, err := x.Held(ctx, p)
	if as[*NotHeldError](err) {
		x.lacksBefore = x.again
		return nil
	}
	if err != nil {
		return err
	}
	span, some := held.Span.Get()
	if !some {
		return nil
	}
	if !x.again {
		o.Variance = &closing.Variance{Against: in.Month + in.Year, First: span.First, Evidence: held.Evidence}
	}
	if x.heldBefore = held; !held.Evidence.Supports(o.Variance.Evidence) {
		x.lacksBefore = true
		x.unfit = append(x.unfit, fmt.Sprintf("evidence of %s: %v in the package; %v in the ledger", held.Name, o.Variance.Evidence, held.Evidence))
	}
	x.heldBefore.Evidence = o.Variance.Evidence // the ledger's may be better by now
	return nil
}

// makeVariance explains the difference from the period before, in the token: the prices need not cover that period.
func (x *maker) makeVariance(ctx context.Context) error {
	if x.manifest.Options.Variance == nil || x.lacksBefore {
		return nil
	}
	q := VarianceRequest{Request: x.request(x.options.Progress)}
	q.Prices = nil
	if x.inputs.Labels == nil {
		q.Labels = nil
	}
	r, err := x.variance(ctx, x.network, &x.held, &x.heldBefore, &q)
	for i, form := range []string{"csv", "json"} {
		if err == nil {
			err = x.draft.Add(varianceFiles[i], func(w io.Writer) error { return r.Document().Write(w, form, 0) })
		}
	}
	return err
}
