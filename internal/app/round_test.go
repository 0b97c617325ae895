package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
)

// roundOf returns acts of users, such as "anna prepared", about manifest 1 of January.
func roundOf(t testing.TB, acts ...[2]string) (r app.Round) {
	t.Helper()
	for i, a := range acts {
		r = append(r, ledger.Act{Number: uint64(i) + 1, User: a[0], Kind: ledger.ActKind(a[1]), Period: "2026-01", Zone: "UTC", Manifest: ledger.Digest{1}})
	}
	return r
}

var (
	anna  = app.Actor{Name: "anna", Preparer: true}
	bob   = app.Actor{Name: "bob", Reviewer: true}
	carol = app.Actor{Name: "carol", Preparer: true, Reviewer: true}
	dora  = app.Actor{Name: "dora", Preparer: true, Reviewer: true}
	eve   = app.Actor{Name: "eve"}
)

// Each user may do the acts of their roles in each state, and no user reviews what they prepared.
func TestRoundAllows(t *testing.T) {
	prepared := roundOf(t, [2]string{"carol", "prepared"})
	approved := roundOf(t, [2]string{"carol", "prepared"}, [2]string{"bob", "approved"})
	byDora := roundOf(t, [2]string{"carol", "prepared"}, [2]string{"dora", "approved"})
	again := roundOf(t, [2]string{"carol", "prepared"}, [2]string{"bob", "returned"}, [2]string{"dora", "prepared"})
	closed := roundOf(t, [2]string{"carol", "prepared"}, [2]string{"bob", "approved"}, [2]string{"carol", "closed"})
	const yes, no, stale = "", "forbidden", "stale"
	for _, c := range []struct {
		round app.Round
		by    app.Actor
		act   ledger.ActKind
		want  string
	}{
		{nil, anna, ledger.Prepared, yes}, {nil, carol, ledger.Prepared, yes}, {nil, bob, ledger.Prepared, no}, {nil, eve, ledger.Prepared, no},
		{nil, bob, ledger.Approved, stale}, {nil, bob, ledger.Closed, stale}, {nil, eve, ledger.Closed, no}, {nil, anna, ledger.Withdrawn, no},
		{prepared, anna, ledger.Prepared, yes}, {approved, anna, ledger.Prepared, yes}, {closed, anna, ledger.Prepared, yes},
		{prepared, bob, ledger.Approved, yes}, {prepared, carol, ledger.Approved, no}, {prepared, dora, ledger.Approved, yes}, {prepared, anna, ledger.Approved, no}, {prepared, eve, ledger.Approved, no},
		{prepared, bob, ledger.Returned, yes}, {prepared, carol, ledger.Returned, no}, {approved, dora, ledger.Returned, yes}, {approved, bob, ledger.Approved, stale},
		{again, carol, ledger.Approved, no}, {again, dora, ledger.Approved, no}, {again, bob, ledger.Approved, yes},
		{prepared, carol, ledger.Withdrawn, yes}, {prepared, anna, ledger.Withdrawn, no}, {approved, carol, ledger.Withdrawn, yes}, {closed, carol, ledger.Withdrawn, stale},
		{prepared, carol, ledger.Closed, stale}, {approved, carol, ledger.Closed, yes}, {approved, dora, ledger.Closed, yes}, {approved, bob, ledger.Closed, no}, {approved, anna, ledger.Closed, no}, {approved, eve, ledger.Closed, no},
		{byDora, dora, ledger.Closed, no}, {byDora, bob, ledger.Closed, yes}, {closed, carol, ledger.Closed, stale},
		{prepared, bob, "paid", stale},
	} {
		err := c.round.Allows(c.by, c.act, ledger.Digest{1})
		switch c.want {
		case yes:
			require.NoError(t, err, "%s %s", c.by.Name, c.act)
		case no:
			require.ErrorAs(t, err, new(*app.ForbiddenError), "%s %s after %v", c.by.Name, c.act, c.round)
			require.Equal(t, failure.NotUnderstood, app.KindOf(err))
		case stale:
			require.ErrorAs(t, err, new(*app.StaleError), "%s %s after %v", c.by.Name, c.act, c.round)
			require.Equal(t, failure.DoesNotHold, app.KindOf(err))
		}
		require.NotEqual(t, "", c.by.Name)
	}
	require.EqualError(t, prepared.Allows(bob, ledger.Approved, ledger.Digest{2}), "The package was prepared again since this page was shown. Reload the page.")
	require.EqualError(t, prepared.Allows(carol, ledger.Approved, ledger.Digest{1}), "You prepared this package. Another user must review it.")
	require.EqualError(t, app.Round(nil).Allows(bob, ledger.Approved, ledger.Digest{1}), "The package cannot be approved, because it is not prepared. Reload the page.")
	require.EqualError(t, closed.Allows(carol, ledger.Closed, ledger.Digest{1}), "The package cannot be closed, because it is closed. Reload the page.")
}

