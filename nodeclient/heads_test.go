package nodeclient_test

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
	"github.com/feeledger/fees/nodeclient"
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

// name is that of a block, and hashOf its hash.
func name(branch string, height uint64) string { return fmt.Sprintf("%s%d", branch, height) }

func hashOf(block string) string { return fmt.Sprintf("0x%064x", block) }

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
	var height uint64
	fmt.Sscanf(block[1:], "%d", &height)
	return fmt.Sprintf(`{"parentHash":%q,"number":"0x%08x","stateRoot":%q,"extrinsicsRoot":%q,"digest":{"logs":[]}}`,
		hashOf(n.parents[block]), height, hashOf(""), hashOf(""))
}

// announce tells all subscribers of a block.
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
			result = fmt.Sprintf(`"result":%q`, hashOf(block))
		}
	case "chain_getFinalizedHead":
		result = fmt.Sprintf(`"result":%q`, hashOf(n.best[n.head]))
	case "chain_getHeader":
		if len(q.Params) == 0 {
			return `"result":` + n.header(n.best[n.head]), nil
		}
		var hash string
		must(json.Unmarshal(q.Params[0], &hash))
		for block := range n.parents {
			if hashOf(block) == hash && !n.missing[block] {
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

// follower reads an iteration in a goroutine of its own.
type follower struct {
	t      *testing.T
	heads  chan string // the names of blocks, and errors
	cancel context.CancelFunc
	done   chan struct{}
	err    error // the last; valid when done
}

func follow(t *testing.T, n *node, final bool, from chain.Optional[uint64], o nodeclient.Options) *follower {
	c := newClient(t, n.url, o)
	ctx, cancel := context.WithCancel(soon(t))
	f := &follower{t: t, heads: make(chan string, 1000), cancel: cancel, done: make(chan struct{})}
	heads := c.SubscribeNewHeads(ctx, from)
	if final {
		heads = c.SubscribeFinalizedHeads(ctx, from)
	}
	go func() {
		defer close(f.done)
		for h, err := range heads {
			if f.err = err; err != nil {
				continue
			}
			hash, _ := h.Hash.Get()
			block := strings.Trim(string(hash[:]), "\x00")
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
		case <-time.After(3 * time.Second):
			require.Fail(f.t, "no header came", "want %s", want)
		}
	}
}

func (f *follower) wantNothing() {
	f.t.Helper()
	select {
	case have := <-f.heads:
		require.Fail(f.t, "a header that should not have come", have)
	case <-time.After(30 * time.Millisecond):
	}
}

func (f *follower) wantEnd(says string, is error) {
	f.t.Helper()
	select {
	case <-f.done:
		require.ErrorContains(f.t, f.err, says)
		if is != nil {
			require.ErrorIs(f.t, f.err, is)
		}
	case <-time.After(3 * time.Second):
		require.Fail(f.t, "the iteration goes on")
	}
	require.Empty(f.t, f.heads)
}

// patient options wait for nothing but announcements.
var patient = nodeclient.Options{RetryWait: time.Millisecond}

var fromHead chain.Optional[uint64]

func greetingWith(n *node, block string) { n.greeting = func() { n.announce(block) } }

func TestHeadsInOrder(t *testing.T) {
	for name, final := range map[string]bool{"new": false, "finalized": true} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			n.grow("a", 1, 60)
			greetingWith(n, "a7")
			f := follow(t, n, final, fromHead, patient)
			f.want("a7")
			n.announce("a8")
			f.want("a8")
			n.announce("a8") // again
			n.announce("a7") // older
			n.announce("a3") // before the first
			f.wantNothing()
			n.announce("a12") // after a gap
			f.want("a9", "a10", "a11", "a12")
			f.cancel()
			<-f.done
			require.NoError(t, f.err)
			unsubscribed := map[bool]string{false: `chain_unsubscribeNewHeads"s1"`, true: `chain_unsubscribeFinalizedHeads"s1"`}[final]
			require.Eventually(t, func() (is bool) {
				n.set(func() { is = len(n.closed) == 1 && n.closed[0] == unsubscribed })
				return is
			}, time.Second, time.Millisecond)
		})
	}
}

