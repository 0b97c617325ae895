package rpc_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/test/trietest"
)

// batching is a node over HTTP and WebSockets, of the blocks that [numbered] names.
type batching struct {
	// instead answers a whole message, unless it returns "".
	instead func(questions []question, batch bool) string
	guard   sync.Mutex
	sizes   []int // of the messages that came
}

// came are the sizes of the messages that came.
func (b *batching) came() []int {
	b.guard.Lock()
	defer b.guard.Unlock()
	return slices.Clone(b.sizes)
}

// forget forgets those after the first n.
func (b *batching) forget(n int) {
	b.guard.Lock()
	defer b.guard.Unlock()
	b.sizes = b.sizes[:n]
}

func (b *batching) message(text []byte) string {
	batch := text[0] == '['
	if !batch {
		text = fmt.Appendf(nil, "[%s]", text)
	}
	var questions []question
	if err := json.Unmarshal(text, &questions); err != nil {
		panic(err)
	}
	b.guard.Lock()
	b.sizes = append(b.sizes, len(questions))
	b.guard.Unlock()
	if b.instead != nil {
		if said := b.instead(questions, batch); said != "" {
			return said
		}
	}
	var answers []string
	for _, q := range questions {
		answers = append(answers, answerTo(q))
	}
	slices.Reverse(answers) // in any order
	if !batch {
		return answers[0]
	}
	return "[" + strings.Join(answers, ",") + "]"
}