// A round has the acts of one period in one time zone since the last closing.
func TestRoundOf(t *testing.T) {
	trail := roundOf(t, [2]string{"anna", "prepared"}, [2]string{"bob", "approved"}, [2]string{"anna", "closed"}, [2]string{"anna", "prepared"}, [2]string{"anna", "withdrawn"}, [2]string{"anna", "prepared"})
	require.Equal(t, app.Round(trail[:3]), app.RoundOf(trail[:3], "2026-01", "UTC"))
	require.Equal(t, app.Round(trail[3:]), app.RoundOf(trail, "2026-01", "UTC"))
	require.Empty(t, app.RoundOf(trail, "2026-02", "UTC"))
	require.Empty(t, app.RoundOf(trail, "2026-01", "Europe/Berlin"))
	require.True(t, app.RoundOf(trail, "2026-01", "UTC").Open())
	for i, open := range []bool{true, true, false, true, false, true} {
		require.Equal(t, open, app.RoundOf(trail[:i+1], "2026-01", "UTC").Open(), i)
	}
	require.False(t, app.Round(nil).Open())
}

// A whole round ends with the closing of a manifest that another user approved.
func TestRoundWhole(t *testing.T) {
	require.Empty(t, roundOf(t, [2]string{"anna", "prepared"}, [2]string{"bob", "approved"}, [2]string{"anna", "closed"}).Whole())
	for want, r := range map[string]app.Round{
		"the last act is not the closing":                                 roundOf(t, [2]string{"anna", "prepared"}, [2]string{"bob", "approved"}),
		"the closed manifest was not approved":                            roundOf(t, [2]string{"anna", "prepared"}, [2]string{"anna", "closed"}),
		"the manifest was not approved by another user than its preparer": roundOf(t, [2]string{"anna", "prepared"}, [2]string{"anna", "approved"}, [2]string{"anna", "closed"}),
	} {
		require.Equal(t, want, r.Whole())
	}
	require.Equal(t, "the last act is not the closing", app.Round(nil).Whole())
	other := roundOf(t, [2]string{"anna", "prepared"}, [2]string{"bob", "approved"}, [2]string{"anna", "closed"})
	other[1].Manifest = ledger.Digest{2}
	require.Equal(t, "the closed manifest was not approved", other.Whole())
	require.Equal(t, "the manifest was not approved by another user than its preparer", roundOf(t, [2]string{"bob", "approved"}, [2]string{"anna", "closed"}).Whole())
	require.Equal(t, "the manifest was not approved by another user than its preparer", roundOf(t, [2]string{"anna", "prepared"}, [2]string{"bob", "approved"}, [2]string{"bob", "closed"}).Whole())
}

// A cover names the last preparation, the last approval and the closing of the closed manifest: no approval that another
// preparation made void, and nobody who prepared another manifest.
func TestWhoSignedARound(t *testing.T) {
	r := roundOf(t,
		[2]string{"dora", "prepared"}, [2]string{"dora", "withdrawn"}, [2]string{"carol", "prepared"}, [2]string{"eve", "approved"},
		[2]string{"anna", "prepared"}, [2]string{"bob", "approved"}, [2]string{"anna", "closed"}, [2]string{"eve", "answered"})
	r[3].Manifest = ledger.Digest{2}
	var names []string
	for _, a := range r.Signed() {
		names = append(names, string(a.Kind)+" "+a.User)
	}
	require.Equal(t, []string{"prepared anna", "approved bob", "closed anna"}, names)
	r[5].Manifest = ledger.Digest{2}
	require.Len(t, r.Signed(), 2, "the approval of another manifest")
	require.Empty(t, app.Round{}.Signed())
}

