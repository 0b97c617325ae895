package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/serve"
	"github.com/feeledger/fees/internal/test/port"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

// node answers each method, over HTTP, with a result or an error: a member of JSON-RPC.
type node map[string]string

func (n node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	said, there := n[q.Method]
	if !there {
		said = `"error":{"code":-32601,"message":"Method not found"}`
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, q.ID, said)
}

// overHTTP is a gateway before a node that is asked over HTTP, at an address with a key.
func overHTTP(t *testing.T, node http.Handler, o serve.Options) string {
	t.Helper()
	server := httptest.NewServer(node)
	t.Cleanup(server.Close)
	return before(t, server.URL+"/SECRET?apikey=SECRET", o)
}

// silent is a node that never answers; it reports clients that connect and leave.
type silent struct{ asked, gone chan struct{} }

func newSilent() silent { return silent{make(chan struct{}, 99), make(chan struct{}, 99)} }

func (n silent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.ReadAll(r.Body) // without it the server does not see who goes away
	n.asked <- struct{}{}
	<-r.Context().Done()
	n.gone <- struct{}{}
}

func soon(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		require.Fail(t, what)
	}
}

// leaving asks until the function that it returns is called.
func leaving(t *testing.T, url string) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	question, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if answer, err := http.DefaultClient.Do(question); err == nil {
			answer.Body.Close()
		}
	}()
	leave = func() {
		cancel()
		<-ended
	}
	t.Cleanup(leave)
	return leave
}

// TestClientThatGoesAway wants nothing to be asked any more for who does not wait: neither of
// the node, nor in the queue.
func TestClientThatGoesAway(t *testing.T) {
	node := newSilent()
	gateway := overHTTP(t, node, serve.Options{AtOnce: 1, Waiting: 1})
	first := leaving(t, gateway+"/node/version")
	soon(t, node.asked, "the node was not asked")
	second := leaving(t, gateway+"/node/version")
	inFlight(t, gateway, 2)
	require.Eventually(t, func() bool { return inQueue() }, time.Minute, 5*time.Millisecond) // it is counted before
	full := get(t, gateway+"/node/version")
	require.Equal(t, http.StatusServiceUnavailable, full.status, "the queue is full")
	require.Equal(t, http.StatusOK, get(t, gateway+"/healthz").status)
	second()
	inFlight(t, gateway, 1)
	require.Empty(t, node.asked, "nothing was asked for who left the queue")
	first()
	soon(t, node.gone, "the node is still asked")
	inFlight(t, gateway, 0)
	metrics := get(t, gateway+"/metrics").text
	require.Contains(t, metrics, `fees_gateway_answers_total{route="node/version",status="gone"} 2`)
	require.Contains(t, metrics, `fees_gateway_answers_total{route="node/version",status="5xx"} 1`)
	require.NotContains(t, metrics, "fees_gateway_node_errors_total{", "it was not the node's fault")
}

// inFlight waits until so many questions are.
func inFlight(t *testing.T, gateway string, want int) {
	t.Helper()
	line := fmt.Sprintf("\nfees_gateway_in_flight %d\n", want)
	require.Eventually(t, func() bool { return strings.Contains(get(t, gateway+"/metrics").text, line) }, time.Minute, 5*time.Millisecond)
}

// inQueue reports whether a request waits.
func inQueue() bool {
	text := make([]byte, 1<<20)
	for goroutine := range strings.SplitSeq(string(text[:runtime.Stack(text, true)]), "\n\n") {
		if strings.Contains(goroutine, "[select") && strings.Contains(goroutine, "(*turns).take(") {
			return true
		}
	}
	return false
}

// breakable serves a node at an address, until the function that it returns breaks all connections off.
func breakable(t *testing.T, node http.Handler, at string) (breakOff func()) {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	require.NoError(t, err)
	open := &connections{Listener: listener}
	server := &http.Server{Handler: node}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(open) }()
	breakOff = sync.OnceFunc(func() {
		server.Close()
		<-ended
		open.breakOff()
	})
	t.Cleanup(breakOff)
	return breakOff
}

