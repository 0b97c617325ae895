package httpclient_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

// drip sends the beginning of an answer, then a part of it every few milliseconds, for as
// long as somebody listens.
func drip(beginning, part string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer connection.Close()
		_, err = fmt.Fprint(connection, beginning)
		for ; err == nil; _, err = fmt.Fprint(connection, part) {
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// Total bounds a question, in whatever way its answer is drawn out.
func TestTotalOfAnAnswerThatIsDrawnOut(t *testing.T) {
	const total = 3 * time.Second
	for name, step := range map[string]http.HandlerFunc{
		"dripped headers":        drip("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", "X-A: b\r\n"),
		"half a header":          drip("HTTP/1.1 200 OK\r\nX-A: ", "b"),
		"endless 1xx":            drip("", "HTTP/1.1 102 Processing\r\n\r\n"),
		"early hints":            drip("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
		"dripped body":           drip("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n", " "),
		"dripped chunks":         drip("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"),
		"a long Retry-After":     retryAfter(503, "25"),
		"Retry-After, drawn out": drip("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 25\r\nContent-Length: 100000\r\n\r\n", " "),
		"reset at once": func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(total - 50*time.Millisecond)
			reset(w, r)
		},
		"nothing": hang,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := clientOf(t, step, httpclient.Options{Total: total})
			start := time.Now()
			_, err := get(context.Background(), c, "/")
			require.Error(t, err)
			require.Less(t, time.Since(start), total*3/2)
		})
	}
}
