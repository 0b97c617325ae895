package rpc_test

import (
	"context"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/jsonscan"
	"github.com/feeledger/fees/internal/node/rpc"
)

// replay is a client of a node that answers with one recorded answer, whose id it
// makes that of the question.
func replay(t *testing.T, name string) (*rpc.Client, *question) {
	var rec recording
	var asked, was question
	readJSON(t, name, &rec)
	_ = json.Unmarshal([]byte(rec.Request), &was) // some recorded requests are intentionally not JSON
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = readQuestion(r)
		for name, value := range rec.Headers {
			if name != "connection" && name != "transfer-encoding" {
				w.Header().Set(name, value)
			}
		}
		w.WriteHeader(rec.Status)
		fmt.Fprint(w, strings.Replace(rec.Body, fmt.Sprintf(`"id":%d`, was.ID), fmt.Sprintf(`"id":%d`, asked.ID), 1))
	})
	return newClient(t, server.URL, quick), &asked
}

func TestRecordedAnswers(t *testing.T) {
	ctx := soon(t)
	ten := hash(t, "0x10866dab25f8c8402083bb7efa5e39dc929ef8d019d05d76f5787ebac971a43b")
	unknown := chain.Some(hash(t, "0x"+strings.Repeat("12", 32)))

	t.Run("methods", func(t *testing.T) {
		c, _ := replay(t, "rpc_methods")
		methods, err := c.Methods(ctx)
		require.NoError(t, err)
		require.Len(t, methods, 77)
		require.Contains(t, methods, "payment_queryInfo")
	})
	t.Run("block by hash", func(t *testing.T) {
		c, asked := replay(t, "chain_getBlock-10")
		b, err := c.Block(ctx, chain.Some(ten))
		require.NoError(t, err)
		require.Equal(t, uint64(10), b.Header.Number)
		require.Equal(t, chain.Some(ten), b.Header.Hash)
		require.Len(t, b.Header.Logs, 2)
		require.Equal(t, "280403000be04ddc769b01", hex.EncodeToString(b.Extrinsics[0]))
		require.Equal(t, fmt.Sprintf("%q", ten), string(asked.Params[0]))
	})
	t.Run("newest block", func(t *testing.T) {
		c, asked := replay(t, "chain_getBlock-head")
		b, err := c.Block(ctx, latest)
		require.NoError(t, err)
		require.Equal(t, uint64(49), b.Header.Number)
		require.False(t, b.Header.Hash.Known())
		require.NotNil(t, asked.Params, "the specification wants an array")
		require.Empty(t, asked.Params)
		require.Equal(t, "2.0", asked.Version)
	})
	t.Run("unknown block", func(t *testing.T) {
		c, _ := replay(t, "chain_getBlock-unknown")
		_, err := c.Block(ctx, unknown)
		require.ErrorIs(t, err, chain.ErrNoBlock)
	})
	t.Run("hash at a height", func(t *testing.T) {
		c, asked := replay(t, "chain_getBlockHash-10")
		h, err := c.BlockHash(ctx, 10)
		require.NoError(t, err)
		require.Equal(t, ten, h)
		require.Equal(t, "10", string(asked.Params[0]))
	})
	t.Run("hash at a future height", func(t *testing.T) {
		c, _ := replay(t, "chain_getBlockHash-future")
		_, err := c.BlockHash(ctx, 99999999)
		require.ErrorIs(t, err, chain.ErrNoBlock)
		require.ErrorContains(t, err, "block 99999999")
	})
	t.Run("finalized head", func(t *testing.T) {
		c, _ := replay(t, "chain_getFinalizedHead")
		h, err := c.FinalizedHead(ctx)
		require.NoError(t, err)
		require.Equal(t, "0xba385546932f1aab49f35f848a4b4c83f42534080c9ab05c82cf22eff03e8ae0", h.String())
	})
	t.Run("header by hash", func(t *testing.T) {
		c, _ := replay(t, "chain_getHeader-10")
		h, err := c.Header(ctx, chain.Some(ten))
		require.NoError(t, err)
		require.Equal(t, uint64(10), h.Number)
		require.Equal(t, chain.Some(ten), h.Hash)
		require.Equal(t, "0xf52708f6fd7ba158bf5a9f6f30be9f4f663c071236d6015bb8381ea6d4bd8027", h.ParentHash.String())
		require.Equal(t, "0x7ed1b090868d8f36f0f6713dabe6a335c87d2df91f68256ecd39e31c3120429c", h.StateRoot.String())
		require.Equal(t, "0xd9c5a80b620246be54959461426475381f57fcae5ae005c692bfdc4b09414b99", h.ExtrinsicsRoot.String())
	})
	t.Run("newest header", func(t *testing.T) {
		c, _ := replay(t, "chain_getHeader-head")
		h, err := c.Header(ctx, latest)
		require.NoError(t, err)
		require.Equal(t, uint64(49), h.Number)
	})
	t.Run("unknown header", func(t *testing.T) {
		c, _ := replay(t, "chain_getHeader-unknown")
		_, err := c.Header(ctx, unknown)
		require.ErrorIs(t, err, chain.ErrNoBlock)
		require.ErrorContains(t, err, "0x1212")
		_, err = c.Header(ctx, latest)
		require.ErrorIs(t, err, chain.ErrNoBlock)
	})
	t.Run("chain", func(t *testing.T) {
		c, _ := replay(t, "system_chain")
		name, err := c.Chain(ctx)
		require.NoError(t, err)
		require.Equal(t, "moonbeam", name)
	})
	t.Run("any method", func(t *testing.T) {
		c, _ := replay(t, "system_health")
		v, err := c.Call(ctx, "system_health")
		require.NoError(t, err)
		require.Equal(t, "0", v.Member("peers").Raw())
	})
	t.Run("method not found, without a code", func(t *testing.T) {
		c, asked := replay(t, "eth_feeHistory")
		_, err := c.FeeHistory(ctx, 5, "latest", []float64{25, 75})
		require.ErrorIs(t, err, rpc.ErrNoMethod)
		var refused *rpc.RPCError
		require.ErrorAs(t, err, &refused)
		require.False(t, refused.Code.Known())
		require.Equal(t, "eth_feeHistory: the node refuses: Method not found: eth_feeHistory", err.Error())
		require.Equal(t, `["0x5" "latest" [25,75]]`, fmt.Sprintf("%s", asked.Params))
	})
	t.Run("unknown method", func(t *testing.T) {
		c, _ := replay(t, "unknown-method")
		_, err := c.Call(ctx, "no_such_method")
		require.ErrorIs(t, err, rpc.ErrNoMethod)
	})
	for _, name := range []string{"raw-badjson", "raw-empty"} {
		t.Run("question not understood, "+name, func(t *testing.T) {
			c, _ := replay(t, name)
			_, err := c.Chain(ctx)
			var refused *rpc.RPCError
			require.ErrorAs(t, err, &refused)
			require.Contains(t, refused.Message, "Invalid request")
			require.NotErrorIs(t, err, rpc.ErrNoMethod)
		})
	}
	t.Run("batch", func(t *testing.T) {
		c, _ := replay(t, "raw-batch")
		_, err := c.Chain(ctx)
		require.ErrorContains(t, err, "list of answers")
	})
}