func TestHeadsFromAHeight(t *testing.T) {
	for name, final := range map[string]bool{"new": false, "finalized": true} {
		t.Run(name+", below the head", func(t *testing.T) {
			n := newNode(t)
			n.grow("a", 0, 9)
			greetingWith(n, "a3")
			follow(t, n, final, chain.Some(uint64(0)), patient).want("a0", "a1", "a2", "a3")
		})
		t.Run(name+", above the head", func(t *testing.T) {
			n := newNode(t)
			n.grow("a", 0, 9)
			greetingWith(n, "a3")
			f := follow(t, n, final, chain.Some(uint64(5)), patient)
			f.wantNothing()
			n.announce("a6")
			f.want("a5", "a6")
		})
	}
}

// TestReconnect: heads that passed while the connection was broken are fetched.
func TestReconnect(t *testing.T) {
	for name, final := range map[string]bool{"new": false, "finalized": true} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			n.grow("a", 1, 60)
			greetingWith(n, "a7")
			f := follow(t, n, final, fromHead, patient)
			f.want("a7")
			n.set(func() { greetingWith(n, "a11") })
			n.hangUp()
			f.want("a8", "a9", "a10", "a11")
			n.set(func() { greetingWith(n, "a10") }) // a node that is behind
			n.hangUp()
			f.wantNothing()
			n.announce("a12")
			f.want("a12")
			require.Equal(t, 3, n.opened)
		})
	}
}

// TestEndedByNode: a subscription that the node ends is opened again.
func TestEndedByNode(t *testing.T) {
	n := newNode(t)
	n.grow("a", 1, 60)
	greetingWith(n, "a7")
	f := follow(t, n, true, fromHead, patient)
	f.want("a7")
	n.set(func() { greetingWith(n, "a9") })
	n.notify(`"error":{"code":-32000,"message":"too slow"}`)
	f.want("a8", "a9")
}

func TestNodeThatDoesNotComeBack(t *testing.T) {
	n := newNode(t)
	n.grow("a", 1, 60)
	greetingWith(n, "a7")
	o := patient
	o.Reconnect = 50 * time.Millisecond
	f := follow(t, n, true, fromHead, o)
	f.want("a7")
	n.set(func() { n.refuse = `"error":{"code":-32000,"message":"starting"}` })
	n.hangUp()
	f.wantEnd("chain_subscribeFinalizedHeads: the node refuses: starting", nil)
}

// TestBlockNotThereYet: a node that announces what it cannot yet tell of is asked
// again.
func TestBlockNotThereYet(t *testing.T) {
	n := newNode(t)
	n.grow("a", 1, 60)
	greetingWith(n, "a7")
	f := follow(t, n, true, fromHead, patient)
	f.want("a7")
	n.set(func() { n.missing["a9"] = true })
	greetingWith(n, "a9")
	n.announce("a9")
	f.want("a8")
	f.wantNothing()
	n.set(func() { delete(n.missing, "a9") })
	f.want("a9")
}

func TestSilence(t *testing.T) {
	for name, final := range map[string]bool{"new": false, "finalized": true} {
		t.Run(name+", of a node that goes on", func(t *testing.T) {
			n := newNode(t)
			n.grow("a", 1, 7)
			o := patient
			o.Timeout = 50 * time.Millisecond
			f := follow(t, n, final, fromHead, o)
			f.want("a7")
			n.grow("a", 8, 9)
			f.want("a8", "a9")
			require.Equal(t, 1, n.opened)
		})
		t.Run(name+", of a node that is dead", func(t *testing.T) {
			n := newNode(t)
			n.grow("a", 1, 9)
			greetingWith(n, "a7")
			o := patient
			o.Timeout = 100 * time.Millisecond
			f := follow(t, n, final, fromHead, o)
			f.want("a7")
			n.set(func() { n.mute = true })
			time.Sleep(400 * time.Millisecond)
			n.set(func() {
				n.mute = false
				greetingWith(n, "a9")
			})
			f.want("a8", "a9")
			n.set(func() { require.Greater(t, n.dialled, 1) })
		})
	}
}

