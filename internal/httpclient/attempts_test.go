package httpclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/test/port"
)

// A gateway that fails four answers of ten, in every way that passes, does not fail a
// question.
func TestFourAnswersOfTenFail(t *testing.T) {
	const questions = 1000
	failures := []http.HandlerFunc{status(429, ""), status(502, "<html>"), status(503, ""), status(504, ""), status(500, lost), reset, breakOff}
	var guard sync.Mutex
	random := rand.New(rand.NewPCG(1, 2))
	var failed atomic.Int32
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		guard.Lock()
		fails, how := random.IntN(10) < 4, failures[random.IntN(len(failures))]
		guard.Unlock()
		if fails {
			failed.Add(1)
			how(w, r)
			return
		}
		fmt.Fprint(w, r.URL.Path)
	}), httpclient.Options{})
	start := time.Now()
	numbers := make(chan int)
	var all sync.WaitGroup
	for range httpclient.DefaultConcurrency {
		all.Go(func() {
			for n := range numbers {
				path := fmt.Sprintf("/blocks/%d", n)
				text, err := get(context.Background(), c, path)
				assert.NoError(t, err)
				assert.Equal(t, path, text)
			}
		})
	}
	for n := range questions {
		numbers <- n
	}
	close(numbers)
	all.Wait()
	require.Greater(t, int(failed.Load()), questions/2)
	require.Less(t, time.Since(start), time.Minute)
}

const lost = `{"message":"WebSocket is not connected"}`

// Five failures in a row end no question whose failure passes. What is in doubt passes at an
// address that has answered before; one that never has is wrong, or its key is.
func TestWhatPasses(t *testing.T) {
	elsewhere := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
	}
	const never, known, always = 0, 1, 2
	for name, c := range map[string]struct {
		step   http.HandlerFunc
		passes int
	}{
		"request timeout":            {status(408, ""), always},
		"too early":                  {status(425, ""), always},
		"too many requests":          {status(429, "slow down"), always},
		"bad gateway":                {status(502, "<html>"), always},
		"unavailable":                {status(503, ""), always},
		"gateway timeout":            {status(504, ""), always},
		"unknown error, 520":         {status(520, "<html>"), always},
		"web server is down, 521":    {status(521, "<html>"), always},
		"connection timed out, 522":  {status(522, "<html>"), always},
		"origin unreachable, 523":    {status(523, "<html>"), always},
		"a timeout occurred, 524":    {status(524, "<html>"), always},
		"node lost":                  {status(500, lost), always},
		"node hangs":                 {status(500, `{"message":"No response received from RPC endpoint in 60s"}`), always},
		"rate limit inside a 500":    {status(500, `{"message":"-32005: Too many requests, please apply for an API key"}`), always},
		"node's internal error":      {status(500, `{"message":"-32603: Internal error"}`), always},
		"another server error":       {status(500, "cannot read properties of undefined"), always},
		"quota":                      {status(429, `{"error":{"code":-32005,"message":"Daily request limit exceeded. Please upgrade your plan"}}`), always},
		"connection reset":           {reset, always},
		"broken off in a body":       {breakOff, always},
		"it hangs":                   {hang, always},
		"unauthorized":               {status(401, ""), known},
		"forbidden":                  {status(403, "<html><title>Attention Required!</title></html>"), known},
		"web page":                   {status(200, "<html><title>Just a moment...</title></html>"), known},
		"another answer":             {status(200, "other"), known},
		"redirects to another place": {elsewhere, known},
		"malformed":                  {status(400, ""), never},
		"no such thing":              {status(404, ""), never},
		"too large":                  {status(200, strings.Repeat("x", 1001)), never},
		"not made":                   {status(501, ""), never},
		"pruned":                     {status(500, `{"message":"4003: Client error: Api called for an unknown Block: State already discarded for 0x12"}`), never},
	} {
		for _, answered := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, answered before: %v", name, answered), func(t *testing.T) {
				t.Parallel()
				s := &sequence{}
				c2 := clientOf(t, s, httpclient.Options{MaxAnswer: 1000, Timeout: 300 * time.Millisecond})
				if answered {
					_, err := get(context.Background(), c2, "/")
					require.NoError(t, err)
					s.asked.Store(0)
				}
				for range 5 {
					s.steps = append(s.steps, c.step)
				}
				text, err := get(context.Background(), c2, "/")
				if c.passes == never || c.passes == known && !answered {
					require.Error(t, err)
					require.False(t, httpclient.TimedOut(err))
					require.Equal(t, 1, int(s.asked.Load()), "questions")
					return
				}
				require.NoError(t, err)
				require.Equal(t, "well", text)
				require.Equal(t, 6, int(s.asked.Load()), "questions")
			})
		}
	}
	own := errors.New("not of the network")
	attempts := 0
	c := clientOf(t, &sequence{}, httpclient.Options{})
	require.Equal(t, own, c.Ask(context.Background(), func(context.Context) error { attempts++; return own }))
	require.Equal(t, 1, attempts)
}

