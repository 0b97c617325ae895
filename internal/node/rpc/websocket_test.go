package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
)

// parse reads a question from a frame.
func parse(payload string) question {
	var q question
	if err := json.Unmarshal([]byte(payload), &q); err != nil {
		panic(err)
	}
	return q
}

// misbehaving is a client of a node that answers the first question with bytes,
// in which $id stands for the question's id.
func misbehaving(t *testing.T, o httpclient.Options, bytes func(q question) []byte) *rpc.Client {
	return newClient(t, raw(t, func(conn net.Conn, r *bufio.Reader) {
		payload, ok := readFrame(r)
		if ok {
			conn.Write(bytes(parse(payload)))
			gone(r)
		}
	}), o)
}

func TestWrongMessages(t *testing.T) {
	text := func(payload string) func(question) []byte {
		return func(q question) []byte {
			return frame(textFrame, strings.ReplaceAll(payload, "$id", fmt.Sprint(q.ID)))
		}
	}
	for name, c := range map[string]struct {
		answer func(question) []byte
		says   string
	}{
		"another id":          {text(`{"jsonrpc":"2.0","id":77,"result":1}`), "it answers request 77, which was not sent"},
		"no id":               {text(`{"jsonrpc":"2.0","result":1}`), "no id"},
		"neither":             {text(`{"jsonrpc":"2.0","id":$id}`), "neither"},
		"both":                {text(`{"jsonrpc":"2.0","id":$id,"result":1,"error":{}}`), "both"},
		"batch":               {text(`[{"jsonrpc":"2.0","id":$id,"result":1}]`), "list of answers"},
		"not JSON":            {text(`hello`), "invalid JSON"},
		"web page":            {text(`<html>`), "invalid JSON"},
		"not understood":      {text(`{"id":null,"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid JSON Request"}}`), "Invalid JSON Request (code -32600)"},
		"notice without id":   {text(`{"jsonrpc":"2.0","method":"chain_newHead","params":{"result":1}}`), "want a notice"},
		"notice of nothing":   {text(`{"jsonrpc":"2.0","method":"chain_newHead","params":{"subscription":"a"}}`), "error: want an object"},
		"binary frame":        {func(question) []byte { return frame(binaryFrame, "hello") }, "binary instead of text"},
		"unknown frame":       {func(question) []byte { return frame(5, "hello") }, "unknown opcode"},
		"text that is no UTF": {text("\"\xff\""), "invalid JSON"},
		"close":               {func(question) []byte { return frame(closeFrame, "\x03\xe9bye") }, "bye"},
		"message too large":   {text(`{"jsonrpc":"2.0","id":$id,"result":"` + strings.Repeat("a", 2000) + `"}`), "larger than any block should be"},
		"frame of a gigabyte": {func(question) []byte {
			return append([]byte{0x80 | textFrame, 127, 0, 0, 0, 0, 0x40, 0, 0, 0}, strings.Repeat(" ", 2000)...)
		}, "larger than any block should be"},
		"frame of a gigabyte, then nothing": {func(question) []byte { return []byte{0x80 | textFrame, 127, 0, 0, 0, 0, 0x40, 0, 0, 0} }, "timed out after 1s"},
		"nothing":                           {func(question) []byte { return nil }, "timed out after 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := inVain
			o.MaxAnswer = 1000
			_, err := misbehaving(t, o, c.answer).Chain(soon(t))
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "system_chain: ")
		})
	}
}

// echo answers each question with its own parameters, the later ones first.
func echo(conn net.Conn, r *bufio.Reader) {
	var asked []question
	for {
		payload, ok := readFrame(r)
		if !ok {
			return
		}
		asked = append(asked, parse(payload))
		if len(asked) < 16 {
			continue
		}
		for i := range asked {
			q := asked[len(asked)-1-i]
			conn.Write(frame(textFrame, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, q.ID, q.Params[0])))
		}
		asked = nil
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	var dialled atomic.Int64
	c := newClient(t, raw(t, func(conn net.Conn, r *bufio.Reader) {
		dialled.Add(1)
		echo(conn, r)
	}), httpclient.Options{Concurrency: 64})
	ctx := soon(t)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			v, err := c.Call(ctx, "echo", i)
			if err != nil || v.Raw() != fmt.Sprint(i) {
				t.Errorf("call %d: have %s, %v", i, v.Raw(), err)
			}
		})
	}
	all.Wait()
	require.Equal(t, int64(1), dialled.Load())
}

// TestBrokenConnection: all the calls that were under way are made again on another one.
func TestBrokenConnection(t *testing.T) {
	var dialled atomic.Int64
	c := newClient(t, raw(t, func(conn net.Conn, r *bufio.Reader) {
		first := dialled.Add(1) == 1
		for range 3 {
			payload, ok := readFrame(r)
			if !ok {
				return
			}
			if !first {
				conn.Write(frame(textFrame, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"moonbeam"}`, parse(payload).ID)))
			}
		}
		if !first {
			gone(r)
		}
	}), patient)
	ctx := soon(t)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			name, err := c.Chain(ctx)
			assert.NoError(t, err)
			assert.Equal(t, "moonbeam", name)
		})
	}
	all.Wait()
	require.Equal(t, int64(2), dialled.Load())
}

// TestLateAnswer: a late answer to an abandoned call is not an error.
func TestLateAnswer(t *testing.T) {
	release := make(chan struct{})
	c := newClient(t, raw(t, func(conn net.Conn, r *bufio.Reader) {
		first, _ := readFrame(r)
		<-release
		for payload, ok := first, true; ok; payload, ok = readFrame(r) {
			conn.Write(frame(textFrame, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"moonbeam"}`, parse(payload).ID)))
		}
	}), httpclient.Options{})
	ctx, cancel := context.WithTimeout(soon(t), 50*time.Millisecond)
	defer cancel()
	_, err := c.Chain(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(release)
	_, err = c.Chain(soon(t))
	require.NoError(t, err)
}

