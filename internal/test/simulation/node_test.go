package simulation

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/test/rpcserver"
)

// In one world of four, a node replaces the gateway. It answers JSON-RPC requests, one or several at once, from which the
// program derives the gateway's responses. The ledger must be the same.

// asksNode reports whether the world of a seed has a node: one of the first six seeds does; these have one story each.
func asksNode(seed uint64) bool { return (seed+seed/6)%4 == 3 }

// known is a block that a node has: of a chain, or of a fork built on the true chain.
type known struct {
	of     int // which chain of the story it belongs to
	height uint64
	own    chain.Hash // its original hash
	parent chain.Hash
	hash   chain.Hash
}

// buildForks sets the parents of each fork's blocks, which changes their hashes.
func (w *world) buildForks() error {
	w.forked = map[chain.Hash]*known{}
	for _, f := range w.forks {
		parent := w.hash(f.base)
		for height := f.base + 1; height <= f.last; height++ {
			k := &known{of: f.of, height: height, own: w.story.forks[f.of].Hash(height), parent: parent}
			text, err := w.story.says(f.of, "chain_getHeader", quoted(k.own))
			if err != nil {
				return err
			}
			h, err := readHeader(text)
			if err != nil {
				return err
			}
			h.ParentHash = parent
			k.hash = h.Hash()
			w.forked[k.hash] = k
			parent = k.hash
		}
	}
	return nil
}

// readHeader parses a header as a node writes it.
func readHeader(text []byte) (h header.Header, err error) {
	var x struct {
		ParentHash, StateRoot, ExtrinsicsRoot chain.Hash
		Number                                string
		Digest                                struct{ Logs []string }
	}
	if err := json.Unmarshal(text, &x); err != nil {
		return h, err
	}
	h.ParentHash, h.StateRoot, h.ExtrinsicsRoot = x.ParentHash, x.StateRoot, x.ExtrinsicsRoot
	if _, err := fmt.Sscanf(x.Number, "0x%x", &h.Number); err != nil {
		return h, err
	}
	for _, log := range x.Digest.Logs {
		bytes, err := hex.DecodeString(strings.TrimPrefix(log, "0x"))
		if err != nil {
			return h, err
		}
		h.Logs = append(h.Logs, bytes)
	}
	return h, nil
}

func quoted(hash chain.Hash) json.RawMessage { return json.RawMessage(`"` + hash.String() + `"`) }

// says returns the response of a node of one of the story's chains.
func (s *story) says(of int, method string, params ...json.RawMessage) ([]byte, error) {
	type key struct {
		of       int
		question string
	}
	type said struct {
		text []byte
		err  error
	}
	k := key{of, fmt.Sprintf("%s%s", method, params)}
	if x, known := s.said.Load(k); known {
		return x.(said).text, x.(said).err
	}
	node := s.node
	if of != trueChain {
		node = s.nodes[of]
	}
	answer, known := node.Methods[method]
	if !known {
		return nil, &rpcserver.Error{Code: -32601, Message: "Method not found"}
	}
	text, err := answer(params)
	s.said.Store(k, said{text, err})
	return text, err
}

// call is a request to a node.
type call struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

func (c *call) String() string { return fmt.Sprintf("%s%s", c.Method, c.Params) }

// hashAt returns the hash of the block at a height, for a node with this view.
func (w *world) hashAt(v *view, height uint64) chain.Hash {
	if !v.other(height) {
		return w.hash(height)
	}
	for hash, k := range w.forked {
		if k.of == v.of && k.height == height && w.builtOn(k, v.base) {
			return hash
		}
	}
	panic("a fork without its block")
}

// builtOn reports whether a fork's block is on top of the true chain's block at a height.
func (w *world) builtOn(k *known, base uint64) bool {
	for k.height > base+1 {
		if k = w.forked[k.parent]; k == nil {
			return false
		}
	}
	return k.parent == w.hash(base)
}

// find returns the block with a hash, nil if a node with this view does not have it.
func (w *world) find(v *view, hash chain.Hash) *known {
	k := w.forked[hash]
	if height, there := w.story.chain.HeightOf(hash); k == nil && there {
		k = &known{of: trueChain, height: height, own: hash, hash: hash}
		if height > 0 {
			k.parent = w.hash(height - 1)
		}
	}
	if k == nil || k.height > v.made {
		return nil
	}
	return k
}

// respond returns the response of a node with this view.
func (w *world) respond(v *view, c *call) ([]byte, error) {
	switch {
	case c.Method == "chain_getFinalizedHead":
		return quoted(w.hashAt(v, v.final)), nil
	case c.Method == "chain_getBlockHash" && len(c.Params) == 1:
		return w.hashesAt(v, c.Params[0])
	case strings.HasPrefix(c.Method, "chain_get"), strings.HasPrefix(c.Method, "state_"):
		return w.tellsOfBlock(v, c)
	}
	return w.story.says(trueChain, c.Method, c.Params...)
}