func TestReorganisation(t *testing.T) {
	start := func(t *testing.T) (*node, *follower) {
		n := newNode(t)
		n.grow("a", 1, 9)
		greetingWith(n, "a5")
		f := follow(t, n, false, fromHead, patient)
		f.want("a5")
		n.announce("a9")
		f.want("a6", "a7", "a8", "a9")
		return n, f
	}
	t.Run("of the newest block", func(t *testing.T) {
		n, f := start(t)
		n.grow("b", 9, 9)
		n.announce("b9")
		f.want("b9")
		n.announce("b9")
		f.wantNothing()
	})
	t.Run("to a longer branch", func(t *testing.T) {
		n, f := start(t)
		n.grow("b", 7, 11)
		n.announce("b11")
		f.want("b7", "b8", "b9", "b10", "b11")
	})
	t.Run("to a shorter branch", func(t *testing.T) {
		n, f := start(t)
		n.grow("b", 7, 8)
		n.announce("b8")
		f.want("b7", "b8")
		n.grow("b", 9, 10)
		n.announce("b10")
		f.want("b9", "b10")
	})
	t.Run("and back", func(t *testing.T) {
		n, f := start(t)
		n.grow("b", 8, 10)
		n.announce("b10")
		f.want("b8", "b9", "b10")
		n.set(func() { n.best[8], n.best[9] = "a8", "a9" })
		n.grow("a", 10, 11)
		n.announce("a11")
		f.want("a8", "a9", "a10", "a11")
	})
	t.Run("below what was delivered", func(t *testing.T) {
		n, f := start(t)
		n.grow("b", 3, 6)
		n.announce("b6")
		f.want("b5", "b6")
	})
	t.Run("between two announcements", func(t *testing.T) {
		n, f := start(t)
		n.grow("b", 10, 12)
		n.grow("c", 8, 12)
		n.announce("c12")
		f.want("c8", "c9", "c10", "c11", "c12")
	})
	t.Run("while the connection was broken", func(t *testing.T) {
		n, f := start(t)
		n.grow("b", 8, 12)
		n.set(func() { greetingWith(n, "b12") })
		n.hangUp()
		f.want("b8", "b9", "b10", "b11", "b12")
	})
	t.Run("whose blocks are gone when they are asked for", func(t *testing.T) {
		n, f := start(t)
		n.grow("b", 8, 10)
		n.set(func() { n.missing["b8"] = true })
		n.set(func() { greetingWith(n, "b10") })
		n.announce("b10")
		f.wantNothing()
		n.set(func() { delete(n.missing, "b8") })
		f.want("b8", "b9", "b10")
	})
}

// TestDeepReorganisation: it is followed down to the oldest hash that is kept.
func TestDeepReorganisation(t *testing.T) {
	n := newNode(t)
	n.grow("a", 0, 300)
	greetingWith(n, "a300")
	f := follow(t, n, false, chain.Some(uint64(1)), patient)
	for height := range uint64(300) {
		f.want(name("a", height+1))
	}
	n.grow("b", 0, 301)
	n.announce("b301")
	for height := uint64(45); height <= 301; height++ {
		f.want(name("b", height))
	}
	n.announce("b20")
	f.wantNothing()
}

func TestFinalizedFork(t *testing.T) {
	n := newNode(t)
	n.grow("a", 1, 9)
	greetingWith(n, "a5")
	f := follow(t, n, true, fromHead, patient)
	f.want("a5")
	n.grow("b", 5, 7)
	n.announce("b7")
	f.wantEnd("block 6", nodeclient.ErrFork)
}

