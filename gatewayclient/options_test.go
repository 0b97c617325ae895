package gatewayclient_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
)

const block7 = `{"number":"7","hash":` + hash1 + `,"parentHash":` + hash1 + `,"extrinsics":[]}`

// sequence answers with one handler after the other, then with the block.
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
	fmt.Fprint(w, block7)
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func said(code int, message string) http.HandlerFunc {
	return status(code, fmt.Sprintf(`{"code":%d,"message":%q}`, code, message))
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

// What may pass is tried again; what will not is not.
func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		step   http.HandlerFunc
		asked  int // questions until the answer, or the error
		passes bool
	}{
		"too many requests":     {said(429, "slow down"), 2, true},
		"bad gateway":           {status(502, "<html>"), 2, true},
		"unavailable":           {status(503, ""), 2, true},
		"gateway timeout":       {status(504, ""), 2, true},
		"node lost":             {said(500, "WebSocket is not connected"), 2, true},
		"node lost, no head":    {said(500, "Failed while trying to get the latest header."), 2, true},
		"connection reset":      {reset, 2, true},
		"broken off in a body":  {breakOff, 2, true},
		"not there yet":         {said(500, "Unable to retrieve header and parent from supplied hash"), 1, false},
		"another server error":  {said(500, "cannot read properties of undefined"), 1, false},
		"malformed":             {said(400, "Cannot get block hash for abc."), 1, false},
		"unauthorized":          {said(401, "key missing"), 1, false},
		"no such block, JSON":   {status(404, `{"error":"Block not found"}`), 2, false}, // the second asks with /v1
		"half a body, complete": {status(200, block7[:50]), 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sequence{steps: []http.HandlerFunc{c.step}}
			if c.step == nil || !c.passes {
				s.steps = []http.HandlerFunc{c.step, c.step, c.step, c.step, c.step}
			}
			client := clientOf(t, s, gatewayclient.Options{})
			b, err := client.Block(context.Background(), 7)
			if c.passes {
				require.NoError(t, err)
				require.Equal(t, uint64(7), b.Number)
			} else {
				require.Error(t, err)
			}
			if name == "no such block, JSON" {
				require.ErrorIs(t, err, chain.ErrNoBlock)
				return
			}
			require.Equal(t, c.asked, int(s.asked.Load()), "questions")
		})
	}
}

func TestRetriesEnd(t *testing.T) {
	down := status(503, `{"message":"maintenance"}`)
	for retries, asked := range map[int]int{0: 4, 1: 2, 5: 6, -1: 1} {
		s := &sequence{steps: []http.HandlerFunc{down, down, down, down, down, down, down, down}}
		_, err := clientOf(t, s, gatewayclient.Options{Retries: retries}).Block(context.Background(), 7)
		var refused *gatewayclient.StatusError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "maintenance", refused.Message)
		require.Equal(t, asked, int(s.asked.Load()), "questions with Retries %d", retries)
	}
}

// A gateway that asks for a pause gets it, in seconds or until a time.
func TestRetryAfter(t *testing.T) {
	for name, after := range map[string]func() string{
		"in seconds": func() string { return "1" },
		"until":      func() string { return time.Now().Add(2 * time.Second).UTC().Format(http.TimeFormat) },
	} {
		t.Run(name, func(t *testing.T) {
			s := &sequence{steps: []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", after())
				w.WriteHeader(http.StatusTooManyRequests)
			}}}
			start := time.Now()
			_, err := clientOf(t, s, gatewayclient.Options{}).Block(context.Background(), 7)
			require.NoError(t, err)
			require.Greater(t, time.Since(start), 500*time.Millisecond, "the pause")
		})
	}
}

// A gateway that hangs is given up after the total time, whatever the attempts.
func TestTotal(t *testing.T) {
	hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	c := clientOf(t, hang, gatewayclient.Options{Timeout: 20 * time.Millisecond, Total: 200 * time.Millisecond, Retries: 1000})
	start := time.Now()
	_, err := c.Block(context.Background(), 7)
	var unreachable *gatewayclient.UnreachableError
	require.ErrorAs(t, err, &unreachable)
	require.Less(t, time.Since(start), 5*time.Second)
}

func TestConcurrency(t *testing.T) {
	var now, most atomic.Int32
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		for {
			seen := most.Load()
			if n <= seen || most.CompareAndSwap(seen, n) {
				break
			}
		}
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
		fmt.Fprint(w, block7)
	}), gatewayclient.Options{Concurrency: 3})
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			_, err := c.Block(context.Background(), 7)
			require.NoError(t, err)
		})
	}
	all.Wait()
	require.LessOrEqual(t, int(most.Load()), 3)
	require.Greater(t, int(most.Load()), 1)
}

