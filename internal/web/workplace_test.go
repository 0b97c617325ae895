package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
)

// Records stay on disk, with their acceptances and questions, until their month is closed: also without use, and after the
// server restarts. Only who loaded one sees it; others read who that is. Nothing outside their directory is read.
func TestWorkplace(t *testing.T) {
	o := newOffice(t, nil)
	path := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	at, _, _ := strings.Cut(path, "?")
	list := o.groups(t, "anna", path)
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", at, plus(list["only_on_chain"].fields, "act", "accept-all", "comment", "booked in February")...).status)
	list = o.groups(t, "anna", path)
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", at, plus(list["duplicate"].fields, "act", "ask", "difference", list["duplicate"].ticks[0], "comment", "Which one is it?")...).status)
	require.Equal(t, []string{"anna accepted", "anna asked"}, o.trail(t))

	days := strings.Replace(path, "period=2026-01", "period=3..9", 1)
	require.NotEqual(t, path, days)
	require.Equal(t, http.StatusOK, o.page(t, "anna", days).status)
	require.Contains(t, o.page(t, "anna", "/reconcile").text, ">January 2026</td>", "a look at some days leaves it in its month")

	again := newOfficeOf(t, o, nil)
	again.clock.goOn(time.Hour)
	page := again.page(t, "anna", path)
	require.Equal(t, http.StatusOK, page.status, page.text)
	for _, text := range []string{"14 match, 1 accepted, 3 open.", "by anna: booked in February", "anna asked: Which one is it?"} {
		require.Contains(t, page.text, text)
	}
	own := again.page(t, "anna", "/reconcile").text
	require.Contains(t, own, `company.csv</a>`)
	require.Contains(t, own, "14 match, 1 accepted, 3 open")
	for _, name := range []string{"bob", "carol"} {
		other := again.page(t, name, "/reconcile").text
		require.Contains(t, other, "only anna sees it")
		require.NotContains(t, other, "company.csv")
		refused := again.page(t, name, path)
		require.Equal(t, http.StatusForbidden, refused.status)
		require.Contains(t, refused.text, "anna loaded this record, and no one else sees it.")
		require.NotContains(t, refused.text, "company.csv")
		require.Equal(t, http.StatusNotFound, again.send(t, name, at+"/forget").status)
	}
	require.NotContains(t, again.page(t, "eve", "/reconcile").text, "anna")
	dir := filepath.Join(o.shelf, ".records", strings.TrimPrefix(at, "/reconcile/"))
	for name, mode := range map[string]os.FileMode{"": 0o700, "record": 0o600, "about.json": 0o600, "marks.json": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), name)
	}
	for _, strange := range []string{"%2e%2e%2fsecret", strings.Repeat("0", 32), strings.Repeat("a", 31) + "%2f"} {
		require.Equal(t, http.StatusNotFound, again.page(t, "anna", "/reconcile/"+strange).status, strange)
	}

	// An answer to the question, on the page of the package, is shown in the row.
	require.Equal(t, http.StatusSeeOther, again.send(t, "anna", "/close", again.recordForm(t, "anna", path)...).status)
	review := again.page(t, "bob", "/close/2026-01").text
	require.Contains(t, review, "Not answered: “Which one is it?” (anna)")
	acts, err := o.ledger.Book.Trail(t.Context())
	require.NoError(t, err)
	require.Equal(t, http.StatusSeeOther, again.act(t, "bob", "answered", acts[1].Digest.String(), "The second").status)
	require.Contains(t, again.page(t, "anna", path).text, "anna asked: Which one is it?; bob answered: The second")
	require.Contains(t, again.page(t, "anna", "/reconcile").text, ">prepared</a>")

	// A withdrawn acceptance is a line of the trail, and the package with it is not approved.
	list = again.groups(t, "anna", path)
	require.NotContains(t, list, "only_on_chain")
	_, rest, _ := strings.Cut(again.page(t, "anna", path+"&outcome=only_on_chain").text, `id="rows"`)
	tick := tickIn.FindStringSubmatch(rest)
	require.NotNil(t, tick)
	require.Equal(t, http.StatusSeeOther, again.send(t, "anna", at, "period", "2026-01", "accounts", "group:company", "outcome", "only_on_chain", "act", "withdraw", "difference", tick[1], "comment", "it is of January").status)
	require.Contains(t, again.page(t, "anna", path).text, "4 of 18 do not match")
	refused := again.act(t, "bob", "approved", again.manifest(t, "bob"), "")
	require.Equal(t, http.StatusConflict, refused.status)
	require.Contains(t, refused.text, "1 acceptance of this package was withdrawn. Prepare it again.")
	require.Equal(t, []string{"anna accepted", "anna asked", "anna prepared", "bob answered", "anna acceptance withdrawn"}, o.trail(t))

	require.Equal(t, http.StatusSeeOther, again.send(t, "anna", "/close", again.recordForm(t, "anna", path)...).status)
	require.Equal(t, http.StatusSeeOther, again.act(t, "bob", "approved", again.manifest(t, "bob"), "").status)
	require.DirExists(t, dir)
	require.Equal(t, http.StatusSeeOther, again.act(t, "anna", "closed", again.manifest(t, "bob"), "").status)
	require.NoDirExists(t, dir, "the month is closed")
	require.Equal(t, http.StatusNotFound, again.page(t, "anna", path).status)
}

