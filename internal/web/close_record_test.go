package web_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/test/tier"
)

// upload uploads a record of a user and returns the path of its reconciliation.
func (o *office) upload(t *testing.T, name, file string, content []byte, fields ...string) (path string) {
	t.Helper()
	p := o.as(t, name)
	values := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	contentType, body := formOf(t, file, content, values)
	text := body.String()
	_, boundary, _ := strings.Cut(contentType, "boundary=") // the token comes first
	text = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + p.token + "\r\n" + text
	a := post(t, o.Server, "/reconcile", contentType, strings.NewReader(text), with(p.cookie))
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	return a.header.Get("Location")
}

// companyRecord is the record of the sample's company, whose lines 5, 12 and 16 are wrong and which lacks 10-7.
func (o *office) companyRecord(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(o.shelf), "company.csv"))
	require.NoError(t, err)
	return text
}

var hiddenIn = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// recordForm returns the form of a package that a page of a reconciliation leads to, as fields to send.
func (o *office) recordForm(t *testing.T, name, path string) (fields []string) {
	t.Helper()
	page := o.page(t, name, path)
	require.Equal(t, http.StatusOK, page.status, page.text)
	found := regexp.MustCompile(`<a href="(close\?[^"]*)">Prepare the package of 2026-01 with this record</a>`).FindStringSubmatch(page.text)
	require.NotNil(t, found, page.text)
	form := o.page(t, name, "/"+html.UnescapeString(found[1]))
	require.Equal(t, http.StatusOK, form.status, form.text)
	require.Contains(t, form.text, `name="period" type="text" value="2026-01"`)
	require.Contains(t, form.text, `name="accounts" type="text" value="group:company"`)
	fields = []string{"period", "2026-01", "accounts", "group:company", "journal", "hledger", "comment", "with the record"}
	_, rest, _ := strings.Cut(form.text, `action="close"`)
	for _, h := range hiddenIn.FindAllStringSubmatch(rest[:strings.Index(rest, "</form>")], -1) {
		if h[1] != "token" {
			fields = append(fields, h[1], html.UnescapeString(h[2]))
		}
	}
	return fields
}

// details returns the part of a result that does not depend on how its period was named.
func details(t *testing.T, text string) map[string]any {
	t.Helper()
	all := parsed(t, text)
	return map[string]any{"summary": all["summary"], "total": all["total"], "details": all["details"], "headline": all["headline"]}
}

