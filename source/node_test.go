package source_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

var quick = gatewayclient.Options{RetryWait: time.Millisecond, Timeout: 5 * time.Second, Total: 5 * time.Second}

// recordedNode is a recorded node with a configurable response to GET.
type recordedNode struct {
	*nodetest.Node
	get   http.HandlerFunc
	guard sync.Mutex
	gets  []string
}

func (n *recordedNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.Header.Get("Upgrade") == "" {
		n.guard.Lock()
		n.gets = append(n.gets, r.URL.Path)
		n.guard.Unlock()
		n.get(w, r)
		return
	}
	n.Node.ServeHTTP(w, r)
}

// startNode starts one.
func startNode(t *testing.T, get http.HandlerFunc) (*recordedNode, string) {
	t.Helper()
	node := nodetest.OpenPair(t, "moonbeam-2100")
	n := &recordedNode{Node: node, get: get}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	return n, server.URL
}

// open opens a source of blocks at a URL.
func open(t *testing.T, place string, o gatewayclient.Options) source.Source {
	t.Helper()
	src, err := source.Open(place, source.Options{Options: o})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, src.(io.Closer).Close()) })
	return src
}

// requireReads requires a source to return a block as recorded from the gateway, and its encoded extrinsics.
func requireReads(t *testing.T, place string) {
	t.Helper()
	src := open(t, place, quick)
	recorded, err := answers.OpenDirectory(pairs.Path(t, "moonbeam-2100", "gateway"))
	require.NoError(t, err)
	read := func(s source.Source) (source.Item, *source.Reader) {
		r := &source.Reader{Source: s, Tables: network.BuiltIn()}
		item, err := r.Read(t.Context(), source.Height(7))
		require.NoError(t, err)
		return item, r
	}
	want, fromArchive := read(recorded)
	have, fromNode := read(src)
	blocktest.RequireSame(t, want.Block, have.Block)
	same := have
	same.Block = want.Block
	require.Equal(t, want, same)
	none, err := fromArchive.Extrinsics(t.Context(), want)
	require.NoError(t, err)
	require.False(t, none.Known())
	encoded, err := fromNode.Extrinsics(t.Context(), have)
	require.NoError(t, err)
	list, known := encoded.Get()
	require.True(t, known)
	require.Len(t, list, len(have.Block.Extrinsics))
}

func noGET(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "Used HTTP Method is not allowed. POST or OPTIONS is required", http.StatusMethodNotAllowed)
}

// A node is recognised at any kind of address, and with any response to a gateway's request.
func TestNodeIsASource(t *testing.T) {
	for name, get := range map[string]http.HandlerFunc{
		"a method that is not allowed": noGET,
		"nothing at the path":          http.NotFound,
		"a bad request":                func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusBadRequest) },
		"a type that is not supported": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusUnsupportedMediaType) },
		"a web page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!DOCTYPE html><html><body>our nodes</body></html>")
		},
		"JSON-RPC's own refusal": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			n, url := startNode(t, get)
			requireReads(t, url)
			require.LessOrEqual(t, len(n.gets), 2, "once by each version of a gateway's paths: %v", n.gets)
		})
	}
	n, url := startNode(t, noGET)
	for _, place := range []string{strings.Replace(url, "http", "ws", 1), strings.Replace(url, "http", "ws", 1) + "/KEY?apikey=KEY"} {
		requireReads(t, place)
	}
	require.Empty(t, n.gets, "these can be no gateways")
	requireReads(t, url+"/?apikey=KEY")
	require.LessOrEqual(t, len(n.gets), 2)
}

// gatewayOnly answers from recordings, and counts.
type gatewayOnly struct {
	http.Handler
	guard sync.Mutex
	asked []string
}

func (g *gatewayOnly) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.guard.Lock()
	g.asked = append(g.asked, r.Method+" "+r.URL.Path)
	g.guard.Unlock()
	if r.Method != http.MethodGet {
		http.NotFound(w, r)
		return
	}
	g.Handler.ServeHTTP(w, r)
}

