package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/test/browsertest"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
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

// press presses the button of an act.
func (h *hand) press(act string) {
	h.t.Helper()
	h.follow(`main button[name="act"][value="` + act + `"]`)
}

// send types a comment and presses the first button of its form.
func (h *hand) send(comment string) {
	h.t.Helper()
	if comment != "" {
		h.write("comment", comment)
	}
	h.follow(`main form:has([name=comment]) button`)
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
	return browsertest.Ask[[]string](h.Tab, `[...document.querySelectorAll("main > form [name=act]")].map((o) => o.value)`)
}

// fact returns a figure of the page.
func (h *hand) fact(name string) string {
	h.t.Helper()
	return browsertest.Ask[string](h.Tab, `[...document.querySelectorAll("dt")].find((d) => d.textContent === `+quoted(name)+`).nextElementSibling.textContent`)
}

// companyMonth is a company's month to close, in an office with a source of balances.
type companyMonth struct {
	*office
	balances *source.Reader
	charged  string // as the pages show it
}

// usualMonth is that of the sample company.
func usualMonth(t *testing.T) companyMonth {
	m := companyMonth{charged: "0.911 GLMR"}
	m.office = newOffice(t, func(c *web.Options) {
		l := &c.Ledgers[0]
		src, err := source.Open(filepath.Join(filepath.Dir(l.Labels.Path), "gateway"), source.Options{})
		require.NoError(t, err)
		m.balances = &source.Reader{Source: src, Tables: network.BuiltIn()}
		l.Source, l.Gateway = m.balances, "./gateway"
	})
	return m
}

// hubMonth is that of a company on a recorded chain with pallet revive, read from its node. What the company's accounts were
// charged is what the recording states; see the script hub-month of cmd/fees.
func hubMonth(t *testing.T) companyMonth {
	server := httptest.NewServer(nodetest.OpenPair(t, "stack-template-3"))
	t.Cleanup(server.Close)
	node, err := source.Open(strings.Replace(server.URL, "http", "ws", 1), source.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { node.(io.Closer).Close() })
	february, err := source.Open(pairs.HubMonth(t), source.Options{})
	require.NoError(t, err)
	m := companyMonth{balances: &source.Reader{Source: node, Tables: pairs.HubTables(t)}, charged: "0.484 UNIT"}
	d := hubLedger(t, hubBlocks{"0..37", node}, hubBlocks{"0..38", february})
	m.office = newOfficeOf(t, &office{ledger: d, shelf: t.TempDir(), labels: book(t, "address,label,group\n"+
		"5HYRCKHYJN9z5xUtfFkyMj4JUhsAwWyvuU8vKB1FcnYTf9ZQ,Treasury,company\n"+
		"0x3Cd0A705a2DC65e5b1E1205896BaA2be8A07c6e0,Savings,company\n"+
		"15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5,Staking,company\n"+
		"5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty,Payroll,\n")}, func(c *web.Options) {
		l := &c.Ledgers[0]
		l.Network, l.Source, l.Gateway = "stack-template", m.balances, server.URL
	})
	return m
}

// hubBlocks are blocks of a recorded chain with pallet revive, from a source.
type hubBlocks struct {
	wanted string
	source.Source
}

// hubLedger returns a ledger of such blocks.
func hubLedger(t *testing.T, parts ...hubBlocks) *app.Ledger {
	place, tables := filepath.Join(t.TempDir(), "fees.db"), pairs.HubTables(t)
	for _, p := range parts {
		wanted, err := app.PeriodInput{Blocks: p.wanted}.ParseWanted()
		require.NoError(t, err)
		_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: &source.Reader{Source: p.Source, Tables: tables}})
		require.NoError(t, err)
	}
	d, err := app.Open(t.Context(), place, tables)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// closedByTwo closes a month from the first look at the overview on: anna prepares it, bob returns it with a comment, she
