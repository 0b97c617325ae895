package rpc_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/header"
)

// node is a node on loopback whose chain a test makes. Blocks are named by their
// branch and height, "a7", and their hash is that name.
type node struct {
	url string

	mu        sync.Mutex
	best      map[uint64]string // the branch that is the best, by height
	parents   map[string]string // of every block that ever was
	head      uint64            // what chain_getHeader and chain_getFinalizedHead answer with
	missing   map[string]bool   // blocks that it does not have just now
	refuse    string            // what it answers subscriptions with
	mute      bool              // it takes questions and answers none
	greeting  func()            // what happens when a subscription was opened
	dialled   int
	opened    int // subscriptions
	closed    []string
	asked     map[string]int // questions by method
	listeners map[net.Conn]bool
}

func newNode(t *testing.T) *node {
	n := &node{
		best: map[uint64]string{}, parents: map[string]string{}, missing: map[string]bool{},
		asked: map[string]int{}, listeners: map[net.Conn]bool{}, greeting: func() {},
	}
	n.url = raw(t, n.talk)
	return n
}

// name is that of a block.
func name(branch string, height uint64) string { return fmt.Sprintf("%s%d", branch, height) }

// names are those of the blocks of all nodes, by their hashes.
var names sync.Map

// hashOf is the hash of a block's header, whose state root is the block's name.
func (n *node) hashOf(block string) string { return n.hashed(block).Hash().String() }

func (n *node) hashed(block string) *header.Header {
	h := &header.Header{}
	if copy(h.StateRoot[:], block); block == "" {
		return h
	}
	fmt.Sscanf(block[1:], "%d", &h.Number)
	h.ParentHash = n.hashed(n.parents[block]).Hash()
	names.Store(h.Hash(), block)
	return h
}

// grow makes the blocks of a branch from a height to another the best, on top of
// the best below.
func (n *node) grow(branch string, from, to uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	maps.DeleteFunc(n.best, func(height uint64, _ string) bool { return height >= from })
	for height := from; height <= to; height++ {
		n.best[height] = name(branch, height)
		n.parents[n.best[height]] = n.best[height-1]
	}
	n.head = to
}

func (n *node) header(block string) string {
	h := n.hashed(block)
	return fmt.Sprintf(`{"parentHash":"%v","number":"0x%08x","stateRoot":"%v","extrinsicsRoot":"%v","digest":{"logs":[]}}`,
		h.ParentHash, h.Number, h.StateRoot, h.ExtrinsicsRoot)
}

// announce sends a block to all subscribers.
func (n *node) announce(block string) { n.notify(`"result":` + n.header(block)) }

func (n *node) notify(news string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.listeners {
		conn.Write(frame(textFrame, fmt.Sprintf(`{"jsonrpc":"2.0","method":"chain_newHead","params":{%s,"subscription":"s1"}}`, news)))
	}
}

// hangUp breaks all connections.
func (n *node) hangUp() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.listeners {
		conn.Close()
	}
}

func (n *node) talk(conn net.Conn, r *bufio.Reader) {
	n.set(func() { n.dialled++ })
	defer n.set(func() { delete(n.listeners, conn) })
	for {
		payload, ok := readFrame(r)
		if !ok {
			return
		}
		q := parse(payload)
		result, greeting := n.answer(conn, q)
		if result == "" {
			continue
		}
		n.set(func() {
			conn.Write(frame(textFrame, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, q.ID, result)))
			if greeting != nil {
				n.listeners[conn] = true
			}
		})
		if greeting != nil {
			greeting()
		}
	}
}

func (n *node) set(change func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change()
}