// A server without a trusted certificate, or that does not speak the address's language, is
// asked once.
func TestUntrusted(t *testing.T) {
	var connections atomic.Int32
	start := func(start func(*httptest.Server)) string {
		server := httptest.NewUnstartedServer(&sequence{})
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		start(server)
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	_, err := get(context.Background(), clientAt(t, "https://"+start((*httptest.Server).StartTLS), httpclient.Options{}), "/")
	require.ErrorContains(t, err, "certificate")
	require.Equal(t, 1, int(connections.Load()))
	_, err = get(context.Background(), clientAt(t, "https://"+start((*httptest.Server).Start), httpclient.Options{}), "/")
	require.ErrorContains(t, err, "HTTP response to HTTPS client")
	require.Equal(t, 2, int(connections.Load()))
}

// Total ends a question, whatever the attempts; the last whole attempt says why.
func TestTotal(t *testing.T) {
	for name, c := range map[string]struct {
		step http.HandlerFunc
		says string
	}{
		"unavailable": {status(503, "maintenance"), "GET /: status 503 Service Unavailable: maintenance"},
		"reset":       {reset, "connection reset by peer"},
		"it hangs":    {hang, "timed out after"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, asked := always(c.step)
			start := time.Now()
			_, err := get(context.Background(), clientOf(t, h, httpclient.Options{Timeout: 500 * time.Millisecond, Total: 4 * time.Second}), "/")
			require.ErrorContains(t, err, c.says)
			require.True(t, httpclient.TimedOut(err))
			require.Less(t, time.Since(start), 20*time.Second)
			require.Greater(t, int(asked.Load()), 2)
		})
	}
	t.Run("an attempt that is cut short", func(t *testing.T) {
		t.Parallel()
		s := &sequence{steps: []http.HandlerFunc{status(503, "maintenance"), hang}}
		_, err := get(context.Background(), clientOf(t, s, httpclient.Options{Total: 2 * time.Second}), "/")
		require.ErrorContains(t, err, "maintenance")
		require.True(t, httpclient.TimedOut(err))
	})
}

// If no server ever accepted a connection, the address may be wrong: the error comes soon. One that has
// answered once is waited for.
func TestNobodyListens(t *testing.T) {
	t.Run("ever", func(t *testing.T) {
		t.Parallel()
		start := time.Now()
		_, err := get(context.Background(), clientAt(t, "http://127.0.0.1:1", httpclient.Options{RetryWait: time.Second}), "/")
		require.ErrorContains(t, err, "no answer from the gateway at http://127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused")
		require.Less(t, time.Since(start), time.Minute)
	})
	t.Run("for a while", func(t *testing.T) {
		t.Parallel()
		address := port.Address(t)
		serve := func() (stop func() error) {
			listener, err := net.Listen("tcp", address)
			if !assert.NoError(t, err) {
				return func() error { return err }
			}
			server := &http.Server{Handler: &sequence{}}
			go server.Serve(listener)
			return server.Close
		}
		c := clientAt(t, "http://"+address, httpclient.Options{RetryWait: 50 * time.Millisecond})
		stop := serve()
		_, err := get(context.Background(), c, "/")
		require.NoError(t, err)
		require.NoError(t, stop())
		time.AfterFunc(4*time.Second, func() { // longer than one is waited for that never answered
			again := serve()
			t.Cleanup(func() { again() })
		})
		text, err := get(context.Background(), c, "/")
		require.NoError(t, err)
		require.Equal(t, "well", text)
	})
}

