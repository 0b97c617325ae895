package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/feeledger/fees/internal/console"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
)

// What a package may drop of the one before.
const (
	DropAcceptances = "acceptances" // those that fit no longer, or are left out
	DropRecord      = "record"      // of fees, with its accepted differences
)

// keptRecord is what a package keeps of the one before.
type keptRecord struct {
	name     string                 // of the record; "" if the request names its own
	journals []string               // their formats; none if the request names its own
	accepted []reconcile.Acceptance // which count
}

// keepRecord gives a request the company's name, the journals for accounting systems and the record of fees of the package
// before, unless it names its own or drops the record, and the accepted differences, unless it lists its own.
func (d *Ledger) keepRecord(ctx context.Context, q *PackageRequest) (kept keptRecord, err error) {
	if err := OneOf(FieldDrop, q.Drop, "", DropAcceptances, DropRecord); err != nil {
		return kept, err
	}
	dir := cmp.Or(q.Before, q.Dir)
	if err := closing.Mend(dir); err != nil {
		return kept, err
	}
	before, err := closing.Open(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, closing.ErrNone) { // making the package reports the latter
		return kept, nil
	}
	if err != nil {
		return kept, err
	}
	if before.Manifest.Period.Name() != q.Month+q.Year {
		return kept, nil
	}
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	q.Company = cmp.Or(q.Company, before.Manifest.Options.Company)
	kept.journals = q.keepJournals(before.Manifest, in)
	record := before.Manifest.Options.Reconciliation
	if record == nil || q.Drop == DropRecord && q.Books.Path == "" {
		record = nil
	}
	if record == nil && kept.journals == nil {
		return kept, nil
	}
	if _, err := closing.Prepare(dir); err != nil || record == nil { // its files are unaltered
		return kept, err
	}
	accepted, err := (&PackageCheck{Package: before}).readAccepted()
	if err != nil {
		return kept, err
	}
	trail, err := d.Book.Trail(ctx)
	if err != nil {
		return kept, d.wrapErr(err)
	}
	kept.accepted, _ = standing(trail, accepted)
	if q.Books.Path == "" {
		kept.name = record.Names()
		var list []BooksInput
		for _, r := range record.Records() {
			list = append(list, BooksInput{Path: in(r.Input), Name: r.Name, Reading: r.Reading})
		}
		q.Books = list[0]
		q.Books.More = list[1:]
	}
	if len(q.Books.Accepted) == 0 || q.Books.SomeAccepted {
		q.Books.Accepted, q.Books.SomeAccepted = withEarlier(q.Books.Accepted, kept.accepted), true
	}
	return kept, nil
}

// withEarlier returns acceptances with those of an earlier package added. An act whose differences are accepted again in part
// is left out: it holds as a whole or not at all.
func withEarlier(list, earlier []reconcile.Acceptance) []reconcile.Acceptance {
	again, broken := map[ledger.Digest]bool{}, map[uint64]bool{}
	for _, a := range list {
		again[a.Difference] = true
	}
	for _, a := range earlier {
		broken[a.Act] = broken[a.Act] || a.Act > 0 && again[a.Difference]
	}
	all := slices.Clone(list)
	for _, a := range earlier {
		if !again[a.Difference] && !broken[a.Act] {
			all = append(all, a)
		}
	}
	return all
}

// checkDropped returns an [InputError] if a comparison accepts less than the package before, and the request does not say so.
func (x *maker) checkDropped(r *reconcile.Result) error {
	if x.again || x.drop == DropAcceptances {
		return nil
	}
	var lines []string
	for _, a := range x.had {
		if !r.Accepts(a.Difference) {
			lines = append(lines, fmt.Sprint(a.Line))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	n, shown := len(lines), lines[:min(len(lines), 5)]
	if n > len(shown) {
		shown = append(slices.Clone(shown), fmt.Sprintf("%d more", n-len(shown)))
	}
	return notUnderstood("The package before accepts %s that this one does not (its %s, lines %s): the record or the ledger changed, or they are not listed. Accept them again, or leave them out with %v %s.",
		console.Counted(n, "difference"), AcceptedFile, strings.Join(shown, ", "), FieldDrop, DropAcceptances)
}
