package web_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"github.com/feeledger/fees/internal/reconcile"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/demo/monthend"
	"github.com/feeledger/fees/internal/finance/closing"
	"github.com/feeledger/fees/internal/table"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// monthEnd is the sample ledger of a month end, with its directory and its address book.
func monthEnd(t testing.TB) (d *app.Ledger, dir string, book *app.AddressBook) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, monthend.Write(dir))
	place := filepath.Join(dir, "fees.db")
	prepared.copy(t, place, "the month", func(place string) {
		src, err := source.Open(filepath.Join(dir, "gateway"), source.Options{})
		require.NoError(t, err)
		wanted, err := app.PeriodInput{Blocks: "0..48"}.ParseWanted()
		require.NoError(t, err)
		_, err = app.Sync(t.Context(), place, wanted, app.FillOptions{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}})
		require.NoError(t, err)
	})
	var err error
	d, err = app.Open(t.Context(), place, network.BuiltIn())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	book, err = app.ReadAddressBook(filepath.Join(dir, "accounts.csv"))
	require.NoError(t, err)
	return d, dir, book
}

// post sends a body and follows no redirect.
func post(t testing.TB, s *httptest.Server, path, contentType string, body io.Reader, change func(*http.Request)) got {
	t.Helper()
	return get(t, s, path, func(r *http.Request) {
		r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(body), -1
		r.Header.Set("Content-Type", contentType)
		if change != nil {
			change(r)
		}
	})
}

// formOf returns a form with a file.
func formOf(t testing.TB, name string, content []byte, fields url.Values) (contentType string, body *bytes.Buffer) {
	t.Helper()
	body = new(bytes.Buffer)
	w := multipart.NewWriter(body)
	for name, list := range fields {
		for _, value := range list {
			require.NoError(t, w.WriteField(name, value))
		}
	}
	part, err := w.CreateFormFile("file", name)
	require.NoError(t, err)
	_, err = part.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return w.FormDataContentType(), body
}

// sent returns the page of an uploaded file.
func sent(t testing.TB, s *httptest.Server, name string, content []byte, fields url.Values) (path string) {
	t.Helper()
	contentType, body := formOf(t, name, content, fields)
	a := post(t, s, "/reconcile", contentType, body, nil)
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	path = a.header.Get("Location")
	require.Regexp(t, `^/reconcile/[0-9a-f]{32}(\?|$)`, path)
	return path
}

// tableOf returns the cells of a page's table by its title, without markup.
func tableOf(t testing.TB, page, title string) (rows [][]string) {
	t.Helper()
	_, rest, found := strings.Cut(page, "<h2>"+title+"</h2>")
	require.True(t, found, "%s\n%s", title, page)
	table, _, _ := strings.Cut(rest, "</table>")
	for _, line := range regexp.MustCompile(`(?s)<tr[^>]*>(.*?)</tr>`).FindAllStringSubmatch(table, -1) {
		var cells []string
		for _, c := range regexp.MustCompile(`(?s)<t[hd][^>]*>(.*?)</t[hd]>`).FindAllStringSubmatch(line[1], -1) {
			cells = append(cells, html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(c[1], "")))
		}
		rows = append(rows, cells)
	}
	return rows
}

