// Package nodetest is a node for tests: it answers JSON-RPC, over HTTP and over a WebSocket,
// from what a real node was recorded to have said.
package nodetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Node answers from a directory of recordings: METHOD.json each, from the parameters as JSON
// to the result or the error; heights.json and metadata.hex.
type Node struct {
	// Latency is how long each answer is on its way; many can be.
	Latency time.Duration

	recorded map[string]map[string]recording
	hashes   []string // by height
	heights  map[string]int
	mill     *mill // nil where the chain is the recorded one
	metadata json.RawMessage
	upgrade  *upgrade // nil where there is none

	// MostAtOnce is how many questions one message may have; any number where it is 0.
	MostAtOnce int

	guard    sync.Mutex
	head     int
	best     int // the newest block that is not final, where it is above the head
	messages int
	asked    map[string]int // by method
	moved    chan struct{}  // closed when the head moves
	sockets  Sockets
}

type recording struct {
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Open reads a directory.
func Open(dir string) (*Node, error) {
	n := &Node{recorded: map[string]map[string]recording{}, heights: map[string]int{}, asked: map[string]int{}, moved: make(chan struct{})}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		switch name {
		case "heights":
			var heights []struct{ Hash string }
			if err := json.Unmarshal(text, &heights); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			for height, h := range heights {
				n.hashes = append(n.hashes, h.Hash)
				n.heights[h.Hash] = height
			}
		case "keys", "sidecar-traffic":
		default:
			var answers map[string]recording
			if err := json.Unmarshal(text, &answers); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			n.recorded[name] = answers
		}
	}
	hex, err := os.ReadFile(filepath.Join(dir, "metadata.hex"))
	if err != nil {
		return nil, err
	}
	if len(n.hashes) == 0 {
		return nil, fmt.Errorf("%s: no heights.json", dir)
	}
	n.metadata, n.head = json.RawMessage(strconv.Quote(strings.TrimSpace(string(hex)))), len(n.hashes)-1
	return n, nil
}

// SetHead moves the newest block, which is final.
func (n *Node) SetHead(height int) {
	n.guard.Lock()
	defer n.guard.Unlock()
	n.head = height
	close(n.moved)
	n.moved = make(chan struct{})
}

// SetBest makes blocks above the head, to a height, the newest that are not final.
func (n *Node) SetBest(height int) {
	n.guard.Lock()
	defer n.guard.Unlock()
	n.best = height
}

// newest is the head, and what is closed when it moves.
func (n *Node) newest() (height int, moved chan struct{}) {
	n.guard.Lock()
	defer n.guard.Unlock()
	return n.head, n.moved
}

// Asked is how often each method was called.
func (n *Node) Asked() map[string]int {
	n.guard.Lock()
	defer n.guard.Unlock()
	asked := map[string]int{}
	for method, times := range n.asked {
		asked[method] = times
	}
	return asked
}

// Messages is how many messages the questions came in.
func (n *Node) Messages() int {
	n.guard.Lock()
	defer n.guard.Unlock()
	return n.messages
}

// ServeHTTP answers one message, or those that come over a WebSocket.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		n.socket(w, r)
		return
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	time.Sleep(n.Latency)
	w.Header().Set("Content-Type", "application/json")
	w.Write(n.message(text))
}

// message answers one question, or those of a batch.
func (n *Node) message(text []byte) []byte {
	n.guard.Lock()
	n.messages++
	n.guard.Unlock()
	refuse := func(code int, says string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, says)
	}
	if !bytes.HasPrefix(text, []byte("[")) {
		var q question
		if err := json.Unmarshal(text, &q); err != nil {
			return refuse(-32700, "Parse error")
		}
		return n.answer(&q)
	}
	var list []question
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		return refuse(-32600, "Invalid request")
	}
	switch {
	case n.MostAtOnce == 1:
		return refuse(-32005, "Batched requests are not supported by this server")
	case n.MostAtOnce > 0 && len(list) > n.MostAtOnce:
		return refuse(-32010, "The batch request was too large")
	}
	answers := make([][]byte, len(list))
	for i := range list {
		answers[i] = n.answer(&list[i])
	}
	return fmt.Appendf(nil, "[%s]", bytes.Join(answers, []byte(",")))
}

func (n *Node) socket(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	n.count(func(s *Sockets) { s.Opened++ })
	c.SetReadLimit(1 << 24)
	for {
		_, text, err := c.Read(r.Context())
		if err != nil {
			status := websocket.CloseStatus(err)
			n.count(func(s *Sockets) {
				if status == websocket.StatusNormalClosure {
					s.Closed++
				} else {
					s.Lost++
				}
			})
			return
		}
		answer := n.message(text)
		var q question
		json.Unmarshal(text, &q) // a batch subscribes to nothing
		if q.Method == "chain_subscribeFinalizedHeads" {
			answer = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":"heads"}`, q.ID)
		}
		if n.Latency > 0 {
			time.AfterFunc(n.Latency, func() { c.Write(r.Context(), websocket.MessageText, answer) })
			continue
		}
		if err := c.Write(r.Context(), websocket.MessageText, answer); err != nil {
			return
		}
		if q.Method == "chain_subscribeFinalizedHeads" {
			go n.announce(r.Context(), c)
		}
	}
}

// Sockets are the WebSockets of a node: how many were opened, how many were closed by who
// opened them, and how many were lost.
type Sockets struct{ Opened, Closed, Lost int }

// Sockets are those that there were.
func (n *Node) Sockets() Sockets {
	n.guard.Lock()
	defer n.guard.Unlock()
	return n.sockets
}

func (n *Node) count(what func(*Sockets)) {
	n.guard.Lock()
	defer n.guard.Unlock()
	what(&n.sockets)
}