// prepares it again, he approves it, and she closes it. A wrong password and a session that ends meanwhile lose nothing
// that was typed. The package is then verified as the command line does.
func closedByTwo(t *testing.T, b *browsertest.Browser, options browsertest.Options, keys bool, o companyMonth) {
	company := len(o.labels.InGroup("company"))
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
	bob.follow(`main a[href^="close/2026-01"]`)
	require.Contains(t, bob.Text(), "first draft")
	require.Equal(t, []string{"approved", "returned"}, bob.options())
	require.Contains(t, bob.Text(), "Approve "+o.charged)
	_, report := bob.Select(`a[href="close/2026-01/report.csv"]`).Download()
	require.NotEmpty(t, report)
	o.clock.goOn(2 * time.Hour)
	bob.write("comment", comment)
	bob.press("returned")
	bob.Refused(http.StatusUnauthorized)
	require.Contains(t, bob.Text(), "Nothing was recorded")
	seen(bob, "session ended")
	bob.logIn("bob", "wrong horse")
	bob.Refused(http.StatusUnauthorized)
	require.Equal(t, []string{"anna prepared"}, o.trail(t))
	bob.logIn("bob", password)
	require.Equal(t, comment, browsertest.Ask[string](bob.Tab, `document.querySelector("main [name=comment]").value`))
	bob.press("returned")
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
	require.Contains(t, bob.Text(), "What changed since you returned it")
	require.Contains(t, bob.Text(), "Account added: Payroll")
	require.Contains(t, bob.Text(), "with payroll", "it answers the question")
	seen(bob, "prepared again")
	bob.press("approved")
	require.Equal(t, "approved", bob.fact("state"))
	require.Equal(t, []string{"returned"}, bob.options(), "the approval and the closing are of two users")
	seen(bob, "approved")

	anna.Open("/overview")
	anna.follow(`main a[href^="close/2026-01"]`)
	require.Contains(t, anna.options(), "closed")
	anna.write("comment", "done")
	anna.press("closed")
	finished(anna)
	require.Contains(t, anna.fact("last run"), "closed")
	require.Equal(t, []string{"anna prepared", "bob returned", "anna prepared", "bob approved", "anna closed"}, o.trail(t))
	anna.follow(`main a[href="packages/2026-01"]`)
	for _, text := range []string{"first draft", comment, "with payroll", "done"} {
		require.Contains(t, anna.Text(), text, "the package contains the acts")
	}
	seen(anna, "package")

	c, err := app.CheckPackage(t.Context(), filepath.Join(o.shelf, "2026-01"), again(o.ledger), app.Vouchers{}, app.PackageOptions{
		Program: "a test", Balances: func() (source.Source, error) { return o.balances.Source, nil },
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
	require.Contains(t, h.Text(), "First seen")
	require.Contains(t, h.Text(), "Mostly calls")
	seen("unlabelled")
	h.write("label", "Bridge")
	o.clock.goOn(2 * time.Hour)
	h.Key("\t") // the session has ended
	h.Until(`location.pathname === "/accounts/unlabelled" && document.querySelector("[name=password]") !== null && document.readyState === "complete"`)
	h.Refused(http.StatusUnauthorized)
	h.logIn("anna", password)
	require.Equal(t, "Bridge", browsertest.Ask[string](h.Tab, `document.querySelector("main [name=label]").value`))
	h.write("group", "outside")
	h.Key("\t")
	h.Until(`document.getElementById("saved")?.textContent.includes("Saved.")`)
	require.Contains(t, content(t, path), payer+",Bridge,outside\n")
	entries := func() string { return strings.ReplaceAll(content(t, path), ",\n", "\n") } // an edited line has no empty last fields
	saved := entries()

	// In the list of accounts, a field is saved when it is left, several are pasted, and both are undone.
	h.Open("/accounts")
	require.Contains(t, h.Text(), "Last activity")
	seen("accounts")
	h.write("label", "Reserve")
	h.Key("\t")
	h.Until(`document.getElementById("saved")?.textContent.includes("Saved.")`)
	require.True(t, browsertest.Ask[bool](h.Tab, `document.activeElement.name === "group"`), "the next field")
	require.Contains(t, content(t, path), "Reserve")
	seen("saved")
	h.Find(browsertest.Button, "Undo").Follow()
	require.Equal(t, saved, entries())
	h.Open("/accounts")
	browsertest.Ask[bool](h.Tab, `(() => {
		const data = new DataTransfer();
		data.setData("text", "One\tpasted\r\nTwo\tpasted\r\n");
		return document.querySelector("main [name=label]").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	})()`)
	h.Until(`document.getElementById("saved")?.textContent.includes("Saved.") && [...document.querySelectorAll("form.row")].slice(0, 2).every((form) => form.elements.label.defaultValue === form.elements.label.value)`)
	require.Equal(t, 2, strings.Count(content(t, path), ",pasted"))
	h.Find(browsertest.Button, "Undo").Follow()
	require.Equal(t, saved, entries())
	h.write("label", "=1+1")
	h.Key("\t")
	h.Until(`document.querySelector("#saved.bad") !== null`)
	h.Refused(http.StatusBadRequest)
	require.Contains(t, h.Text(), "Not saved.")
	require.Equal(t, saved, entries())

	// Without scripts, each row has a button.
	plain := &hand{b.Tab(t, o.URL, browsertest.Options{Scriptless: true}), t, false}
	plain.Open("/accounts")
	plain.logIn("anna", password)
	plain.write("label", "Reserve")
	plain.Select("main .save").Follow()
	require.Contains(t, plain.Path(), "saved=1")
	require.Contains(t, content(t, path), "Reserve")
	plain.Find(browsertest.Button, "Undo").Follow()
	require.Equal(t, saved, entries())
	h.Open("/account/" + payer)
	require.Contains(t, h.Text(), "Bridge")
	h.write("label", "Main bridge")
	h.Enter()
	require.Contains(t, h.Text(), "Main bridge")
	require.Contains(t, content(t, path), payer+",Main bridge,outside\n")
	h.Select("main .fold summary").Press()
	seen("account")
}
