package web_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/web"
)

// hold sets the delay after a failed attempt for a test.
func hold(t *testing.T, d time.Duration) {
	t.Helper()
	before := web.SetHeldTime(d)
	t.Cleanup(func() { web.SetHeldTime(before) })
}

// at returns a server as reached from another address of this machine.
func at(t *testing.T, s *httptest.Server, address string) *httptest.Server {
	t.Helper()
	to, err := url.Parse(s.URL)
	require.NoError(t, err)
	transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}).DialContext}
	way := httptest.NewServer(&httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
	}})
	t.Cleanup(way.Close)
	t.Cleanup(transport.CloseIdleConnections)
	return way
}

// basic sends HTTP Basic credentials with the given X-Forwarded-For.
func basic(t *testing.T, s *httptest.Server, name, word, forwarded string) int {
	t.Helper()
	return get(t, s, "/api/v1/openapi.json", func(r *http.Request) {
		r.SetBasicAuth(name, word)
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
	}).status
}

// Guessing from one address locks out no client at another address: there and here a correct password, a session
// and a remembered password pass, but few guesses do.
func TestLockout(t *testing.T) {
	d := filled(t, "0..3")
	elsewhere := []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} // so that 127.0.0.1 is no proxy
	s, _, _ := guarded(t, d, func(o *web.Options) { o.Proxies = elsewhere })
	attacker := at(t, s, "127.0.0.2")
	hold(t, time.Millisecond)
	session := logIn(t, attacker, "anna", password)
	for i := range 4 {
		a := attempt(t, attacker, "anna", "wrong password", "")
		require.Equal(t, http.StatusUnauthorized, a.status)
		require.Contains(t, a.text, fmt.Sprintf("Wrong name or password. %d attempt", 4-i))
		require.Contains(t, a.text, `value="anna"`)
	}
	require.Contains(t, attempt(t, attacker, "anna", "wrong password", "").text, "Wait 1 second before you try again.")
	for range 7 {
		a := attempt(t, attacker, "anna", "wrong password", "")
		require.Equal(t, http.StatusTooManyRequests, a.status)
		require.Equal(t, "1", a.header.Get("Retry-After"))
		require.Equal(t, http.StatusTooManyRequests, basic(t, attacker, "anna", "wrong password", ""))
	}
	logIn(t, s, "anna", password)
	logIn(t, attacker, "bob", other)
	require.Equal(t, http.StatusOK, get(t, attacker, "/block/3", with(session)).status)
	logIn(t, attacker, "anna", password) // a right one passes, and all is forgotten
	require.Contains(t, attempt(t, attacker, "anna", "wrong password", "").text, "4 attempts left")
}

// After too many failures, a failed attempt delays all others from the same address: guesses are few, however many
// are sent at once.
func TestGuessesAreFew(t *testing.T) {
	long(t, "each try costs a slow hash of passwords")
	hold(t, time.Hour)
	s, clock, _ := guarded(t, filled(t, "0..3"), func(o *web.Options) { o.Time = time.Second })
	for range 6 { // five are free, and one is checked
		basic(t, s, "anna", "wrong password", "")
	}
	statuses := make(chan int, 20)
	for range 20 {
		go func() { statuses <- basic(t, s, "anna", password, "") }()
	}
	for range 20 {
		require.Equal(t, http.StatusTooManyRequests, <-statuses, "none is checked")
	}
	require.Equal(t, http.StatusOK, basic(t, s, "bob", other, ""))
	require.Equal(t, http.StatusTooManyRequests, basic(t, s, "anna", password, "203.0.113.9"), "no proxy was named that may say so")
	clock.goOn(time.Hour)
	require.Equal(t, http.StatusOK, basic(t, s, "anna", password, ""))
}

// Changing names does not help: failures count by address too.
func TestGuessesOfNamesAreFew(t *testing.T) {
	long(t, "each try costs a slow hash of passwords")
	hold(t, time.Hour)
	s, _, _ := guarded(t, filled(t, "0..3"), func(o *web.Options) {
		o.Time, o.Proxies = time.Second, []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}
	})
	for i := range 21 { // twenty are free, and one is checked
		basic(t, s, fmt.Sprint("user", i), "wrong password", "")
	}
	require.Equal(t, http.StatusTooManyRequests, basic(t, s, "anna", password, ""))
	require.Equal(t, http.StatusOK, basic(t, at(t, s, "127.0.0.3"), "anna", password, ""))
}

// Behind a trusted proxy, the address that it adds counts, and not one that its client invents.
func TestLockoutBehindAProxy(t *testing.T) {
	long(t, "each try costs a slow hash of passwords")
	hold(t, time.Hour)
	s, _, _ := guarded(t, filled(t, "0..3"), func(o *web.Options) {
		o.Time, o.Proxies = time.Second, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.1/32")}
	})
	for i := range 6 {
		basic(t, s, "anna", "wrong password", fmt.Sprintf("198.51.100.%d, 2001:db8:1:2::%d, 10.0.0.1", i, i))
	}
	for _, same := range []string{"2001:db8:1:2::99", "[2001:db8:1:2::98]:4711", "203.0.113.9,2001:db8:1:2:3:4:5:6"} {
		require.Equal(t, http.StatusTooManyRequests, basic(t, s, "anna", password, same), same)
	}
	for _, elsewhere := range []string{"2001:db8:1:3::1", "203.0.113.9", "203.0.113.10:4711", "2001:db8:1:2::1, 203.0.113.11", "", "unknown"} {
		require.Equal(t, http.StatusOK, basic(t, s, "anna", password, elsewhere), elsewhere)
	}
}

// A remembered password resets failures, passes without hashing, and does not speed up guessing.
func TestRememberedPasswords(t *testing.T) {
	long(t, "slow hashes of passwords")
	hold(t, time.Hour)
	s, _, _ := guarded(t, filled(t, "0..3"), func(o *web.Options) { o.Time = time.Second })
	require.Equal(t, http.StatusOK, basic(t, s, "anna", password, ""))
	for range 3 {
		for range 4 {
			require.Equal(t, http.StatusUnauthorized, basic(t, s, "anna", "wrong password", ""))
		}
		require.Equal(t, http.StatusOK, basic(t, s, "anna", password, ""))
	}
	for range 7 {
		basic(t, s, "anna", "wrong password", "")
	}
	require.Equal(t, http.StatusOK, basic(t, s, "anna", password, ""), "it passes where others are held up")
	page := attempt(t, s, "anna", "wrong password", "")
	require.Contains(t, page.text, "Wrong name or password.")
	for range 8 { // 4 of each round before, and 7: the twentieth is the last
		basic(t, s, "anna", "wrong password", "")
	}
	require.Equal(t, http.StatusTooManyRequests, basic(t, s, "anna", password, ""), "it is given up after twenty others")
}
