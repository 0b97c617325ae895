package web_test

import (
	"context"
	"database/sql"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/internal/web/users"
)

// closers are users with roles; carol and dora have both, eve has none.
var closers = sync.OnceValue(func() *users.Users {
	hash, err := bcrypt.GenerateFromPassword([]byte(password), 10)
	if err != nil {
		panic(err)
	}
	text := ""
	for name, roles := range map[string]string{"anna": ":preparer", "bob": ":reviewer", "carol": ":preparer,reviewer", "dora": ":preparer,reviewer", "eve": ""} {
		text += name + ":" + string(hash) + roles + "\n"
	}
	u, err := users.Parse("users.txt", []byte(text))
	if err != nil {
		panic(err)
	}
	return u
})

// office is a server on which a month can be closed.
type office struct {
	*httptest.Server
	ledger  *app.Ledger
	clock   *clock
	shelf   string
	working sync.WaitGroup
	people  map[string]*person
	labels  *app.AddressBook
}

// person is a logged-in user.
type person struct {
	cookie *http.Cookie
	token  string
}

func newOffice(t *testing.T, change func(*web.Options)) *office {
	t.Helper()
	d, dir, labels := monthEnd(t)
	o := &office{ledger: d, shelf: filepath.Join(dir, "closed"), people: map[string]*person{}, labels: labels}
	require.NoError(t, os.Mkdir(o.shelf, 0o700))
	o.serve(t, change)
	return o
}

// newOfficeOf is another server with the ledger and the packages of one.
func newOfficeOf(t *testing.T, of *office, change func(*web.Options)) *office {
	t.Helper()
	o := &office{ledger: of.ledger, shelf: of.shelf, people: map[string]*person{}, labels: of.labels}
	o.serve(t, change)
	return o
}

func (o *office) serve(t *testing.T, change func(*web.Options)) {
	t.Helper()
	d, labels := o.ledger, o.labels
	o.Server, o.clock, _ = guarded(t, d, func(c *web.Options) {
		l := &c.Ledgers[0]
		l.Labels, l.Packages, l.Open, l.Place = labels, o.shelf, again(d), "fees.db"
		l.Closes = true
		l.OpenTrail = func(ctx context.Context) (*app.Ledger, error) { return app.OpenTrail(ctx, d.Place, d.Tables) }
		c.Users, c.Working = closers(), &o.working
		if change != nil {
			change(c)
		}
	})
	t.Cleanup(o.working.Wait)
}

// as returns a user, logged in.
func (o *office) as(t *testing.T, name string) *person {
	t.Helper()
	if o.people[name] == nil {
		cookie, token := logInPage(t, o.Server)
		in := sendFields(t, o.Server, "/login", url.Values{"token": {token}, "name": {name}, "password": {password}, "to": {"/packages"}}, with(cookie))
		require.Equal(t, http.StatusSeeOther, in.status, in.text)
		p := &person{cookie: cookieIn(t, in)}
		found := tokenIn.FindStringSubmatch(get(t, o.Server, "/packages", with(p.cookie)).text)
		require.NotNil(t, found)
		p.token = found[1]
		o.people[name] = p
	}
	return o.people[name]
}

// send sends a form of a user and waits for the work that it starts.
func (o *office) send(t *testing.T, name, path string, fields ...string) got {
	t.Helper()
	p := o.as(t, name)
	values := url.Values{"token": {p.token}}
	for i := 0; i < len(fields); i += 2 {
		if fields[i] != "difference" { // a form can select several
			values.Del(fields[i])
		}
		values.Add(fields[i], fields[i+1])
	}
	a := sendFields(t, o.Server, path, values, with(p.cookie))
	o.working.Wait()
	return a
}

func (o *office) page(t *testing.T, name, path string) got {
	t.Helper()
	return get(t, o.Server, path, with(o.as(t, name).cookie))
}

// prepare prepares January and returns the SHA-256 of the manifest.
func (o *office) prepare(t *testing.T, name, accounts string) string {
	t.Helper()
	a := o.send(t, name, "/close", "period", "2026-01", "zone", "", "accounts", accounts, "journal", "hledger", "comment", "for review")
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	require.Equal(t, "/close/2026-01", a.header.Get("Location"))
	return o.manifest(t, name)
}

// manifest returns the SHA-256 of the manifest on the page of January.
func (o *office) manifest(t *testing.T, name string) string {
	t.Helper()
	page := o.page(t, name, "/close/2026-01")
	require.Equal(t, http.StatusOK, page.status, page.text)
	_, after, found := strings.Cut(page.text, "<dt>manifest, SHA-256</dt><dd class=\"hex\">")
	require.True(t, found, page.text)
	return after[:64]
}

