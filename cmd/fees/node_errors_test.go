package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/trietest"
)

// changed returns a node with changed responses for some methods.
type changed struct {
	*nodetest.Node
	answers atomic.Pointer[map[string]string] // by method: a member of the answer, or all of it
}

func (c *changed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var q struct {
		ID     json.RawMessage
		Method string
	}
	json.Unmarshal(body, &q)
	if answers := c.answers.Load(); answers != nil {
		if member, there := (*answers)[q.Method]; there {
			switch member {
			case "hang up":
				panic(http.ErrAbortHandler)
			case "hang":
				<-r.Context().Done()
				return
			case "cut":
				io.WriteString(w, `{"jsonrpc":"2.0","id":`)
				return
			case "100 MB":
				w.Header().Set("Content-Length", fmt.Sprint(100<<20))
				return
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, q.ID, member)
			return
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	c.Node.ServeHTTP(w, r)
}

// An error of a node is one line with cause, address and remedy.
func TestErrorsOfANode(t *testing.T) {
	recorded, _, _ := pairNode(t, "moonbeam-2600")
	const discarded = `"error":{"code":4003,"message":"Client error: Api called for an unknown Block: State already discarded for 0x12"}`
	const pruned = "the node does not keep this block or its state: "
	const archive = ". Use an archive node (--state-pruning archive --blocks-pruning archive)."
	asked := func(method, params string) string {
		var answer struct{ Result string }
		recorder := httptest.NewRecorder()
		recorded.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(fmt.Sprintf(`{"id":1,"method":%q,"params":[%s]}`, method, params))))
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &answer))
		return answer.Result
	}
	hash := func(height int) string { return asked("chain_getBlockHash", fmt.Sprint(height)) }
	metadata := asked("state_getMetadata", "")
	// instead replaces a text in metadata by another one of the same length.
	instead := func(text, by string) string {
		require.Equal(t, len(text), len(by))
		require.Contains(t, metadata, fmt.Sprintf("%x", text))
		return fmt.Sprintf(`"result":%q`, strings.ReplaceAll(metadata, fmt.Sprintf("%x", text), fmt.Sprintf("%x", by)))
	}
	// An altered block lacks its last extrinsic.
	altered, wrongRoot, rightRoot := func() (text string, wrong, right chain.Hash) {
		var answer struct {
			Result struct {
				Block struct {
					Header     map[string]any `json:"header"`
					Extrinsics []string       `json:"extrinsics"`
				} `json:"block"`
			} `json:"result"`
		}
		recorder := httptest.NewRecorder()
		recorded.ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(fmt.Sprintf(`{"id":1,"method":"chain_getBlock","params":[%q]}`, hash(12)))))
		require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &answer))
		b := &answer.Result.Block
		b.Extrinsics = b.Extrinsics[:len(b.Extrinsics)-1]
		list := trietest.New(0)
		for i, x := range b.Extrinsics {
			bytes, err := hex.DecodeString(x[2:])
			require.NoError(t, err)
			list.Set([]byte{byte(i << 2)}, bytes)
		}
		right, err := chain.ParseHash(b.Header["extrinsicsRoot"].(string))
		require.NoError(t, err)
		whole, err := json.Marshal(answer)
		require.NoError(t, err)
		return strings.TrimSuffix(string(whole[1:]), "}"), list.Root(), right
	}()
	isAltered := fmt.Sprintf("block 12: the node's extrinsics do not belong to block 12: their root is %v, but the header's extrinsicsRoot is %v. Use another node; this one altered the block or is damaged.", wrongRoot, rightRoot)
	for name, c := range map[string]struct {
		answers map[string]string
		args    string
		code    int
		says    string // AT is the node's address
	}{
		"an altered block":                   {map[string]string{"chain_getBlock": altered}, "block 12", exitGateway, isAltered},
		"an altered block that is explained": {map[string]string{"chain_getBlock": altered}, "explain 12-3", exitGateway, isAltered},
		"an altered block of a sync":         {map[string]string{"chain_getBlock": altered}, "sync 12..12 --ledger " + filepath.Join(t.TempDir(), "fees.db"), exitGateway, isAltered},
		"pruned state": {map[string]string{"state_queryStorageAt": discarded}, "block 12", exitGateway,
			`the node replied "Client error: Api called for an unknown Block: State already discarded for 0x12" (block 12: block 12 (` + hash(12) + "): " + pruned + "state_queryStorageAt: the node refuses (code 4003))" + archive},
		"pruned blocks": {map[string]string{"chain_getBlock": `"result":null`}, "block 12", exitGateway,
			"block 12: block 12 (" + hash(12) + "): " + pruned + "block " + hash(12) + ": no such block" + archive},
		"no such method": {map[string]string{"chain_getFinalizedHead": `"error":{"code":-32601,"message":"Method not found"}`}, "block 12", exitGateway,
			"block 12: chain_getFinalizedHead: the node refuses: Method not found (code -32601). List the node's methods with \"fees node methods\"."},
		"a node that syncs": {map[string]string{"system_health": `"result":{"isSyncing":true,"peers":3}`}, "block 43", exitGateway,
			"block 43: no such block: the node is still syncing, currently at block 27. Wait until it has caught up, or use another node."},
		"beyond the head": {nil, "block 43", exitGateway,
			"block 43: no such block: the node's newest is block 27. Check the chain and the block; show the newest with \"fees block head\"."},
		"a node that hangs up": {map[string]string{"chain_getBlock": "hang up"}, "block 12", exitGateway,
			"block 12: chain_getBlock: no answer from the node at AT: it closed the connection. Start it, or name another with --gateway or FEES_GATEWAY."},
		"a node that hangs": {map[string]string{"chain_getBlock": "hang"}, "block 12", exitGateway,
			"block 12: chain_getBlock: no answer from the node at AT: timed out after 2s. Start it, or name another with --gateway or FEES_GATEWAY."},
		"cut JSON": {map[string]string{"chain_getBlock": "cut"}, "block 12", exitGateway,
			"block 12: chain_getBlock: malformed answer: invalid JSON at byte N: the text ends too early. Try again, or use another node."},
		"100 MB": {map[string]string{"chain_getBlock": "100 MB"}, "block 12", exitGateway,
			"block 12: chain_getBlock: no answer from the node at AT: the answer is larger than any block should be. Try again, or use another node."},
		"deep JSON": {map[string]string{"chain_getBlock": `"result":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)}, "block 12", exitGateway,
			"block 12: chain_getBlock: malformed answer: invalid JSON at byte N: nested more than 512 levels deep. Try again, or use another node."},
		"metadata of another runtime": {map[string]string{"state_getRuntimeVersion": `"result":{"specName":"moonbeam","specVersion":2500}`}, "block 12", exitGateway,
			"block 12: malformed metadata: block 11: they belong to runtime moonbeam/2600, but the node reports moonbeam/2500. Try again, or use another node."},
		"a chain without the pallet of the multiplier": {map[string]string{"state_getMetadata": instead("TransactionPayment", "TransactionPaymenz")}, "block 12", exitGateway,
			`multiplier at block 11: "transactionPayment" was not recognized as a queryable pallet.`},
		"a chain that is none of ours": {map[string]string{"state_getRuntimeVersion": `"result":{"specName":"polkadot","implName":"polkadot","authoringVersion":3,"specVersion":2600,"implVersion":0,"apis":[],"transactionVersion":2}`, "state_getMetadata": instead("\x20moonbeam\x20moonbeam", "\x20polkadot\x20polkadot")}, "block 12", exitUsage,
			`unknown network: the gateway serves "polkadot" (known: bittensor, creditcoin, datahaven, datahaven-stagenet, datahaven-testnet, kusama-hub, moonbase, moonbeam, moonriver, passet-hub, polkadot-hub, vflow-testnet). Name one with --network, or pass your own table with --network-file.`},
		"cut metadata": {map[string]string{"state_getMetadata": fmt.Sprintf(`"result":%q`, metadata[:1000])}, "block 12", exitGateway,
			"block 12: malformed metadata: runtime moonbeam/2600: metadata of version 14: SCALE at byte 7: the bytes end too early: 647 elements do not fit into 492 bytes. Try again, or use another node."},
		"metadata with a pallet's index twice": {map[string]string{"state_getMetadata": instead("\x01\x24Timestamp\x01", "\x00\x24Timestamp\x01")}, "block 12", exitGateway,
			"block 12: malformed metadata: runtime moonbeam/2600: metadata of version 14: the pallets System and ParachainSystem both have index 0. Try again, or use another node."},
	} {
		t.Run(name, func(t *testing.T) {
			node := &changed{Node: recorded}
			node.answers.Store(&c.answers)
			server := httptest.NewServer(node)
			defer server.Close()
			t.Setenv("FEES_GATEWAY", server.URL+"/?node")
			timeout := "1m"
			if strings.Contains(c.says, "no answer from the node") || strings.Contains(c.says, "malformed answer") { // it is asked again until then
				timeout = "2s"
			}
			_, stderr, code := fees(append(strings.Fields(c.args), "--timeout", timeout, "--quiet")...)
			stderr = regexp.MustCompile(`JSON at byte [0-9]+`).ReplaceAllString(stderr, "JSON at byte N") // which depends on how often it asked
			require.Equal(t, "fees: "+strings.ReplaceAll(c.says, "at AT:", "at "+server.URL+":")+"\n", stderr)
			require.Equal(t, c.code, code)
		})
	}
}

// A node on another chain than the ledger is an immediate error.
func TestOtherChainsOfNodes(t *testing.T) {
	recorded, _, _ := pairNode(t, "moonbeam-2600")
	_, other, otherWS := pairNode(t, "moonbeam-2100")
	server := httptest.NewServer(recorded)
	defer server.Close()
	ledger := newLedgerFile(t)
	t.Setenv("FEES_GATEWAY", server.URL+"/?node")
	outputOf(t, exitFinding, "sync", "0..9", "--ledger", ledger, "--quiet")
	for _, address := range []string{other + "/?node", otherWS} {
		t.Setenv("FEES_GATEWAY", address)
		for _, command := range []string{"sync 10..12 --quiet", "follow --quiet"} {
			stdout, stderr, code := fees(append(strings.Fields(command), "--ledger", ledger)...)
			require.Equal(t, exitUsage, code, "%s: %s", command, stdout)
			require.Regexp(t, "^fees: ledger [^ ]+: the ledger belongs to another chain: its block 0 on moonbeam is 0x3e63b7ef[0-9a-f]{56}, not 0x6e0f77ab[0-9a-f]{56}. Name another ledger with --ledger.\n$", stderr, command)
		}
	}
}