// A record that was uploaded for the reconciliation is part of the package: with the settings and the result that the
// page showed, and as a check computes it again. Each changed byte is found. What a reviewer returns is prepared again
// with the same record.
func TestClosedWithAnUploadedRecord(t *testing.T) {
	o := newOffice(t, nil)
	content := []byte(strings.Replace(strings.ReplaceAll(string(o.companyRecord(t)), ",", ";"), "Fee (GLMR)", "Costs", 1))
	path := o.upload(t, "anna", `..\..\=SUM(A1) “January”.csv`, content, "period", "2026-01", "accounts", "group:company")
	settings := path + "&map.fee=Costs&unit=token&tolerance=" + url.QueryEscape("0.000000000000000001 token") + "&all=1"
	fields := o.recordForm(t, "anna", settings)
	require.Subset(t, fields, []string{"map.fee", "Costs", "unit", "token", "tolerance", "record"})
	require.NotContains(t, fields, "all")
	token, query, _ := strings.Cut(settings, "?")
	shown := o.page(t, "anna", token+"/result.json?"+query)
	require.Equal(t, http.StatusOK, shown.status, shown.text)

	a := o.send(t, "anna", "/close", fields...)
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	first := o.manifest(t, "anna")
	require.Contains(t, o.page(t, "bob", "/close/2026-01").text, "=SUM(A1) “January”.csv")
	require.Equal(t, string(content), o.page(t, "bob", "/close/2026-01/inputs/books.csv").text)
	require.Equal(t, details(t, shown.text), details(t, o.page(t, "bob", "/close/2026-01/reconciliation.json").text))

	// Returned, it is prepared again with the same record, also without the upload.
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "returned", first, "with another journal").status)
	require.Contains(t, o.page(t, "carol", "/close?period=2026-01").text, "=SUM(A1) “January”.csv")
	retried := []string{"period", "2026-01", "accounts", "group:company", "journal", "beancount", "comment", "for beancount"}
	require.Equal(t, http.StatusSeeOther, post(t, o.Server, token+"/forget", "application/x-www-form-urlencoded", strings.NewReader(url.Values{"token": {o.as(t, "anna").token}}.Encode()), with(o.as(t, "anna").cookie)).status)
	a = o.send(t, "anna", "/close", retried...)
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	second := o.manifest(t, "anna")
	require.NotEqual(t, first, second)
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "approved", second, "line 5 is corrected in February").status)
	require.Equal(t, http.StatusSeeOther, o.act(t, "anna", "closed", second, "").status)
	require.NoDirExists(t, filepath.Join(o.shelf, ".prepared", "2026-01"))

	dir := filepath.Join(o.shelf, "2026-01")
	check := func() *app.PackageCheck {
		c, err := app.CheckPackage(t.Context(), dir, again(o.ledger), app.Vouchers{}, app.PackageOptions{Program: "a test"})
		require.NoError(t, err)
		return c
	}
	c := check()
	require.Empty(t, append(c.Damage, c.Differences...))
	require.False(t, c.Partly())
	kept := c.Manifest.Options.Reconciliation
	require.Equal(t, "=SUM(A1) “January”.csv", kept.Name)
	require.Equal(t, []string{"fee=Costs"}, kept.Columns)
	require.Equal(t, "token", kept.Unit)
	require.EqualValues(t, 4, c.Manifest.Findings.Differences, "lines 5, 12 and 16, and 10-7")
	text, err := os.ReadFile(filepath.Join(dir, "reconciliation.json"))
	require.NoError(t, err)
	require.Equal(t, details(t, shown.text), details(t, string(text)))

	record := filepath.Join(dir, "inputs", "books.csv")
	for i := 0; i < len(content); i += tier.Step(7) {
		changed := append([]byte{}, content...)
		changed[i] ^= 1
		require.NoError(t, os.WriteFile(record, changed, 0o600))
		p, err := closing.Open(dir)
		require.NoError(t, err)
		problems, err := p.Problems()
		require.NoError(t, err)
		require.Len(t, problems, 1, "byte %d", i)
		require.Contains(t, problems[0], "inputs/books.csv")
	}
	require.NotEmpty(t, check().Damage)
}

