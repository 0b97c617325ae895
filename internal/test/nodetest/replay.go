// Package nodetest is a node for tests: it serves JSON-RPC, over HTTP and over WebSockets, from the recorded
// responses of a real node.
package nodetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/internal/test/trietest"
)

// Node responds from a directory of recordings: one METHOD.json each, from the parameters as JSON to the
// result or the error; heights.json and metadata.hex.
type Node struct {
	rpcserver.Server

	recorded map[string]map[string]recording
	hashes   []string // by height
	heights  map[string]int
	mill     *mill // nil if the chain is the recorded one
	metadata json.RawMessage
	upgrade  *upgrade                  // nil if there is none
	tries    map[string]*trietest.Trie // of the states of a rooted chain, by the recorded block's hash

	guard sync.Mutex
	head  int
	best  int           // the newest block, not final, if above the head
	moved chan struct{} // closed when the head moves
}

type recording struct {
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// OpenPair opens the node of a recorded chain in testdata/pairs.
func OpenPair(t testing.TB, name string) *Node {
	t.Helper()
	node, err := Open(pairs.Path(t, name, "node"))
	require.NoError(t, err)
	return node
}

// Open opens a directory.
func Open(dir string) (*Node, error) {
	n := newNode(map[string]map[string]recording{})
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

// SetHead moves the newest final block.
func (n *Node) SetHead(height int) {
	n.guard.Lock()
	defer n.guard.Unlock()
	n.head = height
	close(n.moved)
	n.moved = make(chan struct{})
}

// SetBest adds blocks above the head, up to a height, that are not final.
func (n *Node) SetBest(height int) {
	n.guard.Lock()
	defer n.guard.Unlock()
	n.best = height
}

// newest returns the head, and a channel that is closed when it moves.
func (n *Node) newest() (height int, moved chan struct{}) {
	n.guard.Lock()
	defer n.guard.Unlock()
	return n.head, n.moved
}

func newNode(recorded map[string]map[string]recording) *Node {
	n := &Node{recorded: recorded, heights: map[string]int{}, moved: make(chan struct{})}
	n.Other = func(method string, params []json.RawMessage) ([]byte, error) {
		result, failure := n.result(method, slices.Clone(params), n.now())
		switch {
		case failure != nil:
			return nil, rpcserver.Refused(failure)
		case result == nil:
			return []byte("null"), nil
		}
		return result, nil
	}
	n.Subscriptions = map[string]rpcserver.Subscription{
		"chain_subscribeFinalizedHeads": {Unsubscribe: "chain_unsubscribeFinalizedHeads", Notice: "chain_finalizedHead", Tell: n.announce},
		"state_subscribeStorage":        {Unsubscribe: "state_unsubscribeStorage", Notice: "state_storage", TellOf: n.tellStored},
	}
	return n
}

// tellStored sends the value of the state at the one requested key, at once and whenever it changes with the
// head.
func (n *Node) tellStored(ctx context.Context, params []json.RawMessage, send func(result []byte) error) {
	var last string
	for {
		head, moved := n.newest()
		hash := n.hashes[head]
		changes, failure := n.result("state_queryStorageAt", []json.RawMessage{params[0], quoted(hash)}, view{head, head})
		var sets []struct {
			Changes json.RawMessage `json:"changes"`
		}
		if failure != nil || json.Unmarshal(changes, &sets) != nil || len(sets) != 1 {
			return
		}
		if now := string(sets[0].Changes); now != last {
			last = now
			if err := send(fmt.Appendf(nil, `{"block":%q,"changes":%s}`, hash, now)); err != nil {
				return
			}
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

// announce sends each head, starting with the newest.
func (n *Node) announce(ctx context.Context, send func(result []byte) error) {
	for {
		head, moved := n.newest()
		header, _ := n.result("chain_getHeader", nil, view{head, head})
		if err := send(header); err != nil {
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

// view is the progress of a node: its newest final block, and its newest.
type view struct{ final, best int }

func (n *Node) now() view {
	n.guard.Lock()
	defer n.guard.Unlock()
	return view{n.head, max(n.head, n.best)}
}

// answerFrom returns the response of a node with that view.
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

// places are the positions of a block's hash in the parameters of methods.
var places = map[string]int{
	"chain_getBlock": 0, "chain_getHeader": 0, "state_getRuntimeVersion": 0, "state_getMetadata": 0,
	"state_getStorage": 1, "state_queryStorageAt": 1, "state_getReadProof": 1, "state_getStorageHash": 1, "state_getStorageSize": 1,
	"state_call": 2,
}

const invalidParams = `{"code":-32602,"message":"Invalid params"}`

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
	case "state_getReadProof":
		if n.tries != nil {
			var recorded string
			json.Unmarshal(params[place], &recorded)
			return n.proof(params[0], hash, recorded)
		}
	case "state_getStorageHash", "state_getStorageSize":
		if n.tries != nil {
			return n.ofStored(method, params)
		}
	}
	return n.replay(method, params)
}

// changes returns values of a block's state, which is that of a recorded block.
func (n *Node) changes(list json.RawMessage, hash, recorded string) (result, failure json.RawMessage) {
	var keys []string
	if err := json.Unmarshal(list, &keys); err != nil {
		return nil, json.RawMessage(invalidParams)
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

// replay returns the recorded response.
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