// result compares a record like fees reconcile.
func result(t testing.TB, d *app.Ledger, in app.BooksInput, p app.PeriodInput, book *app.AddressBook, accounts ...string) (written map[string]string) {
	t.Helper()
	asked, err := p.Parse()
	require.NoError(t, err)
	o, err := in.Options(app.Request{Period: asked})
	require.NoError(t, err)
	chosen, err := book.Choose(accounts)
	require.NoError(t, err)
	o.Accounts, o.Labels = chosen.Accounts, chosen.Labels
	token, err := d.Token(t.Context())
	require.NoError(t, err)
	require.NoError(t, in.SetToken(&o, token))
	file, err := in.Read(t.Context(), o)
	require.NoError(t, err)
	defer file.Close()
	r, err := d.Reconcile(t.Context(), []reconcile.NamedFile{{Name: filepath.Base(in.Path), File: file}}, asked, o)
	require.NoError(t, err)
	defer r.Close()
	onPaper := func(w io.Writer, all bool, size string) error {
		a, err := d.AboutReconciliation(t.Context(), r, asked, app.AboutRequest{Program: "another"})
		require.NoError(t, err)
		return app.WriteReconciliationPDF(w, r, all, app.Paper{Size: size}, a)
	}
	written = map[string]string{}
	for _, all := range []bool{false, true} {
		end := map[bool]string{true: " all"}[all]
		for form, write := range map[string]func(io.Writer) error{
			"json":       func(w io.Writer) error { return r.WriteJSON(w, all) },
			"csv":        func(w io.Writer) error { return table.WriteCSV(w, r.Details(all)) },
			"xlsx":       func(w io.Writer) error { return table.WriteXLSX(w, r.Sheets(all)...) },
			"pdf":        func(w io.Writer) error { return onPaper(w, all, "a4") },
			"pdf letter": func(w io.Writer) error { return onPaper(w, all, "letter") },
		} {
			var out bytes.Buffer
			require.NoError(t, write(&out))
			written[form+end] = out.String()
		}
	}
	var out bytes.Buffer
	require.NoError(t, in.WriteFixed(t.Context(), &out, r))
	written["fixed"] = out.String()
	return written
}

// A finance team's month end in the browser only: the wrong fee in a colleague's file is followed to the chain's
// movements, and the reconciliation is downloaded. The errors in the file are listed in the demo's README; every
// byte equals the command line's.
func TestMonthInTheBrowser(t *testing.T) {
	d, dir, book := monthEnd(t)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels, o.Ledgers[0].Place = book, "fees.db" })
	content, err := os.ReadFile(filepath.Join(dir, "company.csv"))
	require.NoError(t, err)

	// From the fees of the month to the form, which knows the month and the accounts.
	fees := get(t, s, "/fees?period=2026-01&accounts=group%3Acompany", nil)
	require.Equal(t, http.StatusOK, fees.status, fees.text)
	require.Contains(t, fees.text, `<a href="reconcile?accounts=group%3Acompany&amp;period=2026-01">Reconcile</a>`)
	start := get(t, s, "/reconcile?accounts=group%3Acompany&period=2026-01", nil).text
	require.Contains(t, start, `<form class="scope asked" action="reconcile?accounts=group%3Acompany&amp;period=2026-01" method="post" enctype="multipart/form-data">`)
	require.Contains(t, start, `name="period" type="text" value="2026-01"`)
	require.Contains(t, start, `name="accounts" type="text" value="group:company"`)

	path := sent(t, s, `C:\books\company.csv`, content, url.Values{"period": {"2026-01"}, "accounts": {"group:company"}, "zone": {""}})
	a := get(t, s, path, nil)
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Equal(t, "no-store", a.header.Get("Cache-Control"))
	require.Empty(t, a.header.Get("ETag"))
	require.Contains(t, a.text, "fees reconcile company.csv --month 2026-01 --accounts group:company --ledger fees.db")

	// Its lines 5, 12 and 16, and the transaction 10-7, which it lacks.
	rows := tableOf(t, a.text, "Rows, in the order of your file")[1:5] // without the total
	var found [][]string
	for _, row := range rows {
		found = append(found, row[:2])
	}
	require.Equal(t, [][]string{{"5", "amount differs"}, {"12", "duplicate"}, {"16", "only in books"}, {"", "only on chain"}}, found)
	require.Equal(t, "10-7", rows[3][2])
	lines := bytes.Count(content, []byte("\n"))
	require.Contains(t, a.text, fmt.Sprintf("4 of %d do not match.", lines-1+1)) // without the header, and with 10-7

	// The wrong fee leads to its transaction, and to what it moved.
	wrong := regexp.MustCompile(`<td class="figure">5</td><td[^>]*>amount differs</td><td[^>]*><a href="(tx/[0-9-]+)(?:\?[^"]*)?">`).FindStringSubmatch(bare(a.text))
	require.NotNil(t, wrong, a.text)
	tx := get(t, s, "/"+wrong[1], nil)
	require.Equal(t, http.StatusOK, tx.status)
	require.Contains(t, tx.text, "<h2>Movements of the native balances</h2>")
	var line []string
	for _, row := range rows {
		if row[0] == "5" {
			line = row
		}
	}
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, records[4][3], line[5], "the books, as the file has them")
	require.Contains(t, shown(tx.text), ">"+line[6]+"</data>", "the chain, as its page has it")

	// Everything that can be taken home is what the command line writes.
	want := result(t, d, app.BooksInput{Path: filepath.Join(dir, "company.csv")}, app.PeriodInput{Month: "2026-01"}, book, "group:company")
	token, query, _ := strings.Cut(path, "?")
	for _, form := range []string{"json", "csv", "xlsx", "pdf"} {
		b := get(t, s, token+"/result."+form+"?"+query, nil)
		require.Equal(t, want[form], b.text, form)
		require.Equal(t, "attachment; filename=result."+form, b.header.Get("Content-Disposition"))
		require.Equal(t, want[form+" all"], get(t, s, token+"/result."+form+"?all=1&"+query, nil).text, form)
		require.Contains(t, a.text, `href="`+html.EscapeString(strings.TrimPrefix(token, "/")+"/result."+form+"?"+query)+`"`)
	}
	letter := token + "/result.pdf?" + query + "&paper=letter"
	require.Contains(t, a.text, `href="`+html.EscapeString(strings.TrimPrefix(letter, "/"))+`" download>PDF, letter</a>`)
	require.Equal(t, want["pdf letter"], get(t, s, letter, nil).text)
	require.NotEqual(t, want["pdf"], want["pdf letter"])
	wrongPaper := get(t, s, token+"/result.pdf?"+query+"&paper=napkin", nil)
	require.Equal(t, http.StatusBadRequest, wrongPaper.status)
	require.Contains(t, wrongPaper.text, "want a4 or letter")
	b := get(t, s, token+"/fixed?"+query, nil)
	require.Equal(t, want["fixed"], b.text)
	require.Equal(t, "attachment; filename=company-checked.csv", b.header.Get("Content-Disposition"))
	require.Len(t, tableOf(t, get(t, s, path+"&outcome=all", nil).text, "Rows, in the order of your file"), 1+lines-1+1+1, "a header, each line, 10-7, the total")

	// Then it is forgotten.
	gone := post(t, s, token+"/forget", "application/x-www-form-urlencoded", strings.NewReader(""), nil)
	require.Equal(t, http.StatusSeeOther, gone.status)
	require.Equal(t, "/reconcile", gone.header.Get("Location"))
	for _, path := range []string{path, token + "/result.csv", token + "/fixed"} {
		a := get(t, s, path, nil)
		require.Equal(t, http.StatusNotFound, a.status)
		require.Contains(t, a.text, "30 minutes")
	}
	require.Equal(t, http.StatusNotFound, post(t, s, token+"/forget", "text/plain", strings.NewReader(""), nil).status)
}

