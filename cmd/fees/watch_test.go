package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/port"
)

// lines collects a program's output and notifies waiters.
type lines struct {
	mu    sync.Mutex
	text  bytes.Buffer
	wrote chan struct{} // has room for one
}

func newLines() *lines { return &lines{wrote: make(chan struct{}, 1)} }

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.wrote <- struct{}{}:
	default:
	}
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// until waits until the output satisfies a condition.
func (l *lines) until(t *testing.T, what string, holds func(text string) bool) {
	t.Helper()
	limit := time.After(5 * time.Minute)
	for !holds(l.String()) {
		select {
		case <-l.wrote:
		case <-limit:
			t.Fatalf("%s: not within five minutes in:\n%s", what, l)
		}
	}
}

// restartable is a server that can be stopped and restarted at the same address.
type restartable struct {
	address string
	handler http.Handler
	server  *http.Server
}

func newRestartable(t *testing.T, h http.Handler) *restartable {
	s := &restartable{address: port.Address(t), handler: h}
	s.start(t)
	t.Cleanup(s.stop)
	return s
}

func (s *restartable) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", s.address)
	require.NoError(t, err)
	s.server = &http.Server{Handler: s.handler}
	go s.server.Serve(listener)
}

// stop closes all connections.
func (s *restartable) stop() { s.server.Close() }

// watched is fees watch in the background.
type watched struct {
	stdout, stderr *lines
	interrupt      func()
	code           chan int
}

func startWatch(t *testing.T, args ...string) *watched {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	w := &watched{newLines(), newLines(), cancel, make(chan int, 1)}
	go func() { w.code <- run(ctx, append([]string{"watch"}, args...), w.stdout, w.stderr) }()
	return w
}

// has waits until a block was printed, and checks that all blocks up to it were printed once, in order, as by fees
// block.
func (w *watched) has(t *testing.T, first, last uint64) {
	t.Helper()
	w.stdout.until(t, fmt.Sprintf("block %d", last), func(text string) bool {
		return strings.Contains(text, fmt.Sprintf(`"number":%d,`, last)) && strings.HasSuffix(text, "\n")
	})
	height := first
	for line := range strings.Lines(w.stdout.String()) {
		block, _, code := fees("block", strconv.FormatUint(height, 10), "--gateway", "demo", "--format", "json")
		require.Equal(t, exitOK, code)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, []byte(block)))
		require.Equal(t, strings.TrimSuffix(compact.String(), "\n"), strings.TrimSuffix(line, "\n"))
		height++
	}
	require.Equal(t, last+1, height)
}

func (w *watched) ends(t *testing.T, code int) {
	t.Helper()
	select {
	case have := <-w.code:
		require.Equal(t, code, have, "%s", w.stderr)
	case <-time.After(5 * time.Minute):
		t.Fatal("it does not end")
	}
}

func recorded(t *testing.T) string { return filepath.Join(recordings(t), "moonbeam-2100") }

// A gateway's head advances by one and by many and stalls, and the gateway is restarted with a node that is behind:
// every height is printed once, in order.
func TestWatchPolling(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	gateway := gatewaytest.NewGrowing(recorded(t), 5)
	server := newRestartable(t, gateway)
	w := startWatch(t, "--gateway", "http://"+server.address, "--from", "3", "--poll", "5ms", "--format", "json")
	w.has(t, 3, 5)
	for _, head := range []uint64{6, 7, 12} {
		gateway.Head.Store(head)
		w.has(t, 3, head)
	}
	server.stop()
	w.stderr.until(t, "the gateway is gone", func(text string) bool { return strings.Contains(text, "connection refused") })
	gateway.Head.Store(9)
	server.start(t)
	w.stderr.until(t, "the head went back", func(text string) bool { return strings.Contains(text, "went back from block 12 to 9") })
	gateway.Head.Store(12)
	gateway.Head.Store(20)
	w.has(t, 3, 20)
	gateway.Head.Store(27)
	w.has(t, 3, 27)
	w.interrupt()
	w.ends(t, exitInterrupted)
	w.has(t, 3, 27)
	require.True(t, strings.HasSuffix(w.stderr.String(), "fees: stopped\n"))
	server.stop()
}

// announcingNode announces the final heads of the recorded chain.
type announcingNode struct {
	t         *testing.T
	directory string
	head      uint64
	mu        sync.Mutex
	listeners map[*websocket.Conn]bool
	keys      []string // the API keys that it was given
}