func (w *world) hashesAt(v *view, param json.RawMessage) ([]byte, error) {
	var height uint64
	one := json.Unmarshal(param, &height) == nil
	heights := []uint64{height}
	if err := json.Unmarshal(param, &heights); !one && err != nil {
		return nil, err
	}
	var list []json.RawMessage
	for _, height := range heights {
		if height > v.made {
			list = append(list, json.RawMessage("null"))
			continue
		}
		list = append(list, quoted(w.hashAt(v, height)))
	}
	if one {
		return list[0], nil
	}
	return json.Marshal(list)
}

// tellsOfBlock returns a node's response about a block, or its state, given by the hash in the last parameter; about the
// newest block without one.
func (w *world) tellsOfBlock(v *view, c *call) ([]byte, error) {
	hash := w.hashAt(v, v.made)
	named := len(c.Params) > 0 && json.Unmarshal(c.Params[len(c.Params)-1], &hash) == nil
	k := w.find(v, hash)
	switch {
	case k == nil && strings.HasPrefix(c.Method, "chain_"):
		return []byte("null"), nil
	case k == nil:
		return nil, &rpcserver.Error{Code: 4003, Message: "Client error: UnknownBlock: Header was not found in the database: " + hash.String()}
	}
	own := c.Params
	if named {
		own = own[:len(own)-1]
	}
	text, err := w.story.says(k.of, c.Method, append(slices.Clone(own), quoted(w.alike(k, c.Method)))...)
	if err != nil || k.of == trueChain {
		return text, err
	}
	if strings.HasPrefix(c.Method, "chain_") {
		return []byte(replaceHash(string(text), `"parentHash":"`, k.parent.String())), nil
	}
	return bytes.ReplaceAll(text, quoted(k.own), quoted(k.hash)), nil
}

// alike returns a representative block for requests of metadata, whose text is long: blocks with the same metadata
// share one.
func (w *world) alike(k *known, method string) chain.Hash {
	if method != "state_getMetadata" || k.of != trueChain {
		return k.own
	}
	height := uint64(0)
	for w.story.chain.RuntimeAt(height) != w.story.chain.RuntimeAt(k.height) {
		height++
	}
	return w.hash(height)
}

// serveNode is the node. A fault affects a whole message, or one response in it.
func (w *world) serveNode(out http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var calls []*call
	batch := bytes.HasPrefix(text, []byte("["))
	if !batch {
		text = slices.Concat([]byte("["), text, []byte("]"))
	}
	if err := json.Unmarshal(text, &calls); err != nil || len(calls) == 0 {
		http.Error(out, "no question", http.StatusBadRequest)
		return
	}
	var asked string
	for _, c := range calls {
		asked += c.String()
	}
	run, n := w.ask(asked)
	x := &exchange{
		world: w, out: out, view: w.viewOf(w.made(time.Now())), dice: roll(w.seed, "answer", run, asked, n),
		name: fmt.Sprintf("run %d: %.120s, %d questions, time %d", run, asked, len(calls), n), leaves: r.Context().Done(),
		calls: calls, batch: batch,
	}
	if !x.sleep(x.time(w.fastest, w.slowest)) {
		return
	}
	x.which = x.IntN(len(calls))
	x.well = x.written(nil)
	w.answers(x)
}