func TestWrongAnswers(t *testing.T) {
	for name, c := range map[string]struct{ body, says string }{
		"another id":               {`{"jsonrpc":"2.0","id":999,"result":"x"}`, "it does not answer request 1"},
		"id as a string":           {`{"jsonrpc":"2.0","id":"$id","result":"x"}`, "id: want the number"},
		"no id":                    {`{"jsonrpc":"2.0","result":"x"}`, "no id"},
		"no id with an error":      {`{"jsonrpc":"2.0","error":{"message":"x"}}`, "no id"},
		"null id with a result":    {`{"jsonrpc":"2.0","id":null,"result":"x"}`, "id: want the number"},
		"neither result nor error": {`{"jsonrpc":"2.0","id":$id}`, "neither"},
		"both result and error":    {`{"jsonrpc":"2.0","id":$id,"result":"x","error":{"code":1,"message":"x"}}`, "both"},
		"error that is a text":     {`{"jsonrpc":"2.0","id":$id,"error":"x"}`, "error: want an object"},
		"id twice":                 {`{"jsonrpc":"2.0","id":$id,"id":$id,"result":"x"}`, "twice"},
		"empty batch":              {`[]`, "an empty list of answers"},
		"batch of one":             {`[{"jsonrpc":"2.0","id":$id,"result":1}]`, "a list of answers to a single request"},
		"a notice":                 {`{"jsonrpc":"2.0","method":"chain_newHead","params":{"subscription":"a","result":1}}`, "it does not answer request"},
		"a question":               {`{"jsonrpc":"2.0","id":$id,"method":"eval","params":[]}`, "want a notice"},
		"a text":                   {`"hello"`, "want an object"},
		"nothing":                  {``, "ends too early"},
		"cut off":                  {`{"jsonrpc":"2.0","id":$id,"resu`, "ends too early"},
		"more after the end":       {`{"jsonrpc":"2.0","id":$id,"result":1}{}`, "after the end"},
		"web page":                 {`<html><body>Welcome</body></html>`, "web page"},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := answering(t, c.body).Call(soon(t), "system_chain")
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "system_chain")
			require.Equal(t, jsonscan.Absent, v.Kind())
		})
	}
}

