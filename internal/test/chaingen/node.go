package chaingen

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/rpcserver"
)

// Node responds like a node of the chain, whose newest block is the head and final: with JSON-RPC over HTTP
// and WebSockets. The gateway's responses are built from the same data. It has a few items of the state; for
// others it returns an error, and never reports that nothing is stored. A network's parameter is not among
// them: no metadata here contain its pallet. The node of a rooted chain has more items, and serves
// state_getReadProof.
func (c *Chain) Node() *rpcserver.Server {
	heads := func(notice, unsubscribe string) rpcserver.Subscription {
		return rpcserver.Subscription{Notice: notice, Unsubscribe: unsubscribe, Tell: c.announce}
	}
	s := &rpcserver.Server{
		Methods: map[string]rpcserver.Method{
			"chain_getBlockHash":      c.blockHashes,
			"chain_getHead":           c.headHash,
			"chain_getFinalizedHead":  c.headHash,
			"chain_getHeader":         c.ofBlock(0, (*Chain).nodeHeader),
			"chain_getBlock":          c.ofBlock(0, (*Chain).nodeBlock),
			"state_getRuntimeVersion": c.ofState(0, func(b *body, _ []json.RawMessage) ([]byte, error) { return c.nodeRuntime(b.height), nil }),
			"state_getMetadata":       c.ofState(0, func(b *body, _ []json.RawMessage) ([]byte, error) { return c.runtimeAt(b.height).metadataHex(), nil }),
			"state_getStorage":        c.ofState(1, c.nodeStorage),
			"state_queryStorageAt":    c.ofState(1, c.nodeChanges),
			"state_getStorageHash":    c.ofState(1, c.nodeStorageHash),
			"state_getStorageSize":    c.ofState(1, c.nodeStorageSize),
			"system_name":             always(strconv.Quote(clientVersion)),
			"system_version":          always(strconv.Quote(clientVersion)),
			"system_chain":            always(strconv.Quote(c.network.SpecName)),
			"system_chainType":        always(chainType),
			"system_properties":       always(c.properties()),
			"system_health":           always(`{"peers":0,"isSyncing":false,"shouldHavePeers":false}`),
		},
		Subscriptions: map[string]rpcserver.Subscription{
			"chain_subscribeFinalizedHeads": heads("chain_finalizedHead", "chain_unsubscribeFinalizedHeads"),
			"chain_subscribeNewHeads":       heads("chain_newHead", "chain_unsubscribeNewHeads"),
		},
	}
	if c.options.Rooted {
		s.Methods["state_getReadProof"] = c.ofState(1, c.nodeProof)
	}
	names := []string{"rpc_methods"}
	for name := range s.Methods {
		names = append(names, name)
	}
	for name, subscription := range s.Subscriptions {
		names = append(names, name, subscription.Unsubscribe)
	}
	slices.Sort(names)
	list, err := json.Marshal(names)
	must(err)
	s.Methods["rpc_methods"] = always(fmt.Sprintf(`{"methods":%s}`, list))
	return s
}

func always(text string) rpcserver.Method {
	return func([]json.RawMessage) ([]byte, error) { return []byte(text), nil }
}