func answerTo(q question) string {
	var hash string
	json.Unmarshal(q.Params[len(q.Params)-1], &hash)
	n := slices.Index(batched[:], hash)
	switch {
	case n == prunedBlock:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":4003,"message":"State already discarded"}}`, q.ID)
	case n <= 0:
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":null}`, q.ID)
	case q.Method == "state_queryStorageAt":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":[{"block":%q,"changes":[["0x01","0x%02x"],["0x02",null]]}]}`, q.ID, hash, n)
	}
	h := batchedHeader(byte(n))
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"block":{"header":{"number":"0x%x","parentHash":"%v","stateRoot":"%v","extrinsicsRoot":"%v","digest":{"logs":[]}},"extrinsics":["0x%02[2]x"]}}}`,
		q.ID, n, h.ParentHash, h.StateRoot, h.ExtrinsicsRoot)
}

// batchedHeader is that of the block with a number, whose one extrinsic is that number.
func batchedHeader(n byte) header.Header {
	root := trietest.New(0)
	root.Set([]byte{0}, []byte{n})
	return header.Header{Header: chain.Header{Number: uint64(n), ExtrinsicsRoot: root.Root()}}
}

// batched are the hashes of the blocks by their numbers. Of block 0 the node knows nothing, and of another one no state.
var batched = func() (list [256]string) {
	for n := range list {
		list[n] = numbered(byte(n)).String()
	}
	return list
}()

const prunedBlock = 0xee

func (b *batching) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		text, _ := io.ReadAll(r.Body)
		io.WriteString(w, b.message(text))
		return
	}
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer c.CloseNow()
	for {
		_, text, err := c.Read(r.Context())
		if err != nil {
			return
		}
		if err := c.Write(r.Context(), websocket.MessageText, []byte(b.message(text))); err != nil {
			return
		}
	}
}

// overBoth runs a test over HTTP and over a WebSocket.
func overBoth(t *testing.T, instead func([]question, bool) string, o httpclient.Options, test func(*testing.T, *rpc.Client, *batching)) {
	for _, scheme := range []string{"http", "ws"} {
		t.Run(scheme, func(t *testing.T) {
			node := &batching{instead: instead}
			server := httptest.NewServer(node)
			t.Cleanup(server.Close)
			test(t, newClient(t, scheme+strings.TrimPrefix(server.URL, "http"), o), node)
		})
	}
}

// numbered is the hash of the block with a number.
func numbered(n byte) chain.Hash {
	h := batchedHeader(n)
	return h.Hash()
}

// asked asks for a block, and what its state has, of each of some hashes, and wants the
// right answers.
func asked(t *testing.T, c *rpc.Client, count int) {
	b := c.Batch()
	var blocks []rpc.Pending[rpc.Block]
	var states []rpc.Pending[[][]byte]
	for i := range count {
		blocks = append(blocks, b.Block(numbered(byte(i+1))))
		states = append(states, b.Storage(numbered(byte(i+1)), []byte{1}, []byte{2}))
	}
	_, err := blocks[0].Get()
	require.EqualError(t, err, "the batch was not sent")
	require.NoError(t, b.Ask(soon(t)))
	for i := range count {
		block, err := blocks[i].Get()
		require.NoError(t, err)
		require.Equal(t, uint64(i+1), block.Header.Number)
		require.Equal(t, chain.Some(numbered(byte(i+1))), block.Header.Hash)
		stored, err := states[i].Get()
		require.NoError(t, err)
		require.Equal(t, [][]byte{{byte(i + 1)}, nil}, stored)
	}
}

func TestBatch(t *testing.T) {
	overBoth(t, nil, quick, func(t *testing.T, c *rpc.Client, node *batching) {
		require.NoError(t, c.Batch().Ask(soon(t)))
		asked(t, c, 16)
		asked(t, c, 100)
		require.ElementsMatch(t, []int{32, 64, 64, 64, 8}, node.came())
	})
}

// Each question of a batch has its own result or refusal.
func TestRefusedInABatch(t *testing.T) {
	overBoth(t, nil, quick, func(t *testing.T, c *rpc.Client, node *batching) {
		b := c.Batch()
		well, none, pruned := b.Block(numbered(1)), b.Block(numbered(0)), b.Storage(numbered(prunedBlock), []byte{1})
		require.NoError(t, b.Ask(soon(t)))
		_, err := well.Get()
		require.NoError(t, err)
		_, err = none.Get()
		require.ErrorIs(t, err, chain.ErrNoBlock)
		_, err = pruned.Get()
		require.EqualError(t, err, "state_queryStorageAt: the node refuses: State already discarded (code 4003)")
	})
}

func refusing(code int, says string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, says)
}

// A node that takes fewer questions at once, or one at a time, is asked so, and is not
// asked for more again. One whose answer would be too large is asked for half of it.
func TestSmallerBatches(t *testing.T) {
	limit := func(most, code int) func([]question, bool) string {
		return func(questions []question, _ bool) string {
			if len(questions) > most {
				return refusing(code, "no")
			}
			return ""
		}
	}
	for name, c := range map[string]struct {
		instead       func([]question, bool) string
		first, second []int
	}{
		"none at all":          {limit(1, -32005), []int{8, 1, 1, 1, 1, 1, 1, 1, 1}, []int{1, 1, 1, 1, 1, 1, 1, 1}},
		"fewer":                {limit(3, -32010), []int{8, 2, 2, 2, 2}, []int{2, 2, 2, 2}},
		"the answer too large": {limit(4, -32011), []int{8, 4, 4}, []int{8, 4, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			overBoth(t, c.instead, quick, func(t *testing.T, client *rpc.Client, node *batching) {
				asked(t, client, 4)
				require.Equal(t, c.first[0], node.came()[0])
				sizes := node.came()
				slices.Sort(sizes)
				require.Equal(t, c.first[1:], sizes[:len(c.first)-1], "%v: those that were not refused", sizes)
				node.forget(0)
				asked(t, client, 4)
				require.Equal(t, c.second, node.came())
			})
		})
	}
}

// A frame or a body that is larger than an answer may be is asked for in parts.
func TestBatchThatIsTooLarge(t *testing.T) {
	o := quick
	o.MaxAnswer = 2000
	overBoth(t, nil, o, func(t *testing.T, c *rpc.Client, node *batching) {
		asked(t, c, 16)
		require.Equal(t, 32, node.came()[0])
		require.Greater(t, slices.Max(node.came()[1:]), 1)
	})
}

// What of a batch's answer does not fit is an error, and no result.
func TestWrongBatches(t *testing.T) {
	for name, c := range map[string]struct {
		change func(answers []string) []string
		says   string
	}{
		"one twice":     {func(a []string) []string { return append(a, a[0]) }, ""},
		"one to nobody": {func(a []string) []string { return append(a, `{"jsonrpc":"2.0","id":99999,"result":1}`) }, ""},
		"one without id": {func(a []string) []string {
			return append(a[1:], `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}`)
		}, ""},
		"one missing": {func(a []string) []string { return a[1:] }, ""},
		"none":        {func([]string) []string { return nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wrong := func(questions []question, batch bool) string {
				if !batch {
					return ""
				}
				var answers []string
				for _, q := range questions {
					answers = append(answers, answerTo(q))
				}
				return "[" + strings.Join(c.change(answers), ",") + "]"
			}
			o := quick
			o.Timeout, o.Total = 50*time.Millisecond, 200*time.Millisecond
			overBoth(t, wrong, o, func(t *testing.T, client *rpc.Client, node *batching) {
				b := client.Batch()
				one, two := b.Block(numbered(1)), b.Block(numbered(2))
				if err := b.Ask(soon(t)); err != nil { // over a WebSocket the missing one may yet come
					require.True(t, httpclient.TimedOut(err), "%v", err)
					return
				}
				for i, p := range []rpc.Pending[rpc.Block]{one, two} {
					block, err := p.Get()
					require.NoError(t, err)
					require.Equal(t, uint64(i+1), block.Header.Number)
				}
				before := len(node.came())
				again := client.Batch()
				again.Block(numbered(1))
				again.Block(numbered(2))
				_ = again.Ask(soon(t))
				if name != "one without id" { // which may be a refusal of the batch
					require.Equal(t, 2, node.came()[before], "a garbled answer is not a refusal")
				}
				node.forget(before)
				if client.Place().Address[:2] != "ws" { // there the answers that fit have come before
					require.Equal(t, 1, node.came()[len(node.came())-1], "they were asked one by one")
				}
			})
		})
	}
}

// A batch that the node is too busy for is asked again, as a question is.
func TestBusyBatch(t *testing.T) {
	node, times := &batching{}, 0
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if times++; times <= 3 {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		node.ServeHTTP(w, r)
	})
	c := newClient(t, server.URL, quick)
	asked(t, c, 2)
	require.Equal(t, []int{4}, node.came())
}

// A refusal that passes is asked about again, of a single question and of a batch, over HTTP and
// over a WebSocket: what of a batch was answered is not.
func TestRefusalsThatPass(t *testing.T) {
	for _, refusal := range []string{
		`{"code":-32603,"message":"Internal server error"}`, `{"code":-32000,"message":"backend timed out"}`, `{"code":-32005,"message":"daily request count exceeded"}`,
		`{"code":-32029,"message":"Too many requests"}`, `{"code":503,"message":"no healthy upstream"}`,
	} {
		var guard sync.Mutex
		messages := map[bool]int{} // refused, by whether it was a batch
		refuse := func(questions []question, batch bool) string {
			guard.Lock()
			defer guard.Unlock()
			if messages[batch]++; messages[batch] == 1 || messages[batch] > 3 {
				return ""
			}
			var answers []string
			for i, q := range questions {
				if batch && i%2 == 0 {
					answers = append(answers, answerTo(q))
					continue
				}
				answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":%s}`, q.ID, refusal))
			}
			if batch {
				return "[" + strings.Join(answers, ",") + "]"
			}
			return answers[0]
		}
		overBoth(t, refuse, quick, func(t *testing.T, c *rpc.Client, node *batching) {
			clear(messages)
			for range 2 {
				_, err := c.Call(soon(t), "chain_getBlock", numbered(1))
				require.NoError(t, err, refusal)
				asked(t, c, 4)
			}
			require.Equal(t, []int{1, 8, 1, 1, 1, 8, 4, 2}, node.came(), refusal)
		})
	}
}