// written returns the response to a message, with one response altered unless that is nil.
func (x *exchange) written(alter func(v *view, c *call) ([]byte, error)) reply {
	var list [][]byte
	for i, c := range x.calls {
		respond := x.world.respond
		if alter != nil && i == x.which {
			respond = alter
		}
		result, err := respond(&x.view, c)
		var refused *rpcserver.Error
		switch {
		case errors.As(err, &refused):
			list = append(list, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, c.ID, refused.Code, refused.Message))
		case err != nil:
			list = append(list, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%q}}`, c.ID, err.Error()))
		default:
			list = append(list, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, c.ID, result))
		}
	}
	text := string(bytes.Join(list, []byte(",")))
	if x.batch {
		text = "[" + text + "]"
	}
	return reply{http.StatusOK, text}
}

// lied is the request whose response is a lie.
func (x *exchange) lied() *call { return x.calls[x.which] }

func (x *exchange) asks(methods ...string) bool { return slices.Contains(methods, x.lied().Method) }

// block returns the block of the lie, nil if none is given.
func (x *exchange) block() *known {
	var hash chain.Hash
	if p := x.lied().Params; len(p) == 0 || json.Unmarshal(p[len(p)-1], &hash) != nil {
		return nil
	}
	return x.world.find(&x.view, hash)
}

// about returns the same request for another block.
func (c *call) about(hash chain.Hash) *call {
	return &call{c.ID, c.Method, append(slices.Clone(c.Params[:len(c.Params)-1]), quoted(hash))}
}

func ofBlockItself(x *exchange) bool {
	return x.asks("chain_getBlock", "chain_getHeader") && x.block() != nil
}

// nodeLies are a node's responses with wrong content. States are not included, because such lies cannot be detected.
var nodeLies = []*fault{
	{name: "another block", fits: func(x *exchange) bool {
		return x.asks("chain_getBlock", "chain_getHeader", "state_queryStorageAt") && x.block() != nil
	}, commit: func(x *exchange) {
		hash := x.world.hash(uint64(x.between(1, int(x.view.final))))
		x.lie(func(v *view, c *call) ([]byte, error) { return x.world.respond(v, c.about(hash)) })
	}},
	// Only the hash reveals it: height and parent are those of the requested block.
	{name: "a block of another fork", fits: ofBlockItself, commit: func(x *exchange) {
		k := *x.block()
		k.of = x.IntN(2)
		k.own = x.world.story.forks[k.of].Hash(k.height)
		x.lie(func(_ *view, c *call) ([]byte, error) {
			text, err := x.world.story.says(k.of, c.Method, quoted(k.own))
			return []byte(replaceHash(string(text), `"parentHash":"`, k.parent.String())), err
		})
	}},
	{name: "another parent", fits: ofBlockItself, commit: func(x *exchange) {
		x.alterResult(func(text string) string { return replaceHash(text, `"parentHash":"`, x.word()) })
	}},
	{name: "an inherent with another byte", fits: func(x *exchange) bool { return x.asks("chain_getBlock") && x.block() != nil && x.block().height > 0 }, commit: func(x *exchange) {
		x.alterResult(func(text string) string {
			from := strings.Index(text, `"extrinsics":["0x`) + len(`"extrinsics":["0x`)
			at := from + x.IntN(strings.IndexByte(text[from:], '"'))
			return text[:at] + string("123456789abcdef0"[strings.IndexByte("0123456789abcdef", text[at])]) + text[at+1:]
		})
	}},
	{name: "another hash", fits: func(x *exchange) bool { return x.asks("chain_getBlockHash", "chain_getFinalizedHead") }, commit: func(x *exchange) {
		x.alterResult(func(text string) string {
			hash := pick(x.dice, []string{x.word(), x.world.hash(uint64(x.between(0, int(x.view.final)))).String()})
			at := x.IntN(1 + strings.Count(text, "0x"))
			for i := range text {
				if strings.HasPrefix(text[i:], "0x") {
					if at--; at <= 0 {
						return text[:i] + hash + text[i+len(hash):]
					}
				}
			}
			return text
		})
	}},
	{name: "null", fits: func(x *exchange) bool {
		return x.asks("chain_getBlock", "chain_getHeader", "chain_getBlockHash", "chain_getFinalizedHead", "state_getMetadata")
	}, commit: func(x *exchange) {
		x.lie(func(*view, *call) ([]byte, error) { return []byte("null"), nil })
	}},
	{name: "an answer to another question", commit: func(x *exchange) {
		c := *x.lied()
		c.ID = append([]byte("9"), c.ID...)
		x.calls[x.which] = &c
		x.send(x.written(nil))
	}},
	{name: "a head that lags", fits: func(x *exchange) bool { return x.asks("chain_getFinalizedHead") }, commit: func(x *exchange) {
		x.lie(func(_ *view, c *call) ([]byte, error) { return x.world.respond(x.behind(), c) })
	}},
	{name: "a node that lags", commit: func(x *exchange) {
		x.view = *x.behind()
		x.send(x.written(nil))
	}},
	{name: "a node that stands on a fork", fits: func(x *exchange) bool { return x.onFork() != nil }, commit: func(x *exchange) {
		x.view = *x.onFork()
		x.send(x.written(nil))
	}},
	// Only without a fork, because a lie about a fork cannot be detected.
	{name: "a head that is not final yet", fits: func(x *exchange) bool { return x.asks("chain_getFinalizedHead") && x.view.last == 0 }, commit: func(x *exchange) {
		x.view.final += uint64(x.between(1, finalBelow))
		x.send(x.written(nil))
	}},
}

// onFork returns the view of a node that still follows the newest fork after it ended, nil without one.
func (x *exchange) onFork() *view {
	for made := x.view.made - 1; made+40 > x.view.made && made > 0; made-- {
		if v := x.world.viewOf(made); v.last > 0 {
			return &v
		}
	}
	return nil
}

// lie sends a message with an altered response to the request selected for a lie.
func (x *exchange) lie(other func(v *view, c *call) ([]byte, error)) { x.send(x.written(other)) }

// alterResult alters the response to that request.
func (x *exchange) alterResult(change func(text string) string) {
	x.lie(func(v *view, c *call) ([]byte, error) {
		text, err := x.world.respond(v, c)
		return []byte(change(string(text))), err
	})
}
