package web_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/web"
	"github.com/feeledger/fees/internal/web/users"
)

const (
	password = "correct horse"
	other    = "battery staple"
)

// readers are two users, anna and bob.
var readers = sync.OnceValue(func() *users.Users {
	text := ""
	for name, word := range map[string]string{"anna": password, "bob": other} {
		hash, err := bcrypt.GenerateFromPassword([]byte(word), 10)
		if err != nil {
			panic(err)
		}
		text += name + ":" + string(hash) + "\n"
	}
	u, err := users.Parse("users.txt", []byte(text))
	if err != nil {
		panic(err)
	}
	return u
})

// clock is a clock set by a test.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) goOn(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// guarded returns a server with users, its clock and its log.
func guarded(t testing.TB, d *app.Ledger, change func(*web.Options)) (*httptest.Server, *clock, *bytes.Buffer) {
	t.Helper()
	at := &clock{now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)}
	log := new(bytes.Buffer)
	o := web.Options{Ledgers: []web.Served{{Ledger: d, Network: "moonbeam"}}, Program: "a test", Users: readers(), Log: slog.New(slog.NewTextHandler(log, nil))}
	if change != nil {
		change(&o)
	}
	s := httptest.NewServer(web.HandlerAt(o, at.Now))
	t.Cleanup(s.Close)
	return s, at, log
}