// No package has another user's upload, a record that is gone, cannot be read or is of another month, or a way of
// reading that a package does not store. The form keeps what was typed.
func TestRecordsThatAreRefused(t *testing.T) {
	o := newOffice(t, nil)
	path := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	fields := o.recordForm(t, "anna", path)
	but := func(more ...string) []string { return append(append([]string{}, fields...), more...) }

	for name, status := range map[string]int{"carol": http.StatusForbidden, "bob": http.StatusForbidden, "eve": http.StatusForbidden} {
		a := o.send(t, name, "/close", fields...)
		require.Equal(t, status, a.status, "%s: %s", name, a.text)
		require.NotContains(t, o.page(t, name, "/close?record="+fields[len(fields)-1]).text, "company.csv", name)
	}
	for _, c := range []struct {
		field, value string
		status       int
		want         string
	}{
		{"record", strings.Repeat("0", 32), http.StatusNotFound, "no longer kept"}, {"record", "../../etc/passwd", http.StatusNotFound, "no longer kept"},
		{"record", "prepared", http.StatusNotFound, "no longer kept"}, {"unit", "euro", http.StatusUnprocessableEntity, "euro"}, {"decimal", "..", http.StatusBadRequest, "decimal"},
		{"map.fee", "None such", http.StatusUnprocessableEntity, "None such"}, {"header_row", "0", http.StatusBadRequest, "header_row"}, {"date_format", "x", http.StatusUnprocessableEntity, "date"},
	} {
		a := o.send(t, "anna", "/close", but(c.field, c.value)...)
		require.Equal(t, c.status, a.status, "%s %q: %s", c.field, c.value, a.text)
		require.Contains(t, a.text, c.want)
		require.Contains(t, a.text, `>with the record</textarea>`)
		require.Contains(t, a.text, `name="record"`)
	}
	february := strings.ReplaceAll(string(o.companyRecord(t)), "2026-01-31", "2026-02-11")
	february = regexp.MustCompile(`0x[0-9a-f]{60}`).ReplaceAllString(february, "0x"+strings.Repeat("0", 60))
	of := o.upload(t, "anna", "february.csv", []byte(february), "period", "2026-01", "accounts", "group:company")
	a := o.send(t, "anna", "/close", o.recordForm(t, "anna", of)...)
	require.Equal(t, http.StatusBadRequest, a.status, a.text)
	require.Contains(t, a.text, "february.csv is not of 2026-01")
	require.Contains(t, a.text, `id="refused"`)
	require.NotContains(t, o.page(t, "anna", path+"&rows_only=1").text, "with this record", "a package looks for all fees")
	require.NotContains(t, o.page(t, "anna", strings.ReplaceAll(path, "accounts=group%3Acompany&", "")).text, "with this record")
	require.Empty(t, o.trail(t))
	require.NoDirExists(t, filepath.Join(o.shelf, ".prepared"))

	gone := o.page(t, "anna", "/close?period=2026-01&record="+strings.Repeat("0", 32))
	require.Equal(t, http.StatusOK, gone.status)
	require.Contains(t, gone.text, `<a href="reconcile?period=2026-01">Upload it again</a>`)
}

// A session that ends while the form is filled in loses neither the record nor how it is read nor what was typed.
func TestRecordsOfEndedSessions(t *testing.T) {
	o := newOffice(t, nil)
	path := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	fields := o.recordForm(t, "anna", path+"&unit=token")
	o.clock.goOn(13 * time.Hour)
	a := o.send(t, "anna", "/close", fields...)
	require.Equal(t, http.StatusUnauthorized, a.status, a.text)
	to := regexp.MustCompile(`name="to" value="([^"]*)"`).FindStringSubmatch(a.text)
	require.NotNil(t, to)
	delete(o.people, "anna") // she logs in again
	form := o.page(t, "anna", html.UnescapeString(to[1]))
	require.Contains(t, form.text, "company.csv")
	require.Contains(t, form.text, `<input type="hidden" name="unit" value="token">`)
	require.Contains(t, form.text, `>with the record</textarea>`)
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", "/close", fields...).status)
	require.Equal(t, []string{"anna prepared"}, o.trail(t))
	var m closing.Manifest
	require.NoError(t, json.Unmarshal([]byte(o.page(t, "bob", "/close/2026-01/manifest.json").text), &m))
	require.Equal(t, "company.csv", m.Options.Reconciliation.Name)
}

