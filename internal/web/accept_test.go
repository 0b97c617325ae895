package web_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/internal/web"
)

var (
	rowIn     = regexp.MustCompile(`(?s)<tr role="row">.*?</tr>`)
	tickIn    = regexp.MustCompile(`<input type="checkbox" name="difference" value="([0-9a-f]{64})" aria-label="([^"]*)">`)
	outcomeIn = regexp.MustCompile(`<td role="cell" class="verdict bad[^"]*" data-head="outcome">([^<]*)</td>`)
)

// group is the open differences with an outcome on a page of a reconciliation.
type group struct {
	fields []string // hidden ones, with the outcome
	ticks  []string // digests that can be accepted
	labels []string
}

// groups returns the open differences on a user's page, by outcome.
func (o *office) groups(t *testing.T, name, path string) map[string]group {
	t.Helper()
	list := map[string]group{}
	for _, row := range rowIn.FindAllString(o.page(t, name, path).text, -1) {
		tick, outcome := tickIn.FindStringSubmatch(row), outcomeIn.FindStringSubmatch(row)
		if tick == nil || outcome == nil {
			continue
		}
		kind := strings.ReplaceAll(outcome[1], " ", "_")
		g := list[kind]
		g.ticks, g.labels = append(g.ticks, tick[1]), append(g.labels, tick[2])
		list[kind] = g
	}
	for kind, g := range list {
		_, form, _ := strings.Cut(o.page(t, name, path+"&outcome="+kind).text, `id="rows"`)
		for _, h := range hiddenIn.FindAllStringSubmatch(form[:strings.Index(form, "</section>")], -1) {
			if h[1] != "token" {
				g.fields = append(g.fields, h[1], html.UnescapeString(h[2]))
			}
		}
		list[kind] = g
	}
	return list
}

// acceptAll accepts all differences of a record with a comment.
func (o *office) acceptAll(t *testing.T, name, path, comment string) (last got) {
	t.Helper()
	at, _, _ := strings.Cut(path, "?")
	for _, g := range o.groups(t, name, path) {
		last = o.send(t, name, at, plus(g.fields, "act", "accept-all", "comment", comment)...)
	}
	return last
}

func plus(fields []string, more ...string) []string {
	return append(append([]string{}, fields...), more...)
}

