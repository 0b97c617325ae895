package rpc_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/test/trietest"
)

var (
	firstHash  = chain.Hash{1}
	secondHash = chain.Hash{2}
)

// Hashes are asked for many at a time; the node has no block at some heights.
func TestHashes(t *testing.T) {
	c := giving(t, fmt.Sprintf(`["%v",null,"%v"]`, firstHash, secondHash))
	hashes, err := c.Hashes(t.Context(), []uint64{5, 99, 6})
	require.NoError(t, err)
	require.Equal(t, []chain.Optional[chain.Hash]{chain.Some(firstHash), {}, chain.Some(secondHash)}, hashes)
	for result, want := range map[string]string{
		`[]`:                    "malformed list of block hashes: hashes: 0 for 1 heights",
		`null`:                  "malformed list of block hashes: hashes: want an array, have null",
		`["0x12"]`:              "malformed list of block hashes: hashes[0]: ",
		`[null, null]`:          "malformed list of block hashes: hashes",
		`{"0": "` + "0x" + `"}`: "malformed list of block hashes: hashes: want an array, have an object",
	} {
		_, err := giving(t, result).Hashes(t.Context(), []uint64{5})
		require.ErrorContains(t, err, want, result)
	}
	_, err = answering(t, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32602,"message":"Invalid params"}}`).Hashes(t.Context(), []uint64{5})
	require.ErrorContains(t, err, "chain_getBlockHash: the node refuses: Invalid params")
}

// What several keys have is one question, whose answer names the block and each key.
func TestStorage(t *testing.T) {
	change := func(text string) string {
		return fmt.Sprintf(`[{"block":"%v","changes":[%s]}]`, firstHash, text)
	}
	stored, err := giving(t, change(`["0x02",null],["0x01AB","0xcdef"],["0x03","0x"]`)).Storage(t.Context(), firstHash, []byte{1, 0xab}, []byte{2}, []byte{3})
	require.NoError(t, err)
	require.Equal(t, [][]byte{{0xcd, 0xef}, nil, {}}, stored)
	for result, want := range map[string]string{
		`null`:                  "malformed storage: changes: want those of block " + firstHash.String(),
		change(`["0x02",null]`): "malformed storage: changes: the key 0x01 is missing",
		change(`["0x01"]`):      "malformed storage: changes: want pairs of a key and 0x-hex or null",
		change(`["0x01","cd"]`): "malformed storage: changes: want pairs of a key and 0x-hex or null",
		change(`[1,"0xcd"]`):    "malformed storage: changes: want pairs of a key and 0x-hex or null",
		`[{"block":"` + secondHash.String() + `","changes":[]}]`:      "malformed storage: changes: want those of block " + firstHash.String(),
		`[{"block":"` + firstHash.String() + `","changes":{"a": 1}}]`: "malformed storage: changes: want an array, have an object",
	} {
		_, err := giving(t, result).Storage(t.Context(), firstHash, []byte{1})
		require.ErrorContains(t, err, want, result)
	}
	_, err = answering(t, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32603,"message":"no"}}`).Storage(t.Context(), firstHash, []byte{1})
	require.ErrorContains(t, err, "state_queryStorageAt: the node refuses: no")
}