func (o *office) trail(t *testing.T) (lines []string) {
	t.Helper()
	acts, err := o.ledger.Book.Trail(t.Context())
	require.NoError(t, err)
	for _, a := range acts {
		lines = append(lines, a.User+" "+string(a.Kind))
	}
	return lines
}

// act does something with the package of January.
func (o *office) act(t *testing.T, name, what, manifest, comment string) got {
	t.Helper()
	return o.send(t, name, "/close/2026-01", "act", what, "manifest", manifest, "comment", comment)
}

// Two users close a month: it is prepared, returned, prepared again, approved and closed. The package contains their
// acts and is verified by the ledger.
func TestCloseByTwoUsers(t *testing.T) {
	o := newOffice(t, nil)
	require.NotContains(t, get(t, o.Server, "/login", nil).text, "read-only")
	require.Contains(t, o.page(t, "anna", "/close?period=2026-01").text, `name="journal"`)
	require.NotContains(t, o.page(t, "bob", "/close?period=2026-01").text, `name="journal"`)
	require.Contains(t, o.page(t, "bob", "/overview").text, `<a href="close?period=2026-01">Close</a>`)

	first := o.prepare(t, "anna", "Operations")
	require.Equal(t, []string{"anna prepared"}, o.trail(t))
	waiting := steps(t, o.page(t, "bob", "/overview?period=2026-01").text, "January 2026 is being closed")
	require.Equal(t, [2]string{"prepared by anna", `<a href="close/2026-01">Package to review or close</a>`}, waiting["closed"])
	require.Equal(t, "prepared without balances", waiting["statements"][0], "of the newest package, which is not closed")
	require.Contains(t, o.page(t, "bob", "/overview?period=2026-01").text, `<a href="close/2026-01">prepared by anna</a>`)
	require.Contains(t, o.page(t, "bob", "/close").text, `<a href="close/2026-01">January 2026</a>`)
	require.NotContains(t, o.page(t, "bob", "/packages").text, `"packages/2026-01"`, "it is not closed")
	report := o.page(t, "bob", "/close/2026-01/report.csv")
	require.Equal(t, http.StatusOK, report.status)
	require.NotEmpty(t, report.text)
	require.Contains(t, filesBelow(t, unpacked(t, o.page(t, "bob", "/close/2026-01/package.zip").text)), "2026-01-v1/report.csv")
	for _, path := range []string{"/close/2026-01/package.zip", "/packages/2026-01/v1/package.zip"} {
		require.Equal(t, http.StatusSeeOther, get(t, o.Server, path, nil).status, "it needs a log-in")
	}
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "returned", first, "the group <script>alert(1)</script>, please").status)
	page := o.page(t, "anna", "/close/2026-01")
	require.Contains(t, page.text, "the group &lt;script&gt;alert(1)&lt;/script&gt;, please")

	require.Contains(t, page.text, `<p class="conclusion warn"><strong>Not closed yet: returned by bob.</strong> Open: 1 question without an answer. A preparer prepares it again.</p>`)

	second := o.prepare(t, "anna", "group:company")
	require.NotEqual(t, first, second)
	stale := o.act(t, "bob", "approved", first, "")
	require.Equal(t, http.StatusConflict, stale.status)
	require.Contains(t, stale.text, "prepared again since this page was shown")
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "approved", second, "").status)
	require.Equal(t, http.StatusConflict, o.act(t, "bob", "approved", second, "").status, "sent again")
	require.Equal(t, http.StatusForbidden, o.act(t, "bob", "closed", second, "").status)
	require.NoDirExists(t, filepath.Join(o.shelf, "2026-01"))
	require.Equal(t, http.StatusSeeOther, o.act(t, "anna", "closed", second, "done").status)
	require.Equal(t, []string{"anna prepared", "bob returned", "anna prepared", "bob approved", "anna closed"}, o.trail(t))
	require.Equal(t, http.StatusNotFound, o.act(t, "anna", "closed", second, "done").status, "sent again")
	require.Len(t, o.trail(t), 5)

	require.NoDirExists(t, filepath.Join(o.shelf, ".prepared", "2026-01"))
	closed := o.page(t, "eve", "/packages/2026-01")
	require.Contains(t, closed.text, "the group &lt;script&gt;alert(1)&lt;/script&gt;, please")
	require.Len(t, tableOf(t, closed.text, "Who did what"), 1+5)
	require.Contains(t, closed.text, "<strong>Closed by anna, approved by bob.</strong> ")
	c, err := app.CheckPackage(t.Context(), filepath.Join(o.shelf, "2026-01"), again(o.ledger), app.Vouchers{}, app.PackageOptions{Program: "a test"})
	require.NoError(t, err)
	require.Empty(t, c.Damage)
	require.Empty(t, c.Differences)
	require.False(t, c.Partly())
	require.Empty(t, c.Notes)

	// Closed again with one more account, it becomes version 2.
	third := o.prepare(t, "carol", "group:company,Payroll")
	require.Equal(t, http.StatusForbidden, o.act(t, "carol", "approved", third, "").status, "prepared by the same user")
	require.Equal(t, http.StatusSeeOther, o.act(t, "dora", "approved", third, "").status)
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "closed", third, "").status)
	require.Contains(t, o.page(t, "eve", "/packages/2026-01").text, "Package January 2026, version 2")
	require.Len(t, tableOf(t, o.page(t, "eve", "/packages/2026-01").text, "Who did what"), 1+3)
}