// The differences of a record are grouped by what to do about them. A preparer accepts one, or a group, with a comment;
// they stay differences, and each act is a line of the audit trail. The package holds them, its reviewer sees them, and a
// check finds what was changed.
func TestAcceptDifferences(t *testing.T) {
	o := newOffice(t, nil)
	path := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	at, _, _ := strings.Cut(path, "?")
	page := o.page(t, "anna", path)
	require.Equal(t, http.StatusOK, page.status, page.text)
	list := o.groups(t, "anna", path)
	total := 0
	for kind, g := range list {
		require.NotEmpty(t, g.ticks, kind)
		total += len(g.ticks)
	}
	require.Equal(t, 4, total, "lines 5, 12 and 16, and 10-7")
	require.Equal(t, []string{"Select ID 10-7"}, list["only_on_chain"].labels)
	require.Contains(t, page.text, "Not in your books. Add this line.")
	for _, part := range []string{"ethereum.transact", "lookup?q=0xfee6023aec5160f6b89224e83dbe5c3c74a9bcf52701cc7d46ab12cf7cad9008", `<data value="60634299214855292">`, ">Savings<"} {
		require.Contains(t, page.text, part, "what is entered for 10-7")
	}

	lacking := list["only_on_chain"]
	a := o.send(t, "anna", at, plus(lacking.fields, "act", "accept", "difference", lacking.ticks[0], "comment", "booked <b>in</b> February")...)
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	require.Equal(t, strings.Replace(path, "&period", "&outcome=only_on_chain&period", 1)+"#rows", a.header.Get("Location"))
	page = o.page(t, "anna", path)
	require.Contains(t, page.text, "14 match, 1 accepted, 3 open.")
	require.Contains(t, page.text, "booked &lt;b&gt;in&lt;/b&gt; February")
	require.Contains(t, page.text, ">Open (3)</a>")
	require.Empty(t, o.groups(t, "anna", path)["only_on_chain"].ticks)
	twice := o.send(t, "anna", at, plus(lacking.fields, "act", "accept", "difference", lacking.ticks[0], "comment", "twice")...)
	require.Equal(t, http.StatusConflict, twice.status, twice.text)

	var whole group
	for _, kind := range []string{"only_in_books", "amount_differs", "payer_differs"} {
		if g, has := o.groups(t, "anna", path)[kind]; has {
			whole = g
			break
		}
	}
	a = o.send(t, "anna", at, plus(whole.fields, "act", "accept-all", "comment", "rounded")...)
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	trail, err := o.ledger.Book.Trail(t.Context())
	require.NoError(t, err)
	require.Len(t, trail, 2)
	require.Equal(t, ledger.Accepted, trail[1].Kind)
	require.Equal(t, []string{"anna", "2026-01", "UTC", "rounded"}, []string{trail[1].User, trail[1].Period, trail[1].Zone, trail[1].Comment})
	accepted := 1 + len(whole.ticks)

	// The record's way into the package keeps them; the reviewer sees them before the decision.
	fields := o.recordForm(t, "anna", path)
	form := o.page(t, "anna", "/close?period=2026-01&record="+strings.TrimPrefix(at, "/reconcile/"))
	require.Contains(t, form.text, ledger.HeadOf(trail).String())
	require.Contains(t, form.text, "<dt>accepted differences</dt><dd>"+strconv.Itoa(accepted))
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", "/close", fields...).status)
	review := o.page(t, "bob", "/close/2026-01")
	require.Contains(t, review.text, "Accepted differences ("+strconv.Itoa(accepted)+" of 4)")
	require.Contains(t, review.text, "booked &lt;b&gt;in&lt;/b&gt; February")
	require.Less(t, strings.Index(review.text, "Accepted differences"), strings.Index(review.text, ">Who did what</h2>"))

	// Returned and prepared again, they are the same.
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "returned", o.manifest(t, "anna"), "another journal").status)
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", "/close", "period", "2026-01", "accounts", "group:company", "journal", "beancount", "comment", "for beancount").status)
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "approved", o.manifest(t, "anna"), "").status)
	require.Equal(t, http.StatusSeeOther, o.act(t, "anna", "closed", o.manifest(t, "anna"), "").status)
	require.Contains(t, o.page(t, "bob", "/packages/2026-01").text, "Accepted differences ("+strconv.Itoa(accepted)+" of 4)")

	dir := filepath.Join(o.shelf, "2026-01")
	check := func() *app.PackageCheck {
		c, err := app.CheckPackage(t.Context(), dir, again(o.ledger), app.Vouchers{}, app.PackageOptions{Program: "a test"})
		require.NoError(t, err)
		return c
	}
	c := check()
	require.Empty(t, append(c.Damage, c.Differences...))
	require.False(t, c.Partly())
	require.EqualValues(t, 4-accepted, c.Manifest.Findings.Differences)
	require.EqualValues(t, accepted, c.Manifest.Findings.Accepted)
	text, err := os.ReadFile(filepath.Join(dir, "inputs", "accepted.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, accepted+1)
	last := rows[len(rows)-1]
	require.Equal(t, []string{lacking.ticks[0], "only_on_chain", "", "10-7"}, last[:4])
	require.Equal(t, []string{"anna", trail[0].Time.String(), "booked <b>in</b> February", "1"}, last[7:])
	for i := range text {
		changed := append([]byte{}, text...)
		changed[i] ^= 1
		require.NoError(t, os.WriteFile(filepath.Join(dir, "inputs", "accepted.csv"), changed, 0o600))
		p, err := closing.Open(dir)
		require.NoError(t, err)
		problems, err := p.Problems()
		require.NoError(t, err)
		require.Len(t, problems, 1, "byte %d", i)
	}
	require.NotEmpty(t, check().Damage)
	require.Equal(t, http.StatusOK, o.page(t, "bob", "/packages/2026-01").status, "a damaged package has a page")
}

// Requests without the role or a comment, for differences that are not shown, or for another user's record are refused. The
// trail does not contain them. What was typed is kept.
func TestRefusedAcceptances(t *testing.T) {
	o := newOffice(t, nil)
	path := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	at, _, _ := strings.Cut(path, "?")
	g := o.groups(t, "anna", path)["only_on_chain"]
	other := ""
	for kind, x := range o.groups(t, "anna", path) {
		if kind != "only_on_chain" {
			other = x.ticks[0]
		}
	}
	one := plus(g.fields, "act", "accept", "difference", g.ticks[0], "comment", "why")
	set := func(name, value string) []string { return plus(one, name, value) }
	for _, c := range []struct {
		who    string
		fields []string
		status int
		want   string
	}{
		{"bob", one, http.StatusForbidden, "Only preparers"}, {"eve", one, http.StatusForbidden, "Only preparers"}, {"carol", one, http.StatusForbidden, "anna loaded this record, and no one else sees it"},
		{"anna", set("comment", ""), http.StatusBadRequest, "say why you accept, ask or withdraw"}, {"anna", set("comment", "=1+1"), http.StatusBadRequest, "formula"}, {"anna", set("comment", "a\u202eb"), http.StatusBadRequest, "control characters"},
		{"anna", set("comment", strings.Repeat("x", 1001)), http.StatusBadRequest, "1000"}, {"anna", set("difference", other), http.StatusBadRequest, "select only open ones"}, {"anna", set("difference", "x"), http.StatusBadRequest, "select only open ones"}, {"anna", set("act", "pay"), http.StatusBadRequest, "pay"}, {"anna", set("act", "withdraw"), http.StatusBadRequest, "none of the selected ones is accepted"},
		{"anna", plus(g.fields, "act", "accept", "comment", "why"), http.StatusBadRequest, "select at least one"}, {"anna", set("shown", strings.Repeat("0", 64)), http.StatusConflict, "have changed"}, {"anna", set("outcome", "matched"), http.StatusConflict, "have changed"},
		{"anna", set("rows_only", "1"), http.StatusBadRequest, "do not compare only the rows"}, {"anna", set("period", "3..27"), http.StatusBadRequest, "a month or a year"}, {"anna", set("period", "x"), http.StatusBadRequest, "x"},
		{"anna", set("accounts", "group:none"), http.StatusBadRequest, "none"}, {"anna", set("unit", "euro"), http.StatusUnprocessableEntity, "euro"},
		{"anna", set("token", "x"), http.StatusForbidden, ""},
	} {
		a := o.send(t, c.who, at, c.fields...)
		require.Equal(t, c.status, a.status, "%s %q: %s", c.who, c.fields[len(c.fields)-2:], a.text)
		require.Contains(t, a.text, c.want)
	}
	refused := o.send(t, "anna", at, set("comment", strings.Repeat("x", 1001))...)
	require.Contains(t, refused.text, ">"+strings.Repeat("x", 1001)+"</textarea>", "what was typed")
	require.Contains(t, refused.text, `value="`+g.ticks[0]+`" aria-label="Select ID 10-7" checked>`)
	require.Empty(t, o.trail(t))
	require.Equal(t, g.ticks, o.groups(t, "anna", path)["only_on_chain"].ticks)
	require.Empty(t, o.groups(t, "anna", path+"&rows_only=1")["amount_differs"].ticks)

	// Accounts of another comparison: what was accepted does not fit it.
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", at, one...).status)
	require.Equal(t, []string{"anna accepted"}, o.trail(t))
	fewer := o.page(t, "anna", strings.Replace(path, "group%3Acompany", alith, 1))
	require.Equal(t, http.StatusOK, fewer.status)
	require.Contains(t, fewer.text, "1 acceptance fits no difference of this comparison")
	p := o.as(t, "anna")
	forged := sendFields(t, o.Server, at, url.Values{"token": {p.token}}, func(r *http.Request) {
		with(p.cookie)(r)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	})
	require.Equal(t, http.StatusForbidden, forged.status)

	// A server that closes nothing shows the groups only.
	plain := served(t, o.ledger, nil)
	text := formAt(t, plain, o.companyRecord(t))
	require.NotContains(t, text, `name="difference"`)
	require.Contains(t, text, `<section class="differences" id="rows"`)
	require.Equal(t, http.StatusNotFound, sendFields(t, plain, at, url.Values{"comment": {"x"}}, nil).status)
}

// formAt uploads a record to a server without users and returns its page.
func formAt(t *testing.T, s *httptest.Server, record []byte) string {
	t.Helper()
	contentType, body := formOf(t, "company.csv", record, url.Values{"period": {"2026-01"}, "accounts": {alith}})
	a := post(t, s, "/reconcile", contentType, body, nil)
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	return get(t, s, a.header.Get("Location"), nil).text
}

// An act is void if one of its differences is gone. The others can be accepted again.
func TestAcceptAgain(t *testing.T) {
	o := newOffice(t, nil)
	lines := strings.Split(strings.TrimSpace(string(o.companyRecord(t))), "\n")
	amount := regexp.MustCompile(`0\.[0-9]{18}`)
	for i, add := range map[int]uint64{1: 7, 2: 1000} {
		lines[i] = amount.ReplaceAllStringFunc(lines[i], func(text string) string {
			wei, err := strconv.ParseUint(strings.TrimPrefix(text, "0."), 10, 64)
			require.NoError(t, err)
			return fmt.Sprintf("0.%018d", wei+add)
		})
	}
	path := o.upload(t, "anna", "company.csv", []byte(strings.Join(lines, "\n")+"\n"), "period", "2026-01", "accounts", "group:company")
	at, _, _ := strings.Cut(path, "?")
	page := o.page(t, "anna", path).text
	both := o.groups(t, "anna", path)["amount_differs"]
	require.Contains(t, both.labels, "Select line 2", page)
	require.Contains(t, both.labels, "Select line 3")
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", at, plus(both.fields, "act", "accept-all", "comment", "rounded")...).status)
	tolerant := path + "&tolerance=" + url.QueryEscape("10 wei")
	page = o.page(t, "anna", tolerant).text
	require.Contains(t, page, strconv.Itoa(len(both.ticks))+" acceptances fit no difference of this comparison, or only in part. Accept again what you need.")
	left := o.groups(t, "anna", tolerant)["amount_differs"]
	require.Len(t, left.ticks, len(both.ticks)-1)
	require.NotContains(t, left.labels, "Select line 2")
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", at, plus(left.fields, "act", "accept-all", "comment", "rounded by more")...).status)
	page = o.page(t, "anna", tolerant).text
	require.NotContains(t, page, "Accept again what you need.")
	require.Contains(t, page, "rounded by more")
	require.Empty(t, o.groups(t, "anna", tolerant)["amount_differs"].ticks)
	require.Equal(t, []string{"anna accepted", "anna accepted"}, o.trail(t))
}

// The next file of the same period and accounts takes over the acceptances of its user's last one, but only of acts all of
// whose differences are exactly the same.
func TestCarriedAcceptances(t *testing.T) {
	o := newOffice(t, nil)
	subject := []string{"period", "2026-01", "accounts", "group:company"}
	record := string(o.companyRecord(t))
	path := o.upload(t, "anna", "company.csv", []byte(record), subject...)
	at, _, _ := strings.Cut(path, "?")
	for kind, g := range o.groups(t, "anna", path) {
		require.Equal(t, http.StatusSeeOther, o.send(t, "anna", at, plus(g.fields, "act", "accept-all", "comment", "kind "+kind)...).status)
	}
	trail := o.trail(t)
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", at+"/forget").status)

	again := o.upload(t, "anna", "again.csv", []byte(record), subject...)
	for range 2 { // a second look at the page is the same
		page := o.page(t, "anna", again).text
		require.Contains(t, page, ", 4 accepted, ")
		require.Contains(t, page, "4 acceptances are carried over from your earlier file")
		require.Equal(t, 4, strings.Count(page, "(carried over)"))
		require.Contains(t, page, "kind only_on_chain")
	}
	require.Equal(t, trail, o.trail(t), "carried acceptances add no acts")

	lines := strings.SplitAfter(record, "\n")
	corrected := o.upload(t, "anna", "corrected.csv", []byte(strings.Join(slices.Delete(slices.Clone(lines), 15, 16), "")), subject...)
	page := o.page(t, "anna", corrected).text // without line 16, which is in no block
	require.Contains(t, page, ", 3 accepted, ")
	require.NotContains(t, page, "fit no difference")
	for name, other := range map[string]string{
		"another period":   o.upload(t, "anna", "a.csv", []byte(record), "period", "2026-02", "partial", "1", "accounts", "group:company"),
		"another account":  o.upload(t, "anna", "b.csv", []byte(record), "period", "2026-01", "accounts", "Operations"),
		"not of a package": o.upload(t, "anna", "c.csv", []byte(record), subject...) + "&rows-only=1",
	} {
		require.NotContains(t, o.page(t, "anna", other).text, "carried over", name)
	}
}

// Whatever a user with roles sends to the forms, nothing fails, no script runs, and only that user's own acts are in the
// trail.
func TestHostileActs(t *testing.T) {
	o := newOffice(t, nil)
	random := rand.New(rand.NewPCG(3, 4))
	one := func(list []string) string { return list[random.IntN(len(list))] }
	most := tier.Count(t, "FEES_REQUESTS", 50, 150)
	path := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	at, _, _ := strings.Cut(path, "?")
	names := append(web.Parameters(), "act", "manifest", "comment", "outcome", "shown", "difference", "token", "label", "payer", "record", "journal")
	statuses := map[int]int{}
	for range most {
		who, to := one([]string{"anna", "anna", "bob", "carol", "eve"}), one([]string{at, at, at, "/close", "/close/2026-01", "/account/" + alith, "/accounts/unlabelled"})
		fields := []string{}
		if list := o.groups(t, "anna", path); random.IntN(2) == 0 && len(list) > 0 {
			for _, g := range list {
				fields = plus(g.fields, "act", one([]string{"accept", "accept-all", "ask", "withdraw"}), "comment", one(hostileValues))
				if len(g.ticks) > 0 {
					fields = append(fields, "difference", one(g.ticks))
				}
			}
		}
		for range random.IntN(3) {
			fields = append(fields, one(names), one(hostileValues))
		}
		a := o.send(t, who, to, fields...)
		statuses[a.status]++
		require.NotEqual(t, http.StatusInternalServerError, a.status, "%s %s %q\n%s", who, to, fields, a.text)
		require.NotContains(t, a.text, "root:")
		require.NotContains(t, foreign(a.text), "<script", "%q", fields)
	}
	page := o.page(t, "anna", path)
	require.Equal(t, http.StatusOK, page.status)
	require.NotContains(t, foreign(page.text), "<script")
	acts, err := o.ledger.Book.Trail(t.Context())
	require.NoError(t, err)
	for _, a := range acts {
		require.NoError(t, a.Check())
		if a.Kind == ledger.Accepted || a.Kind == ledger.Asked || a.Kind == ledger.AcceptanceWithdrawn {
			require.Equal(t, "anna", a.User)
		}
	}
	t.Logf("%d requests: %v, %d acts", most, statuses, len(acts))
}

// The memory of acceptances is counted; they go with their file, and other files make room for them.
func TestMemoryOfAcceptances(t *testing.T) {
	now := time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC)
	u := web.NewUploads(func() time.Time { return now })
	first := u.Put("ada", "a.csv", make([]byte, 100))
	now = now.Add(time.Second)
	second := u.Put("bo", "b.csv", make([]byte, 100))
	now = now.Add(time.Second)
	require.ErrorContains(t, u.Accept("bo", first, 1), "no longer kept", "another user's")
	require.NoError(t, u.Accept("ada", first, 1000))
	require.Equal(t, 1000, u.Accepted(first))
	require.Greater(t, u.Size(), 100_000)
	require.NoError(t, u.Accept("ada", first, 1))
	require.Less(t, u.Size(), 1000)
	require.True(t, u.Has("bo", second))
	now = now.Add(time.Second)
	require.NoError(t, u.Accept("ada", first, 1_000_000))
	require.False(t, u.Has("bo", second))
	require.True(t, u.Forget("ada", first))
	require.Zero(t, u.Size())
	require.Zero(t, u.Accepted(first))
}