// A gateway gets only the requests that it got before nodes were supported: also if its first response is that
// a block does not exist.
func TestGatewayStaysAGateway(t *testing.T) {
	recorded, err := answers.OpenDirectory("../testdata/recordings/moonbeam-2100")
	require.NoError(t, err)
	g := &gatewayOnly{Handler: answers.Handler(recorded)}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	src := open(t, server.URL, quick)
	_, err = source.As[source.Extrinsics](src)
	require.ErrorIs(t, err, chain.ErrNotOffered)
	r := &source.Reader{Source: src, Tables: network.BuiltIn()}
	item, err := r.Read(t.Context(), source.Height(7))
	require.NoError(t, err)
	encoded, err := r.Extrinsics(t.Context(), item)
	require.NoError(t, err)
	require.False(t, encoded.Known())
	for _, asked := range g.asked {
		require.True(t, strings.HasPrefix(asked, "GET "), "%v", g.asked)
	}
	var text strings.Builder
	streams := src.(interface {
		Stream(context.Context, string, io.Writer) (int64, error)
	})
	n, err := streams.Stream(t.Context(), "/blocks/7", &text)
	require.NoError(t, err)
	require.EqualValues(t, n, text.Len())

	missing := &gatewayOnly{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		io.WriteString(w, `{"code":500,"message":"Unable to retrieve header and parent from supplied hash"}`)
	})}
	server = httptest.NewServer(missing)
	t.Cleanup(server.Close)
	src = open(t, server.URL, quick)
	_, err = src.Block(t.Context(), 5)
	require.ErrorIs(t, err, chain.ErrNoBlock)
	require.Equal(t, []string{"GET /blocks/5"}, missing.asked)

	keyed := &gatewayOnly{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("apikey") != "SECRET0123456789" {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		http.StripPrefix("/chain", answers.Handler(recorded)).ServeHTTP(w, r)
	})}
	server = httptest.NewServer(keyed)
	t.Cleanup(server.Close)
	src = open(t, server.URL+"/chain?apikey=SECRET0123456789", quick)
	_, err = (&source.Reader{Source: src, Tables: network.BuiltIn()}).Read(t.Context(), source.Height(7))
	require.NoError(t, err)
	for _, asked := range keyed.asked {
		require.True(t, strings.HasPrefix(asked, "GET /chain/"), asked)
	}
}

// A URL that is neither results in an error with both responses and the remedy. A key in the address is in no
// error.
func TestNeitherGatewayNorNode(t *testing.T) {
	const key = "SECRET0123456789"
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, err := open(t, server.URL+"/"+key, quick).Block(t.Context(), 5)
	require.ErrorContains(t, err, "neither a gateway (")
	require.ErrorContains(t, err, "status 404 Not Found")
	require.ErrorContains(t, err, "nor a node (system_chain: the node at http://127.0.0.1:")
	require.ErrorContains(t, err, "Use the address from the provider's documentation")
	require.NotContains(t, err.Error(), key)
}

// A key in a node's path, query, user or password is in no error, whatever fails.
func TestKeysOfNodesAreSecret(t *testing.T) {
	const key = "SECRET0123456789"
	answers := map[string]http.HandlerFunc{
		"refused": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) },
		"broken":  func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"malformed": func(w http.ResponseWriter, r *http.Request) {
			var q struct{ ID json.RawMessage }
			json.NewDecoder(r.Body).Decode(&q)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":7}`, q.ID)
		},
		"a web page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!DOCTYPE html>")
		},
		"redirected": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/"+key, http.StatusTemporaryRedirect)
		},
	}
	o := gatewayclient.Options{RetryWait: time.Millisecond, Timeout: 200 * time.Millisecond, Total: 200 * time.Millisecond}
	for name, handler := range answers {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		host := strings.TrimPrefix(server.URL, "http://")
		for _, address := range []string{"ws://" + host + "/" + key, "http://" + host + "/v1?apikey=" + key, "http://" + host + "/" + key, "http://user:" + key + "@" + host, "ws://127.0.0.1:1/" + key, "http://127.0.0.1:1/?k=" + key} {
			_, err := open(t, address, o).Block(t.Context(), 5)
			require.Error(t, err, "%s: %s", name, address)
			require.NotContains(t, err.Error(), key, name)
			require.Contains(t, err.Error()+host, "127.0.0.1")
		}
	}
	for _, address := range []string{"wss:///" + key, "ftp://host/?k=" + key, "http://:x/" + key, "ws://ho st/" + key} {
		_, err := source.Open(address, source.Options{Options: o})
		if err != nil {
			require.NotContains(t, err.Error(), key)
		}
	}
}

// A client at a URL asks a gateway or a node; a directory is not a URL.
func TestOpenURL(t *testing.T) {
	n, url := startNode(t, noGET)
	for _, place := range []string{url, strings.Replace(url, "http", "ws", 1)} {
		client, closer, err := source.OpenURL(place, quick)
		require.NoError(t, err)
		b, err := client.Block(t.Context(), 7)
		require.NoError(t, err)
		require.Equal(t, uint64(7), b.Number)
		require.NoError(t, closer.Close())
	}
	require.NotEmpty(t, n.Asked())
	_, _, err := source.OpenURL(pairs.Path(t, "moonbeam-2100", "gateway"), quick)
	require.ErrorContains(t, err, "is not a URL")
	_, _, err = source.OpenURL("ftp://127.0.0.1", quick)
	require.Error(t, err)
}

// A node announces its heads over a WebSocket; over http they are polled.
func TestHeadsOf(t *testing.T) {
	n, url := startNode(t, noGET)
	n.SetHead(12)
	for _, place := range []string{url, strings.Replace(url, "http", "ws", 1)} {
		for h, err := range source.HeadsOf(open(t, place, quick), time.Millisecond)(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, uint64(12), h.Number)
			break
		}
	}
	require.Equal(t, 1, n.Asked()["chain_subscribeFinalizedHeads"])
}