// answer also gives what happens next where a subscription was opened.
func (n *node) answer(conn net.Conn, q question) (result string, greeting func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked[q.Method]++
	if n.mute {
		return "", nil
	}
	result = `"result":null`
	switch q.Method {
	case "chain_subscribeNewHeads", "chain_subscribeFinalizedHeads":
		if n.refuse != "" {
			return n.refuse, nil
		}
		n.opened++
		return `"result":"s1"`, n.greeting
	case "chain_unsubscribeNewHeads", "chain_unsubscribeFinalizedHeads":
		n.closed = append(n.closed, q.Method+string(q.Params[0]))
		delete(n.listeners, conn)
		result = `"result":true`
	case "chain_getBlockHash":
		var height uint64
		must(json.Unmarshal(q.Params[0], &height))
		if block, known := n.best[height]; known && !n.missing[block] {
			result = fmt.Sprintf(`"result":%q`, n.hashOf(block))
		}
	case "chain_getFinalizedHead":
		result = fmt.Sprintf(`"result":%q`, n.hashOf(n.best[n.head]))
	case "chain_getHeader":
		if len(q.Params) == 0 {
			return `"result":` + n.header(n.best[n.head]), nil
		}
		var hash string
		must(json.Unmarshal(q.Params[0], &hash))
		for block := range n.parents {
			if n.hashOf(block) == hash && !n.missing[block] {
				result = `"result":` + n.header(block)
			}
		}
	}
	return result, nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// follower reads an iteration in its own goroutine.
type follower struct {
	t      *testing.T
	heads  chan string // the names of blocks
	cancel context.CancelFunc
	done   chan struct{}
	err    error // the last; valid when done
}

func follow(t *testing.T, c *rpc.Client) *follower {
	ctx, cancel := context.WithCancel(soon(t))
	f := &follower{t: t, heads: make(chan string, 1000), cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		for h, err := range c.SubscribeFinalizedHeads(ctx) {
			if f.err = err; err != nil {
				continue
			}
			hash, _ := h.Hash.Get()
			known, _ := names.Load(hash)
			block, _ := known.(string)
			if want := fmt.Sprintf("%d", h.Number); block[1:] != want {
				block = fmt.Sprintf("%s with number %s", block, want)
			}
			f.heads <- block
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-f.done
	})
	return f
}

func (f *follower) want(blocks ...string) {
	f.t.Helper()
	for _, want := range blocks {
		select {
		case have := <-f.heads:
			require.Equal(f.t, want, have)
		case <-f.done:
			require.Fail(f.t, "the iteration ended", "want %s, have %v", want, f.err)
		case <-time.After(patience):
			require.Fail(f.t, "no header came", "want %s", want)
		}
	}
}

func (f *follower) wantEnd(says string, temporary bool) {
	f.t.Helper()
	select {
	case <-f.done:
		require.ErrorContains(f.t, f.err, says)
		require.Equal(f.t, temporary, rpc.Temporary(f.err))
	case <-time.After(patience):
		require.Fail(f.t, "the iteration continues")
	}
	require.Empty(f.t, f.heads)
}

// patient options wait for nothing but announcements.
var patient = httpclient.Options{RetryWait: time.Millisecond}

func greetingWith(n *node, block string) { n.greeting = func() { n.announce(block) } }

// startAt7 is a node that has the blocks a1 to a60, announces a7 to subscribers, and is
// subscribed to.
func startAt7(t *testing.T, o httpclient.Options) (*node, *rpc.Client, *follower) {
	n := newNode(t)
	n.grow("a", 1, 60)
	greetingWith(n, "a7")
	c := newClient(t, n.url, o)
	f := follow(t, c)
	f.want("a7")
	return n, c, f
}

// TestHeads: they come as they are announced, each with its hash; what is between them is
// for others to ask for.
func TestHeads(t *testing.T) {
	n, _, f := startAt7(t, patient)
	for _, block := range []string{"a8", "a8", "a12"} {
		n.announce(block)
		f.want(block)
	}
	f.cancel()
	<-f.done
	require.NoError(t, f.err)
	require.Eventually(t, func() (is bool) {
		n.set(func() { is = len(n.closed) == 1 && n.closed[0] == `chain_unsubscribeFinalizedHeads"s1"` })
		return is
	}, patience, time.Millisecond)
	require.Zero(t, n.asked["chain_getHeader"])
}

// TestSubscribingAgain: a subscription ends with what broke it, and can be opened again.
func TestSubscribingAgain(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(n *node)
		says string
	}{
		"broken connection": {func(n *node) { n.hangUp() }, "no answer from the node at ws://"},
		"ended by the node": {func(n *node) { n.notify(`"error":{"code":-32000,"message":"too slow"}`) }, "the node ended the subscription: too slow"},
		"a block that it cannot tell of": {func(n *node) {
			n.set(func() { n.missing["a8"] = true })
			n.announce("a8")
		}, "block 8: no such block"},
	} {
		t.Run(name, func(t *testing.T) {
			n, client, f := startAt7(t, patient)
			c.end(n)
			f.wantEnd(c.says, true)
			n.set(func() { greetingWith(n, "a9") })
			follow(t, client).want("a9")
		})
	}
}

