package web_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web"
)

var (
	wayIn   = regexp.MustCompile(`<a href="([^"]*)"`)
	valueIn = regexp.MustCompile(`name="([a-z_]+)" type="text" value="([^"]*)"`)
)

// leadsOn checks an error page: it has a way on, and each of its ways leads to a page.
func (o *office) leadsOn(t *testing.T, a got, about string) {
	t.Helper()
	require.GreaterOrEqual(t, a.status, http.StatusBadRequest, about)
	require.Less(t, a.status, http.StatusInternalServerError, about)
	require.Contains(t, a.header.Get("Content-Type"), "text/html", about)
	_, ways, some := strings.Cut(a.text, `<ul class="ways">`)
	require.True(t, some, "%s\n%s", about, a.text)
	ways, _, _ = strings.Cut(ways, "</ul>")
	links := wayIn.FindAllStringSubmatch(ways, -1)
	require.NotEmpty(t, links, about)
	for _, l := range links {
		to := o.page(t, "anna", "/"+strings.TrimPrefix(html.UnescapeString(l[1]), "/"))
		require.Equal(t, http.StatusOK, to.status, "%s: %s", about, l[1])
	}
}

// Wrong input on any page and in any download leads on, and shows what was typed where the page has a form for it.
func TestEveryPageLeadsOn(t *testing.T) {
	o, _ := labelling(t)
	upload := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	token, _, _ := strings.Cut(strings.TrimPrefix(upload, "/reconcile/"), "?")
	known := map[string]string{"{name}": "25-7", "{height}": "25", "{address}": alith, "{token}": token, "{package}": "none", "{version}": "1", "{file...}": "report.csv"}
	fill := func(route string, names map[string]string) string {
		return regexp.MustCompile(`\{[^}]*\}`).ReplaceAllStringFunc(route, func(part string) string { return names[part] })
	}
	wrong := map[string]string{"{name}": "none", "{height}": "none", "{address}": "0x12", "{token}": "none", "{package}": "..none", "{version}": "x", "{file...}": "none.csv"}
	withForm := []string{"/fees", "/transactions", "/findings", "/deposits", "/accounts/unlabelled", "/contract/{address}", "/account/{address}/statement", "/account/{address}/rollforward", "/accounts/rollforward", "/reconcile/{token}", "/reconcile/{token}/result"}
	seen := 0
	for _, route := range web.Routes() {
		if strings.HasPrefix(route, "/api/") {
			continue
		}
		seen++
		about := fill(route, known)
		o.leadsOn(t, o.page(t, "anna", about+"?colour=blue"), about)
		if strings.Contains(route, "{") {
			o.leadsOn(t, o.page(t, "anna", fill(route, wrong)), route)
		}
		page := strings.TrimSuffix(route, path.Ext(route))
		if !slices.Contains(withForm, page) && !slices.Contains(withForm, route) {
			continue
		}
		for _, values := range []url.Values{
			{"period": {"Janu\"ary"}, "zone": {"UTC"}}, {"period": {"2031-01"}, "zone": {"Europe/Berlin"}}, {"period": {"2026-01"}, "zone": {"Mars"}},
		} {
			a := o.page(t, "anna", about+"?"+values.Encode())
			o.leadsOn(t, a, about+"?"+values.Encode())
			typed := map[string]string{}
			_, main, _ := strings.Cut(a.text, `<main`)
			for _, f := range valueIn.FindAllStringSubmatch(main, -1) {
				typed[f[1]] = html.UnescapeString(f[2])
			}
			for name := range values {
				require.Equal(t, values.Get(name), typed[name], "%s?%s", about, values.Encode())
			}
		}
	}
	require.Greater(t, seen, 30)
}

