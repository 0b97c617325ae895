package app_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/reconcile"
	"github.com/feeledger/fees/network"
)

// trailOf returns acts with their own digests. One of an acceptance that is withdrawn names its line.
func trailOf(acts ...ledger.Act) (trail []ledger.Act) {
	for i, a := range acts {
		a.Number, a.Digest = uint64(i)+1, ledger.Digest{byte(i) + 1}
		a.Period, a.Zone = "2026-01", "UTC"
		if a.Manifest == (ledger.Digest{}) {
			a.Manifest = ledger.Digest{99}
		}
		trail = append(trail, a)
	}
	return trail
}

// No user approves what they accepted, and a package with a withdrawn acceptance is neither approved nor closed; nor is one
// closed while a question from after its approval is open. A closing whose package was not made can be repeated.
func TestReviewAllows(t *testing.T) {
	accepted := ledger.Act{User: "carol", Kind: ledger.Accepted, Manifest: ledger.Digest{5}}
	prepared, approved := ledger.Act{User: "anna", Kind: ledger.Prepared}, ledger.Act{User: "bob", Kind: ledger.Approved}
	closed, asked := ledger.Act{User: "anna", Kind: ledger.Closed}, ledger.Act{User: "bob", Kind: ledger.Asked, Comment: "Why?"}
	trail := trailOf(accepted, prepared)
	v := app.Review{Accepted: []reconcile.Acceptance{{By: "carol", Time: trail[0].Time.String(), Act: 1}, {By: "carol", Time: "2026-02-03"}}}
	act := func(kind ledger.ActKind) *ledger.Act {
		return &ledger.Act{Kind: kind, Period: "2026-01", Zone: "UTC", Manifest: ledger.Digest{99}}
	}
	var forbidden *app.ForbiddenError
	var stale *app.StaleError
	require.NoError(t, v.Allows(trail, bob, act(ledger.Approved)))
	require.ErrorAs(t, v.Allows(trail, carol, act(ledger.Approved)), &forbidden)
	require.EqualError(t, forbidden, "You accepted differences of this package. Another user must review it.")
	require.NoError(t, v.Allows(trail, carol, act(ledger.Returned)))
	require.ErrorAs(t, v.Allows(trail, anna, act(ledger.Approved)), &forbidden, "the rules of a round hold too")

	withdrawn := trailOf(accepted, prepared, ledger.Act{User: "carol", Kind: ledger.AcceptanceWithdrawn, Manifest: trail[0].Digest})
	require.ErrorAs(t, v.Allows(withdrawn, bob, act(ledger.Approved)), &stale)
	require.EqualError(t, stale, "1 acceptance of this package was withdrawn. Prepare it again.")
	require.NoError(t, v.Allows(withdrawn, bob, act(ledger.Returned)))

	whole := trailOf(accepted, prepared, approved)
	require.NoError(t, v.Allows(whole, anna, act(ledger.Closed)))
	withdrawn = trailOf(accepted, prepared, approved, ledger.Act{User: "carol", Kind: ledger.AcceptanceWithdrawn, Manifest: trail[0].Digest})
	require.ErrorAs(t, v.Allows(withdrawn, anna, act(ledger.Closed)), &stale)

	late := trailOf(accepted, prepared, approved, asked)
	require.ErrorAs(t, v.Allows(late, anna, act(ledger.Closed)), &stale)
	require.EqualError(t, stale, "The question of act 4 was asked after the approval. Answer it, then close.")
	answered := trailOf(accepted, prepared, approved, asked, ledger.Act{User: "anna", Kind: ledger.Answered, Comment: "So.", Manifest: late[3].Digest})
	require.NoError(t, v.Allows(answered, anna, act(ledger.Closed)))
	require.Equal(t, "the manifest was closed, but the question of act 4 was not answered", app.RoundOf(trailOf(accepted, prepared, approved, asked, closed), "2026-01", "UTC").Whole())
	require.Empty(t, app.RoundOf(trailOf(accepted, prepared, approved, asked, answered[4], closed), "2026-01", "UTC").Whole())

	again := trailOf(accepted, prepared, approved, closed)
	require.NoError(t, v.Allows(again, anna, act(ledger.Closed)), "its package was not made")
	require.ErrorAs(t, v.Allows(again, bob, act(ledger.Closed)), &forbidden, "who approved")
	require.Empty(t, app.RoundOf(trailOf(prepared, ledger.Act{User: "bob", Kind: ledger.Returned}), "2026-01", "UTC").Questions(), "returned without a word")
}

// A package without the record of an earlier version needs an approval with a comment, and the check of the package finds
// that it has none.
func TestDroppedRecord(t *testing.T) {
	with := func(names ...string) *closing.Manifest {
		m := new(closing.Manifest)
		if len(names) > 0 {
			m.Options.Reconciliation = &closing.Reconciliation{Name: names[0]}
		}
		return m
	}
	require.Empty(t, app.DroppedRecord(with()))
	require.Empty(t, app.DroppedRecord(with(), with()))
	require.Empty(t, app.DroppedRecord(with("b.csv"), with("a.csv")))
	require.Equal(t, "a.csv", app.DroppedRecord(with(), with(), with("a.csv")))

	q := question(t)
	q.With, q.Proved, q.Balances = app.WithFees, false, nil
	for comment, want := range map[string][]string{
		"":                             {"inputs/acts.csv: the manifest was approved without a comment, but version 1 has the record " + filepath.Base(q.Books.Path) + ", and this one has none"},
		"There is no record any more.": nil,
	} {
		place := copied(t)
		d, final := opened(t, place), filepath.Join(t.TempDir(), "january")
		q.Dir = final
		packed(t, d, q)
		without := q
		without.Dir, without.Books = filepath.Join(t.TempDir(), "prepared"), app.BooksInput{}
		made := packed(t, d, without)
		_, err := d.ClosePrepared(t.Context(), without.Dir, final, q.PackageOptions, func(ctx context.Context) (acts []ledger.Act, err error) {
			w, err := app.OpenWriter(ctx, place, network.BuiltIn())
			require.NoError(t, err)
			defer w.Close()
			for i, a := range [][3]string{{"anna", "prepared", ""}, {"bob", "approved", comment}, {"anna", "closed", ""}} {
				at, err := chain.TimeAt(1_770_000_000_000 + uint64(i))
				require.NoError(t, err)
				act := ledger.Act{Time: at, User: a[0], Kind: ledger.ActKind(a[1]), Comment: a[2], Period: "2026-01", Zone: "UTC"}
				require.NoError(t, act.Manifest.UnmarshalText([]byte(made.Sum)))
				act, err = w.Book.Record(ctx, act, nil)
				require.NoError(t, err)
				acts = append(acts, act)
			}
			return acts, nil
		})
		require.NoError(t, err)
		require.Equal(t, want, checked(t, final, place, q.PackageOptions).Differences)
	}
}
