package nodeclient_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/ask"
)

// failing answers so many questions with refuse, and the others as they should be.
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
	for name, c := range map[string]struct {
		refuse http.HandlerFunc
		times  int64
		asked  int64
		says   string // "" where an answer comes in the end
	}{
		"connection broken off":       {reset, 5, 6, ""},
		"too many requests":           {status(429, "Retry-After", "0", ""), 5, 6, ""},
		"too many requests, in JSON":  {status(200, "", "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32029,"message":"Too Many Requests"}}`), 5, 6, ""},
		"limit exceeded":              {status(200, "", "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"daily request count exceeded"}}`), 5, 6, ""},
		"unavailable":                 {status(503, "", "", ""), 5, 6, ""},
		"wait longer than there is":   {status(429, "Retry-After", "3600", ""), 2, 1, "status 429 Too Many Requests"},
		"internal error":              {status(500, "", "", ""), 1, 1, "status 500"},
		"unauthorized":                {status(401, "", "", `{"jsonrpc":"2.0","id":1,"error":{"message":"key?"}}`), 1, 1, "status 401 Unauthorized: key?"},
		"refusal":                     {status(200, "", "", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"busy"}}`), 1, 1, "busy"},
		"malformed":                   {status(200, "", "", `{`), 1, 1, "malformed answer"},
		"cut off":                     {status(200, "Content-Length", "100", `{"jsonrpc"`), 1, 2, ""},
		"web page with another start": {status(200, "Content-Type", "text/html; charset=utf-8", "Welcome"), 1, 1, "web page"},
	} {
		t.Run(name, func(t *testing.T) {
			h, asked := failing(c.times, c.refuse)
			name, err := newClient(t, serve(t, h).URL, ask.Options{Total: 20 * time.Second, RetryWait: time.Millisecond}).Chain(soon(t))
			if c.says == "" {
				require.NoError(t, err)
				require.Equal(t, "moonbeam", name)
			} else {
				require.ErrorContains(t, err, c.says)
			}
			require.Equal(t, c.asked, asked.Load())
		})
	}
	t.Run("always unavailable", func(t *testing.T) {
		h, _ := failing(1_000_000, status(503, "", "", `{"message":"syncing"}`))
		_, err := newClient(t, serve(t, h).URL, inVain).Chain(soon(t))
		require.ErrorContains(t, err, "the node at http://127.0.0.1:")
		require.ErrorContains(t, err, "answers with status 503 Service Unavailable: syncing")
		require.True(t, ask.TimedOut(err))
	})
}

func TestNoAnswer(t *testing.T) {
	requireUnreachable := func(t *testing.T, err error, says string) {
		t.Helper()
		var unreachable *ask.UnreachableError
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
		server := httptest.NewServer(http.NotFoundHandler())
		server.Close()
		_, err := newClient(t, server.URL, inVain).Chain(soon(t))
		requireUnreachable(t, err, "connection refused")
	})
	t.Run("stalled", func(t *testing.T) {
		_, err := newClient(t, serve(t, stall).URL, inVain).Chain(soon(t))
		requireUnreachable(t, err, "timed out: it took longer than 1s")
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
