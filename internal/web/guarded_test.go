package web_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"maps"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
	"github.com/feeledger/fees/internal/web"
)

// A file is read once the token before it is verified, and is visible only to its sender.
func TestFilesOfUsers(t *testing.T) {
	long(t, "each file costs a slow hash of passwords")
	d := filled(t, "0..27")
	byProxy := func(o *web.Options) { o.Users, o.Header = nil, "Remote-User" }
	for name, change := range map[string]func(*web.Options){"users": nil, "proxy": byProxy} {
		t.Run(name, func(t *testing.T) {
			s, _, _ := guarded(t, d, change)
			as := func(name string) func(*http.Request) {
				return func(r *http.Request) { r.Header.Set("Remote-User", name) }
			}
			anna, bob := as("anna"), as("bob")
			if change == nil {
				anna, bob = with(logIn(t, s, "anna", password)), with(logIn(t, s, "bob", other))
			}
			page := get(t, s, "/reconcile", anna)
			require.Equal(t, http.StatusOK, page.status, page.text)
			found := tokenIn.FindAllStringSubmatch(page.text, -1)
			require.NotEmpty(t, found)
			token := found[len(found)-1][1]
			part := func(name, text string) string {
				return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + text + "\r\n"
			}
			file := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"books.csv\"\r\n\r\nhash,fee\n1,2\n\r\n"
			send := func(who func(*http.Request), body io.Reader) got {
				return get(t, s, "/reconcile", func(r *http.Request) {
					r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(body), -1
					r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
					who(r)
				})
			}
			for reason, text := range map[string]string{
				"no token": file, "after the file": file + part("token", token), "a wrong one": part("token", "x") + file, "an empty one": part("token", "") + file, "not the first": part("period", "") + part("token", token) + file,
			} {
				a := send(anna, strings.NewReader(text+"--b--\r\n"))
				require.Equal(t, http.StatusForbidden, a.status, reason)
				require.Contains(t, a.text, "form has expired")
			}
			require.Equal(t, http.StatusForbidden, send(bob, strings.NewReader(part("token", token)+file+"--b--\r\n")).status)
			a := send(anna, strings.NewReader(part("token", token)+file+"--b--\r\n"))
			require.Equal(t, http.StatusSeeOther, a.status, a.text)
			to := a.header.Get("Location")
			require.Equal(t, http.StatusUnprocessableEntity, get(t, s, to, anna).status, "its page asks which columns are which")
			require.Equal(t, http.StatusForbidden, get(t, s, to, bob).status, "it is not his")
			forget := strings.SplitN(to, "?", 2)[0] + "/forget"
			require.Equal(t, http.StatusForbidden, sendFields(t, s, forget, url.Values{}, anna).status)
			require.Equal(t, http.StatusSeeOther, sendFields(t, s, forget, url.Values{"token": {token}}, anna).status)

			// A body that never ends is waited for no longer than an upload may take: its token is wrong.
			before := web.SetArrivalTime(time.Second)
			defer web.SetArrivalTime(before)
			read, write := io.Pipe()
			defer write.Close()
			go func() {
				_, _ = io.WriteString(write, part("token", "wrong")+file[:20]) // the rest never comes
			}()
			require.Equal(t, http.StatusForbidden, send(anna, read).status)
		})
	}
}

// Several ledgers share one log-in, and their names are hidden from clients who are not logged in.
func TestLogInToSeveral(t *testing.T) {
	d := filled(t, "0..3")
	s, _, _ := guarded(t, d, func(o *web.Options) {
		o.Ledgers = []web.Served{{Name: "one", Ledger: d, Network: "moonbeam"}, {Name: "two", Ledger: d, Network: "moonbeam"}}
	})
	require.Equal(t, "/login?to=%2Ftwo%2Fblock%2F3", get(t, s, "/two/block/3", nil).header.Get("Location"))
	require.Equal(t, http.StatusUnauthorized, get(t, s, "/two/api/v1/blocks/3", nil).status)
	require.Equal(t, http.StatusOK, get(t, s, "/two/api/v1/blocks/3", func(r *http.Request) { r.SetBasicAuth("anna", password) }).status)
	for _, path := range []string{"/login", "/login?to=//x"} {
		page := get(t, s, path, nil)
		require.Equal(t, http.StatusOK, page.status)
		require.NotContains(t, page.text, "two")
		require.Contains(t, page.text, `<base href="/">`)
	}
	require.Equal(t, http.StatusOK, get(t, s, "/style.css", nil).status)
	c := logIn(t, s, "anna", password)
	page := get(t, s, "/two/block/3", with(c))
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.text, `action="/logout"`)
	a := sendFields(t, s, "/logout", url.Values{"token": {tokenIn.FindStringSubmatch(page.text)[1]}}, with(c))
	require.Equal(t, "/login", a.header.Get("Location"))
}