func TestWrongResults(t *testing.T) {
	ctx := soon(t)
	root := `"0x` + strings.Repeat("ab", 32) + `"`
	header := func(number, parent, logs string) string {
		return fmt.Sprintf(`{"number":%s,"parentHash":%s,"stateRoot":%s,"extrinsicsRoot":%s,"digest":{"logs":%s}}`, number, parent, root, root, logs)
	}
	ask := map[string]func(*rpc.Client) error{
		"header": func(c *rpc.Client) error { _, err := c.Header(ctx, latest); return err },
		"block":  func(c *rpc.Client) error { _, err := c.Block(ctx, latest); return err },
		"hash":   func(c *rpc.Client) error { _, err := c.BlockHash(ctx, 1); return err },
		"head":   func(c *rpc.Client) error { _, err := c.FinalizedHead(ctx); return err },
		"names":  func(c *rpc.Client) error { _, err := c.Methods(ctx); return err },
		"chain":  func(c *rpc.Client) error { _, err := c.Chain(ctx); return err },
	}
	for name, c := range map[string]struct{ question, result, says string }{
		"header that is a list":     {"header", `[]`, "malformed header: want an object, have an array"},
		"number missing":            {"header", `{}`, "number: missing"},
		"number that is none":       {"header", header(`"0xzz"`, root, `[]`), "number: "},
		"number of more than u32":   {"header", header(`"0x100000000"`, root, `[]`), "more than 32 bits"},
		"parent that is too short":  {"header", header(`"0x1"`, `"0x12"`, `[]`), "parentHash: "},
		"no digest":                 {"header", header(`"0x1"`, root, `null`), "digest.logs: want an array, have null"},
		"log that is no hex":        {"header", header(`"0x1"`, root, `["0x12","0x1"]`), "digest.logs[1]: want 0x"},
		"log that is a number":      {"header", header(`"0x1"`, root, `[5]`), "digest.logs[0]: want a string, have a number"},
		"block without a header":    {"block", `{"block":{"extrinsics":[]}}`, "block.header: want an object, have absent"},
		"block without extrinsics":  {"block", `{"block":{"header":` + header(`"0x1"`, root, `[]`) + `}}`, "block.extrinsics: want an array"},
		"block that is null":        {"block", `null`, "no such block"},
		"extrinsic that is no hex":  {"block", `{"block":{"header":` + header(`"0x1"`, root, `[]`) + `,"extrinsics":["hello"]}}`, "block.extrinsics[0]: want 0x"},
		"hash that is a number":     {"hash", `5`, "malformed block hash"},
		"head that is null":         {"head", `null`, "malformed block hash: missing"},
		"methods that are a number": {"names", `{"methods":5}`, "methods: want an array, have a number"},
		"method that is a number":   {"names", `{"methods":["a",5]}`, "methods[1]: want a string"},
		"chain that is an object":   {"chain", `{}`, "malformed chain name: want a string, have an object"},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorContains(t, ask[c.question](giving(t, c.result)), c.says)
		})
	}
	refusing := answering(t, `{"jsonrpc":"2.0","id":$id,"error":{"code":-32000,"message":"busy","data":"later"}}`)
	for name, question := range ask {
		require.ErrorContains(t, question(refusing), "the node refuses: busy: later (code -32000)", name)
	}
}