// A node without that method is asked for one key after the other, and not for it again.
func TestStorageOneByOne(t *testing.T) {
	var guard sync.Mutex
	asked := map[string]int{}
	value := `"0xcdef"`
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := readQuestion(r)
		guard.Lock()
		defer guard.Unlock()
		asked[q.Method]++
		answer := `"error":{"code":-32601,"message":"Method not found"}`
		if q.Method == "state_getStorage" {
			answer = `"result":` + value
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,%s}`, q.ID, answer)
	})
	c := newClient(t, server.URL, quick)
	for range 2 {
		stored, err := c.Storage(t.Context(), firstHash, []byte{1}, []byte{2})
		require.NoError(t, err)
		require.Equal(t, [][]byte{{0xcd, 0xef}, {0xcd, 0xef}}, stored)
	}
	require.Equal(t, map[string]int{"state_queryStorageAt": 1, "state_getStorage": 4}, asked)
	for text, want := range map[string]string{`"cd"`: "malformed bytes", `"0xc"`: "malformed bytes", `7`: "malformed bytes"} {
		guard.Lock()
		value = text
		guard.Unlock()
		_, err := c.Storage(t.Context(), firstHash, []byte{1})
		require.ErrorContains(t, err, want, text)
	}
}

func TestMetadata(t *testing.T) {
	bytes, err := giving(t, `"0x6d657461"`).Metadata(t.Context(), firstHash)
	require.NoError(t, err)
	require.Equal(t, "meta", string(bytes))
	_, err = giving(t, `null`).Metadata(t.Context(), firstHash)
	require.EqualError(t, err, "malformed metadata: none for block "+firstHash.String())
	_, err = giving(t, `{}`).Metadata(t.Context(), firstHash)
	require.ErrorContains(t, err, "malformed bytes")
	_, err = answering(t, `{"jsonrpc":"2.0","id":$id,"error":{"code":4003,"message":"UnknownBlock"}}`).Metadata(t.Context(), firstHash)
	require.ErrorContains(t, err, "state_getMetadata: the node refuses: UnknownBlock (code 4003)")
}

// Extrinsics are those of the block that was asked for: their root is the header's, and the header has the hash.
func TestExtrinsics(t *testing.T) {
	root := trietest.New(0)
	root.Set([]byte{0}, []byte{1, 2})
	root.Set([]byte{4}, []byte{})
	h := header.Header{Header: chain.Header{Number: 7, ExtrinsicsRoot: root.Root()}}
	block := func(extrinsics string) string {
		zero := chain.Hash{}.String()
		return fmt.Sprintf(`{"block":{"header":{"number":"0x7","parentHash":"%s","stateRoot":"%s","extrinsicsRoot":"%v","digest":{"logs":[]}},"extrinsics":[%s]}}`, zero, zero, h.ExtrinsicsRoot, extrinsics)
	}
	list, err := giving(t, block(`"0x0102","0x"`)).Extrinsics(t.Context(), h.Hash())
	require.NoError(t, err)
	require.Equal(t, [][]byte{{1, 2}, {}}, list)
	_, err = giving(t, `null`).Extrinsics(t.Context(), firstHash)
	require.ErrorIs(t, err, chain.ErrNoBlock)
	_, err = giving(t, block(`"0x0102","0x1"`)).Extrinsics(t.Context(), h.Hash())
	require.EqualError(t, err, "malformed block: block.extrinsics[1]: want 0x and pairs of hex digits")
	_, err = giving(t, block(`"0x0102",null`)).Extrinsics(t.Context(), h.Hash())
	require.EqualError(t, err, "malformed block: block.extrinsics[1]: want a string, have null")

	other := trietest.New(0)
	other.Set([]byte{0}, []byte{1, 3})
	other.Set([]byte{4}, []byte{})
	for _, asked := range []chain.Optional[chain.Hash]{chain.Some(h.Hash()), {}} {
		_, err = giving(t, block(`"0x0103","0x"`)).Block(t.Context(), asked)
		require.ErrorIs(t, err, chain.ErrWrongBlock)
		require.EqualError(t, err, fmt.Sprintf("the node's extrinsics do not belong to block 7: their root is %v, but the header's extrinsicsRoot is %v",
			chain.Hash(other.Root()), h.ExtrinsicsRoot))
	}
	for _, list := range []string{``, `"0x0102"`, `"0x","0x0102"`, `"0x0102","0x","0x"`} {
		_, err = giving(t, block(list)).Extrinsics(t.Context(), h.Hash())
		require.ErrorAs(t, err, new(*header.RootError), list)
	}
	_, err = giving(t, block(`"0x0102","0x"`)).Extrinsics(t.Context(), firstHash)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.EqualError(t, err, fmt.Sprintf("block %v: the response is for a different block: the node's header has the hash %v", firstHash, h.Hash()))
}

// An observer receives each attempt, and an address shows no key.
func TestObserve(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":"Moonbeam"}`, readQuestion(r).ID)
	})
	c := newClient(t, server.URL+"/0123456789abcdef", quick)
	require.Equal(t, httpclient.Place{What: httpclient.Node, Address: server.URL}, c.Place())
	var seen []string
	c.Observe(func(method string, err error) {
		require.NoError(t, err)
		seen = append(seen, method)
	})
	_, err := c.Chain(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"system_chain"}, seen)
}

// A read proof names the block that it is of.
func TestReadProof(t *testing.T) {
	given := fmt.Sprintf(`{"at":"%v","proof":["0x01AB","0x"]}`, firstHash)
	parts, err := giving(t, given).ReadProof(t.Context(), firstHash, []byte{1, 2})
	require.NoError(t, err)
	require.Equal(t, [][]byte{{1, 0xab}, {}}, parts)
	c := giving(t, given)
	batch := c.Batch()
	pending := batch.ReadProof(firstHash, []byte{1, 2})
	require.NoError(t, batch.Ask(t.Context()))
	together, err := pending.Get()
	require.NoError(t, err)
	require.Equal(t, parts, together)
	for result, want := range map[string]string{
		`null`: "malformed proof: at: want block " + firstHash.String(),
		fmt.Sprintf(`{"at":"%v","proof":[]}`, secondHash):     "malformed proof: at: want block " + firstHash.String() + ", have \"" + secondHash.String(),
		fmt.Sprintf(`{"at":"%v","proof":["01"]}`, firstHash):  "malformed proof: proof[0]: ",
		fmt.Sprintf(`{"at":"%v","proof":"0x01"}`, firstHash):  "malformed proof: proof: want an array",
		fmt.Sprintf(`{"at":"%v","proof":["0x1"]}`, firstHash): "malformed proof: proof[0]: ",
	} {
		_, err := giving(t, result).ReadProof(t.Context(), firstHash, []byte{1})
		require.ErrorContains(t, err, want, result)
	}
	_, err = answering(t, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32601,"message":"Method not found"}}`).ReadProof(t.Context(), firstHash, []byte{1})
	require.ErrorIs(t, err, rpc.ErrNoMethod)
}
