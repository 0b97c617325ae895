package httpclient_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/feeledger/fees/internal/httpclient"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they work
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// clientOf is a client of a gateway on loopback. It does not wait long before it
// tries again.
func clientOf(t *testing.T, h http.Handler, o httpclient.Options) *httpclient.Client {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return clientAt(t, server.URL, o)
}

func clientAt(t *testing.T, address string, o httpclient.Options) *httpclient.Client {
	if o.RetryWait == 0 {
		o.RetryWait = time.Millisecond
	}
	c, err := httpclient.New(httpclient.Gateway, address, o, "http", "https")
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// get asks for a path, as a gateway's client does.
func get(ctx context.Context, c *httpclient.Client, path string) (text string, err error) {
	err = c.Ask(ctx, func(ctx context.Context) error {
		answer, err := c.Get(ctx, path)
		if err == nil && !answer.IsSuccess() {
			return c.Refused(path, answer)
		}
		if err == nil && answer.IsWebPage() {
			return c.WebPage(answer)
		}
		if text = answer.Text; err == nil && text == "other" {
			return &httpclient.UnusableError{Err: errors.New("another answer")}
		}
		return err
	})
	return text, err
}

// sequence answers with one handler after the other, then with "well".
type sequence struct {
	steps []http.HandlerFunc
	asked atomic.Int32
}

func (s *sequence) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := int(s.asked.Add(1)) - 1
	if n < len(s.steps) {
		s.steps[n](w, r)
		return
	}
	fmt.Fprint(w, "well")
}

// always answers with one handler, and counts.
func always(step http.HandlerFunc) (http.Handler, *atomic.Int32) {
	asked := new(atomic.Int32)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		step(w, r)
	}), asked
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func retryAfter(code int, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", value)
		w.WriteHeader(code)
	}
}

// reset breaks the connection off.
func reset(w http.ResponseWriter, _ *http.Request) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	connection.(*net.TCPConn).SetLinger(0)
	connection.Close()
}

// breakOff ends the connection in the middle of a body.
func breakOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	fmt.Fprint(w, "{")
}

// hang takes a question and never answers.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // or net/http does not see the client leave
	<-r.Context().Done()
}