// sendFields sends a form.
func sendFields(t testing.TB, s *httptest.Server, path string, fields url.Values, change func(*http.Request)) got {
	t.Helper()
	text := fields.Encode()
	return get(t, s, path, func(r *http.Request) {
		r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(strings.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if change != nil {
			change(r)
		}
	})
}

// with adds a cookie to a request.
func with(c *http.Cookie) func(*http.Request) {
	return func(r *http.Request) {
		if c != nil {
			r.AddCookie(c)
		}
	}
}

// cookieIn returns the cookie that a response sets.
func cookieIn(t testing.TB, a got) *http.Cookie {
	t.Helper()
	list := (&http.Response{Header: a.header}).Cookies()
	require.Len(t, list, 1, a.text)
	return list[0]
}

var tokenIn = regexp.MustCompile(`type="hidden" name="token" value="([^"]+)"`)

// logInPage requests the log-in page and returns its cookie and its token.
func logInPage(t testing.TB, s *httptest.Server) (*http.Cookie, string) {
	t.Helper()
	page := get(t, s, "/login", nil)
	require.Equal(t, http.StatusOK, page.status, page.text)
	found := tokenIn.FindStringSubmatch(page.text)
	require.NotNil(t, found, page.text)
	return cookieIn(t, page), found[1]
}

// attempt tries to log in.
func attempt(t testing.TB, s *httptest.Server, name, word, to string) got {
	t.Helper()
	c, token := logInPage(t, s)
	return sendFields(t, s, "/login", url.Values{"name": {name}, "password": {word}, "to": {to}, "token": {token}}, with(c))
}

// logIn logs in and returns the session's cookie.
func logIn(t testing.TB, s *httptest.Server, name, word string) *http.Cookie {
	t.Helper()
	a := attempt(t, s, name, word, "")
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	return cookieIn(t, a)
}

// Clients who are not logged in learn nothing about the ledger; people are redirected to log in, and from there
// to the requested page.
func TestLogIn(t *testing.T) {
	s, _, log := guarded(t, filled(t, "0..27"), nil)
	for _, path := range append(everyPage, "/", "/fees.csv", "/fees.xlsx", "/fees.json", "/findings.csv", "/lookup?q=25", "/nothing") {
		a := get(t, s, path, nil)
		require.Equal(t, http.StatusSeeOther, a.status, path)
		want := "/login?to=" + url.QueryEscape(path)
		if path == "/" {
			want = "/login"
		}
		require.Equal(t, want, a.header.Get("Location"))
		require.Less(t, len(a.text), 300)
		require.Equal(t, "no-store", a.header.Get("Cache-Control"))
	}
	for _, path := range append(web.Paths(), "/api/v1/openapi.json", "/api/nothing") {
		a := get(t, s, path, nil)
		require.Equal(t, http.StatusUnauthorized, a.status, path)
		require.Equal(t, `Basic realm="fees", charset="UTF-8"`, a.header.Get("WWW-Authenticate"))
		require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	}
	for _, path := range []string{"/healthz", "/readyz", "/style.css", "/icon.svg"} {
		require.Equal(t, http.StatusOK, get(t, s, path, nil).status, path)
	}

	page := get(t, s, "/login?to=%2Fblock%2F25", nil)
	require.Contains(t, page.text, `<input type="hidden" name="to" value="/block/25">`)
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	require.NotContains(t, page.text, "moonbeam", "unknown clients learn nothing")
	require.NotContains(t, page.text, "overview")
	before := cookieIn(t, page)
	a := attempt(t, s, "anna", password, "/fees?period=3..27&by=account")
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	require.Equal(t, "/fees?period=3..27&by=account", a.header.Get("Location"))
	c := cookieIn(t, a)
	require.NotEqual(t, before.Value, c.Value)
	require.Regexp(t, `^fees=[A-Za-z0-9_-]{43}; Path=/; HttpOnly; SameSite=Strict$`, a.header.Get("Set-Cookie"))

	for _, path := range everyPage {
		shown := get(t, s, path, with(c))
		require.Equal(t, http.StatusOK, shown.status, path)
		require.Contains(t, shown.text, `<span>anna</span>`)
		require.Contains(t, shown.text, "<button>Log out</button>")
		require.Equal(t, "private, no-cache", shown.header.Get("Cache-Control"))
		require.Equal(t, "Cookie, Authorization", shown.header.Get("Vary"))
		require.Empty(t, shown.header.Get("Set-Cookie"))
	}
	require.Equal(t, http.StatusOK, get(t, s, "/api/v1/blocks/25", with(c)).status)
	require.Equal(t, "/overview", get(t, s, "/", with(c)).header.Get("Location"))
	require.Equal(t, "/block/25", get(t, s, "/login?to=/block/25", with(c)).header.Get("Location"), "who is logged in needs not log in")
	require.Contains(t, log.String(), `msg="logged in" user=anna address=127.0.0.1`)
	require.NotContains(t, log.String(), c.Value)
	require.NotContains(t, log.String(), password)

	// A page of one session is no page of another: it has a name and a token.
	mine := get(t, s, "/block/25", with(c))
	his := logIn(t, s, "bob", other)
	theirs := get(t, s, "/block/25", func(r *http.Request) { r.AddCookie(his); r.Header.Set("If-None-Match", mine.header.Get("ETag")) })
	require.Equal(t, http.StatusOK, theirs.status)
	require.Contains(t, theirs.text, "<span>bob</span>")
	again := get(t, s, "/block/25", func(r *http.Request) { r.AddCookie(c); r.Header.Set("If-None-Match", mine.header.Get("ETag")) })
	require.Equal(t, http.StatusNotModified, again.status)

	// Log out ends the session, of this browser only.
	token := tokenIn.FindStringSubmatch(mine.text)[1]
	a = sendFields(t, s, "/logout", url.Values{"token": {token}}, with(c))
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	require.Equal(t, "/login", a.header.Get("Location"))
	require.NotEqual(t, c.Value, cookieIn(t, a).Value)
	require.Equal(t, http.StatusSeeOther, get(t, s, "/block/25", with(c)).status)
	require.Equal(t, http.StatusOK, get(t, s, "/block/25", with(his)).status)
}

// A wrong password and an unknown name give the same response.
func TestMisfits(t *testing.T) {
	hold(t, time.Millisecond)
	s, _, log := guarded(t, filled(t, "0..3"), nil)
	shape := func(a got, name string) string {
		text := tokenIn.ReplaceAllString(a.text, "")
		return fmt.Sprint(a.status, strings.ReplaceAll(text, name, "NAME"), a.header.Get("Retry-After"), a.header.Get("Location"))
	}
	for range 7 { // up to where both are slow
		wrong, unknown := attempt(t, s, "anna", "not hers at all", ""), attempt(t, s, "nobody", "not hers at all", "")
		require.Equal(t, shape(wrong, "anna"), shape(unknown, "nobody"))
		require.NotEqual(t, http.StatusSeeOther, wrong.status)
		require.NotContains(t, wrong.text, "not hers")
	}
	require.NotContains(t, log.String(), "nobody", "a name that is not there may be a password")
	require.Contains(t, log.String(), `msg="log-in failed" user=anna address=127.0.0.1 error="Wrong name or password. 4 attempts left."`)
	require.NotContains(t, log.String(), "not hers")
}

// A session expires twelve hours after log-in, or two hours after its last use.
func TestSessionsEnd(t *testing.T) {
	s, at, _ := guarded(t, filled(t, "0..3"), nil)
	asks := func(c *http.Cookie) int { return get(t, s, "/block/3", with(c)).status }
	c := logIn(t, s, "anna", password)
	at.goOn(2*time.Hour - time.Second)
	require.Equal(t, http.StatusOK, asks(c))
	at.goOn(2 * time.Hour)
	require.Equal(t, http.StatusSeeOther, asks(c))

	c = logIn(t, s, "anna", password)
	for range 11 {
		at.goOn(time.Hour)
		require.Equal(t, http.StatusOK, asks(c))
	}
	at.goOn(time.Hour)
	require.Equal(t, http.StatusSeeOther, asks(c))

	for _, value := range []string{"", "x", strings.Repeat("A", 43), c.Value + "A", strings.Repeat("!", 43)} {
		require.Equal(t, http.StatusSeeOther, asks(&http.Cookie{Name: "fees", Value: value}))
	}
}

// A form is accepted only with the token of the browser's own page, and not from other sites.
func TestForgedForms(t *testing.T) {
	s, _, _ := guarded(t, filled(t, "0..3"), nil)
	c, token := logInPage(t, s)
	strange, strangeToken := logInPage(t, s)
	fields := func(token string) url.Values {
		return url.Values{"name": {"anna"}, "password": {password}, "token": {token}}
	}
	for reason, a := range map[string]got{
		"no token":          sendFields(t, s, "/login", url.Values{"name": {"anna"}, "password": {password}}, with(c)),
		"a wrong token":     sendFields(t, s, "/login", fields(strings.Repeat("A", 43)), with(c)),
		"another's token":   sendFields(t, s, "/login", fields(strangeToken), with(c)),
		"another's cookie":  sendFields(t, s, "/login", fields(token), with(strange)),
		"no cookie":         sendFields(t, s, "/login", fields(token), nil),
		"a token as cookie": sendFields(t, s, "/login", fields(token), with(&http.Cookie{Name: "fees", Value: token})),
	} {
		require.Equal(t, http.StatusForbidden, a.status, reason)
		require.Contains(t, a.text, "form has expired", reason)
	}
	for name, value := range map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"} {
		a := sendFields(t, s, "/login", fields(token), func(r *http.Request) { r.AddCookie(c); r.Header.Set(name, value) })
		require.Equal(t, http.StatusForbidden, a.status)
		require.Contains(t, a.text, "Cross-site request")
	}
	for _, value := range []string{"same-site", "none", "same-origin"} {
		a := sendFields(t, s, "/login", fields("x"), func(r *http.Request) { r.AddCookie(c); r.Header.Set("Sec-Fetch-Site", value) })
		require.Equal(t, value == "same-site", strings.Contains(a.text, "Cross-site request"), value)
	}
	a := sendFields(t, s, "/login", fields(token), func(r *http.Request) { r.AddCookie(c); r.Header.Set("Origin", "null") })
	require.Equal(t, http.StatusForbidden, a.status)
	require.Equal(t, http.StatusBadRequest, sendFields(t, s, "/login?token="+token, fields(token), with(c)).status, "a form's address has nothing")
	require.Equal(t, http.StatusUnsupportedMediaType, sendFields(t, s, "/login", fields(token), func(r *http.Request) { r.AddCookie(c); r.Header.Set("Content-Type", "text/plain") }).status)
	require.Equal(t, http.StatusRequestEntityTooLarge, sendFields(t, s, "/login", url.Values{"name": {strings.Repeat("x", 17<<10)}, "token": {token}}, with(c)).status)

	mine := logIn(t, s, "anna", password)
	page := get(t, s, "/block/3", with(mine)).text
	require.Equal(t, http.StatusForbidden, sendFields(t, s, "/logout", url.Values{"token": {token}}, with(mine)).status, "a token of before the log-in")
	require.Equal(t, "/login", sendFields(t, s, "/logout", url.Values{}, nil).header.Get("Location"))
	require.Equal(t, http.StatusOK, get(t, s, "/block/3", with(mine)).status)
	his := logIn(t, s, "bob", other)
	require.Equal(t, http.StatusForbidden, sendFields(t, s, "/logout", url.Values{"token": {tokenIn.FindStringSubmatch(page)[1]}}, with(his)).status)
	for _, path := range []string{"/overview", "/healthz", "/api/v1/report", "/nothing"} {
		a := sendFields(t, s, path, fields(token), with(mine))
		require.Equal(t, http.StatusMethodNotAllowed, a.status, path)
	}
	require.Equal(t, http.StatusNotFound, get(t, s, "/logout", with(mine)).status)
}

