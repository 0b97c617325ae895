package web_test

import (
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

// Wrong input in any form leads on too, with what was typed.
func TestEveryFormLeadsOn(t *testing.T) {
	o, _ := labelling(t)
	for path, fields := range map[string][]string{
		"/close":                 {"period", "Janu\"ary", "accounts", "group:company", "journal", "hledger", "comment", "mine"},
		"/close/2026-09":         {"act", "approved", "comment", "mine"},
		"/account/0x12":          {"label", "mine"},
		"/account/" + alith:      {"label", "mine", "shown", "x"},
		"/accounts/unlabelled":   {"payer", "0x12", "label", "mine", "period", "2026-01"},
		"/packages/none/check":   nil,
		"/reconcile/none/forget": nil,
	} {
		a := o.send(t, "anna", path, fields...)
		if path == "/account/0x12" || path == "/close/2026-09" { // their forms do not exist either
			require.Contains(t, a.text, "mine", path)
			continue
		}
		o.leadsOn(t, a, path)
		for i := 0; i < len(fields); i += 2 {
			if fields[i] != "shown" {
				require.Contains(t, a.text, html.EscapeString(url.QueryEscape(fields[i])+"="+url.QueryEscape(fields[i+1])), path)
			}
		}
	}

	// An upload that is refused leads to its form, with the scope that arrived.
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
		a := send()
		o.leadsOn(t, a, about)
		require.Contains(t, a.text, `">Back to the form</a>`, about)
		if strings.HasPrefix(about, "no ") || strings.HasPrefix(about, "another") {
			require.Contains(t, a.text, `<a href="/reconcile?period=2026-01&amp;zone=Europe%2FBerlin">`, about)
		}
	}
	ended := post(t, o.Server, "/reconcile", "multipart/form-data; boundary=x", strings.NewReader("--x--"), nil)
	require.Equal(t, "/login?to=%2Freconcile", ended.header.Get("Location"))
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
