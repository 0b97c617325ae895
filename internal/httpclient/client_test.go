package httpclient_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

const secret = "s3cret"

func TestAddress(t *testing.T) {
	for name, address := range map[string]string{
		"empty":             "",
		"no scheme":         "localhost:9944",
		"another scheme":    "ftp://host",
		"no host":           "http://",
		"fragment":          "http://host/#x",
		"not a URL":         "http://user:s3cret@[",
		"user, no scheme":   "s3cret:s3cret@host",
		"secret, odd place": "s3cret://s3cret",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := httpclient.New(httpclient.Node, address, httpclient.Options{}, "http", "https", "ws")
			require.ErrorContains(t, err, "node address")
			require.NotContains(t, err.Error(), secret)
		})
	}
	_, err := httpclient.New(httpclient.Node, "ftp://host", httpclient.Options{}, "http", "https", "ws")
	require.EqualError(t, err, "node address: want http, https or ws, then ://host")
}

func TestAPIKey(t *testing.T) {
	for header, o := range map[string]httpclient.Options{"X-Api-Key": {APIKey: secret}, "Token": {APIKey: secret, APIKeyHeader: "Token"}} {
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Header.Get(header)) }), o)
		text, err := get(context.Background(), c, "/")
		require.NoError(t, err)
		require.Equal(t, secret, text, header)
	}
	_, err := httpclient.New(httpclient.Node, "http://host", httpclient.Options{APIKey: secret + "\n"}, "http", "https")
	require.ErrorContains(t, err, "line break")
	require.NotContains(t, err.Error(), secret)
	_, err = httpclient.New(httpclient.Node, "http://host", httpclient.Options{APIKey: secret, APIKeyHeader: "X Key:"}, "http", "https")
	require.ErrorContains(t, err, "API key header")
}

// Credentials reach the place that they are for, no other one, and no error, whatever goes
// wrong.
func TestCredentials(t *testing.T) {
	seen := make(chan http.Header, 8)
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		w.WriteHeader(http.StatusUnauthorized)
	}))
	asked := new(atomic.Int32)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect) // another port of the same host
	}))
	hanging := httptest.NewServer(http.HandlerFunc(hang))
	for _, server := range []*httptest.Server{refusing, elsewhere, hanging} {
		t.Cleanup(server.Close)
	}
	const closed = "http://127.0.0.1:1" // no port of this number is ever open
	for name, address := range map[string]string{"refusing": refusing.URL, "closed": closed, "redirecting": elsewhere.URL, "hanging": hanging.URL} {
		t.Run(name, func(t *testing.T) {
			host := strings.TrimPrefix(address, "http://")
			c := clientAt(t, "http://user-"+secret+":pass-"+secret+"@"+host+"/"+secret+"?key="+secret,
				httpclient.Options{Total: 200 * time.Millisecond, APIKey: secret + "-key", APIKeyHeader: "apikey"})
			err := c.Ask(context.Background(), func(ctx context.Context) error {
				answer, err := c.Post(ctx, []byte("{}"))
				if err == nil {
					err = c.Refused("", answer)
				}
				return err
			})
			require.ErrorContains(t, err, "the gateway at http://"+host)
			require.NotContains(t, fmt.Sprintf("%v %+v %#v", err, err, errors.Unwrap(err)), secret)
		})
	}
	other.Close()
	header := <-seen
	require.Equal(t, secret+"-key", header.Get("apikey"))
	require.Equal(t, "Basic dXNlci1zM2NyZXQ6cGFzcy1zM2NyZXQ=", header.Get("Authorization"))
	require.Empty(t, seen)
	require.Zero(t, asked.Load(), "they went to another place")
}

// A few redirects to the same place are followed, but not where they would make another
// request of it.
func TestRedirects(t *testing.T) {
	for redirects, followed := range map[int]bool{1: true, 3: true, 4: false} {
		asked := 0
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked <= redirects {
				http.Redirect(w, r, fmt.Sprintf("/%d%s", asked, r.URL.Path), http.StatusFound)
				return
			}
			fmt.Fprint(w, "well")
		}), httpclient.Options{})
		_, err := get(context.Background(), c, "/")
		require.Equal(t, min(redirects+1, 4), asked, "%d redirects", redirects)
		if followed {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "it redirects too often")
		}
	}
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/other", http.StatusFound)
	}), httpclient.Options{})
	answer, err := c.Post(context.Background(), []byte("{}"))
	require.NoError(t, err)
	require.Equal(t, http.StatusFound, answer.Status)
	require.False(t, answer.IsSuccess())
}

func TestRootCAs(t *testing.T) {
	server := httptest.NewUnstartedServer(&sequence{})
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	_, err := get(context.Background(), clientAt(t, server.URL, httpclient.Options{}), "/")
	require.ErrorContains(t, err, "certificate")
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	_, err = get(context.Background(), clientAt(t, server.URL, httpclient.Options{RootCAs: pool}), "/")
	require.NoError(t, err)
}