func TestSilence(t *testing.T) {
	t.Run("of a node that goes on", func(t *testing.T) {
		o := patient
		o.Timeout = 500 * time.Millisecond // also of its requests, on a busy machine
		n, _, f := startAt7(t, o)
		n.set(func() { n.head = 9 })
		f.want("a9")
		require.Equal(t, 1, n.opened)
	})
	t.Run("of a node that is dead", func(t *testing.T) {
		o := patient
		o.Timeout, o.Total = 100*time.Millisecond, 150*time.Millisecond
		n, _, f := startAt7(t, o)
		n.set(func() { n.mute = true })
		f.wantEnd("timed out", true)
	})
}

func TestHeadsThatCannotBe(t *testing.T) {
	t.Run("over HTTP", func(t *testing.T) {
		for h, err := range newClient(t, closed, inVain).SubscribeFinalizedHeads(soon(t)) {
			require.ErrorIs(t, err, rpc.ErrNoSubscriptions)
			require.Equal(t, rpc.Header{}, h)
		}
	})
	t.Run("no node", func(t *testing.T) {
		follow(t, newClient(t, "ws://127.0.0.1:1", inVain)).wantEnd("chain_subscribeFinalizedHeads: no answer from the node at ws://127.0.0.1:1: ", true)
	})
	for refusal, says := range map[string]string{
		`"error":{"code":-32601,"message":"Method not found"}`: "chain_subscribeFinalizedHeads: the node refuses: Method not found",
		`"result":null`: "malformed subscription: want its id, have null",
	} {
		n := newNode(t)
		n.refuse = refusal
		follow(t, newClient(t, n.url, patient)).wantEnd(says, false)
	}
	t.Run("refused for now", func(t *testing.T) {
		n := newNode(t)
		n.refuse = `"error":{"code":-32000,"message":"starting"}`
		follow(t, newClient(t, n.url, patient)).wantEnd("chain_subscribeFinalizedHeads: the node refuses: starting", true)
	})
	t.Run("a malformed header", func(t *testing.T) {
		n := newNode(t)
		n.greeting = func() { n.notify(`"result":{"number":"x"}`) }
		follow(t, newClient(t, n.url, patient)).wantEnd("malformed header: number", false)
	})
	t.Run("a client that is closed meanwhile", func(t *testing.T) {
		_, c, f := startAt7(t, patient)
		require.NoError(t, c.Close())
		f.wantEnd(rpc.ErrClosed.Error(), false)
	})
}

// TestLeavingTheLoop ends the subscription as the end of the context does, and leaves the
// connection for other calls.
func TestLeavingTheLoop(t *testing.T) {
	n := newNode(t)
	n.grow("a", 1, 9)
	greetingWith(n, "a9")
	c := newClient(t, n.url, patient)
	for _, err := range c.SubscribeFinalizedHeads(soon(t)) {
		require.NoError(t, err)
		break
	}
	_, err := c.Header(soon(t), latest)
	require.NoError(t, err)
	n.set(func() {
		require.Equal(t, []string{`chain_unsubscribeFinalizedHeads"s1"`}, n.closed)
		require.Equal(t, 1, n.dialled)
	})
}

func TestTemporary(t *testing.T) {
	for err, want := range map[error]bool{
		&httpclient.UnreachableError{Err: io.EOF}: true,
		&httpclient.StatusError{Code: 503}:        true,
		&rpc.RPCError{Message: "busy"}:            true,
		&httpclient.StatusError{Code: 401}:        false,
		&rpc.DecodeError{Err: io.EOF}:             false,
		rpc.ErrNoSubscriptions:                    false,
	} {
		require.Equal(t, want, rpc.Temporary(err), "%v", err)
	}
}

