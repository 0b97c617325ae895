package rpc_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

// drip sends the beginning of an answer, then a part of it every few milliseconds, for as
// long as somebody listens.
func drip(beginning, part string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, err = fmt.Fprint(conn, beginning)
		for ; err == nil; _, err = fmt.Fprint(conn, part) {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// The timeout bounds a call, in whatever way its answer is drawn out, over HTTP and when a
// WebSocket is opened.
func TestTimeoutOfAnAnswerThatIsDrawnOut(t *testing.T) {
	const timeout = 3 * time.Second
	for name, step := range map[string]http.HandlerFunc{
		"dripped headers":    drip("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", "X-A: b\r\n"),
		"endless 1xx":        drip("", "HTTP/1.1 102 Processing\r\n\r\n"),
		"dripped body":       drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", " "),
		"a refusal, dripped": drip("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 25\r\nContent-Length: 100000\r\n\r\n", " "),
		"a long Retry-After": status(503, "Retry-After", "25", ""),
		"broken off late": func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(timeout - 50*time.Millisecond)
			reset(w, r)
		},
		"nothing": stall,
	} {
		for _, scheme := range []string{"http", "ws"} {
			t.Run(scheme+", "+name, func(t *testing.T) {
				t.Parallel()
				address := scheme + strings.TrimPrefix(serve(t, step).URL, "http")
				c := newClient(t, address, httpclient.Options{Total: timeout})
				start := time.Now()
				_, err := c.Chain(soon(t))
				require.Error(t, err)
				require.Less(t, time.Since(start), timeout*3/2)
			})
		}
	}
}
