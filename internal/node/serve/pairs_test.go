package serve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/reply"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/serve"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
)

func openNode(t testing.TB) *nodetest.Node {
	t.Helper()
	node := nodetest.OpenPair(t, "moonbeam-2600")
	return node
}

// before serves a gateway before the node at an address, and returns its own.
func before(t testing.TB, node string, o serve.Options) string {
	t.Helper()
	return beforeAsked(t, node, httpclient.Options{}, o)
}

func beforeAsked(t testing.TB, node string, asked httpclient.Options, o serve.Options) string {
	t.Helper()
	client, err := rpc.New(node, asked)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- reply.Serve(ctx, listener, serve.HandlerWith(client, o)) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, client.Close())
	})
	return "http://" + listener.Addr().String()
}

// served is a gateway before a handler that is a node, by a WebSocket.
func served(t testing.TB, node http.Handler, o serve.Options) string {
	t.Helper()
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	return before(t, strings.Replace(server.URL, "http", "ws", 1), o)
}

// answer is what came over HTTP.
type answer struct {
	status      int
	contentType string
	length      string
	text        string
}

func get(t testing.TB, url string) answer {
	t.Helper()
	response, err := http.Get(url)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return answer{response.StatusCode, response.Header.Get("Content-Type"), response.Header.Get("Content-Length"), string(text)}
}

// recorded are the answers of Sidecar, by their questions.
func recorded(t testing.TB) map[string]string {
	t.Helper()
	found := map[string]string{"/node/version": "node-version.json", "/runtime/metadata": "runtime-metadata.json"}
	for kind, question := range map[string]string{
		"blocks": "/blocks/%s", "headers": "/blocks/%s/header", "runtime-spec": "/runtime/spec?at=%s",
		"multiplier":   "/pallets/transaction-payment/storage/nextFeeMultiplier?at=%s",
		"block-weight": "/pallets/system/storage/blockWeight?at=%s",
	} {
		files, err := filepath.Glob(pairs.Path(t, "moonbeam-2600", "gateway", kind, "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files, kind)
		for _, file := range files {
			found[fmt.Sprintf(question, strings.TrimSuffix(filepath.Base(file), ".json"))] = filepath.Join(kind, filepath.Base(file))
		}
	}
	balances, err := filepath.Glob(pairs.Path(t, "moonbeam-2600", "gateway/balance-info/*/*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, balances)
	for _, file := range balances {
		account := filepath.Base(filepath.Dir(file))
		height := strings.TrimSuffix(filepath.Base(file), ".json")
		found[fmt.Sprintf("/accounts/%s/balance-info?at=%s", account, height)] = filepath.Join("balance-info", account, filepath.Base(file))
	}
	for question, file := range found {
		text, err := os.ReadFile(pairs.Path(t, "moonbeam-2600", "gateway", file))
		require.NoError(t, err)
		found[question] = string(text)
	}
	return found
}

// TestPair wants what Sidecar was recorded to have answered, to the byte.
func TestPair(t *testing.T) {
	gateway := served(t, openNode(t), serve.Options{})
	all := recorded(t)
	for question, want := range all {
		require.Equal(t, answer{http.StatusOK, "application/json; charset=utf-8", strconv.Itoa(len(want)), want}, get(t, gateway+question), question)
	}
	t.Log(len(all), "answers")
}

// unlike are the questions of more/index.tsv that are not answered as Sidecar does, and why.
var unlike = map[string]string{
	"/node/network": "not offered",
	"/":             "the version is that of fees; there is no list of routes",
}

// TestMoreAnswers wants other answers and errors of Sidecar: errors without the stack, which
// is of its source files.
func TestMoreAnswers(t *testing.T) {
	gateway := served(t, openNode(t), serve.Options{Version: "fees 1"})
	index, err := os.ReadFile(pairs.Path(t, "moonbeam-2600", "gateway/more/index.tsv"))
	require.NoError(t, err)
	compared := 0
	for line := range strings.Lines(string(index)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		question, want := fields[1], answer{contentType: fields[3]}
		want.status, err = strconv.Atoi(fields[2])
		require.NoError(t, err)
		text, err := os.ReadFile(pairs.Path(t, "moonbeam-2600", "gateway/more", fields[0]+".body"))
		require.NoError(t, err)
		want.text = string(text)
		have := get(t, gateway+question)
		require.Equal(t, strconv.Itoa(len(have.text)), have.length, question)
		have.length = ""
		if want.status >= http.StatusBadRequest && want.status != http.StatusNotFound {
			want.text = withoutStack(t, want.text)
			have.text = withoutStack(t, have.text)
		}
		if why, listed := unlike[question]; listed {
			require.NotEqual(t, want, have, "%s is answered now: it is listed as: %s", question, why)
			continue
		}
		require.Equal(t, want, have, question)
		compared++
	}
	require.Equal(t, 36-len(unlike), compared)
	require.Equal(t, `{"version":"fees 1"}`, get(t, gateway+"/").text)
}

func withoutStack(t *testing.T, text string) string {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &members), text)
	delete(members, "stack")
	sorted, err := json.Marshal(members)
	require.NoError(t, err)
	return string(sorted)
}

// TestManyClients wants many clients at once to have the answers that one has.
func TestManyClients(t *testing.T) {
	gateway := served(t, openNode(t), serve.Options{AtOnce: 3})
	all := recorded(t)
	var clients sync.WaitGroup
	for range 12 {
		clients.Go(func() {
			client, err := gatewayclient.New(gateway, gatewayclient.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			for height := range uint64(28) {
				b, err := client.Block(t.Context(), height)
				if err != nil || b.Number != height {
					t.Errorf("block %d: %v", height, err)
				}
				if _, err := client.Multiplier(t.Context(), height); err != nil {
					t.Errorf("multiplier %d: %v", height, err)
				}
				question := fmt.Sprintf("/blocks/%d", height)
				if text := get(t, gateway+question).text; text != all[question] {
					t.Errorf("%s: it differs", question)
				}
			}
			if _, err := client.Block(t.Context(), 99); !errors.Is(err, chain.ErrNoBlock) {
				t.Errorf("block 99: %v", err)
			}
		})
	}
	clients.Wait()
}