// A form that is refused is shown again on its page, with the reason at the form, what was typed, and the focus on the
// field: all that accept POST are tried.
func TestRefusedFormsAreShownAgain(t *testing.T) {
	o, _ := labelling(t)
	payer := o.unlabelledPayer(t)
	o.prepare(t, "anna", "group:company")
	sum := o.manifest(t, "anna")
	record := o.upload(t, "anna", "company.csv", o.companyRecord(t), "period", "2026-01", "accounts", "group:company")
	rows := o.groups(t, "anna", record)["only_on_chain"]
	at, _, _ := strings.Cut(record, "?")
	require.Equal(t, http.StatusSeeOther, o.act(t, "bob", "returned", sum, "Why no record?").status)
	question := regexp.MustCompile(`name="manifest" value="([0-9a-f]{64})"`).FindAllStringSubmatch(o.page(t, "anna", "/close/2026-01").text, -1)
	listed := regexp.MustCompile(`<a href="account/(0x[0-9a-fA-F]{40})`).FindStringSubmatch(o.page(t, "anna", "/accounts").text)[1]
	const form, page = "refused", "warnings" // where the reason is
	tried := map[string]bool{}
	for _, c := range []struct {
		route, path, who string
		fields           []string
		status           int
		place, why       string
		focus            string   // the field
		kept             []string // in the page
	}{
		{"/close", "/close", "anna", []string{"period", "Janu\"ary", "accounts", "group:company", "journal", "hledger", "comment", "mine"}, 400, form, "Period: ", "period", []string{`value="Janu&#34;ary"`, ">mine</textarea>"}},
		{"/close", "/close", "anna", []string{"period", "2026-01", "accounts", "group:company", "journal", "none", "comment", "mine"}, 400, form, "", "", []string{`value="2026-01"`, ">mine</textarea>"}},
		{"/close", "/close", "bob", []string{"period", "2026-01", "accounts", "group:company", "journal", "hledger"}, 403, page, "", "", nil},
		{"/close/{name}", "/close/2026-01", "anna", []string{"act", "answered", "manifest", question[len(question)-1][1], "comment", ""}, 400, form, "Answer: write the answer.", "comment", nil},
		{"/close/{name}", "/close/2026-01", "anna", []string{"act", "answered", "manifest", question[len(question)-1][1], "comment", "=1"}, 400, form, "formula", "comment", []string{">=1</textarea>"}},
		{"/close/{name}", "/close/2026-01", "bob", []string{"act", "approved", "manifest", sum, "comment", "mine"}, 409, page, "", "", nil},
		{"/account/{address}", "/account/" + alith, "anna", []string{"label", "mine", "group", "", "shown", "x"}, 409, form, "Another user has edited", "label", []string{`value="mine"`, `<details class="fold" open>`}},
		{"/account/{address}", "/account/" + alith, "anna", []string{"label", "=mine", "shown", o.shown(t, "anna", alith)}, 400, form, "", "", []string{`value="=mine"`}},
		{"/account/{address}", "/account/" + listed, "anna", []string{"label", "mine", "shown", "x", "list", "accounts?sort=label"}, 409, form, "Another user has edited", "label", []string{`value="mine"`, "<h1>Accounts</h1>"}},
		{"/accounts/unlabelled", "/accounts/unlabelled", "anna", []string{"payer", payer, "label", "", "group", "mine", "period", "2026-01", "list", "accounts/unlabelled?period=2026-01"}, 400, form, "Label: enter the account", "label", []string{`value="mine"`}},
		{"/accounts/unlabelled", "/accounts/unlabelled", "anna", []string{"payer", "0x12", "label", "mine", "period", "2026-01"}, 400, page, "", "", nil},
		{"/accounts/undo", "/accounts/undo", "anna", []string{"list", "accounts"}, 409, page, "nothing to undo", "", nil},
		{"/reconcile/{token}", at, "anna", plus(rows.fields, "act", "accept", "difference", rows.ticks[0], "comment", "=1"), 400, form, "formula", "comment", []string{">=1</textarea>", `value="` + rows.ticks[0] + `" aria-label="Select ID 10-7" checked>`}},
		{"/reconcile/{token}/forget", "/reconcile/none/forget", "anna", nil, 404, "ways", "", "", nil}, // there is no page either
		{"/packages/{package}/check", "/packages/none/check", "anna", nil, 404, "ways", "", "", nil},
		{"/company/{page...}", "/company/fees", "anna", []string{"accounts", "group:none", "period", "2026-01"}, 400, `name="accounts" type="text" value="group:none"`, "group:none", "", nil},
		{"/close/{name}", "/close/2026-09", "anna", []string{"act", "approved", "comment", "mine"}, 404, "ways", "", "", []string{"comment=mine"}},
	} {
		tried[c.route] = true
		about := fmt.Sprintf("%s %s %q", c.who, c.path, c.fields)
		a := o.send(t, c.who, c.path, c.fields...)
		require.Equal(t, c.status, a.status, "%s: %s", about, failed(a.text))
		require.Contains(t, a.header.Get("Cache-Control"), "no-store", about)
		_, main, _ := strings.Cut(a.text, "<main")
		require.Contains(t, main, c.place, about)
		require.Contains(t, html.UnescapeString(main), c.why, about)
		if c.place == form {
			require.Equal(t, 1, strings.Count(main, `id="refused"`), about)
			focus := regexp.MustCompile(`name="([a-z_]+)"[^>]* autofocus aria-describedby="refused"`).FindAllStringSubmatch(main, -1)
			require.Len(t, focus, 1, about)
			if c.focus != "" {
				require.Equal(t, c.focus, focus[0][1], about)
			}
		}
		for _, text := range c.kept {
			require.Contains(t, main, text, about)
		}
	}

	// A package that was prepared again is shown with what was typed about the one before.
	require.Equal(t, http.StatusSeeOther, o.send(t, "anna", "/close/2026-01", "act", "answered", "manifest", question[len(question)-1][1], "comment", "There is none.").status)
	o.prepare(t, "anna", alith)
	a := o.act(t, "bob", "approved", sum, "agreed by mail")
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, a.text, ">agreed by mail</textarea>")
	require.Contains(t, a.text, `id="refused"`)
	require.Contains(t, a.text, `name="manifest" value="`+o.manifest(t, "anna")+`"`)

	// An upload is shown again with the scope that arrived.
	p := o.as(t, "anna")
	for about, send := range map[string]func() got{
		"no file": func() got {
			return o.multipart(t, p, "period", "2026-01", "zone", "Europe/Berlin")
		},
		"another field": func() got { return o.multipart(t, p, "period", "2026-01", "zone", "Europe/Berlin", "colour", "blue") },
		"not a form": func() got {
			return post(t, o.Server, "/reconcile", "text/plain", strings.NewReader("x"), with(p.cookie))
		},
		"too large": func() got {
			contentType, body := formOf(t, "a.csv", make([]byte, 33<<20), nil)
			return post(t, o.Server, "/reconcile", contentType, body, func(r *http.Request) { with(p.cookie)(r); r.ContentLength = int64(body.Len()) })
		},
	} {
		tried["/reconcile"] = true
		a := send()
		require.GreaterOrEqual(t, a.status, 400, about)
		require.Contains(t, a.text, `id="refused"`, about)
		if strings.HasPrefix(about, "no ") || strings.HasPrefix(about, "another") {
			require.Contains(t, a.text, `value="2026-01"`, about)
			require.Contains(t, a.text, `value="Europe/Berlin"`, about)
		}
	}
	for _, route := range web.Posts() {
		require.True(t, tried[route], route)
	}
	ended := post(t, o.Server, "/reconcile", "multipart/form-data; boundary=x", strings.NewReader("--x--"), nil)
	require.Equal(t, "/login?to=%2Freconcile", ended.header.Get("Location"))
}

// failed returns what a page says went wrong.
func failed(page string) string {
	return strings.Join(regexp.MustCompile(`(?s)<h1>.*?</h1>|<p class="(?:lead bad|refused)".*?</p>|<ul class="warnings">.*?</ul>`).FindAllString(page, -1), " ")
}

// multipart sends a form of an upload without a file.
func (o *office) multipart(t *testing.T, p *person, fields ...string) got {
	t.Helper()
	text := "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + p.token + "\r\n"
	for i := 0; i < len(fields); i += 2 {
		text += "--x\r\nContent-Disposition: form-data; name=\"" + fields[i] + "\"\r\n\r\n" + fields[i+1] + "\r\n"
	}
	return post(t, o.Server, "/reconcile", "multipart/form-data; boundary=x", strings.NewReader(text+"--x--\r\n"), with(p.cookie))
}