func (n *announcingNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	n.keys = append(n.keys, r.Header.Values("X-API-Key")...)
	n.mu.Unlock()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	defer func() {
		n.mu.Lock()
		delete(n.listeners, conn)
		n.mu.Unlock()
	}()
	for {
		_, text, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		var question struct {
			ID     int
			Method string
			Params []json.RawMessage
		}
		if err := json.Unmarshal(text, &question); err != nil {
			return
		}
		n.mu.Lock()
		result := `null`
		switch question.Method {
		case "chain_subscribeFinalizedHeads":
			result = `"heads"`
			n.listeners[conn] = true
		case "chain_getFinalizedHead":
			result = n.block(n.head, "hash")
		case "chain_getBlockHash":
			height, _ := strconv.ParseUint(string(question.Params[0]), 10, 64)
			result = n.block(height, "hash")
		case "chain_getHeader":
			for height := range n.head + 1 {
				if n.block(height, "hash") == string(question.Params[0]) {
					result = n.header(height)
				}
			}
		}
		conn.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"result":%s}`, question.ID, result))
		if question.Method == "chain_subscribeFinalizedHeads" {
			n.announce(conn)
		}
		n.mu.Unlock()
	}
}

// block returns a member of a recorded block as JSON.
func (n *announcingNode) block(height uint64, member string) string {
	text, err := os.ReadFile(filepath.Join(n.directory, "blocks", fmt.Sprint(height)+".json"))
	require.NoError(n.t, err)
	var block map[string]json.RawMessage
	require.NoError(n.t, json.Unmarshal(text, &block))
	return string(block[member])
}

func (n *announcingNode) header(height uint64) string {
	return fmt.Sprintf(`{"parentHash":%s,"number":"0x%x","stateRoot":%s,"extrinsicsRoot":%s,"digest":{"logs":[]}}`,
		n.block(height, "parentHash"), height, n.block(height, "stateRoot"), n.block(height, "extrinsicsRoot"))
}

func (n *announcingNode) announce(conn *websocket.Conn) {
	conn.Write(n.t.Context(), websocket.MessageText, fmt.Appendf(nil,
		`{"jsonrpc":"2.0","method":"chain_finalizedHead","params":{"subscription":"heads","result":%s}}`, n.header(n.head)))
}

// grow finalizes blocks up to one and announces only that one.
func (n *announcingNode) grow(head uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.head = head
	for conn := range n.listeners {
		n.announce(conn)
	}
}

// breakOff closes all connections like an ending node. A server's Close does not close WebSockets.
func (n *announcingNode) breakOff() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.listeners {
		conn.CloseNow()
	}
}

// Heads by subscription: the node is ahead of the gateway, skips heights, and is restarted; so is the gateway.
func TestWatchSubscribed(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	t.Setenv("FEES_API_KEY", "the gateway's")
	node := &announcingNode{t: t, directory: recorded(t), head: 5, listeners: map[*websocket.Conn]bool{}}
	nodeServer := newRestartable(t, node)
	gateway := gatewaytest.NewGrowing(recorded(t), 5)
	server := newRestartable(t, gateway)
	t.Setenv("FEES_NODE", "ws://"+nodeServer.address)
	w := startWatch(t, "--gateway", "http://"+server.address, "--from", "3", "--format", "json")
	w.has(t, 3, 5)
	node.grow(6) // before the gateway has it
	gateway.Head.Store(6)
	w.has(t, 3, 6)
	gateway.Head.Store(11)
	node.grow(11)
	w.has(t, 3, 11)

	nodeServer.stop()
	node.breakOff()
	gateway.Head.Store(14)
	node.grow(14) // without a subscriber
	nodeServer.start(t)
	w.has(t, 3, 14)

	server.stop()
	node.grow(16)
	w.stderr.until(t, "the gateway is gone", func(text string) bool { return strings.Contains(text, "connection refused") })
	gateway.Head.Store(16)
	server.start(t)
	w.has(t, 3, 16)
	gateway.Head.Store(20)
	node.grow(20)
	w.has(t, 3, 20)
	w.interrupt()
	w.ends(t, exitInterrupted)
	node.breakOff()
	nodeServer.stop()
	server.stop()
	node.mu.Lock()
	defer node.mu.Unlock()
	require.Empty(t, node.keys)
}

// A node on another chain than the gateway, and a server that is not a node.
func TestWatchWrongNode(t *testing.T) {
	t.Parallel()
	node := &announcingNode{t: t, directory: filepath.Join(recordings(t), "moonbeam-1701"), head: 7, listeners: map[*websocket.Conn]bool{}}
	nodeServer := newRestartable(t, node)
	at := []string{"--gateway", "demo", "--node", "ws://" + nodeServer.address}
	for _, args := range [][]string{
		{"watch", "--from", "7"},
		{"watch", "--from", "20"}, // which that chain does not have for a long time
		{"follow", "--from", "20", "--ledger", newLedgerFile(t)},
		{"verify", "20..22"},
	} {
		stdout, stderr, code := fees(append(args, at...)...)
		require.Equal(t, exitUsage, code, stderr)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "the node at ws://"+nodeServer.address+" and the gateway at demo are on different chains: block 0 is 0x0c72")
		require.Contains(t, stderr, " on the node and 0x6e0f")
	}
	node.breakOff()
}

// CSV has the rows of fees block under one header.
func TestWatchCSV(t *testing.T) {
	t.Parallel()
	stdout, _, code := fees("watch", "--gateway", "demo", "--from", "20", "--format", "csv")
	require.Equal(t, exitOK, code)
	var want [][]string
	for height := 20; height <= 27; height++ {
		block, _, _ := fees("block", strconv.Itoa(height), "--gateway", "demo", "--format", "csv")
		rows, err := csv.NewReader(strings.NewReader(block)).ReadAll()
		require.NoError(t, err)
		if want != nil {
			rows = rows[1:]
		}
		want = append(want, rows...)
	}
	have, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, want, have)
}

// full is a writer that fails like a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrInvalid }

func TestWatchCannotWrite(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"table", "json", "csv"} {
		var stderr bytes.Buffer
		code := run(t.Context(), []string{"watch", "--gateway", "demo", "--from", "3", "--format", format}, full{}, &stderr)
		require.Equal(t, exitUsage, code)
		require.Equal(t, "fees: invalid argument\n", stderr.String())
	}
}