// TestGivingUpWhileSubscribing: a subscription that the node opens when nobody
// waits for it any more is ended.
func TestGivingUpWhileSubscribing(t *testing.T) {
	asked, release, ended := make(chan bool), make(chan bool), make(chan string, 1)
	c := newClient(t, raw(t, func(conn net.Conn, r *bufio.Reader) {
		payload, _ := readFrame(r)
		close(asked)
		<-release
		fmt.Fprintf(conn, "%s", frame(textFrame, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":7}`, parse(payload).ID)))
		payload, _ = readFrame(r)
		ended <- payload
	}), patient)
	ctx, cancel := context.WithCancel(soon(t))
	go func() {
		<-asked
		cancel()
	}()
	for _, err := range c.SubscribeFinalizedHeads(ctx) {
		require.NoError(t, err, "the end of the context is not an error")
	}
	close(release)
	require.Equal(t, `{"jsonrpc":"2.0","id":2,"method":"chain_unsubscribeFinalizedHeads","params":[7]}`, <-ended)
}

// step is one of a recorded conversation over a WebSocket.
type step struct {
	Dir  string `json:"dir"`
	Data string `json:"data"`
}

// TestRecordedSubscription replays a conversation with a real node: what it sent
// after each question of the recording is sent after the same question, and the
// questions that were not recorded are answered from the headers in it.
func TestRecordedSubscription(t *testing.T) {
	var steps []step
	readJSON(t, "ws-subscribe", &steps)
	hashes := map[uint64]string{
		49: "0xba385546932f1aab49f35f848a4b4c83f42534080c9ab05c82cf22eff03e8ae0",
		50: "0x95378277b8f25a3cf154fd094ac14679f91c397668d338d1432fc7300468c2e3",
		51: "0x1dcb18a31352d7ac096d1ab1dc02063e1814c6787bc04c8c38aa6e20732782d7",
	}
	unsubscribed := make(chan string, 1)
	c := newClient(t, raw(t, func(conn net.Conn, r *bufio.Reader) {
		for {
			payload, ok := readFrame(r)
			if !ok {
				return
			}
			replayStep(conn, steps, hashes, parse(payload), "chain_subscribeFinalizedHeads", unsubscribed)
		}
	}), patient)
	for h, err := range c.SubscribeFinalizedHeads(soon(t)) {
		require.NoError(t, err)
		require.Equal(t, chain.Some(hash(t, hashes[h.Number])), h.Hash)
		if h.Number == 51 {
			break
		}
	}
	require.Equal(t, `chain_unsubscribeFinalizedHeads["42wu9hxd22u"]`, <-unsubscribed)
	_, err := c.FeeHistory(soon(t), 5, "latest", nil)
	require.ErrorIs(t, err, rpc.ErrNoMethod)
	var refused *rpc.RPCError
	require.True(t, errors.As(err, &refused))
	require.Equal(t, chain.Some(int64(-32601)), refused.Code)
}

func replayStep(w io.Writer, steps []step, hashes map[uint64]string, q question, subscribe string, unsubscribed chan<- string) {
	send := func(data string, recorded uint64) {
		w.Write(frame(textFrame, strings.Replace(data, fmt.Sprintf(`"id":%d,`, recorded), fmt.Sprintf(`"id":%d,`, q.ID), 1)))
	}
	result := func(result string) { send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, q.ID, result), q.ID) }
	headers := recordedHeaders(steps)
	switch q.Method {
	case "chain_getBlockHash":
		var height uint64
		must(json.Unmarshal(q.Params[0], &height))
		result(fmt.Sprintf("%q", hashes[height]))
	case "chain_getHeader":
		for height, hash := range hashes {
			if string(q.Params[0]) == fmt.Sprintf("%q", hash) {
				result(headers[height])
			}
		}
	case "chain_unsubscribeNewHeads", "chain_unsubscribeFinalizedHeads":
		unsubscribed <- fmt.Sprintf("%s%s", q.Method, q.Params)
		result("true")
	default:
		var was question
		for _, s := range steps {
			var m struct {
				ID     uint64
				Method string
			}
			_ = json.Unmarshal([]byte(s.Data), &m) // one is intentionally not JSON
			switch {
			case s.Dir == "send" && m.Method == q.Method:
				was.ID = m.ID
			case s.Dir == "recv" && (was.ID != 0 && m.ID == was.ID || q.Method == subscribe && m.Method != ""):
				send(s.Data, m.ID)
			}
		}
	}
}

// recordedHeaders are those that were announced, by height.
func recordedHeaders(steps []step) map[uint64]string {
	headers := map[uint64]string{}
	for _, s := range steps {
		var m struct {
			Params struct{ Result json.RawMessage }
		}
		var h struct{ Number string }
		if json.Unmarshal([]byte(s.Data), &m) == nil && json.Unmarshal(m.Params.Result, &h) == nil {
			var height uint64
			fmt.Sscanf(h.Number, "0x%x", &height)
			headers[height] = string(m.Params.Result)
		}
	}
	return headers
}