// A package that is prepared again keeps its record and its accepted differences, from whichever form and by whomever, also
// after it was closed. Without them it is prepared only if the form says so, and the reviewer sees what is gone and says why
// that is right.
func TestPreparedAgain(t *testing.T) {
	o := newOffice(t, nil)
	path := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	at, _, _ := strings.Cut(path, "?")
	require.Equal(t, http.StatusSeeOther, o.acceptAll(t, "anna", path, "booked in February").status)
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", "/close", o.recordForm(t, "anna", path)...).status)
	kept := func(records int, accepted uint64) closing.Manifest {
		t.Helper()
		var m closing.Manifest
		require.NoError(t, json.Unmarshal([]byte(o.page(t, "bob", "/close/2026-01/manifest.json").text), &m))
		require.Equal(t, records, len(map[bool][]int{true: {1}}[m.Options.Reconciliation != nil]))
		require.Equal(t, accepted, m.Findings.Accepted)
		return m
	}
	kept(1, 4)
	page := o.page(t, "bob", "/close/2026-01").text
	require.Contains(t, page, "14 of 18 matched, 4 accepted by anna")
	require.Contains(t, page, "Approve 0.911 GLMR")
	require.NotContains(t, page, "What changed")
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "returned", o.manifest(t, "anna"), "Where is Payroll?").status)
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", at+"/forget").status)

	// The plain form, of another preparer.
	plainForm := []string{"period", "2026-01", "accounts", "group:company,Payroll", "journal", "hledger"}
	require.Contains(t, o.page(t, "carol", "/close?period=2026-01").text, "company.csv, with 4 accepted differences")
	require.Equal(t, http.StatusSeeOther, o.send(t, "carol", "/close", plainForm...).status)
	kept(1, 4)
	page = o.page(t, "bob", "/close/2026-01").text
	for _, text := range []string{"What changed since you returned it", "Account added: Payroll", "Not answered: “Where is Payroll?” (bob)", "needed to approve: 1 question is not answered"} {
		require.Contains(t, page, text)
	}
	require.NotContains(t, page, "gone")
	a := o.act(t, "bob", "approved", o.manifest(t, "bob"), "")
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.text, "1 question is not answered")
	found := regexp.MustCompile(`name="manifest" value="([0-9a-f]{64})">`).FindAllStringSubmatch(page, -1)
	require.Len(t, found, 2, "the package's, and the question's")
	question := found[1][1]
	if question == o.manifest(t, "bob") {
		question = found[0][1]
	}
	require.Equal(t, http.StatusForbidden, o.act(t, "eve", "answered", question, "x").status)
	require.Equal(t, http.StatusConflict, o.act(t, "carol", "answered", strings.Repeat("0", 64), "x").status)
	require.Equal(t, http.StatusBadRequest, o.act(t, "carol", "answered", question, " ").status)
	require.Equal(t, http.StatusSeeOther, o.act(t, "carol", "answered", question, "It is added").status)
	require.NotContains(t, o.page(t, "bob", "/close/2026-01").text, "Not answered")

	// Without the record.
	without := append([]string{"record", "none", "comment", "a draft"}, plainForm...)
	form := o.page(t, "carol", "/close?period=2026-01&record=none")
	require.Contains(t, form.text, "drops the record of fees of the one before: company.csv, with 4 accepted differences")
	require.Contains(t, form.text, "Prepare without the record")
	require.Equal(t, http.StatusSeeOther, o.send(t, "carol", "/close", without...).status)
	kept(0, 0)
	page = o.page(t, "bob", "/close/2026-01").text
	for _, text := range []string{"The record of fees was removed: company.csv, with 4 accepted differences.", "4 acceptances are gone: line 5, line 12, line 16, 10-7.", "needed to approve: an earlier version had a record of fees"} {
		require.Contains(t, page, text)
	}
	a = o.act(t, "bob", "approved", o.manifest(t, "bob"), "")
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.text, "an earlier version had a record of fees, and this one has none")
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "approved", o.manifest(t, "bob"), "The record follows in February").status)
	require.Equal(t, http.StatusSeeOther, o.act(t, "carol", "closed", o.manifest(t, "bob"), "").status)
	c, err := app.CheckPackage(t.Context(), filepath.Join(o.shelf, "2026-01"), again(o.ledger), app.Vouchers{}, app.PackageOptions{Program: "a test"})
	require.NoError(t, err)
	require.Empty(t, append(c.Damage, c.Differences...))

	// A later version of a closed month has the fees of the last one beside its own.
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", "/close", plainForm...).status)
	page = o.page(t, "bob", "/close/2026-01").text
	require.Contains(t, page, "What changed since version 1 was closed")
	require.Contains(t, page, ">version 1, GLMR</th>")
}