// The comment of who returns a package is a question, and so is one about differences. The comment of the next preparation
// answers the former, an answer that names its line either. An approval needs a comment while one is open, or if the record
// of fees was dropped, and a closed round without that comment is not whole.
func TestQuestions(t *testing.T) {
	act := func(n byte, user string, kind ledger.ActKind, comment string, about ...byte) ledger.Act {
		a := ledger.Act{Number: uint64(n), User: user, Kind: kind, Period: "2026-01", Zone: "UTC", Comment: comment, Manifest: ledger.Digest{99}, Digest: ledger.Digest{n}}
		if len(about) > 0 {
			a.Manifest = ledger.Digest{about[0]}
		}
		return a
	}
	asked := []ledger.Act{
		act(1, "anna", ledger.Asked, "Who paid line 5?"), act(2, "anna", ledger.Prepared, "draft"), act(3, "bob", ledger.Returned, "Where is Payroll?"),
	}
	open := func(trail ...ledger.Act) (lines []uint64) {
		for _, q := range app.RoundOf(trail, "2026-01", "UTC").Unanswered() {
			lines = append(lines, q.Number)
		}
		return lines
	}
	with := func(more ...ledger.Act) []ledger.Act { return append(append([]ledger.Act{}, asked...), more...) }
	require.Equal(t, []uint64{1, 3}, open(asked...))
	require.Equal(t, []uint64{1, 3}, open(with(act(4, "anna", ledger.Prepared, ""))...), "prepared without a word")
	require.Equal(t, []uint64{1}, open(with(act(4, "anna", ledger.Prepared, "added"))...))
	require.Equal(t, []uint64{3}, open(with(act(4, "bob", ledger.Answered, "Operations did", 1))...))
	require.Empty(t, open(with(act(4, "bob", ledger.Answered, "Operations did", 1), act(5, "anna", ledger.Answered, "It has no fees", 3))...))
	require.Equal(t, []uint64{3}, open(with(act(4, "anna", ledger.Prepared, "", 7), act(5, "anna", ledger.Answered, "x", 1), act(6, "anna", ledger.Prepared, "late"))...), "a later preparation answers nothing")

	silent := with(act(4, "anna", ledger.Prepared, ""), act(5, "carol", ledger.Answered, "Operations did", 1))
	approval := act(6, "bob", ledger.Approved, "")
	none := &app.Review{}
	require.EqualError(t, none.Allows(silent, bob, &approval), "comment: 1 question is not answered. Say why you approve.")
	approval.Comment = "Payroll has no fees"
	require.NoError(t, none.Allows(silent, bob, &approval))
	approval.Comment = ""
	answered := with(act(4, "anna", ledger.Prepared, "added"), act(5, "carol", ledger.Answered, "Operations did", 1))
	require.NoError(t, none.Allows(answered, bob, &approval))
	require.EqualError(t, (&app.Review{Dropped: "books.csv"}).Allows(answered, bob, &approval), "comment: an earlier version had a record of fees, and this one has none. Say why you approve.")

	closed := append(append(app.Round{}, silent...), act(6, "bob", ledger.Approved, ""), act(7, "anna", ledger.Closed, ""))
	require.Equal(t, "the manifest was approved without a comment, but the question of act 3 was not answered", closed.Whole())
	closed[5].Comment = "Payroll has no fees"
	require.Empty(t, closed.Whole())

	// Answers name a question of the round, and only those with a role answer.
	r := app.RoundOf(asked, "2026-01", "UTC")
	require.NoError(t, r.Allows(bob, ledger.Answered, ledger.Digest{1}))
	require.ErrorAs(t, r.Allows(eve, ledger.Answered, ledger.Digest{1}), new(*app.ForbiddenError))
	require.ErrorAs(t, r.Allows(bob, ledger.Answered, ledger.Digest{2}), new(*app.StaleError))
	require.Equal(t, ledger.Returned, r.State())

	// What is asked after a closing belongs to the next round, and hides no closing whose package was not made.
	later := append(append([]ledger.Act{}, closed...), act(8, "bob", ledger.Asked, "And line 7?"))
	require.Equal(t, ledger.Closed, app.RoundOf(later, "2026-01", "UTC").State())
	next := app.RoundOf(append(later, act(9, "anna", ledger.Prepared, "corrected")), "2026-01", "UTC")
	require.Equal(t, []uint64{8, 9}, []uint64{next[0].Number, next[1].Number})
}
