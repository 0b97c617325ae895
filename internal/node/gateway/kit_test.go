package gateway_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/blake2b"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/pairs"
)

// quick options do not wait long between attempts.
var quick = httpclient.Options{RetryWait: time.Millisecond, Timeout: 5 * time.Second, Total: 10 * time.Second}

// madeChain is a node whose chain a test makes, of any length: a block has the contents of a
// recorded one, and a header that hashes truly and names its parent.
type madeChain struct {
	dir      string // of the pair
	contents []content
	metadata string // 0x-hex

	guard        sync.Mutex
	best         []string // hashes by height
	blocks       map[string]madeBlock
	final        int
	version      func(height int) uint32 // of the runtime that a block leaves behind
	asked        map[string]int
	instead      func(method string, params []json.RawMessage) (answer string, is bool)
	metadataFrom map[uint32]string // of a runtime, where it is not the recorded one
}

type content struct {
	extrinsics []string
	header     header
	stored     map[string]json.RawMessage
}

type header struct {
	ParentHash     string `json:"parentHash"`
	Number         string `json:"number"`
	StateRoot      string `json:"stateRoot"`
	ExtrinsicsRoot string `json:"extrinsicsRoot"`
	Digest         struct {
		Logs []string `json:"logs"`
	} `json:"digest"`
}

type madeBlock struct {
	height  int
	content *content
	header  header
}

const recordedVersion = 2600

// makeChain makes a chain of that many blocks above block 0, all final.
func makeChain(t testing.TB, blocks int) *madeChain {
	t.Helper()
	n := &madeChain{
		dir: pairs.Path(t, "moonbeam-2600"), blocks: map[string]madeBlock{}, asked: map[string]int{},
		version: func(int) uint32 { return recordedVersion }, metadataFrom: map[uint32]string{},
	}
	n.load(t)
	n.grow(0, blocks, 0)
	n.final = blocks
	return n
}

func (n *madeChain) load(t testing.TB) {
	read := func(name string, to any) {
		text, err := os.ReadFile(filepath.Join(n.dir, "node", name))
		require.NoError(t, err)
		if bytes, ok := to.(*string); ok {
			*bytes = strings.TrimSpace(string(text))
			return
		}
		require.NoError(t, json.Unmarshal(text, to))
	}
	var heights []struct{ Hash string }
	var blocks map[string]struct {
		Result struct {
			Block struct {
				Header     header
				Extrinsics []string
			}
		}
	}
	var stored map[string]struct{ Result json.RawMessage }
	read("heights.json", &heights)
	read("chain_getBlock.json", &blocks)
	read("state_getStorage.json", &stored)
	read("metadata.hex", &n.metadata)
	byHash := map[string]map[string]json.RawMessage{}
	for params, answer := range stored {
		var list []string
		require.NoError(t, json.Unmarshal([]byte(params), &list))
		if byHash[list[1]] == nil {
			byHash[list[1]] = map[string]json.RawMessage{}
		}
		byHash[list[1]][list[0]] = answer.Result
	}
	for _, h := range heights {
		b := blocks[fmt.Sprintf("[%q]", h.Hash)].Result.Block
		n.contents = append(n.contents, content{b.Extrinsics, b.Header, byHash[h.Hash]})
	}
}

// of is which recorded block's contents the block at a height has.
func (n *madeChain) of(height int) int {
	if height == 0 {
		return 0
	}
	return 1 + (height-1)%(len(n.contents)-1)
}

// grow makes the blocks from a height to another the best, on a branch of their own.
func (n *madeChain) grow(from, to int, branch byte) {
	n.guard.Lock()
	defer n.guard.Unlock()
	n.best = n.best[:from]
	for height := from; height <= to; height++ {
		b := madeBlock{height: height, content: &n.contents[n.of(height)]}
		b.header = b.content.header
		b.header.Number = fmt.Sprintf("0x%x", height)
		b.header.ParentHash = "0x" + strings.Repeat("45", 32)
		if height > 0 {
			b.header.ParentHash = n.best[height-1]
		}
		b.header.StateRoot = fmt.Sprintf("%s%02x", b.header.StateRoot[:64], branch)
		hash := b.header.hash()
		n.best, n.blocks[hash] = append(n.best, hash), b
	}
}

// hash is that of the header's SCALE.
func (h *header) hash() string {
	var b []byte
	add := func(text string) {
		bytes, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
		if err != nil {
			panic(err)
		}
		b = append(b, bytes...)
	}
	compact := func(n uint64) {
		switch {
		case n < 64:
			b = append(b, byte(n<<2))
		case n < 1<<14:
			b = binary.LittleEndian.AppendUint16(b, uint16(n<<2+1))
		default:
			b = binary.LittleEndian.AppendUint32(b, uint32(n<<2+2))
		}
	}
	number, err := strconv.ParseUint(h.Number, 0, 32)
	if err != nil {
		panic(err)
	}
	add(h.ParentHash)
	compact(number)
	add(h.StateRoot)
	add(h.ExtrinsicsRoot)
	compact(uint64(len(h.Digest.Logs)))
	for _, log := range h.Digest.Logs {
		add(log)
	}
	sum := blake2b.Sum256(b)
	return "0x" + hex.EncodeToString(sum[:])
}

// wanted is the answer of Sidecar for the best block at a height: the recorded one, with what
// the made header has.
func (n *madeChain) wanted(t testing.TB, height int) string {
	t.Helper()
	return n.wantedOf(t, n.best[height])
}

