package web_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/browsertest"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// hand uses a tab with the mouse and the keyboard, or with the keyboard only.
type hand struct {
	*browsertest.Tab
	t    *testing.T
	keys bool
}

// reach moves the focus to an element with the Tab key.
func (h *hand) reach(selector string) {
	h.t.Helper()
	here := "(document.activeElement?.matches(" + quoted(selector) + ") ?? false)"
	for range 200 {
		if browsertest.Ask[bool](h.Tab, here) {
			return
		}
		h.Key("\t")
	}
	require.Fail(h.t, "the Tab key does not reach "+selector, h.Path())
}

func quoted(selector string) string { return "`" + selector + "`" }

// follow follows a link or presses a button.
func (h *hand) follow(selector string) {
	h.t.Helper()
	if !h.keys {
		h.Select(selector).Follow()
		return
	}
	h.reach(selector)
	h.Enter()
}

// write types into a field.
func (h *hand) write(name, value string) {
	h.t.Helper()
	selector := `main [name="` + name + `"]:not([type=hidden])`
	if !h.keys {
		h.Select(selector).Type(value)
		return
	}
	h.reach(selector)
	h.Key(value)
	require.Equal(h.t, value, browsertest.Ask[string](h.Tab, "document.activeElement.value"))
}

// choose selects an act. With keys, the Tab key reaches the first one, and arrows the others.
func (h *hand) choose(act string) {
	h.t.Helper()
	selector := `main [name="act"]`
	if !h.keys {
		h.Select(selector + `[value="` + act + `"]`).Press()
	} else {
		h.reach(selector)
		h.Key(" ")
		for range h.options() {
			if browsertest.Ask[string](h.Tab, "document.activeElement.value") == act {
				break
			}
			h.Key(kb.ArrowDown)
		}
	}
	require.Equal(h.t, act, h.chosen())
}

// chosen returns the act that is selected, or "".
func (h *hand) chosen() string {
	h.t.Helper()
	return browsertest.Ask[string](h.Tab, `document.querySelector("main [name=act]:checked")?.value ?? ""`)
}

// send sends the form with the field of a comment, which must be the last one that was used.
func (h *hand) send(comment string) {
	h.t.Helper()
	if comment != "" {
		h.write("comment", comment)
	}
	if h.keys {
		h.reach(`main [name="comment"]`)
		h.Enter()
		return
	}
	h.Submit("comment")
}

func (h *hand) logIn(name, word string) {
	h.t.Helper()
	require.Contains(h.t, h.Heading(), "Log in")
	if h.keys {
		if browsertest.Ask[bool](h.Tab, `document.activeElement.name !== "password"`) { // after an error the password has the focus
			h.write("name", name)
		}
		h.write("password", word)
	} else {
		h.write("name", name)
		h.write("password", word)
	}
	h.Enter()
}

// options returns the acts that a page offers.
func (h *hand) options() []string {
	h.t.Helper()
	return browsertest.Ask[[]string](h.Tab, `[...document.querySelectorAll("main [name=act]")].map((o) => o.value)`)
}

// fact returns a figure of the page.
func (h *hand) fact(name string) string {
	h.t.Helper()
	return browsertest.Ask[string](h.Tab, `[...document.querySelectorAll("dt")].find((d) => d.textContent === `+quoted(name)+`).nextElementSibling.textContent`)
}