// TestSilentConnection: one on which nothing comes for the whole of an attempt is not
// used again.
func TestSilentConnection(t *testing.T) {
	var dialled atomic.Int64
	c := newClient(t, raw(t, func(conn net.Conn, r *bufio.Reader) {
		if dialled.Add(1) == 1 {
			gone(r)
			return
		}
		payload, _ := readFrame(r)
		conn.Write(frame(textFrame, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"moonbeam"}`, parse(payload).ID)))
		gone(r)
	}), httpclient.Options{Timeout: 300 * time.Millisecond, RetryWait: time.Millisecond})
	_, err := c.Chain(soon(t))
	require.NoError(t, err)
	require.GreaterOrEqual(t, dialled.Load(), int64(2))
}

func TestHandshakes(t *testing.T) {
	for name, c := range map[string]struct {
		refuse http.HandlerFunc
		asked  int64 // 0 for again and again
		says   string
	}{
		"forbidden":        {status(403, "", "", `{"message":"no key"}`), 1, "status 403 Forbidden: no key"},
		"no WebSocket":     {status(200, "", "", "<html>"), 1, "status 200 OK"},
		"half a handshake": {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusSwitchingProtocols) }, 1, ""},
		"reset":            {reset, 0, "no answer from the node at ws://"},
		"unavailable":      {status(503, "", "", ""), 0, "status 503"},
		"wrong key": {func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			fmt.Fprint(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")
		}, 1, "invalid WebSocket handshake"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				c.refuse(w, r)
			})
			o := quick
			if c.asked == 0 {
				o = inVain
			}
			_, err := newClient(t, "ws"+strings.TrimPrefix(server.URL, "http"), o).Chain(soon(t))
			require.ErrorContains(t, err, c.says)
			if c.asked == 0 {
				require.Greater(t, asked.Load(), int64(2))
			} else {
				require.Equal(t, c.asked, asked.Load())
			}
		})
	}
}

// TestWaitingForTheConnection: a call that may not wait as long as the one that
// opens the connection does not.
func TestWaitingForTheConnection(t *testing.T) {
	server := serve(t, stall)
	c := newClient(t, "ws"+strings.TrimPrefix(server.URL, "http"), httpclient.Options{})
	first := make(chan error, 1)
	go func() {
		_, err := c.Chain(soon(t))
		first <- err
	}()
	time.Sleep(50 * time.Millisecond)
	ctx, cancel := context.WithTimeout(soon(t), 50*time.Millisecond)
	defer cancel()
	_, err := c.Chain(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, c.Close())
	require.ErrorIs(t, <-first, rpc.ErrClosed)
	_, err = c.Chain(soon(t))
	require.ErrorIs(t, err, rpc.ErrClosed)
}

// TestNodeThatTakesNothing: questions that no longer fit on their way out do not
// keep their callers.
func TestNodeThatTakesNothing(t *testing.T) {
	c := newClient(t, raw(t, func(_ net.Conn, r *bufio.Reader) {
		time.Sleep(500 * time.Millisecond)
		_, _ = io.Copy(io.Discard, r)
	}), httpclient.Options{Total: 200 * time.Millisecond, Concurrency: 24})
	large := strings.Repeat("a", 1<<20)
	var all sync.WaitGroup
	for range 24 {
		all.Go(func() {
			_, err := c.Call(soon(t), "echo", large)
			var unreachable *httpclient.UnreachableError
			if !errors.As(err, &unreachable) {
				t.Errorf("have %v", err)
			}
		})
	}
	all.Wait()
}

func TestUnsendableParameterOverWebSocket(t *testing.T) {
	c := newClient(t, raw(t, echo), quick)
	_, err := c.Call(soon(t), "system_chain", func() {})
	require.ErrorContains(t, err, "parameters")
}

// Questions that were given up do not pile up, and a late answer to one of them is passed
// over.
func TestQuestionsThatWereGivenUp(t *testing.T) {
	var last atomic.Uint64 // of those that are not answered
	address := raw(t, func(conn net.Conn, r *bufio.Reader) {
		for {
			payload, ok := readFrame(r)
			if !ok {
				return
			}
			q := parse(payload)
			if q.Method == "never" {
				last.Store(q.ID)
				continue
			}
			conn.Write(frame(textFrame, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"late"}`, last.Load())))
			conn.Write(frame(textFrame, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"moonbeam"}`, q.ID)))
		}
	})
	c := newClient(t, address, httpclient.Options{Timeout: time.Minute})
	_, err := c.Chain(soon(t))
	require.Error(t, err, "a late answer to no question")
	for range 1100 {
		ctx, cancel := context.WithTimeout(soon(t), time.Millisecond)
		_, err := c.Call(ctx, "never")
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	require.LessOrEqual(t, c.Waiting(), 1024)
	name, err := c.Chain(soon(t))
	require.NoError(t, err, "an answer that comes late is passed over")
	require.Equal(t, "moonbeam", name)
	require.LessOrEqual(t, c.Waiting(), 1024)
}