func (n *madeChain) wantedOf(t testing.TB, hash string) string {
	t.Helper()
	b := n.blocks[hash]
	from := n.of(b.height)
	text, err := os.ReadFile(filepath.Join(n.dir, "gateway", "blocks", strconv.Itoa(from)+".json"))
	require.NoError(t, err)
	s := string(text)
	for _, change := range [][2]string{
		{fmt.Sprintf(`"number":"%d"`, from), fmt.Sprintf(`"number":"%d"`, b.height)},
		{b.content.header.hash(), hash},
		{b.content.header.ParentHash, b.header.ParentHash},
		{b.content.header.StateRoot, b.header.StateRoot},
	} {
		require.Contains(t, s, change[0])
		s = strings.Replace(s, change[0], change[1], 1)
	}
	return s
}

// counted is how often each method was called since it was last counted, and how often any.
func (n *madeChain) counted() (asked map[string]int, sum int) {
	n.guard.Lock()
	defer n.guard.Unlock()
	asked, n.asked = n.asked, map[string]int{}
	for _, times := range asked {
		sum += times
	}
	return asked, sum
}

// set changes the node.
func (n *madeChain) set(change func()) {
	n.guard.Lock()
	defer n.guard.Unlock()
	change()
}

// gateway is one before the node.
func (n *madeChain) gateway(t testing.TB) *gateway.Gateway {
	t.Helper()
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	client, err := rpc.New(server.URL, quick)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return gateway.New(client)
}

func (n *madeChain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID     json.RawMessage   `json:"id"`
		Method string            `json:"method"`
		Params []json.RawMessage `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n.guard.Lock()
	n.asked[q.Method]++
	instead := n.instead
	n.guard.Unlock()
	answer, is := "", false
	if instead != nil {
		answer, is = instead(q.Method, q.Params)
	}
	if !is {
		answer = n.answer(q.Method, q.Params)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, q.ID, answer)
}

func result(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return `"result":` + string(text)
}

func failure(code int, message string) string {
	return fmt.Sprintf(`"error":{"code":%d,"message":%q}`, code, message)
}

func (n *madeChain) answer(method string, params []json.RawMessage) string {
	n.guard.Lock()
	defer n.guard.Unlock()
	switch method {
	case "chain_getFinalizedHead":
		return result(n.best[n.final])
	case "chain_getBlockHash":
		return n.hashes(params)
	case "system_chain":
		return result("Moonbeam Development")
	case "system_version":
		return result("1.0")
	case "system_chainType":
		return result("Development")
	case "system_properties":
		return `"result":{"ss58Format":1284,"tokenDecimals":18,"tokenSymbol":"GLMR"}`
	}
	hash := n.best[len(n.best)-1]
	at := map[string]int{"state_queryStorageAt": 1, "state_getStorage": 1}[method]
	if len(params) > at {
		json.Unmarshal(params[at], &hash)
	}
	b, known := n.blocks[hash]
	if !known && strings.HasPrefix(method, "chain_") {
		return `"result":null`
	}
	if !known {
		return failure(4003, "Client error: UnknownBlock: Header was not found in the database: "+hash)
	}
	switch method {
	case "chain_getHeader":
		return result(b.header)
	case "chain_getBlock":
		return result(map[string]any{"block": map[string]any{"header": b.header, "extrinsics": b.content.extrinsics}, "justifications": nil})
	case "state_getRuntimeVersion":
		return fmt.Sprintf(`"result":{"specName":"moonbeam","implName":"moonbeam","authoringVersion":3,"specVersion":%d,"implVersion":0,"apis":[],"transactionVersion":2}`, n.version(b.height))
	case "state_getMetadata":
		version := n.version(b.height)
		if text, other := n.metadataFrom[version]; other {
			return result(text)
		}
		return result(metadataOf(n.metadata, version))
	case "state_getStorage":
		var key string
		json.Unmarshal(params[0], &key)
		return result(b.content.stored[key])
	case "state_queryStorageAt":
		var keys []string
		json.Unmarshal(params[0], &keys)
		changes := [][2]any{}
		for _, key := range keys {
			changes = append(changes, [2]any{key, b.content.stored[key]})
		}
		return result([]any{map[string]any{"block": hash, "changes": changes}})
	}
	return failure(-32601, "Method not found")
}

// metadataOf are the recorded metadata as those of a runtime of another version, which has
// another name for the pallet Timestamp.
func metadataOf(text string, version uint32) string {
	if version == recordedVersion {
		return text
	}
	m, err := hex.DecodeString(text[2:])
	if err != nil {
		panic(err)
	}
	named := []byte("\x20moonbeam\x20moonbeam\x03\x00\x00\x00")
	at := bytes.Index(m, named) + len(named)
	binary.LittleEndian.PutUint32(m[at:], version)
	m = bytes.ReplaceAll(m, []byte("\x24Timestamp"), []byte("\x24Timestamq"))
	return "0x" + hex.EncodeToString(m)
}

func (n *madeChain) hashes(params []json.RawMessage) string {
	one := func(height int) *string {
		if height >= len(n.best) {
			return nil
		}
		return &n.best[height]
	}
	var height int
	if json.Unmarshal(params[0], &height) == nil {
		return result(one(height))
	}
	var heights []int
	json.Unmarshal(params[0], &heights)
	list := make([]*string, len(heights))
	for i := range heights {
		list[i] = one(heights[i])
	}
	return result(list)
}