// Acceptances of several acts are withdrawn together: a line for each, at the same time. Where one of them cannot be
// withdrawn, none is.
func TestWithdrawTogether(t *testing.T) {
	o := newOffice(t, nil)
	path := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	at, _, _ := strings.Cut(path, "?")
	o.acceptAll(t, "anna", path, "known")
	acts := o.trail(t)
	require.Greater(t, len(acts), 1)
	_, rest, _ := strings.Cut(o.page(t, "anna", path+"&outcome=all").text, `id="rows"`)
	fields := []string{"period", "2026-01", "accounts", "group:company", "outcome", "all", "act", "withdraw", "comment", "too soon"}
	for _, tick := range tickIn.FindAllStringSubmatch(rest, -1) {
		fields = append(fields, "difference", tick[1])
	}
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", at, fields...).status)
	trail, err := o.ledger.Book.Trail(t.Context())
	require.NoError(t, err)
	require.Len(t, trail, 2*len(acts))
	for _, a := range trail[len(acts):] {
		require.Equal(t, ledger.AcceptanceWithdrawn, a.Kind)
		require.Equal(t, trail[len(acts)].Time, a.Time)
	}
	require.Contains(t, o.page(t, "anna", path).text, "4 of 18 do not match")
}

// A closed package is closed, whatever remains of its preparation.
func TestCleanUpAfterClosing(t *testing.T) {
	o := newOffice(t, nil)
	manifest := o.prepare(t, "anna", "group:company")
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "approved", manifest, "").status)
	require.NoError(t, os.WriteFile(filepath.Join(o.shelf, ".records"), nil, 0o600)) // no directory to clean
	require.Equal(t, http.StatusSeeOther, o.act(t, "anna", "closed", manifest, "").status)
	require.Equal(t, []string{"anna prepared", "bob approved", "anna closed"}, o.trail(t))
	require.NotContains(t, o.page(t, "anna", "/close/2026-01").text, "failed")
	require.Equal(t, http.StatusOK, o.page(t, "eve", "/packages/2026-01").status)
}

// What is kept for a user is bounded.
func TestTooManyRecords(t *testing.T) {
	o := newOffice(t, nil)
	for range 50 {
		o.upload(t, "anna", "a.csv", []byte("hash,fee_wei\n"), "period", "2026-01", "accounts", "group:company")
	}
	contentType, body := formOf(t, "a.csv", []byte("hash,fee_wei\n"), map[string][]string{"period": {"2026-01"}})
	text := body.String()
	_, boundary, _ := strings.Cut(contentType, "boundary=")
	p := o.as(t, "anna")
	text = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + p.token + "\r\n" + text
	a := post(t, o.Server, "/reconcile", contentType, strings.NewReader(text), with(p.cookie))
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, a.text, "You may keep 50 records")
	o.upload(t, "carol", "a.csv", []byte("hash,fee_wei\n"), "period", "2026-01")
}
