package source_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/rpcserver"
	"github.com/feeledger/fees/source"
)

// altering changes one byte of one extrinsic in each block from a node, while it has dice.
type altering struct {
	dice    atomic.Pointer[rand.Rand]
	changed string // the last change, in words
}

func (a *altering) alter(result []byte) []byte {
	dice := a.dice.Load()
	if dice == nil {
		return result
	}
	var answer struct {
		Block struct {
			Header     json.RawMessage `json:"header"`
			Extrinsics []string        `json:"extrinsics"`
		} `json:"block"`
	}
	must(json.Unmarshal(result, &answer))
	list := answer.Block.Extrinsics
	i := dice.IntN(len(list))
	x, err := hex.DecodeString(list[i][2:])
	must(err)
	at, by := dice.IntN(len(x)), byte(1+dice.IntN(255))
	x[at] ^= by
	list[i] = "0x" + hex.EncodeToString(x)
	a.changed = fmt.Sprintf("extrinsic %d, byte %d of %d, by %#02x", i, at, len(x), by)
	text, err := json.Marshal(answer)
	must(err)
	return text
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// put makes it change the responses of a node.
func (a *altering) put(node *rpcserver.Server) {
	said := func(params []json.RawMessage) ([]byte, error) { return node.Other("chain_getBlock", params) }
	if own := node.Methods["chain_getBlock"]; own != nil {
		said = own
	}
	if node.Methods == nil {
		node.Methods = map[string]rpcserver.Method{}
	}
	node.Methods["chain_getBlock"] = func(params []json.RawMessage) ([]byte, error) {
		result, err := said(params)
		if err != nil {
			return nil, err
		}
		return a.alter(result), nil
	}
}

// A block with any changed byte of an extrinsic is rejected, and nothing of it is kept: 500 changes, over HTTP
// and WebSockets, of blocks requested singly and in batches.
func TestAlteredExtrinsics(t *testing.T) {
	nodes := map[string]*rpcserver.Server{"made up": chaingen.New(chaingen.Options{Seed: 3, Head: 40, Upgrade: 20}).Node()}
	for _, name := range []string{"moonbeam-1701", "moonbeam-2600", "datahaven-100", "vflow-2000"} {
		nodes[name] = &nodetest.OpenPair(t, name).Server
	}
	for name, node := range nodes {
		t.Run(name, func(t *testing.T) {
			a := &altering{}
			a.put(node)
			server := httptest.NewServer(node)
			t.Cleanup(server.Close)
			for round, scheme := range []string{"http", "ws"} {
				src := open(t, strings.Replace(server.URL, "http", scheme, 1), quick)
				head, err := src.FinalHead(t.Context())
				require.NoError(t, err)
				hashes := map[uint64]chain.Hash{}
				for _, h := range []uint64{1, head.Number} { // it is a node's, and of these runtimes
					b, err := open(t, server.URL, quick).Block(t.Context(), h)
					require.NoError(t, err)
					hashes[h] = b.Hash
				}
				dice := rand.New(rand.NewPCG(1, uint64(round)))
				a.dice.Store(dice)
				for i := range 250/len(nodes)/tier.Step(4) + 1 {
					height := 1 + dice.Uint64N(head.Number)
					if i%2 == 0 {
						require.NoError(t, as[source.Batches](t, src).Prepare(t.Context(), chain.Heights{First: height, Last: height}))
					}
					_, err := src.Block(t.Context(), height)
					require.ErrorAs(t, err, new(*header.RootError), "block %d: %s", height, a.changed)
					require.ErrorIs(t, err, chain.ErrWrongBlock)
					require.ErrorContains(t, err, fmt.Sprintf("the node's extrinsics do not belong to block %d: their root is 0x", height))
					_, err = as[source.Extrinsics](t, src).Extrinsics(t.Context(), hashes[1])
					require.ErrorAs(t, err, new(*header.RootError))
				}
				a.dice.Store(nil)
				for height := range head.Number {
					_, err := src.Block(t.Context(), height+1)
					require.NoError(t, err)
				}
				list, err := as[source.Extrinsics](t, src).Extrinsics(t.Context(), hashes[1])
				require.NoError(t, err)
				require.NotEmpty(t, list)
			}
		})
	}
}