func TestHeadsThatCannotBe(t *testing.T) {
	t.Run("over HTTP", func(t *testing.T) {
		for h, err := range newClient(t, "http://localhost:1", quick).SubscribeNewHeads(soon(t), fromHead) {
			require.ErrorIs(t, err, nodeclient.ErrNoSubscriptions)
			require.Equal(t, nodeclient.Header{}, h)
		}
	})
	t.Run("no node", func(t *testing.T) {
		calls := 0
		for _, err := range newClient(t, "ws://127.0.0.1:1", quick).SubscribeNewHeads(soon(t), fromHead) {
			require.ErrorContains(t, err, "chain_subscribeNewHeads: no answer from the node at ws://127.0.0.1:1: ")
			calls++
		}
		require.Equal(t, 1, calls)
	})
	t.Run("no such method", func(t *testing.T) {
		n := newNode(t)
		n.refuse = `"error":{"code":-32601,"message":"Method not found"}`
		follow(t, n, false, fromHead, patient).wantEnd("chain_subscribeNewHeads", nodeclient.ErrNoMethod)
	})
	t.Run("a subscription without an id", func(t *testing.T) {
		n := newNode(t)
		n.refuse = `"result":null`
		follow(t, n, false, fromHead, patient).wantEnd("malformed subscription: want its id, have null", nil)
	})
	t.Run("a malformed header", func(t *testing.T) {
		n := newNode(t)
		n.greeting = func() { n.notify(`"result":{"number":"x"}`) }
		follow(t, n, false, fromHead, patient).wantEnd("malformed header: number", nil)
	})
	t.Run("a block with another number", func(t *testing.T) {
		n := newNode(t)
		n.grow("a", 1, 9)
		n.best[5] = "a6"
		greetingWith(n, "a5")
		follow(t, n, false, fromHead, patient).wantEnd("it has number 6", chain.ErrWrongBlock)
	})
	t.Run("a client that is closed meanwhile", func(t *testing.T) {
		n := newNode(t)
		n.grow("a", 1, 9)
		greetingWith(n, "a5")
		c := newClient(t, n.url, patient)
		for _, err := range c.SubscribeNewHeads(soon(t), fromHead) {
			if err != nil {
				require.ErrorIs(t, err, nodeclient.ErrClosed)
				break
			}
			time.AfterFunc(20*time.Millisecond, func() { c.Close() })
		}
	})
}

// TestLeavingTheLoop ends the subscription as the end of the context does, also in
// the middle of a gap, and leaves the connection for other calls.
func TestLeavingTheLoop(t *testing.T) {
	n := newNode(t)
	n.grow("a", 1, 9)
	greetingWith(n, "a9")
	c := newClient(t, n.url, patient)
	for h, err := range c.SubscribeFinalizedHeads(soon(t), chain.Some(uint64(3))) {
		require.NoError(t, err)
		if h.Number == 5 {
			break
		}
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
		&nodeclient.UnreachableError{Err: io.EOF}: true,
		&nodeclient.StatusError{Code: 503}:        true,
		&nodeclient.RPCError{Message: "busy"}:     true,
		&nodeclient.StatusError{Code: 401}:        false,
		&nodeclient.DecodeError{Err: io.EOF}:      false,
		nodeclient.ErrNoSubscriptions:             false,
		nodeclient.ErrFork:                        false,
	} {
		require.Equal(t, want, nodeclient.Temporary(err), "%v", err)
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
	for _, err := range c.SubscribeNewHeads(ctx, fromHead) {
		require.NoError(t, err, "the end of the context is no error")
	}
	close(release)
	require.Equal(t, `{"jsonrpc":"2.0","id":2,"method":"chain_unsubscribeNewHeads","params":[7]}`, <-ended)
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
	for method, unsubscribe := range map[string]string{
		"chain_subscribeNewHeads":       `chain_unsubscribeNewHeads["7t5len9h5aw"]`,
		"chain_subscribeFinalizedHeads": `chain_unsubscribeFinalizedHeads["42wu9hxd22u"]`,
	} {
		t.Run(method, func(t *testing.T) {
			unsubscribed := make(chan string, 1)
			c := newClient(t, raw(t, func(conn net.Conn, r *bufio.Reader) {
				for {
					payload, ok := readFrame(r)
					if !ok {
						return
					}
					replayStep(conn, steps, hashes, parse(payload), method, unsubscribed)
				}
			}), patient)
			heads := c.SubscribeNewHeads
			if method == "chain_subscribeFinalizedHeads" {
				heads = c.SubscribeFinalizedHeads
			}
			height := uint64(49)
			for h, err := range heads(soon(t), fromHead) {
				require.NoError(t, err)
				require.Equal(t, height, h.Number)
				require.Equal(t, chain.Some(hash(t, hashes[height])), h.Hash)
				if height > 49 {
					require.Equal(t, hashes[height-1], h.ParentHash.String())
				}
				if height++; height > 51 {
					break
				}
			}
			require.Equal(t, unsubscribe, <-unsubscribed)
			_, err := c.FeeHistory(soon(t), 5, "latest", nil)
			require.ErrorIs(t, err, nodeclient.ErrNoMethod)
			var refused *nodeclient.RPCError
			require.True(t, errors.As(err, &refused))
			require.Equal(t, chain.Some(int64(-32601)), refused.Code)
		})
	}
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
			_ = json.Unmarshal([]byte(s.Data), &m) // one is no JSON, on purpose
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