// closedByTwo closes a month from the first look at the overview on: anna prepares it, bob returns it with a comment, she
// prepares it again, he approves it, and she closes it. A wrong password and a session that ends meanwhile lose nothing
// that was typed. The package is then verified as the command line does.
func closedByTwo(t *testing.T, b *browsertest.Browser, options browsertest.Options, keys bool) {
	var balances *source.Reader
	company := 0 // accounts
	o := newOffice(t, func(c *web.Options) {
		l := &c.Ledgers[0]
		company = len(l.Labels.InGroup("company"))
		src, err := source.Open(filepath.Join(filepath.Dir(l.Labels.Path), "gateway"), source.Options{})
		require.NoError(t, err)
		balances = &source.Reader{Source: src, Tables: network.BuiltIn()}
		l.Source, l.Gateway = balances, "./gateway"
	})
	anna := &hand{b.Tab(t, o.URL, options), t, keys}
	bob := &hand{b.Tab(t, o.URL, options), t, keys}
	seen := func(h *hand, name string) { // the page on every screen
		t.Helper()
		if options.Scriptless { // the checks are scripts
			require.Empty(t, append(h.Overhang(), h.Outside()...), h.Path())
			return
		}
		look(t, h.Tab, name)
		h.Resize(sizeOf(options))
	}
	finished := func(h *hand) { // the page of work in the background
		t.Helper()
		o.working.Wait()
		h.Open(h.Path())
	}
	const comment = "Payroll’s account is missing: <b>add it</b>"

	anna.Open("/")
	anna.logIn("anna", "wrong horse")
	anna.Refused(http.StatusUnauthorized)
	anna.logIn("anna", password)
	require.Equal(t, "/overview", anna.Path())
	seen(anna, "overview")
	anna.follow(`main a[href="close?period=2026-01"]`)
	require.Equal(t, "group:company", browsertest.Ask[string](anna.Tab, `document.querySelector("main [name=accounts]").value`), "the company's own")
	seen(anna, "form")
	anna.send("first draft")
	require.Equal(t, "/close/2026-01", anna.Path())
	finished(anna)
	require.Equal(t, "prepared", anna.fact("state"))
	require.Equal(t, []string{"withdrawn"}, anna.options(), "she approves nothing that she prepared")
	seen(anna, "prepared")

	bob.Open("/close")
	bob.logIn("bob", password)
	require.Equal(t, "/close", bob.Path())
	require.Zero(t, browsertest.Ask[int](bob.Tab, `document.querySelectorAll("main [name=period]").length`), "a reviewer prepares nothing")
	seen(bob, "waiting")
	bob.follow(`main a[href="close/2026-01"]`)
	require.Contains(t, bob.Text(), "first draft")
	require.Equal(t, []string{"approved", "returned"}, bob.options())
	require.Empty(t, bob.chosen(), "no act is chosen in advance")
	_, report := bob.Select(`a[href="close/2026-01/report.csv"]`).Download()
	require.NotEmpty(t, report)
	bob.choose("returned")
	o.clock.goOn(2 * time.Hour)
	bob.send(comment)
	bob.Refused(http.StatusUnauthorized)
	require.Contains(t, bob.Text(), "Nothing was recorded")
	seen(bob, "session ended")
	bob.logIn("bob", "wrong horse")
	bob.Refused(http.StatusUnauthorized)
	require.Equal(t, []string{"anna prepared"}, o.trail(t))
	bob.logIn("bob", password)
	require.Equal(t, "returned", bob.chosen())
	require.Equal(t, comment, browsertest.Ask[string](bob.Tab, `document.querySelector("main [name=comment]").value`))
	bob.send("")
	require.Equal(t, "/close/2026-01", bob.Path())
	require.Equal(t, "returned", bob.fact("state"))

	anna.Open("/close/2026-01")
	anna.logIn("anna", password)
	require.Contains(t, anna.Text(), comment)
	seen(anna, "returned")
	anna.follow(`main a[href^="close?accounts="]`)
	accounts := browsertest.Ask[string](anna.Tab, `document.querySelector("main [name=accounts]").value`)
	require.Len(t, strings.Split(accounts, ","), company)
	anna.write("accounts", "group:company,Payroll")
	anna.send("with payroll")
	finished(anna)
	require.Equal(t, fmt.Sprint(company+1), anna.fact("accounts"))

	bob.Open("/close/2026-01")
	bob.choose("approved")
	bob.send("")
	require.Equal(t, "approved", bob.fact("state"))
	require.Equal(t, []string{"returned"}, bob.options(), "the approval and the closing are of two users")
	seen(bob, "approved")

	anna.Open("/overview")
	anna.follow(`main a[href="close/2026-01"]`)
	require.Contains(t, anna.options(), "closed")
	anna.choose("closed")
	anna.send("done")
	finished(anna)
	require.Contains(t, anna.fact("last run"), "closed")
	require.Equal(t, []string{"anna prepared", "bob returned", "anna prepared", "bob approved", "anna closed"}, o.trail(t))
	anna.follow(`main a[href="packages/2026-01"]`)
	for _, text := range []string{"first draft", comment, "with payroll", "done"} {
		require.Contains(t, anna.Text(), text, "the package contains the acts")
	}
	seen(anna, "package")

	c, err := app.CheckPackage(t.Context(), filepath.Join(o.shelf, "2026-01"), again(o.ledger), app.Vouchers{}, app.PackageOptions{
		Program: "a test", Balances: func() (source.Source, error) { return balances.Source, nil },
	})
	require.NoError(t, err)
	require.Empty(t, append(append(c.Damage, c.Differences...), c.Notes...))
	require.False(t, c.Partly(), "everything is compared, the balances too")
	require.True(t, c.Package.Manifest.Options.Balances && c.Package.Manifest.Options.Acts)
	require.Len(t, c.Package.Manifest.Accounts, company+1)
	require.Zero(t, c.Package.Manifest.Findings.Statements, "every statement is proved")
}

func sizeOf(o browsertest.Options) browsertest.Size {
	if o.Size == (browsertest.Size{}) {
		return browsertest.Desktop
	}
	return o.Size
}

// labelled labels a payer in the list of those without a label, and changes the label on the payer's page.
func labelled(t *testing.T, b *browsertest.Browser) {
	o, path := labelling(t)
	payer := o.unlabelledPayer(t)
	h := &hand{b.Tab(t, o.URL, browsertest.Options{}), t, false}
	seen := func(name string) {
		t.Helper()
		look(t, h.Tab, name)
		h.Resize(browsertest.Desktop)
	}
	h.Open("/accounts/unlabelled?period=2026-01")
	h.logIn("anna", password)
	require.Equal(t, payer, browsertest.Ask[string](h.Tab, `document.querySelector("main [name=payer]").value`), "the one with the highest fees")
	seen("unlabelled")
	h.write("label", "Bridge")
	o.clock.goOn(2 * time.Hour)
	h.Enter()
	h.Refused(http.StatusUnauthorized)
	h.logIn("anna", password)
	require.Equal(t, "Bridge", browsertest.Ask[string](h.Tab, `document.querySelector("main [name=label]").value`))
	h.write("group", "outside")
	h.Enter()
	require.Equal(t, "/accounts/unlabelled?period=2026-01", h.Path())
	require.NotContains(t, h.Text(), "Bridge")
	require.Contains(t, content(t, path), payer+",Bridge,outside\n")
	h.Open("/account/" + payer)
	require.Contains(t, h.Text(), "Bridge")
	h.write("label", "Main bridge")
	h.Enter()
	require.Contains(t, h.Text(), "Main bridge")
	require.Contains(t, content(t, path), payer+",Main bridge,outside\n")
	h.Select("main .fold summary").Press()
	seen("account")
}