// A file whose differences are being accepted is not discarded, however much memory others need and however long it takes:
// what would be kept of it on disk would be without its acceptances.
func TestHeldFile(t *testing.T) {
	now := time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC)
	u := web.NewUploads(func() time.Time { return now })
	first := u.Put("ada", "a.csv", make([]byte, 1<<20))
	require.False(t, u.Hold("bo", first))
	require.True(t, u.Hold("ada", first))
	require.NoError(t, u.Accept("ada", first, 7))
	for range 5 {
		now = now.Add(time.Second)
		require.True(t, u.Has("bo", u.Put("bo", "b.csv", make([]byte, 32<<20))))
	}
	now = now.Add(time.Hour)
	u.Clear()
	require.Equal(t, 7, u.Accepted(first))
	require.Equal(t, 1<<20+7*256, u.Size(), "only this one is left")
	u.Release()
	u.Clear()
	require.False(t, u.Has("ada", first))
	require.False(t, u.Hold("ada", first))
}

// Acceptances are carried over to a file of the same ledger only.
func TestSubjectsOfLedgers(t *testing.T) {
	require.NotEqual(t, web.Subject("main"), web.Subject("test"))
}

// A table in the side column is as narrow as the column, although the window is wide.
func TestSideColumn(t *testing.T) {
	for amounts, want := range map[int]string{1: "", 2: "sminor", 3: "sfirst", 4: ""} {
		classes := strings.Fields(web.SideLayout(amounts))
		require.Equal(t, amounts == 4, classes[0] == "tnone", classes)
		if want == "" {
			require.False(t, strings.HasPrefix(classes[len(classes)-1], "s"), classes)
			continue
		}
		require.Equal(t, want, classes[len(classes)-1], amounts)
	}
}