// No act without its role, its token, and valid texts; nothing is recorded.
func TestActsThatAreRefused(t *testing.T) {
	o := newOffice(t, nil)
	form := []string{"period", "2026-01", "accounts", "group:company", "journal", "hledger"}
	for _, name := range []string{"bob", "eve"} {
		require.Equal(t, http.StatusForbidden, o.send(t, name, "/close", form...).status, name)
	}
	for _, c := range []struct{ field, value, want string }{
		{"period", "2026-01-01..2026-01-02", "month or a year"}, {"period", "", "month or a year"}, {"zone", "../../etc", "zone"}, {"accounts", "", "name the accounts"},
		{"accounts", "/etc/passwd", "no match"}, {"accounts", "group:nobody", "no such group"}, {"journal", "excel", "journal"}, {"comment", "a\x00b", "without control characters"},
		{"comment", strings.Repeat("x", 1001), "up to 1000 characters"}, {"comment", "a\u202eb", "one line"}, {"comment", "\xff", "one line"}, {"partial", "2", "partial"},
	} {
		fields := append(append([]string{}, form...), c.field, c.value)
		a := o.send(t, "anna", "/close", fields...)
		require.Equal(t, http.StatusBadRequest, a.status, "%s %q: %s", c.field, c.value, a.text)
		require.Contains(t, a.text, c.want)
	}
	lacking := o.send(t, "anna", "/close", "period", "2031-01", "accounts", "group:company", "journal", "hledger")
	require.Equal(t, http.StatusConflict, lacking.status)
	anna := o.as(t, "anna")
	values := url.Values{"token": {o.as(t, "bob").token}, "period": {"2026-01"}, "accounts": {"group:company"}, "journal": {"hledger"}}
	require.Equal(t, http.StatusForbidden, sendFields(t, o.Server, "/close", values, with(anna.cookie)).status, "another user's token")
	require.Empty(t, o.trail(t))
	require.NoDirExists(t, filepath.Join(o.shelf, ".prepared"))

	sum := o.prepare(t, "carol", "group:company")
	for _, c := range []struct {
		name, act, manifest, comment string
		status                       int
	}{
		{"eve", "approved", sum, "", http.StatusForbidden}, {"anna", "approved", sum, "", http.StatusForbidden}, {"carol", "approved", sum, "", http.StatusForbidden}, {"carol", "returned", sum, "no", http.StatusForbidden},
		{"anna", "withdrawn", sum, "", http.StatusForbidden}, {"bob", "returned", sum, "", http.StatusBadRequest}, {"bob", "approved", "abc", "", http.StatusBadRequest}, {"bob", "approved", strings.Repeat("0", 64), "", http.StatusConflict},
		{"carol", "closed", sum, "", http.StatusConflict}, {"bob", "paid", sum, "", http.StatusBadRequest}, {"bob", "prepared", sum, "", http.StatusBadRequest}, {"bob", "approved", sum, "a\x01b", http.StatusBadRequest},
	} {
		a := o.act(t, c.name, c.act, c.manifest, c.comment)
		require.Equal(t, c.status, a.status, "%s %s: %s", c.name, c.act, a.text)
	}
	for _, path := range []string{"/close/2026-02", "/close/..%2f2026-01", "/close/.prepared", "/close/2026-01.closing"} {
		require.Equal(t, http.StatusNotFound, o.send(t, "bob", path, "act", "approved", "manifest", sum).status, path)
		require.Equal(t, http.StatusNotFound, o.page(t, "bob", path).status, path)
	}
	require.Equal(t, http.StatusNotFound, o.page(t, "bob", "/close/2026-01/nothing.csv").status)
	require.Equal(t, []string{"carol prepared"}, o.trail(t))
	o.prepare(t, "carol", "group:company")
	require.Equal(t, []string{"carol prepared"}, o.trail(t), "the same once more")
	require.Equal(t, http.StatusSeeOther, o.act(t, "carol", "withdrawn", sum, "").status)
	require.NotContains(t, o.page(t, "bob", "/close").text, `"close/2026-01"`)
}