// connections remembers all that it has accepted: a server forgets its WebSockets.
type connections struct {
	net.Listener
	guard sync.Mutex
	open  []net.Conn
}

func (l *connections) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.guard.Lock()
		l.open = append(l.open, c)
		l.guard.Unlock()
	}
	return c, err
}

func (l *connections) breakOff() {
	l.guard.Lock()
	defer l.guard.Unlock()
	for _, c := range l.open {
		c.Close()
	}
}

// TestLostNode wants a node that goes and comes back to be told as Sidecar tells it, so that
// clients wait for it, and to be found again.
func TestLostNode(t *testing.T) {
	recorded := openNode(t)
	address := port.Address(t)
	breakOff := breakable(t, recorded, address)
	gateway := before(t, "ws://"+address, serve.Options{})
	client, err := gatewayclient.New(gateway, gatewayclient.Options{})
	require.NoError(t, err)
	_, err = client.Block(t.Context(), 12)
	require.NoError(t, err)
	require.Equal(t, answer{http.StatusOK, "text/plain; charset=utf-8", "6", "ready\n"}, get(t, gateway+"/readyz"))

	breakOff()
	const lost = `{"code":500,"message":"WebSocket is not connected","level":"error"}`
	require.Equal(t, answer{http.StatusInternalServerError, "application/json; charset=utf-8", fmt.Sprint(len(lost)), lost}, get(t, gateway+"/node/version"))
	require.Equal(t, http.StatusOK, get(t, gateway+"/healthz").status)
	ready := get(t, gateway+"/readyz")
	require.Equal(t, http.StatusServiceUnavailable, ready.status)
	require.Equal(t, "the node is not ready: WebSocket is not connected\n", ready.text)

	found := make(chan error, 1)
	go func() { // before the node is back
		b, err := client.Block(t.Context(), 27)
		if err == nil && b.Number != 27 {
			err = fmt.Errorf("block %d", b.Number)
		}
		found <- err
	}()
	time.Sleep(100 * time.Millisecond)
	breakable(t, recorded, address)
	require.NoError(t, <-found)
	require.Eventually(t, func() bool { return get(t, gateway+"/readyz").status == http.StatusOK }, time.Minute, 100*time.Millisecond)
}

// TestErrorsOfTheNode wants what a node says to be told shortly, and nothing of its address,
// nor of what may quote its key.
func TestErrorsOfTheNode(t *testing.T) {
	status := func(code int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			io.WriteString(w, `{"error":{"code":1,"message":"no such key: SECRET"}}`)
		})
	}
	says := func(member string) http.Handler { return node{"system_version": member} }
	for name, test := range map[string]struct {
		node    http.Handler
		status  int
		message string
	}{
		"unauthorized":   {status(401), 500, "The node returned status 401 Unauthorized"},
		"too many":       {status(429), 503, "The node returned status 429 Too Many Requests"},
		"its own words":  {says(`"error":{"code":4003,"message":"Client error: UnknownBlock: State already discarded for 0x12"}`), 500, "4003: Client error: UnknownBlock: State already discarded for 0x12"},
		"other words":    {says(`"error":{"code":-32000,"message":"key SECRET is over"}`), 500, "The node refuses system_version (code -32000)"},
		"without a code": {says(`"error":{"message":"key SECRET is over"}`), 500, "The node refuses system_version"},
		"no method":      {node{}, 500, "The node does not have the method system_version"},
		"not a text":     {says(`"result":7`), 500, "system_version: the node answered 7, want a string"},
		"a page":         {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>SECRET") }), 500, "The node's answer is too large or not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := overHTTP(t, test.node, serve.Options{})
			have := get(t, gateway+"/node/version")
			require.Equal(t, test.status, have.status)
			var body struct{ Message string }
			require.NoError(t, json.Unmarshal([]byte(have.text), &body))
			require.Equal(t, test.message, body.Message)
			for _, path := range []string{"/readyz", "/metrics", "/"} {
				require.NotContains(t, get(t, gateway+path).text, "SECRET", path)
			}
			require.Contains(t, get(t, gateway+"/metrics").text, `fees_gateway_node_questions_total{method="system_version"}`)
		})
	}
}