// certificate returns a certificate for some names, trusted by this machine's tests.
func certificate(t testing.TB, names ...string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	form := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	require.NoError(t, err)
	leaf, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, pool
}

// With TLS, the cookie is sent only over TLS, and the browser uses no other scheme from then on.
func TestTLS(t *testing.T) {
	own, trusted := certificate(t, "fees.example.org")
	s := httptest.NewUnstartedServer(web.Handler(web.Options{Ledgers: []web.Served{{Ledger: filled(t, "0..3"), Network: "moonbeam"}}, Users: readers(), TLS: true, Hosts: []string{"fees.example.org"}}))
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{own}}
	s.StartTLS()
	defer s.Close()
	s.Client().Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}
	by := func(host string) got {
		return get(t, s, "/login", func(r *http.Request) { r.Host = host })
	}
	page := by("fees.example.org")
	require.Equal(t, http.StatusOK, page.status)
	require.Equal(t, "max-age=31536000", page.header.Get("Strict-Transport-Security"))
	require.Regexp(t, `^__Host-fees=[A-Za-z0-9_-]{43}; Path=/; HttpOnly; Secure; SameSite=Strict$`, page.header.Get("Set-Cookie"))
	require.Empty(t, by("localhost").header.Get("Strict-Transport-Security"), "other servers of this machine may have no TLS")
	require.Empty(t, by("127.0.0.1").header.Get("Strict-Transport-Security"))
	require.Equal(t, http.StatusMisdirectedRequest, by("evil.example").status)
	c := logIn(t, s, "anna", password)
	require.Equal(t, http.StatusOK, get(t, s, "/block/3", with(c)).status)
	require.Equal(t, http.StatusSeeOther, get(t, s, "/block/3", with(&http.Cookie{Name: "fees", Value: c.Value})).status)
}

// If the browser reaches the proxy over TLS, the cookie is sent only over TLS.
func TestTLSBefore(t *testing.T) {
	s, _, _ := guarded(t, filled(t, "0..3"), func(o *web.Options) { o.Hosts = []string{"fees.example.org"} })
	c, token := logInPage(t, s)
	a := sendFields(t, s, "/login", url.Values{"name": {"anna"}, "password": {password}, "token": {token}}, func(r *http.Request) {
		r.AddCookie(c)
		r.Host = "fees.example.org"
		r.Header.Set("Origin", "https://fees.example.org")
	})
	require.Equal(t, http.StatusSeeOther, a.status, a.text)
	require.True(t, cookieIn(t, a).Secure)
	require.Empty(t, a.header.Get("Strict-Transport-Security"))
}

// The names of a certificate are the server's hosts: a wildcard stands for one label.
func TestHosts(t *testing.T) {
	s := served(t, filled(t, "0..3"), func(o *web.Options) { o.Hosts = []string{"*.acme.example", "192.0.2.7"} })
	for host, status := range map[string]int{
		"fees.acme.example": http.StatusOK, "FEES.acme.example:8787": http.StatusOK, "192.0.2.7": http.StatusOK, "acme.example": http.StatusMisdirectedRequest, "a.b.acme.example": http.StatusMisdirectedRequest,
		"*.acme.example": http.StatusOK, "192.0.2.8": http.StatusMisdirectedRequest, ".": http.StatusMisdirectedRequest, "evilacme.example": http.StatusMisdirectedRequest,
	} {
		require.Equal(t, status, get(t, s, "/healthz", func(r *http.Request) { r.Host = host }).status, host)
	}
	// The address at which a request comes in is the server's; another one is not.
	for name, own := range map[string]string{"192.0.2.9": "192.0.2.9", "2001:db8::1": "2001:db8::1", "::ffff:192.0.2.9": "192.0.2.9"} {
		r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
		r.Host = net.JoinHostPort(own, "8787")
		r = r.WithContext(contextWith(r, net.ParseIP(name)))
		w := httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code, name)
		r.Host = "198.51.100.1"
		w = httptest.NewRecorder()
		s.Config.Handler.ServeHTTP(w, r)
		require.Equal(t, http.StatusMisdirectedRequest, w.Code)
	}
}