// For an unreadable file the page links to settings that may read it, which lead to the result. Its columns can
// be selected.
func TestMappingInTheBrowser(t *testing.T) {
	d, dir, book := monthEnd(t)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = book })
	content, err := os.ReadFile(filepath.Join(dir, "company.csv"))
	require.NoError(t, err)
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	require.NoError(t, err)
	// As a German colleague writes it: other names, semicolons, a comma before decimals, below 0.
	var own strings.Builder
	own.WriteString("Netzgebühren\nBuchung;Beleg;Wallet;Gebühr, netto;<b>Wer</b>\n")
	for _, r := range records[1:] {
		fmt.Fprintf(&own, "%s;%s;%s;-%s;%s\n", r[0], r[1], r[2], strings.Replace(r[3], ".", ",", 1), r[4])
	}
	own.WriteString("von Hand;;;;\n")
	path := sent(t, s, "Gebühren.csv", []byte(own.String()), url.Values{"period": {"2026-01"}, "accounts": {"group:company"}})
	a := get(t, s, path, nil)
	require.Equal(t, http.StatusUnprocessableEntity, a.status)
	require.Contains(t, a.text, "The file cannot be read with these settings.")
	require.NotContains(t, a.text, "<b>Wer")
	require.Contains(t, a.text, "&lt;b&gt;Wer&lt;/b&gt;")
	require.NotContains(t, a.text, "--map fee=NAME")
	begin := tableOf(t, a.text, "File preview")
	require.Equal(t, []string{"line", "Buchung", "Beleg", "Wallet", "Gebühr, netto", "<b>Wer</b>"}, begin[0])
	require.Equal(t, records[1][1], begin[1][2])
	require.Len(t, begin, 7)
	require.Contains(t, a.text, `<option value="Gebühr, netto">`)
	require.Equal(t, http.StatusUnprocessableEntity, get(t, s, strings.Replace(path, "?", "/result.csv?", 1), nil).status)

	// One link after another leads to where it can be read.
	for range 4 {
		way := regexp.MustCompile(`(?s)<ul class="ways">\s*<li><a href="([^"]+)">`).FindStringSubmatch(bare(a.text))
		if way == nil {
			break
		}
		path = "/" + html.UnescapeString(way[1])
		a = get(t, s, path, nil)
	}
	require.Equal(t, http.StatusOK, a.status, "%s\n%s", path, a.text)
	require.Contains(t, a.text, fmt.Sprintf("4 of %d do not match.", len(records)))

	// The same by hand, as a form sends it, is the same; the command line says it.
	token, query, _ := strings.Cut(path, "?")
	followed, err := url.ParseQuery(query)
	require.NoError(t, err)
	byHand := url.Values{"period": {"2026-01"}, "accounts": {"group:company"}, "zone": {""}, "map.fee": {"Gebühr, netto"}, "map.hash": {"Beleg"}, "map.account": {""}, "map.date": {" "}, "unit": {"token"}, "decimal": {","}, "thousands": {""}, "negative": {"1"}, "skip_rows": {fmt.Sprint(len(records) + 2)}, "header_row": {"2"}, "tolerance": {"0"}}
	mapped := get(t, s, token+"?"+byHand.Encode(), nil)
	require.Equal(t, http.StatusOK, mapped.status, mapped.text)
	require.Contains(t, html.UnescapeString(mapped.text), `fees reconcile 'Gebühren.csv' --month 2026-01 --accounts group:company --map '"fee=Gebühr, netto"' --map hash=Beleg --map date= --unit token --decimal , --tolerance 0 --header-row 2 --skip-rows `+byHand.Get("skip_rows")+` --negative`)
	require.Equal(t, []string{"read as", "not used", "hash", "not used", "fee", "not used"}, tableOf(t, mapped.text, "File preview")[1])
	in := app.BooksInput{Path: "Gebühren.csv", Content: []byte(own.String()), Reading: closing.Reading{Unit: "token", Decimal: ",", Negative: true, HeaderRow: 2, SkipRows: []int{len(records) + 2}, Columns: []string{"fee=Gebühr, netto", "hash=Beleg"}}}
	want := result(t, d, in, app.PeriodInput{Month: "2026-01"}, book, "group:company")
	require.Equal(t, want["csv"], get(t, s, token+"/result.csv?"+byHand.Encode(), nil).text)
	require.Equal(t, want["csv"], get(t, s, token+"/result.csv?"+followed.Encode(), nil).text)
	fixed := get(t, s, token+"/fixed?"+byHand.Encode(), nil)
	require.Equal(t, want["fixed"], fixed.text)
	require.Equal(t, "text/csv", fixed.header.Get("Content-Type"))
	require.Equal(t, "attachment; filename*=utf-8''Geb%C3%BChren-checked.csv", fixed.header.Get("Content-Disposition"))

	// What is not understood, or not there, is said above the form.
	for more, want := range map[string]struct {
		status int
		text   string
	}{
		"&period=2026-13":              {http.StatusBadRequest, "name=\"period\" type=\"text\" value=\"2026-13\""},
		"&period=2026-02":              {http.StatusConflict, "2026-02 is incomplete"},
		"&decimal=ab":                  {http.StatusBadRequest, `decimal &#34;ab&#34;: want one character`},
		"&decimal=x":                   {http.StatusUnprocessableEntity, "“Decimal separator” &#39;x&#39; must be a point or a comma"},
		"&unit=cent":                   {http.StatusUnprocessableEntity, "“Unit of the fees” &#34;cent&#34; must be wei, gwei, token or evm-wei"},
		"&map.fee=Nothing":             {http.StatusUnprocessableEntity, "no column &#34;Nothing&#34;"},
		"&encoding=windows-1252":       {http.StatusUnprocessableEntity, "no column"},
		"&tolerance=x":                 {http.StatusBadRequest, "tolerance"},
		"&accounts=nobody":             {http.StatusBadRequest, "no match for"},
		"&header_row=x":                {http.StatusBadRequest, "want a whole number from 1"},
		"&skip_rows=0":                 {http.StatusBadRequest, "want a whole number from 1"},
		"&negative=yes":                {http.StatusBadRequest, "want 0 or 1"},
		"&map.what=x":                  {http.StatusBadRequest, "Unknown parameter"},
		"&map.fee=" + noise(200):       {http.StatusUnprocessableEntity, "no column"},
		"&sheet=x&thousands=&unit=wei": {http.StatusUnprocessableEntity, "cannot be read"},
	} {
		values, err := url.ParseQuery(byHand.Encode())
		require.NoError(t, err)
		changed, err := url.ParseQuery(more[1:])
		require.NoError(t, err)
		for name, list := range changed {
			values[name] = list
		}
		a := get(t, s, token+"?"+values.Encode(), nil)
		require.Equal(t, want.status, a.status, "%s\n%s", more, a.text)
		require.Contains(t, a.text, want.text, more)
		require.NotContains(t, a.text, os.TempDir())
	}
}