// A number below zero means the default, and no attempt takes longer than all of them.
func TestDefaults(t *testing.T) {
	c := clientOf(t, &sequence{}, httpclient.Options{Concurrency: -3, Timeout: -1, Total: -1, RetryWait: -1, MaxAnswer: -1, RPS: -1})
	_, err := get(context.Background(), c, "/")
	require.NoError(t, err)
	require.Equal(t, httpclient.Options{
		Timeout: 30 * time.Second, Total: 2 * time.Minute, RetryWait: 250 * time.Millisecond, Concurrency: 8, RPS: -1, MaxAnswer: 32 << 20, APIKeyHeader: "X-API-Key",
	}, c.Options())
	require.Equal(t, time.Second, clientAt(t, "http://host", httpclient.Options{Total: time.Second}).Options().Timeout)
}

func TestLimit(t *testing.T) {
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunks" {
			http.NewResponseController(w).Flush()
		}
		fmt.Fprint(w, strings.Repeat("x", 1000))
	}), httpclient.Options{MaxAnswer: 1000})
	for _, path := range []string{"/", "/chunks"} {
		text, err := get(context.Background(), c, path)
		require.NoError(t, err)
		require.Len(t, text, 1000)
		_, err = get(httpclient.WithMaxAnswer(context.Background(), 2000), c, path)
		require.NoError(t, err)
		_, err = get(httpclient.WithMaxAnswer(context.Background(), 999), c, path)
		require.ErrorIs(t, err, httpclient.ErrTooLarge)
		require.EqualError(t, err, fmt.Sprintf("no answer from %v: the answer is larger than any block should be", c.Place()))
	}
}

func TestStream(t *testing.T) {
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/refused":
			status(500, "no metadata today")(w, r)
		case "/broken":
			breakOff(w, r)
		default:
			fmt.Fprint(w, strings.Repeat("x", 1000))
		}
	}), httpclient.Options{MaxAnswer: 1000})
	var out bytes.Buffer
	answer, n, err := c.Stream(context.Background(), "/", &out)
	require.NoError(t, err)
	require.True(t, answer.IsSuccess())
	require.Equal(t, int64(1000), n)
	require.Equal(t, 1000, out.Len())
	answer, n, err = c.Stream(context.Background(), "/refused", &out)
	require.NoError(t, err)
	require.Equal(t, httpclient.Answer{Status: 500, Header: answer.Header, Text: "no metadata today"}, answer)
	require.Zero(t, n)
	_, n, err = c.Stream(context.Background(), "/broken", &out)
	require.ErrorContains(t, err, "it closed the connection")
	require.Equal(t, int64(1), n)
	_, _, err = c.Stream(httpclient.WithMaxAnswer(context.Background(), 10), "/", &out)
	require.ErrorIs(t, err, httpclient.ErrTooLarge)
	_, _, err = clientAt(t, "http://127.0.0.1:1", httpclient.Options{}).Stream(context.Background(), "/", &out)
	require.ErrorContains(t, err, "connection refused")
}

func TestConcurrency(t *testing.T) {
	var now, most atomic.Int32
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
	}), httpclient.Options{Concurrency: 3})
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			_, err := get(context.Background(), c, "/")
			assert.NoError(t, err)
		})
	}
	all.Wait()
	require.LessOrEqual(t, int(most.Load()), 3)
	require.Greater(t, int(most.Load()), 1)
}

// Further attempts are requests like any other, and wait for their turn.
func TestRPS(t *testing.T) {
	down := status(503, "")
	s := &sequence{steps: []http.HandlerFunc{down, down, down}}
	start := time.Now()
	_, err := get(context.Background(), clientOf(t, s, httpclient.Options{RPS: 10}), "/")
	require.NoError(t, err)
	require.Equal(t, 4, int(s.asked.Load()))
	require.Greater(t, time.Since(start), 290*time.Millisecond, "three pauses of 100 ms")
}

// The wait for the client's own limit is not taken from the time for an answer.
func TestRPSAndTotal(t *testing.T) {
	c := clientOf(t, &sequence{}, httpclient.Options{RPS: 5, Concurrency: 8, Total: time.Second})
	var all sync.WaitGroup
	for range 8 { // the last after 1.4 s
		all.Go(func() {
			_, err := get(context.Background(), c, "/")
			assert.NoError(t, err)
		})
	}
	all.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := get(ctx, c, "/")
	require.ErrorIs(t, err, context.Canceled)
}

func TestErrors(t *testing.T) {
	node := httpclient.Place{What: httpclient.Node, Address: "ws://host"}
	require.EqualError(t, &httpclient.StatusError{Place: node, Code: 401, Message: "key?"}, "the node at ws://host answers with status 401 Unauthorized: key?")
	require.EqualError(t, &httpclient.StatusError{Place: node, Path: "/blocks/7", Code: 404}, "GET /blocks/7: status 404 Not Found")
	long := &httpclient.UnreachableError{Place: node, Err: errors.New("no\n\x1b[31mred" + strings.Repeat("x", 10_000))}
	require.Less(t, len(long.Error()), 600)
	require.False(t, strings.ContainsFunc(long.Error(), unicode.IsControl))
	c := clientOf(t, status(200, " <html>"), httpclient.Options{})
	answer, err := c.Get(context.Background(), "/")
	require.NoError(t, err)
	require.True(t, answer.IsWebPage())
	require.ErrorIs(t, c.WebPage(answer), httpclient.ErrNotJSON)
	require.EqualError(t, c.WebPage(answer), "the answer is a web page, not JSON; is "+c.Place().Address+" the address of a gateway?")
}