// TestHungNode wants a node that does not answer to be told as Sidecar tells it, in a bounded time.
func TestHungNode(t *testing.T) {
	server := httptest.NewServer(newSilent())
	t.Cleanup(server.Close)
	gateway := beforeAsked(t, server.URL, httpclient.Options{Timeout: time.Second}, serve.Options{})
	have := get(t, gateway+"/node/version")
	require.Equal(t, http.StatusInternalServerError, have.status)
	require.Contains(t, have.text, `"message":"No response received from RPC endpoint in 1s"`)
}

func TestReady(t *testing.T) {
	const unknown = `"error":{"code":-32601,"message":"Method not found"}`
	head := `"result":"0x` + strings.Repeat("12", len(chain.Hash{})) + `"`
	for name, test := range map[string]struct {
		node   node
		status int
		text   string
	}{
		"well":            {node{"system_health": `"result":{"isSyncing":false,"peers":3}`}, 200, "ready\n"},
		"syncing":         {node{"system_health": `"result":{"isSyncing":true,"peers":3}`}, 503, "the node is syncing\n"},
		"does not tell":   {node{"system_health": unknown, "chain_getFinalizedHead": head}, 200, "ready\n"},
		"has no chain":    {node{"system_health": unknown}, 503, "the node is not ready: The node does not have the method chain_getFinalizedHead\n"},
		"not what it was": {node{"system_health": `"result":null`, "chain_getFinalizedHead": head}, 200, "ready\n"},
	} {
		t.Run(name, func(t *testing.T) {
			gateway := overHTTP(t, test.node, serve.Options{})
			require.Equal(t, answer{test.status, "text/plain; charset=utf-8", fmt.Sprint(len(test.text)), test.text}, get(t, gateway+"/readyz"))
		})
	}
}

// TestMetrics checks that requests are counted by kind, with a limited number of kinds.
func TestMetrics(t *testing.T) {
	recorded := openNode(t)
	gateway := served(t, recorded, serve.Options{})
	for _, path := range []string{
		"/", "/blocks/12", "/blocks/13", "/blocks/head", "/blocks/12/header", "/blocks/abc", "/blocks/1/nothing", "/nothing", "/x/y/z",
		"/accounts/0xf24FF3a9CF04c71Dbc94D0b566f7A27B94566cac/balance-info", "/runtime/spec", "/pallets/system/storage/number", "/pallets/a/storage/b",
	} {
		get(t, gateway+path)
	}
	metrics := get(t, gateway+"/metrics")
	require.Equal(t, http.StatusOK, metrics.status)
	require.Contains(t, metrics.contentType, "text/plain")
	for _, line := range []string{
		`fees_gateway_answers_total{route="root",status="2xx"} 1`,
		`fees_gateway_answers_total{route="blocks",status="2xx"} 2`,
		`fees_gateway_answers_total{route="blocks",status="4xx"} 1`,
		`fees_gateway_answers_total{route="blocks/head",status="2xx"} 1`,
		`fees_gateway_answers_total{route="blocks/header",status="2xx"} 1`,
		`fees_gateway_answers_total{route="other",status="4xx"} 3`,
		`fees_gateway_answers_total{route="accounts/balance-info",status="2xx"} 1`,
		`fees_gateway_answers_total{route="pallets",status="2xx"} 1`,
		`fees_gateway_answers_total{route="pallets",status="4xx"} 1`,
		`fees_gateway_answers_total{route="runtime/spec",status="2xx"} 1`,
		`fees_gateway_answer_seconds_count{route="blocks"} 3`,
		`fees_gateway_in_flight 0`,
	} {
		require.Contains(t, metrics.text, "\n"+line+"\n")
	}
	for method, times := range recorded.Asked() {
		require.Contains(t, metrics.text, fmt.Sprintf("\nfees_gateway_node_questions_total{method=%q} %d\n", method, times))
	}
}
