package web_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/web"
)

// sendAll sends a request like a browser: all of it before it reads a byte of the response.
func sendAll(t *testing.T, s *httptest.Server, head string, body []byte) *http.Response {
	t.Helper()
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	_, err = fmt.Fprintf(c, "%s\r\nContent-Length: %d\r\n\r\n", head, len(body))
	require.NoError(t, err)
	_, err = c.Write(body)
	require.NoError(t, err, head)
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err, head)
	t.Cleanup(func() { a.Body.Close() })
	_, err = io.ReadAll(a.Body)
	require.NoError(t, err, head)
	return a
}

// However early an upload is rejected, its sender can read the reason.
func TestRefusedUploads(t *testing.T) {
	d := filled(t, "0..3")
	open := served(t, d, nil)
	guarded, _, _ := guarded(t, d, nil)
	proxied := served(t, d, func(o *web.Options) { o.Header = "X-User" })
	contentType, form := formOf(t, "a.csv", make([]byte, 20<<20/tier.Step(5)), nil)
	form2 := strings.Replace(form.String(), `name="file"`, `name="other"`, 1)
	busy := served(t, d, nil)
	for range 4 {
		begin(t, busy)
	}
	const host = "\r\nHost: localhost\r\n"
	kind := host + "Content-Type: " + contentType
	for name, c := range map[string]struct {
		server *httptest.Server
		head   string
		body   string
		status int
	}{
		"a fifth upload":             {busy, "POST /reconcile HTTP/1.1" + kind, form.String(), http.StatusTooManyRequests},
		"another site's":             {open, "POST /reconcile HTTP/1.1" + kind + "\r\nSec-Fetch-Site: cross-site", form.String(), http.StatusForbidden},
		"an unknown field":           {open, "POST /reconcile HTTP/1.1" + kind, form2, http.StatusBadRequest},
		"no form":                    {open, "POST /reconcile HTTP/1.1" + host + "Content-Type: text/csv", form.String(), http.StatusBadRequest},
		"another method":             {open, "PUT /reconcile HTTP/1.1" + kind, form.String(), http.StatusMethodNotAllowed},
		"a path that takes nothing":  {open, "POST /fees HTTP/1.1" + kind, form.String(), http.StatusMethodNotAllowed},
		"another host":               {open, "POST /reconcile HTTP/1.1\r\nHost: example.org\r\nContent-Type: " + contentType, form.String(), http.StatusMisdirectedRequest},
		"a long address":             {open, "POST /reconcile?" + strings.Repeat("x", 9000) + " HTTP/1.1" + kind, form.String(), http.StatusRequestURITooLong},
		"a question with a body":     {open, "GET /overview HTTP/1.1" + kind, form.String(), http.StatusOK},
		"a form that is too large":   {open, "POST /reconcile/0123/forget HTTP/1.1" + kind, form.String(), http.StatusNotFound},
		"without a session":          {guarded, "POST /reconcile HTTP/1.1" + kind, form.String(), http.StatusSeeOther},
		"a program without password": {guarded, "POST /api/v1/report HTTP/1.1" + kind, form.String(), http.StatusMethodNotAllowed},
		"too large a log-in":         {guarded, "POST /login HTTP/1.1" + host + "Content-Type: application/x-www-form-urlencoded", form.String(), http.StatusRequestEntityTooLarge},
		"nobody named":               {proxied, "POST /reconcile HTTP/1.1" + kind, form.String(), http.StatusUnauthorized},
		"forged":                     {proxied, "POST /reconcile HTTP/1.1" + kind + "\r\nX-User: anna", form.String(), http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.status, sendAll(t, c.server, c.head, []byte(c.body)).StatusCode)
		})
	}

	// Who waits for a word before the body gets the answer instead.
	c, err := net.Dial("tcp", busy.Listener.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	_, err = fmt.Fprintf(c, "POST /reconcile HTTP/1.1%s\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n", kind)
	require.NoError(t, err)
	a, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err)
	defer a.Body.Close()
	require.Equal(t, http.StatusTooManyRequests, a.StatusCode)
}

// begin sends the beginning of a file and stops.
func begin(t *testing.T, s *httptest.Server) net.Conn {
	t.Helper()
	c := announce(t, s.Listener.Addr().String(), "Content-Length: 1000\r\nExpect: 100-continue\r\n")
	line, err := bufio.NewReader(c).ReadString('\n') // the server reads the body now
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue")
	return c
}

// announce sends the header of an upload.
func announce(t *testing.T, address, header string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	_, err = fmt.Fprintf(c, "POST /reconcile HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=b\r\n%s\r\n", header)
	require.NoError(t, err)
	return c
}

// Every form of a request passes the guards, including those that net/http's server or mux would answer
// themselves.
func TestFormsOfRequests(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- reply.Serve(ctx, listener, web.Handler(web.Options{Ledgers: []web.Served{{Ledger: filled(t, "0..3"), Network: "moonbeam"}}, Users: readers()}))
	}()
	for request, status := range map[string]int{
		"OPTIONS *":                          http.StatusMethodNotAllowed,
		"OPTIONS /overview":                  http.StatusMethodNotAllowed,
		"GET *":                              http.StatusBadRequest,
		"HEAD *":                             http.StatusBadRequest,
		"POST *":                             http.StatusMethodNotAllowed,
		"CONNECT localhost:80":               http.StatusMethodNotAllowed,
		"CONNECT /healthz":                   http.StatusMethodNotAllowed,
		"TRACE /healthz":                     http.StatusMethodNotAllowed,
		"PRI /healthz":                       http.StatusMethodNotAllowed,
		"GET http://example.org/healthz":     http.StatusMisdirectedRequest,
		"OPTIONS http://example.org/":        http.StatusMisdirectedRequest,
		"GET http://localhost/healthz":       http.StatusOK,
		"GET http://localhost":               http.StatusBadRequest,
		"GET //healthz":                      http.StatusSeeOther, // to log in: it is no open path
		"GET /./healthz":                     http.StatusSeeOther,
		"GET /healthz/../overview":           http.StatusSeeOther,
		"GET /healthz%2f..%2foverview":       http.StatusSeeOther,
		"POST //reconcile":                   http.StatusSeeOther,
		"GET /api/v1/../../overview":         http.StatusUnauthorized,
		"GET /healthz?x=" + "/../overview":   http.StatusOK,
		"get /healthz":                       http.StatusMethodNotAllowed,
		"GET http://localhost//api/v1/":      http.StatusSeeOther,
		"OPTIONS *\r\nHost: example.org\r\n": 0, // two hosts are no request
	} {
		c, err := net.Dial("tcp", listener.Addr().String())
		require.NoError(t, err)
		line, more, _ := strings.Cut(request, "\r\n")
		_, err = fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", line, more)
		require.NoError(t, err)
		method, _, _ := strings.Cut(line, " ")
		a, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
		require.NoError(t, err, request)
		var text bytes.Buffer
		_, err = io.Copy(&text, a.Body)
		require.NoError(t, err)
		if status != 0 {
			require.Equal(t, status, a.StatusCode, "%s\n%s", request, text.String())
			require.Equal(t, "nosniff", a.Header.Get("X-Content-Type-Options"), request)
			require.NotEmpty(t, a.Header.Get("Content-Security-Policy"), request)
			require.NotEmpty(t, a.Header.Get("X-Request-Id"), request)
		} else {
			require.Equal(t, http.StatusBadRequest, a.StatusCode)
		}
		require.NotContains(t, text.String(), "moonbeam", request)
		a.Body.Close()
		c.Close()
	}
	stop()
	require.NoError(t, <-ended)
}