// TestCredentials: they reach the node, and no error, whatever goes wrong.
func TestCredentials(t *testing.T) {
	const secret = "s3cret"
	seen := make(chan http.Header, 8)
	node := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		require.Equal(t, "/"+secret, r.URL.Path)
		w.WriteHeader(http.StatusUnauthorized)
	})
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, node.URL+"/"+secret, http.StatusTemporaryRedirect)
	})
	stalling := serve(t, stall)
	for name, address := range map[string]string{"refusing": node.URL, "closed": closed, "redirecting": elsewhere.URL, "stalling": stalling.URL} {
		for _, scheme := range []string{"http", "ws"} {
			t.Run(name+" "+scheme, func(t *testing.T) {
				host := strings.TrimPrefix(address, "http://")
				o := inVain
				o.APIKey, o.APIKeyHeader = secret+"-key", "apikey"
				c := newClient(t, scheme+"://user-"+secret+":pass-"+secret+"@"+host+"/"+secret+"?key="+secret, o)
				_, err := c.Chain(soon(t))
				require.Error(t, err)
				require.NotContains(t, err.Error(), secret)
				require.NotContains(t, fmt.Sprintf("%+v %#v", err, errors.Unwrap(errors.Unwrap(err))), secret)
				require.ErrorContains(t, err, scheme+"://"+host)
				if address == node.URL {
					header := <-seen
					require.Equal(t, secret+"-key", header.Get("apikey"))
					require.Equal(t, "Basic dXNlci1zM2NyZXQ6cGFzcy1zM2NyZXQ=", header.Get("Authorization"))
				}
			})
		}
	}
	require.Empty(t, seen, "a redirect was followed")
}

func TestAuthorities(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":"moonbeam"}`, readQuestion(r).ID)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	var o httpclient.Options // a handshake takes its time on a busy machine
	_, err := newClient(t, server.URL, o).Chain(soon(t))
	require.ErrorContains(t, err, "certificate")
	o.RootCAs = x509.NewCertPool()
	o.RootCAs.AddCert(server.Certificate())
	name, err := newClient(t, server.URL, o).Chain(soon(t))
	require.NoError(t, err)
	require.Equal(t, "moonbeam", name)
}

func TestCloseEndsCalls(t *testing.T) {
	stalling := serve(t, stall)
	c := newClient(t, stalling.URL, httpclient.Options{})
	time.AfterFunc(20*time.Millisecond, func() { c.Close() })
	_, err := c.Chain(soon(t))
	require.ErrorIs(t, err, rpc.ErrClosed)
	_, err = c.Chain(soon(t))
	require.ErrorIs(t, err, rpc.ErrClosed)
}

func TestCallersOwnEnd(t *testing.T) {
	stalling := serve(t, stall)
	c := newClient(t, stalling.URL, httpclient.Options{})
	ctx, cancel := context.WithCancel(soon(t))
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := c.Chain(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestUnsendableParameter(t *testing.T) {
	c := newClient(t, closed, quick)
	_, err := c.Call(soon(t), "system_chain", func() {})
	require.ErrorContains(t, err, "parameters")
}

// No answer to state_getRuntimeVersion was recorded: these have the form of the
// gateway's, which passes it on.
func TestRuntime(t *testing.T) {
	r, err := giving(t, `{"specName":"moonbeam","implName":"moonbeam","specVersion":3702,"apis":[]}`).Runtime(soon(t), latest)
	require.NoError(t, err)
	require.Equal(t, chain.Runtime{SpecName: "moonbeam", SpecVersion: 3702}, r)
	for result, says := range map[string]string{
		`null`:                    "no such block",
		`[]`:                      "malformed runtime version: specName: want a string",
		`{"specName":7}`:          "specName: want a string, have a number",
		`{"specName":"moonbeam"}`: "specVersion: missing",
		`{"specName":"moonbeam","specVersion":4294967296}`: "specVersion: 4294967296 is more than 32 bits",
		`{"specName":"moonbeam","specVersion":-1}`:         "specVersion: ",
	} {
		_, err := giving(t, result).Runtime(soon(t), latest)
		require.ErrorContains(t, err, says)
	}
	_, err = answering(t, `{"id":$id,"error":{"message":"Method not found"}}`).Runtime(soon(t), latest)
	require.ErrorIs(t, err, rpc.ErrNoMethod)
}