// A log-in redirects only to pages of this server.
func TestOwnPath(t *testing.T) {
	for _, text := range []string{
		"", "x", "//evil.example", "///evil.example", `/\evil.example`, `\\evil.example`, "https://evil.example", "https:evil.example", "javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", "\t//evil.example",
		" //evil.example", "http:///evil.example", "/login", "/login?to=/", "/logout", "?x=1", "#x", "%2f%2fevil.example", "/%zz", "//user@evil.example", "/\x00",
	} {
		require.Equal(t, "/", web.OwnPath(text), "%q", text)
	}
	for _, text := range []string{"/", "/fees?period=3..27&by=account", "/block/25", "/lookup?q=https://x.example", "/account/a%2Fb"} {
		require.Equal(t, text, web.OwnPath(text))
	}
	s, _, _ := guarded(t, filled(t, "0..3"), nil)
	for _, text := range []string{"//evil.example", `/\evil.example`, "https://evil.example/x", "/.//evil.example", "/..//evil.example", "/%2f/evil.example"} {
		at, err := url.Parse(s.URL + "/login")
		require.NoError(t, err)
		to, err := at.Parse(attempt(t, s, "anna", password, text).header.Get("Location"))
		require.NoError(t, err)
		require.Equal(t, at.Host, to.Host, text)
	}
}