// No input to the log-in page lets a client in or makes the server fail.
func TestHostileLogIns(t *testing.T) {
	long(t, "each try costs a slow hash of passwords")
	hold(t, 0)
	s, at, _ := guarded(t, filled(t, "0..3"), nil)
	random := mathrand.New(mathrand.NewPCG(3, 4))
	values := []string{"", "anna", "bob", "\x00", "é", "' OR 1=1 --", "<script>alert(1)</script>", "\r\nSet-Cookie: a=b", strings.Repeat("9", 300), "//evil.example", "/fees", "..", "anna:" + password, "\xff\xfe", "{{.}}"}
	names := []string{"name", "password", "to", "token", "token", "user", ""}
	statuses := map[int]int{}
	c, token := logInPage(t, s)
	for range 150 {
		fields := url.Values{}
		if random.IntN(4) > 0 {
			fields.Set("token", token)
		}
		for range random.IntN(5) {
			fields.Add(names[random.IntN(len(names))], values[random.IntN(len(values))])
		}
		path := []string{"/login", "/login", "/login", "/logout", "/login?to=" + url.QueryEscape(values[random.IntN(len(values))]), "/login/", "//login"}[random.IntN(7)]
		change := func(r *http.Request) {
			r.AddCookie(c)
			if random.IntN(8) == 0 {
				r.Header.Set("Content-Type", []string{"", "text/plain", "multipart/form-data", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded; charset=utf-16", ";;"}[random.IntN(6)])
			}
		}
		a := sendFields(t, s, path, fields, change)
		statuses[a.status]++
		require.NotEqual(t, http.StatusInternalServerError, a.status, a.text)
		require.NotContains(t, foreign(a.text), "<script")
		require.NotContains(t, a.header.Get("Location"), "evil")
		if set := (&http.Response{Header: a.header}).Cookies(); len(set) > 0 {
			require.Equal(t, http.StatusSeeOther, get(t, s, "/overview", with(set[0])).status)
		}
		at.goOn(time.Minute)
	}
	t.Logf("%v", statuses)
	require.Greater(t, statuses[http.StatusUnauthorized], 5)
	require.Greater(t, statuses[http.StatusForbidden], 5)
}

// A browser logs in, and a link on another site shows the page to a logged-in user.
func TestLogInWithABrowser(t *testing.T) {
	chromium := program.Path(t, program.Browser, "chromium")
	own := ""
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Refresh", "0; url="+own+"/block/3")
	}))
	defer elsewhere.Close()
	_, port, err := net.SplitHostPort(elsewhere.Listener.Addr().String())
	require.NoError(t, err)
	s, _, _ := guarded(t, filled(t, "0..3"), nil)
	own = s.URL
	steps := make(chan string, 100)
	next := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/types": // fills the form in as a person does
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Referrer-Policy", get(t, s, "/login", nil).header.Get("Referrer-Policy"))
			_, _ = io.WriteString(w, `<script>fetch("/login?to=/leaves").then(a => a.text()).then(text => {
				const form = document.adoptNode(new DOMParser().parseFromString(text, "text/html").querySelector("main form"));
				form.elements.name.value = "anna"; form.elements.password.value = "`+password+`";
				document.body.append(form); form.submit() })</script>`)
			return
		case "/leaves": // for the other site, with a link back
			w.Header().Set("Refresh", "0; url=http://localhost:"+port+"/")
			return
		}
		heard := httptest.NewRecorder()
		next.ServeHTTP(heard, r)
		maps.Copy(w.Header(), heard.Header())
		w.WriteHeader(heard.Code)
		_, _ = w.Write(heard.Body.Bytes())
		if r.Header.Get("Sec-Fetch-Mode") == "navigate" {
			steps <- fmt.Sprintf("%s %s %s %q %d", r.Header.Get("Sec-Fetch-Site"), r.Method, r.URL, r.Header.Get("Origin"), heard.Code)
		}
	})
	profile, err := os.MkdirTemp("", "browser")
	require.NoError(t, err)
	defer os.RemoveAll(profile) // what the browser's processes still write goes with the machine's temporary files
	command := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--remote-debugging-port=0", "--user-data-dir="+profile, s.URL+"/types")
	require.NoError(t, command.Start())
	defer func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		_ = command.Wait()
	}()
	for _, want := range []string{
		fmt.Sprintf("same-origin POST /login %q 303", s.URL), // a browser says whose form it sends
		`cross-site GET /block/3 "" 303`,                     // without the cookie
		`cross-site GET /login?to=%2Fblock%2F3 "" 200`,
		`same-origin GET /block/3 "" 200`,
	} {
		select {
		case step := <-steps:
			require.Equal(t, want, step)
		case <-time.After(2 * time.Minute):
			t.Fatalf("the browser does not come to %s", want)
		}
	}
}

// contextWith returns the context of a request that arrived at an address.
func contextWith(r *http.Request, at net.IP) context.Context {
	return context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: at, Port: 8787})
}
