package web_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/tier"
	"github.com/feeledger/fees/internal/web"
)

// hostileValues are inputs of an attacker.
var hostileValues = []string{
	"2026-01", "3..27", "27..3", "0..18446744073709551615", "99999999999999999999", "-1", "2026-13", "0000", "..", "a..b", "Europe/Berlin", "../../etc/passwd", "Local", alith, "group:", "group:x",
	"/etc/passwd", "1", "0x", "0x" + strings.Repeat("f", 64), "25-7", "25-99999999999999999999", "day", "account", "contract", "before", "fee", "-fee", "all", "none", "evm", "eip1559", "EUR", "9223372036854775807",
	"%00", "\x00", "é", strings.Repeat("9", 300), "' OR 1=1 --", "<script>alert(1)</script>", "\r\nSet-Cookie: a=b", "{{.}}", "head", "_", "\u202e",
}

// No request, complete or not, causes a failure, reveals a file of the machine, is reflected as a script, or
// leaves memory or goroutines behind.
func TestHostileRequests(t *testing.T) {
	s := served(t, filled(t, "0..27"), func(o *web.Options) { o.Ledgers[0].Packages = t.TempDir() })
	random := rand.New(rand.NewPCG(1, 2))
	one := func(list []string) string { return list[random.IntN(len(list))] }
	paths := append(web.Routes(), "/", "/healthz", "/readyz", "/metrics", "/theme", "/events/", "/../../etc/passwd", "//", "/%2e%2e/", "/static/{x}", "/login", "/logout", "/debug/pprof/")
	names := append(web.Parameters(), "q", "set", "to", "", "<b>")
	inPath := regexp.MustCompile(`\{[^}]*\}`)
	most := tier.Count(t, "FEES_REQUESTS", 500, 500)
	slow := func() { // one that never ends what it says
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		_, err = io.WriteString(c, one([]string{"G", "GET /fees HTTP/1.1\r\nHost: localhost\r\nX: ", "POST /reconcile HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\n"}))
		require.NoError(t, err)
	}
	statuses, goroutines := map[int]int{}, runtime.NumGoroutine()
	for i := range most {
		if i%100 == 0 {
			slow()
		}
		path := inPath.ReplaceAllStringFunc(one(paths), func(string) string { return url.PathEscape(one(hostileValues)) })
		query := ""
		for range random.IntN(4) {
			query += "&" + url.QueryEscape(one(names)) + "=" + url.QueryEscape(one(hostileValues))
		}
		path += strings.Replace(query, "&", "?", 1)
		var a got
		if random.IntN(10) == 0 {
			a = sends(t, s.Client(), s.URL+path, random)
		} else {
			a = get(t, s, path, func(r *http.Request) {
				r.Method = one([]string{"GET", "GET", "GET", "GET", "HEAD", "PUT", "DELETE", "TRACE"})
				for range random.IntN(3) {
					r.Header.Set(one([]string{"If-None-Match", "Range", "Cookie", "Origin", "Authorization", "X-Forwarded-For", "X-Forwarded-User", "Accept", "Referer", "If-Range"}), one([]string{"*", `"x"`, "bytes=0-", "theme=dark; fees=x", "https://example.org", "Basic !!!", strings.Repeat("x", 5000), "null"}))
				}
			})
		}
		statuses[a.status]++
		require.NotEqual(t, http.StatusInternalServerError, a.status, "%s\n%s", path, a.text)
		require.NotContains(t, a.text, "root:", path)
		if strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			require.NotContains(t, foreign(a.text), "<script", path)
		}
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
		if !strings.HasPrefix(path, "/theme") {
			require.Empty(t, a.header.Get("Set-Cookie"), path)
		}
		require.NotContains(t, a.header.Get("Location"), "example.org")
	}
	t.Logf("%d requests: %v", most, statuses)
	require.Greater(t, statuses[http.StatusOK], most/20)
	require.Less(t, heap(), uint64(200<<20), "what is kept is bounded")
	s.CloseClientConnections()
	for range 200 {
		if runtime.NumGoroutine() <= goroutines+10 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%d goroutines were there before, and %d are left", goroutines, runtime.NumGoroutine())
}

// heap returns the memory in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// sends sends a form, valid or not, with or without a file.
func sends(t *testing.T, client *http.Client, address string, random *rand.Rand) got {
	t.Helper()
	body := make([]byte, random.IntN(20_000))
	for i := range body {
		body[i] = byte(random.IntN(256))
	}
	if random.IntN(2) == 0 {
		body = slices.Concat([]byte("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../../a.csv\"\r\n\r\n"), body, []byte("\r\n--x--\r\n"))
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", []string{"multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=" + strings.Repeat("y", 200)}[random.IntN(4)])
	if random.IntN(3) == 0 {
		r.Header.Set("Origin", fmt.Sprintf("https://%d.example.org", random.IntN(9)))
	}
	answer, err := client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return got{answer.StatusCode, answer.Header, string(text)}
}