// A program that fills the ledger does not stop acts. One that changes it for long does: nothing is recorded then, and
// nothing is lost.
func TestActsWhileTheLedgerIsWritten(t *testing.T) {
	o := newOffice(t, nil)
	sum := o.prepare(t, "anna", "group:company")
	d, err := app.OpenWriter(t.Context(), o.ledger.Place, o.ledger.Tables)
	require.NoError(t, err)
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "returned", sum, "once more").status)
	require.NoError(t, d.Close())
	sum = o.prepare(t, "anna", "group:company")
	if !testing.Short() {
		db, err := sql.Open("sqlite", o.ledger.Place)
		require.NoError(t, err)
		defer db.Close()
		changing, err := db.Conn(t.Context())
		require.NoError(t, err)
		_, err = changing.ExecContext(t.Context(), "BEGIN IMMEDIATE")
		require.NoError(t, err)
		busy := o.act(t, "bob", "approved", sum, "") // after five seconds
		require.Equal(t, http.StatusServiceUnavailable, busy.status)
		require.Contains(t, busy.text, "Another program is changing this ledger. Nothing was recorded.")
		require.NoError(t, changing.Close())
		require.NoError(t, db.Close())
	}
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "approved", sum, "").status)
	require.Equal(t, []string{"anna prepared", "bob returned", "anna prepared", "bob approved"}, o.trail(t))

	// The closing was recorded, but the package was not made: closing continues.
	d, err = app.OpenWriter(t.Context(), o.ledger.Place, o.ledger.Tables)
	require.NoError(t, err)
	acts, err := d.Book.Trail(t.Context())
	require.NoError(t, err)
	last := acts[len(acts)-1]
	last.User, last.Kind = "anna", ledger.Closed
	_, err = d.Book.Record(t.Context(), last, nil)
	require.NoError(t, err)
	require.NoError(t, d.Close())
	require.Equal(t, http.StatusForbidden, o.act(t, "bob", "closed", sum, "").status)
	require.Equal(t, http.StatusSeeOther, o.act(t, "anna", "closed", sum, "").status)
	require.Equal(t, "anna closed", o.trail(t)[4])
	require.Len(t, o.trail(t), 5)
	require.DirExists(t, filepath.Join(o.shelf, "2026-01"))
}

// Without --close, or without users, nothing can be closed.
func TestServersThatCloseNothing(t *testing.T) {
	o := newOffice(t, func(c *web.Options) { c.Ledgers[0].Closes = false })
	require.Equal(t, http.StatusNotFound, o.page(t, "anna", "/close").status)
	require.Equal(t, http.StatusNotFound, o.page(t, "anna", "/close/2026-01").status)
	require.Equal(t, http.StatusNotFound, o.page(t, "anna", "/close/2026-01/report.csv").status)
	require.Equal(t, http.StatusNotFound, o.send(t, "anna", "/close", "period", "2026-01").status)
	require.Equal(t, http.StatusNotFound, o.act(t, "bob", "approved", strings.Repeat("0", 64), "").status)
	require.Contains(t, get(t, o.Server, "/login", nil).text, "read-only")
}

// What was typed into a form whose session has ended is in the address of the page that follows the log-in, if the form
// is of this server: another site's changes neither the cookie nor the form.
func TestFormsOfEndedSessions(t *testing.T) {
	o := newOffice(t, nil)
	fields := url.Values{"token": {"x"}, "period": {"2026-01"}, "accounts": {"group:company"}, "comment": {`"é" & <b>`}, "manifest": {"x"}, "to": {"//evil.example"}}
	a := sendFields(t, o.Server, "/close", fields, nil)
	require.Equal(t, http.StatusUnauthorized, a.status)
	require.Contains(t, a.text, `name="to" value="/close?accounts=group%3Acompany&amp;comment=%22%C3%A9%22+%26+%3Cb%3E&amp;period=2026-01"`)
	page := o.page(t, "anna", "/close?accounts=group%3Acompany&comment=%22%C3%A9%22+%26+%3Cb%3E&period=2026-01").text
	require.Contains(t, page, `>&#34;é&#34; &amp; &lt;b&gt;</textarea>`)
	a = sendFields(t, o.Server, "/close", fields, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
	require.Equal(t, http.StatusSeeOther, a.status)
	require.Equal(t, "/login", a.header.Get("Location"))
	require.Empty(t, a.header.Get("Set-Cookie"))
	fields.Set("comment", strings.Repeat("é", 3000)) // more than an address takes
	a = sendFields(t, o.Server, "/close", fields, nil)
	require.Contains(t, a.text, `name="to" value="/close"`)
	require.Equal(t, http.StatusSeeOther, sendFields(t, o.Server, "/logout", fields, nil).status)
	require.Empty(t, o.trail(t))

	a = o.send(t, "anna", "/close", "period", "2026-01", "accounts", "group:company", "journal", "excel", "comment", "mine")
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.text, `>mine</textarea>`)
	require.Contains(t, a.text, `<option value="excel" selected>`)
}