// A number below zero means the default.
func TestOptionsBelowZero(t *testing.T) {
	c := clientOf(t, &sequence{}, gatewayclient.Options{Concurrency: -3, Timeout: -1, Total: -1, RetryWait: -1, MaxBody: -1, RPS: -1})
	_, err := c.Block(context.Background(), 7)
	require.NoError(t, err)
}

func TestRPS(t *testing.T) {
	c := clientOf(t, &sequence{}, gatewayclient.Options{RPS: 50})
	start := time.Now()
	for range 11 {
		_, err := c.Block(context.Background(), 7)
		require.NoError(t, err)
	}
	require.Greater(t, time.Since(start), 190*time.Millisecond, "ten pauses of 20 ms")
}

// Further attempts are requests like any other, and wait for their turn.
func TestRPSOfRetries(t *testing.T) {
	down := status(503, "")
	s := &sequence{steps: []http.HandlerFunc{down, down, down}}
	start := time.Now()
	_, err := clientOf(t, s, gatewayclient.Options{RPS: 10}).Block(context.Background(), 7)
	require.NoError(t, err)
	require.Equal(t, 4, int(s.asked.Load()))
	require.Greater(t, time.Since(start), 290*time.Millisecond, "three pauses of 100 ms")
}

// The wait for the client's own limit is not taken from the time for an answer.
func TestRPSAndTotal(t *testing.T) {
	c := clientOf(t, &sequence{}, gatewayclient.Options{RPS: 10, Concurrency: 8, Total: 500 * time.Millisecond})
	var all sync.WaitGroup
	for range 8 { // the last after 700 ms
		all.Go(func() {
			_, err := c.Block(context.Background(), 7)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := c.Block(ctx, 7)
	require.ErrorIs(t, err, context.Canceled)
}

func TestAPIKey(t *testing.T) {
	for header, o := range map[string]gatewayclient.Options{
		"X-Api-Key": {APIKey: "secret"},
		"Token":     {APIKey: "secret", APIKeyHeader: "Token"},
	} {
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get(header) != "secret" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.WriteHeader(http.StatusTeapot)
		}), o)
		_, err := c.Block(context.Background(), 7)
		var refused *gatewayclient.StatusError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, http.StatusTeapot, refused.Code, header)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestRootCAs(t *testing.T) {
	server := httptest.NewTLSServer(&sequence{})
	t.Cleanup(server.Close)
	server.Config.ErrorLog = nil
	ask := func(o gatewayclient.Options) error {
		o.Retries = -1
		c, err := gatewayclient.New(server.URL, o)
		require.NoError(t, err)
		_, err = c.Block(context.Background(), 7)
		return err
	}
	require.ErrorContains(t, ask(gatewayclient.Options{}), "certificate")
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	require.NoError(t, ask(gatewayclient.Options{RootCAs: pool}))
}

// The successor's paths begin with /v1. It is found out once.
func TestVersion(t *testing.T) {
	var paths []string
	versioned := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		if r.URL.Path != "/v1/blocks/7" {
			status(404, "<html>Cannot GET</html>")(w, r)
			return
		}
		fmt.Fprint(w, block7)
	})
	c := clientOf(t, versioned, gatewayclient.Options{})
	for range 2 {
		_, err := c.Block(context.Background(), 7)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"/blocks/7", "/v1/blocks/7", "/v1/blocks/7"}, paths)

	paths = nil
	_, err := clientOf(t, versioned, gatewayclient.Options{Version: "/v1"}).Block(context.Background(), 7)
	require.NoError(t, err)
	require.Equal(t, []string{"/v1/blocks/7"}, paths)

	paths = nil
	_, err = clientOf(t, versioned, gatewayclient.Options{Version: "/"}).Block(context.Background(), 7)
	require.ErrorIs(t, err, chain.ErrNotOffered)
	require.Equal(t, []string{"/blocks/7"}, paths)

	// What answers, and not as a gateway does, tells nothing about the paths.
	s := &sequence{steps: []http.HandlerFunc{status(404, "<html>"), status(200, "")}}
	c = clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		s.ServeHTTP(w, r)
	}), gatewayclient.Options{})
	paths = nil
	_, err = c.Block(context.Background(), 7)
	require.ErrorContains(t, err, "ends too early")
	_, err = c.Block(context.Background(), 7)
	require.NoError(t, err)
	require.Equal(t, []string{"/blocks/7", "/v1/blocks/7", "/blocks/7"}, paths)

	// A gateway that has answered without is not asked with it.
	var old []string
	c = clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		old = append(old, r.URL.Path)
		if r.URL.Path != "/blocks/7" {
			status(404, "<html>Cannot GET</html>")(w, r)
			return
		}
		fmt.Fprint(w, block7)
	}), gatewayclient.Options{})
	_, err = c.Block(context.Background(), 7)
	require.NoError(t, err)
	_, err = c.Runtime(context.Background(), 7)
	require.ErrorIs(t, err, chain.ErrNotOffered)
	require.Equal(t, []string{"/blocks/7", "/runtime/spec"}, old)
}