// API clients send name and password with each request. Correct ones are not hashed again for
// some time.
func TestBasic(t *testing.T) {
	s, at, _ := guarded(t, filled(t, "0..27"), nil)
	asks := func(path, name, word string) got {
		return get(t, s, path, func(r *http.Request) { r.SetBasicAuth(name, word) })
	}
	a := asks("/api/v1/blocks/25", "anna", password)
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Empty(t, a.header.Get("Set-Cookie"))
	require.Equal(t, http.StatusNotModified, get(t, s, "/api/v1/blocks/25", func(r *http.Request) {
		r.SetBasicAuth("bob", other)
		r.Header.Set("If-None-Match", a.header.Get("ETag"))
	}).status, "an answer for programs is the same for all")
	require.Equal(t, http.StatusSeeOther, asks("/overview", "anna", password).status, "pages want a log-in")
	for _, c := range [][2]string{{"anna", other}, {"nobody", password}, {"", ""}, {"anna", ""}, {"ann", "a" + password}} {
		a := asks("/api/v1/blocks/25", c[0], c[1])
		require.Equal(t, http.StatusUnauthorized, a.status, c)
		require.NotEmpty(t, a.header.Get("WWW-Authenticate"))
		require.Contains(t, a.text, "Wrong name or password.")
	}
	require.Equal(t, http.StatusUnauthorized, get(t, s, "/api/v1/blocks/25", func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }).status)

	// So long as it is kept, an answer takes no work: hundreds are there before ten are worked out.
	for range 300 {
		require.Equal(t, http.StatusOK, asks("/healthz", "anna", password).status)
		require.Equal(t, http.StatusOK, asks("/api/v1/openapi.json", "anna", password).status)
	}
	at.goOn(5 * time.Minute)
	require.Equal(t, http.StatusOK, asks("/api/v1/openapi.json", "anna", password).status)
}

