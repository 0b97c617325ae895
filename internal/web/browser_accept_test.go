package web_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/browsertest"
)

// acceptedByOne accepts one difference, then all of another kind, after a session that ended meanwhile, and prepares the
// package with them.
func acceptedByOne(t *testing.T, b *browsertest.Browser, options browsertest.Options, keys bool) {
	o := newOffice(t, nil)
	h := &hand{b.Tab(t, o.URL, options), t, keys}
	seen := func(name string) {
		t.Helper()
		if options.Scriptless { // the checks are scripts
			require.Empty(t, append(h.Overhang(), h.Outside()...), h.Path())
			return
		}
		look(t, h.Tab, name)
		h.Resize(sizeOf(options))
	}
	press := func(selector, key string) {
		t.Helper()
		if !keys {
			h.Select(selector).Press()
			return
		}
		h.reach(selector)
		h.Key(key)
	}
	comment := func(text string) {
		t.Helper()
		if selector := "#rows [name=comment]"; keys {
			h.reach(selector)
			h.Key(text)
		} else {
			h.Select(selector).Type(text)
		}
	}
	h.Open("/reconcile?period=2026-01&accounts=group%3Acompany")
	h.logIn("anna", password)
	h.Field("file").Choose(filepath.Join(filepath.Dir(o.shelf), "company.csv"))
	h.Submit("file")
	require.Contains(t, h.Text(), "4 of ")
	require.Contains(t, h.Text(), "Not in your books. Add this line.")
	seen("differences")

	row := func(name string) string { return `#rows [name=difference][aria-label="Select ` + name + `"]` }
	button := func(act string) { t.Helper(); h.follow(`#rows button[value="` + act + `"]`) }
	press(row("ID 10-7"), " ")
	comment("booked in February")
	o.clock.goOn(2 * time.Hour)
	button("accept")
	h.Refused(http.StatusUnauthorized)
	h.logIn("anna", password)
	require.Equal(t, "booked in February", browsertest.Ask[string](h.Tab, `document.querySelector("#rows [name=comment]").value`))
	press(row("ID 10-7"), " ")
	button("accept")
	require.Contains(t, h.Text(), "1 accepted, 3 open")

	h.follow(`#rows a[href*="outcome=only_in_books"]`)
	press(row("line 16"), " ")
	comment("of another chain")
	button("accept")
	require.Contains(t, h.Text(), "2 accepted, 2 open")
	h.follow(`#rows a[href*="outcome=open"]`)
	press(row("line 5"), " ")
	comment("Who typed this?")
	button("ask")
	require.Contains(t, h.Text(), "anna asked: Who typed this?")
	seen("accepted")

	h.follow(`#rows a[href*="outcome=only_in_books"]`)
	press(row("line 16"), " ")
	comment("it is ours")
	button("withdraw")
	require.Contains(t, h.Text(), "1 accepted, 3 open")
	press(row("line 16"), " ")
	comment("of another chain after all")
	button("accept")
	require.Equal(t, []string{"anna accepted", "anna accepted", "anna asked", "anna acceptance withdrawn", "anna accepted"}, o.trail(t))
	h.Open("/reconcile?period=2026-01")
	require.Contains(t, h.Text(), "14 match, 2 accepted, 2 open")
	seen("workplace")
	h.follow(`main table a[href^="reconcile/"]`)

	h.follow(`main a[href^="close?"]`)
	require.Equal(t, "2", h.fact("accepted differences"))
	h.send("with the record")
	o.working.Wait()
	h.Open(h.Path())
	require.Contains(t, h.Text(), "Accepted differences (2 of 4)")
	require.Contains(t, h.Text(), "of another chain after all")
	require.Contains(t, h.Text(), "Not answered: “Who typed this?”")
	seen("review")

	// Bob returns it with a question, which the comment of the next package answers. It has no record: he approves it only with
	// a comment.
	bob := &hand{b.Tab(t, o.URL, options), t, keys}
	bob.Open("/close/2026-01")
	bob.logIn("bob", password)
	bob.write("comment", "Where is Payroll?")
	bob.press("returned")
	h.Open("/close?period=2026-01")
	require.Contains(t, h.Text(), "company.csv, with 2 accepted differences")
	h.follow(`main a[href*="record=none"]`)
	h.send("without the record")
	o.working.Wait()
	bob.Open("/close/2026-01")
	for _, text := range []string{"What changed since you returned it", "The record of fees was removed: company.csv, with 2 accepted differences.", "2 acceptances are gone: ", "Not answered: “Who typed this?” (anna)"} {
		require.Contains(t, bob.Text(), text)
	}
	require.NotContains(t, bob.Text(), "Not answered: “Where is Payroll?”")
	bob.press("approved")
	bob.Refused(http.StatusBadRequest)
	require.Contains(t, bob.Text(), "an earlier version had a record of fees, and this one has none")
	bob.Open("/close/2026-01")
	bob.write("comment", "The record follows")
	bob.press("approved")
	require.Equal(t, "approved", bob.fact("state"))
}
