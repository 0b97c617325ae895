package rpc_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

// failing answers a number of requests with refuse, and the others correctly.
func failing(times int64, refuse http.HandlerFunc) (h http.HandlerFunc, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	return func(w http.ResponseWriter, r *http.Request) {
		q := readQuestion(r)
		if asked.Add(1) <= times {
			refuse(w, r)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":"moonbeam"}`, q.ID)
	}, asked
}

func status(code int, header, value, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set(header, value)
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	conn.Close()
}

func TestRetries(t *testing.T) {
	refused := func(code int, says string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"error":{"code":%d,"message":%q}}`, readQuestion(r).ID, code, says)
		}
	}
	for name, c := range map[string]struct {
		refuse http.HandlerFunc
		says   string // "" where an answer comes in the end
		known  bool   // it comes where one came before
	}{
		"connection broken off":      {reset, "", true},
		"cut off":                    {status(200, "Content-Length", "100", `{"jsonrpc"`), "", true},
		"too many requests":          {status(429, "Retry-After", "0", ""), "", true},
		"too many requests, in JSON": {status(200, "", "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32029,"message":"Too Many Requests"}}`), "", true},
		"limit exceeded":             {refused(-32005, "You've exceeded the RPS limit available on the current plan."), "", true},
		"quota":                      {refused(-32005, "daily request count exceeded"), "", true},
		"busy":                       {refused(-32009, "Server is busy, try again later"), "", true},
		"status as code":             {refused(503, "no healthy upstream"), "", true},
		"unavailable":                {status(503, "", "", ""), "", true},
		"a timeout occurred":         {status(524, "", "", "<html>"), "", true},
		"internal error":             {status(500, "", "", ""), "", true},
		"internal error, in JSON":    {refused(-32603, "Internal server error"), "", true},
		"server error":               {refused(-32000, "backend timed out"), "", true},
		"unauthorized":               {status(401, "", "", `{"jsonrpc":"2.0","id":1,"error":{"message":"key?"}}`), "status 401 Unauthorized: key?", true},
		"forbidden":                  {status(403, "", "", "<title>Attention Required! | Cloudflare</title>"), "status 403 Forbidden: Attention Required! | Cloudflare", true},
		"no route":                   {status(404, "", "", "default backend - 404"), "status 404 Not Found: default backend - 404", true},
		"malformed":                  {status(200, "", "", `{`), "malformed answer", true},
		"web page":                   {status(200, "Content-Type", "text/html; charset=utf-8", "Welcome"), "web page", true},
		"reverted":                   {refused(-32603, "VM Exception while processing transaction: revert"), "revert", false},
		"refused by the pool":        {refused(-32603, "submit transaction to pool failed: Pool(TooLowPriority)"), "to pool failed", false},
		"no such method":             {refused(-32601, "Method not found"), "Method not found", false},
		"state discarded":            {refused(-32603, "State already discarded"), "State already discarded", false},
	} {
		for _, known := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, answered before: %v", name, known), func(t *testing.T) {
				h, asked := failing(0, c.refuse)
				count := int64(5)
				if known {
					count++
				}
				client := newClient(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
					if n := asked.Load(); n < count && !(known && n == 0) {
						asked.Add(1)
						c.refuse(w, r)
						return
					}
					h(w, r)
				}).URL, httpclient.Options{Total: 20 * time.Second, RetryWait: time.Millisecond})
				if known {
					_, err := client.Chain(soon(t))
					require.NoError(t, err)
				}
				before := asked.Load()
				name, err := client.Chain(soon(t))
				if c.says != "" && !(known && c.known) {
					require.ErrorContains(t, err, c.says)
					require.Equal(t, int64(1), asked.Load()-before)
					return
				}
				require.NoError(t, err)
				require.Equal(t, "moonbeam", name)
				require.Equal(t, int64(6), asked.Load()-before)
			})
		}
	}
	t.Run("wait longer than there is", func(t *testing.T) {
		h, asked := failing(2, status(429, "Retry-After", "3600", ""))
		_, err := newClient(t, serve(t, h).URL, httpclient.Options{Total: 20 * time.Second}).Chain(soon(t))
		require.ErrorContains(t, err, "status 429 Too Many Requests")
		require.Equal(t, int64(1), asked.Load())
	})
	t.Run("always unavailable", func(t *testing.T) {
		h, _ := failing(1_000_000, status(503, "", "", `{"message":"syncing"}`))
		_, err := newClient(t, serve(t, h).URL, inVain).Chain(soon(t))
		require.ErrorContains(t, err, "the node at http://127.0.0.1:")
		require.ErrorContains(t, err, "answers with status 503 Service Unavailable: syncing")
		require.True(t, httpclient.TimedOut(err))
	})
}

func TestNoAnswer(t *testing.T) {
	requireUnreachable := func(t *testing.T, err error, says string) {
		t.Helper()
		var unreachable *httpclient.UnreachableError
		require.ErrorAs(t, err, &unreachable)
		require.ErrorContains(t, err, says)
	}
	endless := func(piece string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for {
				if _, err := fmt.Fprint(w, piece); err != nil {
					return
				}
				http.NewResponseController(w).Flush()
				if len(piece) == 1 {
					time.Sleep(time.Millisecond)
				}
			}
		}
	}
	t.Run("closed", func(t *testing.T) {
		_, err := newClient(t, closed, inVain).Chain(soon(t))
		requireUnreachable(t, err, "connection refused")
	})
	t.Run("stalled", func(t *testing.T) {
		_, err := newClient(t, serve(t, stall).URL, inVain).Chain(soon(t))
		requireUnreachable(t, err, "timed out after 1s")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	t.Run("body without an end", func(t *testing.T) {
		o := quick
		o.MaxAnswer = 1 << 16
		_, err := newClient(t, serve(t, endless(strings.Repeat(" ", 1000))).URL, o).Chain(soon(t))
		requireUnreachable(t, err, "larger than any block should be")
	})
	t.Run("body that drips", func(t *testing.T) {
		_, err := newClient(t, serve(t, endless(" ")).URL, inVain).Chain(soon(t))
		requireUnreachable(t, err, "timed out")
	})
}