// Concurrent attempts get no more guesses than consecutive ones, and overload is reported.
func TestManyLogIns(t *testing.T) {
	long(t, "each try costs a slow hash of passwords")
	s, _, log := guarded(t, filled(t, "0..3"), nil)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			a := get(t, s, "/api/v1/openapi.json", func(r *http.Request) { r.SetBasicAuth("anna", fmt.Sprint("a guess ", i)) })
			if a.status != http.StatusUnauthorized && a.status != http.StatusTooManyRequests {
				t.Errorf("status %d", a.status)
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, strings.Count(log.String(), "log-in failed"), 6, "five, and one that was under way")

	s, _, _ = guarded(t, filled(t, "0..3"), func(o *web.Options) { o.Time = time.Nanosecond })
	a := get(t, s, "/api/v1/openapi.json", func(r *http.Request) { r.SetBasicAuth("anna", password) })
	require.Contains(t, []int{http.StatusOK, http.StatusTooManyRequests}, a.status, a.text)
}

// Only a proxy can name the user.
func TestTrustedHeader(t *testing.T) {
	d := filled(t, "0..27")
	s, _, _ := guarded(t, d, func(o *web.Options) { o.Users, o.Header = nil, "X-Forwarded-User" })
	named := func(path string, names ...string) got {
		return get(t, s, path, func(r *http.Request) { r.Header["X-Forwarded-User"] = names })
	}
	a := named("/block/25", "anna@example.org")
	require.Equal(t, http.StatusOK, a.status, a.text)
	require.Contains(t, a.text, "<span>anna@example.org</span>")
	require.NotContains(t, a.text, "Log out")
	require.Equal(t, "X-Forwarded-User", a.header.Get("Vary"))
	require.Empty(t, a.header.Get("Set-Cookie"))
	require.NotEqual(t, a.header.Get("ETag"), named("/block/25", "bob").header.Get("ETag"))
	require.Contains(t, named("/block/25", "<b>").text, "<span>&lt;b&gt;</span>")
	for _, names := range [][]string{nil, {""}, {"anna", "bob"}, {strings.Repeat("x", 257)}, {"a\u202eb"}} {
		require.Equal(t, http.StatusUnauthorized, named("/block/25", names...).status, names)
		a := named("/api/v1/blocks/25", names...)
		require.Equal(t, http.StatusUnauthorized, a.status, names)
		require.Equal(t, "application/problem+json", a.header.Get("Content-Type"))
	}
	require.Equal(t, http.StatusOK, named("/healthz").status)
	require.Equal(t, http.StatusNotFound, named("/login").status)

	s, _, _ = guarded(t, d, func(o *web.Options) {
		o.Users, o.Header, o.Proxies = nil, "X-Forwarded-User", []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	})
	a = named("/block/25", "anna")
	require.Equal(t, http.StatusForbidden, a.status, "it is no proxy that asks")
	require.NotContains(t, a.text, "<span>anna</span>")

	away, err := app.Open(t.Context(), d.Place, d.Tables)
	require.NoError(t, err)
	require.NoError(t, away.Close())
	s, _, log := guarded(t, away, func(o *web.Options) { o.Users, o.Header = nil, "X-Forwarded-User" })
	require.Equal(t, http.StatusInternalServerError, named("/block/25", "anna").status)
	require.Contains(t, log.String(), "user=anna", "the log has whose request failed")
}
