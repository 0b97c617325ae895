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
	comment := func(group, text string) {
		t.Helper()
		if selector := "#d-" + group + " [name=comment]"; keys {
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

	press("#d-only_on_chain [name=difference]", " ")
	comment("only_on_chain", "booked in February")
	o.clock.goOn(2 * time.Hour)
	h.Enter()
	h.Refused(http.StatusUnauthorized)
	h.logIn("anna", password)
	require.Equal(t, "booked in February", browsertest.Ask[string](h.Tab, `document.querySelector("#d-only_on_chain [name=comment]").value`))
	press("#d-only_on_chain [name=difference]", " ")
	if keys {
		h.reach("#d-only_on_chain [name=comment]")
		h.Enter()
	} else {
		h.Select("#d-only_on_chain button:not([name])").Follow()
	}
	require.Contains(t, h.Text(), "1 accepted")
	require.Empty(t, browsertest.Ask[[]string](h.Tab, `[...document.querySelectorAll("#d-only_on_chain [name=difference]")].map((e) => e.value)`))

	comment("only_in_books", "of another chain")
	h.follow("#d-only_in_books [name=whole]")
	require.Contains(t, h.Text(), "2 accepted")
	require.Equal(t, []string{"anna accepted", "anna accepted"}, o.trail(t))
	seen("accepted")

	h.follow(`main a[href^="close?"]`)
	require.Equal(t, "2", h.fact("accepted differences"))
	h.send("with the record")
	o.working.Wait()
	h.Open(h.Path())
	require.Contains(t, h.Text(), "Accepted differences (2 of 4)")
	require.Contains(t, h.Text(), "of another chain")
	seen("review")
}