// announce tells of each head, from the newest on.
func (n *Node) announce(ctx context.Context, c *websocket.Conn) {
	for {
		head, moved := n.newest()
		header, _ := n.result("chain_getHeader", nil, view{head, head})
		notice := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"chain_finalizedHead","params":{"subscription":"heads","result":%s}}`, header)
		if err := c.Write(ctx, websocket.MessageText, notice); err != nil {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

type question struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

func (n *Node) answer(q *question) []byte {
	n.guard.Lock()
	n.asked[q.Method]++
	now := view{n.head, max(n.head, n.best)}
	n.guard.Unlock()
	return n.answerFrom(q, now)
}

// view is how far a node is: its newest final block, and its newest.
type view struct{ final, best int }

// answerFrom is the answer of a node that is so far.
func (n *Node) answerFrom(q *question, now view) []byte {
	result, failure := n.result(q.Method, slices.Clone(q.Params), now)
	return written(q.ID, result, failure)
}

func written(id, result, failure json.RawMessage) []byte {
	member, value := "result", result
	if failure != nil {
		member, value = "error", failure
	}
	if value == nil {
		value = json.RawMessage("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%q:%s}`, id, member, value)
}

// places are where methods take a block's hash among their parameters.
var places = map[string]int{
	"chain_getBlock": 0, "chain_getHeader": 0, "state_getRuntimeVersion": 0, "state_getMetadata": 0,
	"state_getStorage": 1, "state_queryStorageAt": 1,
}

func (n *Node) result(method string, params []json.RawMessage, now view) (result, failure json.RawMessage) {
	switch method {
	case "chain_getBlockHash":
		return n.blockHashes(params, now.best), nil
	case "chain_getFinalizedHead":
		return quoted(n.hashes[now.final]), nil
	}
	place, ofBlock := places[method]
	if !ofBlock {
		return n.replay(method, params)
	}
	for len(params) <= place {
		params = append(params, quoted(n.hashes[now.best]))
	}
	var hash string
	json.Unmarshal(params[place], &hash)
	height, known := n.heights[hash]
	switch {
	case (!known || height > now.best) && strings.HasPrefix(method, "chain_"):
		return nil, nil
	case !known || height > now.best:
		return nil, json.RawMessage(fmt.Sprintf(`{"code":4003,"message":"Client error: UnknownBlock: Header was not found in the database: %s"}`, hash))
	case method == "state_getMetadata" && n.upgrade.leaves(height):
		return n.upgrade.metadata, nil
	case method == "state_getMetadata":
		return n.metadata, nil
	}
	if method == "state_getRuntimeVersion" && n.upgrade != nil {
		defer func() { result = n.upgrade.version(result, height) }()
	}
	if n.mill != nil {
		if result, made := n.mill.result(n, method, height); made {
			return result, nil
		}
		params[place] = quoted(n.mill.recorded[n.mill.of(height)])
	}
	switch method {
	case "state_queryStorageAt":
		var recorded string
		json.Unmarshal(params[place], &recorded)
		return n.changes(params[0], hash, recorded)
	case "state_getRuntimeVersion":
		if r, there := n.recorded[method][key(params)]; there {
			return r.Result, r.Error
		}
		for _, r := range n.recorded[method] {
			return r.Result, r.Error
		}
	}
	return n.replay(method, params)
}

// changes are what the state of a block has, which is that of a recorded one.
func (n *Node) changes(list json.RawMessage, hash, recorded string) (result, failure json.RawMessage) {
	var keys []string
	if err := json.Unmarshal(list, &keys); err != nil {
		return nil, json.RawMessage(`{"code":-32602,"message":"Invalid params"}`)
	}
	var changes []string
	for _, k := range keys {
		value, failure := n.replay("state_getStorage", []json.RawMessage{quoted(k), quoted(recorded)})
		if failure != nil {
			return nil, failure
		}
		if value == nil {
			value = json.RawMessage("null")
		}
		changes = append(changes, fmt.Sprintf("[%q,%s]", k, value))
	}
	return json.RawMessage(fmt.Sprintf(`[{"block":%q,"changes":[%s]}]`, hash, strings.Join(changes, ","))), nil
}

func (n *Node) blockHashes(params []json.RawMessage, head int) json.RawMessage {
	one := func(height int) string {
		if height < 0 || height > head || height >= len(n.hashes) {
			return "null"
		}
		return strconv.Quote(n.hashes[height])
	}
	var height int
	var heights []int
	switch {
	case len(params) == 0:
		return json.RawMessage(one(head))
	case json.Unmarshal(params[0], &height) == nil:
		return json.RawMessage(one(height))
	case json.Unmarshal(params[0], &heights) == nil:
		var list []string
		for _, height := range heights {
			list = append(list, one(height))
		}
		return json.RawMessage("[" + strings.Join(list, ",") + "]")
	}
	return json.RawMessage("null")
}

// replay is what was recorded.
func (n *Node) replay(method string, params []json.RawMessage) (result, failure json.RawMessage) {
	answers, there := n.recorded[method]
	if !there {
		return nil, json.RawMessage(`{"code":-32601,"message":"Method not found"}`)
	}
	r, there := answers[key(params)]
	if !there {
		return nil, json.RawMessage(`{"code":-32099,"message":"not recorded"}`)
	}
	return r.Result, r.Error
}

func key(params []json.RawMessage) string {
	list := make([]string, len(params))
	for i, p := range params {
		list[i] = string(p)
	}
	return "[" + strings.Join(list, ",") + "]"
}

func quoted(text string) json.RawMessage { return json.RawMessage(strconv.Quote(text)) }