// announce sends each head, starting with the current one.
func (c *Chain) announce(ctx context.Context, send func([]byte) error) {
	for {
		moved := c.moved()
		if err := send(c.nodeHeader(c.body(c.Head()))); err != nil {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

var null = []byte("null")

func (c *Chain) headHash([]json.RawMessage) ([]byte, error) {
	return appendQuotedHex(nil, hashBytes(c.Hash(c.Head()))), nil
}

func hashBytes(h chain.Hash) []byte { return h[:] }

func appendQuotedHex(to, bytes []byte) []byte {
	return append(hex.AppendEncode(append(to, `"0x`...), bytes), '"')
}

// blockHashes returns the hash at a height, at each of a list of heights, or of the head.
func (c *Chain) blockHashes(params []json.RawMessage) ([]byte, error) {
	head := c.Head()
	one := func(to []byte, height uint64) []byte {
		if height > head {
			return append(to, null...)
		}
		return appendQuotedHex(to, hashBytes(c.Hash(height)))
	}
	var height uint64
	var heights []uint64
	switch {
	case len(params) == 0, string(params[0]) == "null":
		return one(nil, head), nil
	case len(params) > 1:
	case json.Unmarshal(params[0], &height) == nil:
		return one(nil, height), nil
	case json.Unmarshal(params[0], &heights) == nil:
		to := []byte{'['}
		for i, height := range heights {
			if i > 0 {
				to = append(to, ',')
			}
			to = one(to, height)
		}
		return append(to, ']'), nil
	}
	return nil, rpcserver.InvalidParams
}

// named returns the block whose hash is among the parameters, or the head if there is none. It returns nil if
// the block does not exist.
func (c *Chain) named(params []json.RawMessage, place int) (b *body, text string, err error) {
	if len(params) > place+1 {
		return nil, "", rpcserver.InvalidParams
	}
	if len(params) <= place || string(params[place]) == "null" {
		return c.body(c.Head()), "", nil
	}
	if err := json.Unmarshal(params[place], &text); err != nil {
		return nil, "", rpcserver.InvalidParams
	}
	hash, err := chain.ParseHash(text)
	if err != nil {
		return nil, "", rpcserver.InvalidParams
	}
	height, found := c.HeightOf(hash)
	if !found {
		return nil, text, nil
	}
	return c.body(height), text, nil
}

// ofBlock responds for a block, and with null if it does not exist.
func (c *Chain) ofBlock(place int, answer func(*Chain, *body) []byte) rpcserver.Method {
	return func(params []json.RawMessage) ([]byte, error) {
		b, _, err := c.named(params, place)
		if err != nil || b == nil {
			return null, err
		}
		return answer(c, b), nil
	}
}

// ofState responds for the state after a block.
func (c *Chain) ofState(place int, answer func(*body, []json.RawMessage) ([]byte, error)) rpcserver.Method {
	return func(params []json.RawMessage) ([]byte, error) {
		if len(params) < place {
			return nil, rpcserver.InvalidParams
		}
		b, text, err := c.named(params, place)
		switch {
		case err != nil:
			return nil, err
		case b == nil:
			return nil, &rpcserver.Error{Code: 4003, Message: "Client error: UnknownBlock: Header was not found in the database: " + text}
		}
		return answer(b, params)
	}
}

// nodeHeader returns a header in a node's form.
func (c *Chain) nodeHeader(b *body) []byte { return appendHeader(make([]byte, 0, 1<<10), b) }

func appendHeader(to []byte, b *body) []byte {
	to = appendQuotedHex(append(to, `{"parentHash":`...), b.header.ParentHash[:])
	to = strconv.AppendUint(append(to, `,"number":"0x`...), b.height, 16)
	to = appendQuotedHex(append(to, `","stateRoot":`...), b.header.StateRoot[:])
	to = appendQuotedHex(append(to, `,"extrinsicsRoot":`...), b.header.ExtrinsicsRoot[:])
	to = append(to, `,"digest":{"logs":`...)
	return append(appendList(to, b.header.Logs), `}}`...)
}

func appendList(to []byte, list [][]byte) []byte {
	to = append(to, '[')
	for i, bytes := range list {
		if i > 0 {
			to = append(to, ',')
		}
		to = appendQuotedHex(to, bytes)
	}
	return append(to, ']')
}

func (c *Chain) nodeBlock(b *body) []byte {
	size := 1 << 11
	for _, x := range b.extrinsics {
		size += 2*len(x) + 8
	}
	to := appendHeader(append(make([]byte, 0, size), `{"block":{"header":`...), b)
	to = appendList(append(to, `,"extrinsics":`...), b.extrinsics)
	return append(to, `},"justifications":null}`...)
}

func (c *Chain) nodeRuntime(height uint64) []byte {
	return []byte(c.runtimeAt(height).specification(c.network.SpecName))
}

// metadataHex returns the metadata in a node's form.
func (r *runtime) metadataHex() []byte { return appendQuotedHex(nil, r.metadata) }

// appendStored appends the value of the state at a key.
func (c *Chain) appendStored(to []byte, b *body, key string) ([]byte, error) {
	value, err := c.storedAt(b, key)
	switch {
	case err != nil:
		return nil, err
	case value == nil:
		return append(to, null...), nil
	}
	return appendQuotedHex(to, value), nil
}

func (c *Chain) nodeStorage(b *body, params []json.RawMessage) ([]byte, error) {
	var key string
	if err := json.Unmarshal(params[0], &key); err != nil {
		return nil, rpcserver.InvalidParams
	}
	return c.appendStored(nil, b, key)
}

// nodeChanges returns the values of the state at some keys.
func (c *Chain) nodeChanges(b *body, params []json.RawMessage) (to []byte, err error) {
	var keys []string
	if err := json.Unmarshal(params[0], &keys); err != nil {
		return nil, rpcserver.InvalidParams
	}
	to = appendQuotedHex(append(make([]byte, 0, 2*len(b.events)+1<<10), `[{"block":`...), b.hash[:])
	to = append(to, `,"changes":[`...)
	for i, key := range keys {
		if i > 0 {
			to = append(to, ',')
		}
		to = append(strconv.AppendQuote(append(to, '['), key), ',')
		if to, err = c.appendStored(to, b, key); err != nil {
			return nil, err
		}
		to = append(to, ']')
	}
	return append(to, `]}]`...), nil
}
