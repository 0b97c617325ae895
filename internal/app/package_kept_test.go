package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/network"
)

// A package that is made again keeps its record and its accepted differences, without naming them too. What would be lost
// is stated, and no package is made, unless the request drops it.
func TestPackageKeepsItsRecord(t *testing.T) {
	d := opened(t, copied(t))
	q, list := differing(t, d)
	record := q.Books
	q.Books.Accepted = acceptances(nil, list...)
	first := packed(t, d, q)
	require.Empty(t, first.Record)

	again := q
	again.Books = app.BooksInput{}
	same := packed(t, d, again)
	require.Equal(t, first.Sum, same.Sum)
	require.Equal(t, "books.csv", same.Record)
	again.Journal = "beancount"
	second := packed(t, d, again)
	require.Equal(t, 2, second.Manifest.Version)
	require.EqualValues(t, 2, second.Manifest.Findings.Accepted)
	require.Zero(t, second.Manifest.Findings.Differences)

	// The package that it keeps the record of may be another one.
	elsewhere := again
	elsewhere.Dir, elsewhere.Before = filepath.Join(t.TempDir(), "january"), q.Dir
	require.EqualValues(t, 2, packed(t, d, elsewhere).Manifest.Findings.Accepted)

	// The same record, named without its acceptances, keeps them; of another one, one fits no longer.
	again.Books = record
	require.Equal(t, second.Sum, packed(t, d, again).Sum)
	text, err := os.ReadFile(record.Path)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	again.Books.Content = []byte(strings.Join(append([]string{lines[0], lines[2], lines[1]}, lines[3:]...), "\n"))
	_, err = d.MakePackage(t.Context(), again)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err), err)
	require.EqualError(t, err, "The package before accepts 1 difference that this one does not (its inputs/accepted.csv, lines 2): the record or the ledger changed, or they are not listed. Accept them again, or leave them out with drop acceptances.")
	again.Books = record
	again.Books.Accepted = acceptances(nil, list[1])
	_, err = d.MakePackage(t.Context(), again)
	require.ErrorContains(t, err, "accepts 1 difference that this one does not (its inputs/accepted.csv, lines 2)", "a shorter list")
	again.Drop = app.DropAcceptances
	third := packed(t, d, again)
	require.EqualValues(t, 1, third.Manifest.Findings.Accepted)
	require.EqualValues(t, 1, third.Manifest.Findings.Differences)

	again.Books, again.Drop = app.BooksInput{}, app.DropRecord
	require.Nil(t, packed(t, d, again).Manifest.Options.Reconciliation)
	again.Drop = "everything"
	_, err = d.MakePackage(t.Context(), again)
	require.Equal(t, failure.NotUnderstood, app.KindOf(err))
}

// A withdrawn acceptance counts in no comparison and no package, and a check of the package that has it says so.
func TestWithdrawnAcceptance(t *testing.T) {
	place := copied(t)
	q, list := differing(t, opened(t, place))
	writer, err := app.OpenWriter(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	record := func(act ledger.Act) ledger.Act {
		act.Time, err = chain.TimeAt(1_770_000_000_000)
		require.NoError(t, err)
		act, err = writer.Book.Record(t.Context(), act, nil)
		require.NoError(t, err)
		return act
	}
	accepted := record(ledger.Act{User: "anna", Kind: ledger.Accepted, Period: "2026-01", Zone: "UTC", Comment: "immaterial", Manifest: reconcile.ActDigest(list)})
	q.Books.Accepted = acceptances(&accepted, list...)
	packed(t, opened(t, place), q)
	require.Empty(t, checked(t, q.Dir, place, q.PackageOptions).Differences)

	trail := []ledger.Act{accepted}
	for _, by := range []app.Actor{bob, eve} {
		_, err = app.WithdrawAcceptance(trail, by, 1, "a mistake")
		require.ErrorAs(t, err, new(*app.ForbiddenError))
	}
	for _, line := range []uint64{0, 2} {
		_, err = app.WithdrawAcceptance(trail, anna, line, "a mistake")
		require.ErrorAs(t, err, new(*app.StaleError))
	}
	act, err := app.WithdrawAcceptance(trail, anna, 1, "a mistake")
	require.NoError(t, err)
	trail = append(trail, record(act))
	_, err = app.WithdrawAcceptance(trail, anna, 1, "a mistake")
	require.ErrorContains(t, err, "withdrawn already")
	_, err = app.WithdrawAcceptance(trail, anna, 2, "a mistake")
	require.ErrorContains(t, err, "Line 2 of the audit trail is not an acceptance")
	require.NoError(t, writer.Close())

	found := checked(t, q.Dir, place, q.PackageOptions)
	require.Contains(t, found.Differences, "inputs/accepted.csv, line 2: the acceptance was withdrawn by act 2, by anna")
	d := opened(t, place)
	strict := q
	strict.Dir = filepath.Join(t.TempDir(), "january")
	_, err = d.MakePackage(t.Context(), strict)
	require.ErrorContains(t, err, "whose acceptance was withdrawn")
	q.Books = app.BooksInput{} // kept, without what was withdrawn
	made := packed(t, d, q)
	require.Zero(t, made.Manifest.Findings.Accepted)
	require.EqualValues(t, 2, made.Manifest.Findings.Differences)
	require.Empty(t, checked(t, q.Dir, place, q.PackageOptions).Differences)

	// It is not approved or closed either, and no user approves what they accepted.
	review := app.Review{Accepted: acceptances(&accepted, list...)}
	trail = append(trail, ledger.Act{User: "carol", Kind: ledger.Prepared, Period: "2026-01", Zone: "UTC"})
	approval := ledger.Act{User: "bob", Kind: ledger.Approved, Period: "2026-01", Zone: "UTC"}
	require.ErrorContains(t, review.Allows(trail, bob, &approval), "2 acceptances of this package were withdrawn. Prepare it again.")
	require.ErrorContains(t, (&app.Review{Accepted: acceptances(&ledger.Act{User: "bob"}, list...)}).Allows(trail, bob, &approval), "You accepted differences of this package")
	require.NoError(t, (&app.Review{}).Allows(trail, bob, &approval))
}