// Whoever asks again himself hears soon of what is wrong.
func TestBriefly(t *testing.T) {
	t.Parallel()
	h, asked := always(status(503, "maintenance"))
	start := time.Now()
	_, err := get(httpclient.Briefly(context.Background()), clientOf(t, h, httpclient.Options{RetryWait: 100 * time.Millisecond}), "/")
	require.ErrorContains(t, err, "maintenance")
	require.Less(t, time.Since(start), time.Minute)
	require.Greater(t, int(asked.Load()), 2)
}

// A server that asks for a pause gets it, in seconds or until a time, unless there is no time for it.
func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		after   func() string
		atLeast time.Duration
		asked   int
	}{
		"in seconds":     {func() string { return "1" }, time.Second, 2},
		"until":          {func() string { return time.Now().Add(2 * time.Second).UTC().Format(http.TimeFormat) }, 500 * time.Millisecond, 2},
		"at once":        {func() string { return "0" }, 0, 2},
		"until long ago": {func() string { return "Wed, 21 Oct 2015 07:28:00 GMT" }, 0, 2},
		"something else": {func() string { return "soon" }, 0, 2},
		"for too long":   {func() string { return "3600" }, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &sequence{steps: []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { retryAfter(429, c.after())(w, r) }}}
			start := time.Now()
			_, err := get(context.Background(), clientOf(t, s, httpclient.Options{Total: 25 * time.Second}), "/")
			require.Equal(t, c.asked, int(s.asked.Load()))
			require.GreaterOrEqual(t, time.Since(start), c.atLeast, "the pause")
			if c.asked == 2 {
				require.NoError(t, err)
				return
			}
			require.True(t, httpclient.TimedOut(err))
			require.Less(t, time.Since(start), 20*time.Second)
		})
	}
}

func TestBackoff(t *testing.T) {
	b := httpclient.Backoff{First: time.Second, Max: 10 * time.Second}
	for n, most := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 5: 10 * time.Second, 1000: 10 * time.Second} {
		shortest, longest := time.Hour, time.Duration(0)
		for range 1000 {
			pause := b.Pause(n, errors.New("down"))
			shortest, longest = min(shortest, pause), max(longest, pause)
		}
		require.LessOrEqual(t, longest, most)
		require.GreaterOrEqual(t, shortest, most/2)
		require.Greater(t, longest-shortest, most/4, "it is not at random")
	}
	wait := func(after time.Duration) time.Duration {
		return b.Pause(1, &httpclient.StatusError{Code: 503, RetryAfter: after})
	}
	require.Equal(t, 7*time.Second, wait(7*time.Second))
	require.Equal(t, 30*time.Second, wait(time.Hour))
	require.LessOrEqual(t, wait(time.Nanosecond), time.Second)
}

func TestTheCallerGivesUp(t *testing.T) {
	for name, step := range map[string]http.HandlerFunc{"in an attempt": hang, "in a pause": retryAfter(503, "30")} {
		t.Run(name, func(t *testing.T) {
			h, asked := always(step)
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				for asked.Load() == 0 {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(50 * time.Millisecond) // until the answer is there
				cancel()
			}()
			_, err := get(ctx, clientOf(t, h, httpclient.Options{}), "/")
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, 1, int(asked.Load()))
		})
	}
	t.Run("before a place is free", func(t *testing.T) {
		h, _ := always(hang)
		c := clientOf(t, h, httpclient.Options{Concurrency: 1})
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				_, err := get(ctx, c, "/")
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.ErrorContains(t, err, "timed out: context deadline exceeded")
			})
		}
		all.Wait()
	})
}