func noise(length int) string { return strings.Repeat("x", length) }

// Without accounts, no result is called complete: the form names the company's own group, and the page compares
// the rows, offers the groups, and has no downloads.
func TestAccountsInTheBrowser(t *testing.T) {
	d, dir, book := monthEnd(t)
	s := served(t, d, func(o *web.Options) { o.Ledgers[0].Labels = book })
	start := get(t, s, "/reconcile?period=2026-01", nil).text
	require.Contains(t, start, `name="accounts" type="text" value="group:company"`)
	require.Contains(t, get(t, s, "/reconcile?accounts=Payroll", nil).text, `name="accounts" type="text" value="Payroll"`)

	content, err := os.ReadFile(filepath.Join(dir, "company.csv"))
	require.NoError(t, err)
	lines := strings.SplitAfter(string(content), "\n")
	right := strings.Join(slices.Concat(lines[:4], lines[5:11], lines[12:15], lines[16:]), "") // without what was planted
	path := sent(t, s, "right.csv", []byte(right), url.Values{"period": {"2026-01"}})
	a := get(t, s, path, nil)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.text, "14 rows match; completeness not checked.")
	require.NotContains(t, a.text, "All 14 match")
	require.Contains(t, a.text, "fees missing from the file cannot be found")
	require.Contains(t, a.text, `name="accounts" type="text" value="group:company"`)
	require.NotContains(t, a.text, "result.csv")
	token, query, _ := strings.Cut(path, "?")
	for _, file := range []string{"/result.csv", "/result.json", "/result.xlsx", "/fixed"} {
		b := get(t, s, token+file+"?"+query, nil)
		require.Equal(t, http.StatusUnprocessableEntity, b.status, file)
		require.Contains(t, b.text, "Without accounts", file)
	}
	ways := map[string]string{}
	for _, way := range regexp.MustCompile(`<li><a href="([^"]+)">Compare with ([^<]+)\.</a>`).FindAllStringSubmatch(a.text, -1) {
		ways[way[2]] = "/" + html.UnescapeString(way[1])
	}
	require.Len(t, ways, 5)
	ours := get(t, s, ways["the accounts of company"], nil)
	require.Contains(t, ours.text, "2 of 16 do not match.")
	require.Contains(t, ours.text, "only on chain")
	theirs := get(t, s, ways["the accounts of payroll"], nil)
	require.Contains(t, theirs.text, "paid by another account")
	rows := get(t, s, ways["only the rows"], nil)
	require.Contains(t, rows.text, "14 rows match; completeness not checked.")
	require.Contains(t, rows.text, "--rows-only")
	require.Contains(t, rows.text, "result.csv")
}
