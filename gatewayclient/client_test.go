package gatewayclient_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/test/gatewaytest"
)

const recordings = "../testdata/recordings"

const hash1 = `"0x1111111111111111111111111111111111111111111111111111111111111111"`

// clientOf returns a client of a gateway on loopback, with short pauses between retries.
func clientOf(t *testing.T, h http.Handler, o gatewayclient.Options) *gatewayclient.Client {
	if o.RetryWait == 0 {
		o.RetryWait = time.Millisecond
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c, err := gatewayclient.New(server.URL, o)
	require.NoError(t, err)
	return c
}

func TestClient(t *testing.T) {
	ctx := context.Background()
	c := clientOf(t, gatewaytest.Handler(filepath.Join(recordings, "moonbeam-2100")), gatewayclient.Options{})

	final, err := c.FinalHead(ctx)
	require.NoError(t, err)
	head, err := c.Block(ctx, 27)
	require.NoError(t, err)
	require.Equal(t, chain.Head{Number: 27, ParentHash: chain.Some(head.ParentHash)}, final)

	b, err := c.Block(ctx, 25)
	require.NoError(t, err)
	require.Equal(t, uint64(25), b.Number)
	require.Len(t, b.Extrinsics, 9)

	again, err := c.BlockByHash(ctx, b.Hash)
	require.NoError(t, err)
	require.Equal(t, b, again)

	for _, unfinalized := range []bool{false, true} {
		head, err := c.Head(ctx, unfinalized)
		require.NoError(t, err)
		require.Equal(t, uint64(27), head.Number)
	}

	_, err = c.BlockByHash(ctx, chain.Hash{})
	require.ErrorIs(t, err, chain.ErrNoBlock)

	m, err := c.Multiplier(ctx, 24)
	require.NoError(t, err)
	require.Equal(t, "999854223988196835", m.Value.String())
	hash, _ := m.AtHash.Get()
	require.Equal(t, b.ParentHash, hash)

	r, err := c.Runtime(ctx, 24)
	require.NoError(t, err)
	require.Equal(t, chain.AtBlock[chain.Runtime]{At: 24, AtHash: chain.Some(b.ParentHash), Value: chain.Runtime{SpecName: "moonbeam", SpecVersion: 2100, Token: chain.Token{Symbol: "GLMR", Decimals: chain.Some[uint64](18)}}}, r)

	n, err := c.NodeVersion(ctx)
	require.NoError(t, err)
	require.Equal(t, "moonbeam", n.ClientImplName)
}

// Each recorded error response results in the documented error.
func TestRecordedErrors(t *testing.T) {
	const status, none = "status error", "no error"
	wants := map[string]any{
		"future-block":             chain.ErrNoBlock,
		"future-by-one":            chain.ErrNoBlock,
		"unknown-hash":             chain.ErrNoBlock,
		"huge-number":              chain.ErrNoBlock,
		"over-u32":                 chain.ErrNoBlock,
		"future-block-multiplier":  chain.ErrNoBlock,
		"spec-future":              chain.ErrNoBlock,
		"account-future-at":        chain.ErrNoBlock,
		"range-future":             chain.ErrNoBlock,
		"unknown-route":            chain.ErrNotOffered,
		"unknown-route-2":          chain.ErrNotOffered,
		"unknown-v1":               chain.ErrNotOffered,
		"wrong-method":             chain.ErrNotOffered,
		"node-down-balance":        status,
		"node-down-block-cached":   status,
		"node-down-block-uncached": status,
		"node-down-head":           status,
		"node-down-malformed":      status,
		"node-down-multiplier":     status,
		"node-down-spec":           status,
		"node-down-version":        status,
		"node-hung-block":          status,
		"node-hung-block-cached":   status,
		"node-hung-version":        status,
		"account-32":               status,
		"account-badchecksum":      status,
		"bad-account":              status,
		"bad-account-short":        status,
		"bad-json":                 status,
		"bad-tx":                   status,
		"empty-tx":                 status,
		"base-fee-storage":         status,
		"extrinsic-index-out":      status,
		"malformed-at":             status,
		"malformed-block":          status,
		"malformed-block-float":    status,
		"malformed-block-negative": status,
		"malformed-hash":           status,
		"malformed-hash-nothex":    status,
		"missing-keys":             status,
		"range-bad":                status,
		"range-huge":               status,
		"unknown-pallet":           status,
		"unknown-storage":          status,
		"account-lowercase-OK":     none,
		"account-unknown-OK":       none,
		"ss58-account":             none,
		"node-down-root":           none,
	}
	recorded := gatewaytest.RecordedErrors(filepath.Join(recordings, "moonbeam-2100"))
	require.Len(t, recorded, len(wants))
	for name, answer := range recorded {
		t.Run(name, func(t *testing.T) {
			c := clientOf(t, answer, gatewayclient.Options{Total: 500 * time.Millisecond, RetryWait: 300 * time.Millisecond})
			_, path, _ := strings.Cut(answer.Request, " ")
			text, err := c.Get(context.Background(), path)
			var refused *httpclient.StatusError
			switch want := wants[name].(type) {
			case error:
				require.ErrorIs(t, err, want)
			default:
				require.Contains(t, []any{status, none}, want)
				if want == none {
					require.NoError(t, err)
					require.Equal(t, answer.Body, text)
					return
				}
				require.ErrorAs(t, err, &refused)
				require.Equal(t, answer.Status, refused.Code)
				require.NotErrorIs(t, err, chain.ErrNoBlock)
				require.NotErrorIs(t, err, chain.ErrNotOffered)
				if name != "bad-tx" { // with its text in another field
					require.NotEmpty(t, refused.Message)
				}
			}
			require.Empty(t, text)
			require.NotContains(t, err.Error(), "node_modules", "the stack is the gateway's own affair")
			// So is a block's request.
			b, err := c.Block(context.Background(), 25)
			require.Nil(t, b)
			require.Error(t, err)
		})
	}
}

func TestWrongAnswers(t *testing.T) {
	ctx := context.Background()
	block := `{"number":"7","hash":` + hash1 + `,"parentHash":` + hash1 + `,"extrinsics":[]}`
	answer := func(body string) *gatewayclient.Client {
		return clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }), gatewayclient.Options{})
	}
	_, err := answer(block).Block(ctx, 25)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = answer(block).BlockByHash(ctx, chain.Hash{})
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = answer(`{"at":{"height":"25"},"value":"1"}`).Multiplier(ctx, 24)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = answer(`{"at":{"height":"25"},"specName":"moonbeam","specVersion":"1"}`).Runtime(ctx, 24)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = answer(`{"at":{"height":"24"},"value":"x"}`).Multiplier(ctx, 24)
	require.EqualError(t, err, `multiplier at block 24: malformed multiplier: value: "x" is not a non-negative integer`)
	_, err = answer(" \n<html>").Block(ctx, 25)
	require.ErrorIs(t, err, httpclient.ErrNotJSON)
	_, err = answer("").Block(ctx, 25)
	require.ErrorContains(t, err, "the text ends too early")
}

func TestNoAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		step http.HandlerFunc
		says string
	}{
		"it hangs": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "timed out"},
		"it breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "{")
		}, "it closed the connection"},
		"it never ends": {func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				fmt.Fprint(w, strings.Repeat(" ", 1000))
			}
		}, "larger than any block should be"},
		"it is a gzip bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			z.Write(make([]byte, 1<<20))
			z.Close()
		}, "larger than any block should be"},
	} {
		t.Run(name, func(t *testing.T) {
			limit := time.Second
			if strings.HasPrefix(c.says, "larger") { // which a slow machine must find in time
				limit = time.Minute
			}
			client := clientOf(t, c.step, gatewayclient.Options{Total: limit, MaxAnswer: 10_000})
			_, err := client.Block(context.Background(), 25)
			var unreachable *httpclient.UnreachableError
			require.ErrorAs(t, err, &unreachable)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// A message is one line of bounded length, whatever the gateway sends.
func TestMessages(t *testing.T) {
	for name, answer := range map[string]string{
		"in a body": "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n" + `{"message":"no\n\u001b[31mred"}`,
		"in a head": "HTTP/1.1 200 OK\r\nno colon \x1b[31m" + strings.Repeat("x", 10_000) + "\r\n\r\n",
	} {
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			defer connection.Close()
			fmt.Fprint(connection, answer)
		}), gatewayclient.Options{Total: time.Second})
		_, err := c.Block(context.Background(), 25)
		require.Error(t, err, name)
		require.Less(t, len(err.Error()), 600, name)
		require.False(t, strings.ContainsFunc(err.Error(), unicode.IsControl), "%s: %q", name, err)
	}
}

// The gateway's successor responds with 404 and JSON for a block that does not exist.
func TestSuccessorNotFound(t *testing.T) {
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"Block not found"}`)
	}), gatewayclient.Options{})
	_, err := c.Block(context.Background(), 25)
	require.ErrorIs(t, err, chain.ErrNoBlock)
}

func TestAddress(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:8080", "ws://host?key=secret"} {
		_, err := gatewayclient.New(address, gatewayclient.Options{})
		require.ErrorContains(t, err, "gateway address", address)
		require.NotContains(t, err.Error(), "secret")
	}
}

// The query of a gateway's address follows each path, with or without a query of its own. Errors contain no part of it, even
// if the gateway echoes it.
func TestKeyInTheQuery(t *testing.T) {
	const key = "S3CRET/key+0123"
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI())
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"message":"%s refuses %s, %s"}`, r.URL.Path, r.URL.RawQuery, r.URL.Query().Get("apikey"))
	}))
	t.Cleanup(server.Close)
	for _, base := range []string{"/moonbeam", "/moonbeam/", "", "/"} {
		query := "?net=1&apikey=" + url.QueryEscape(key)
		c, err := gatewayclient.New(server.URL+base+query, gatewayclient.Options{Total: time.Second})
		require.NoError(t, err)
		asked = nil
		_, err = c.Block(context.Background(), 25)
		require.ErrorContains(t, err, "refuses [hidden], [hidden]")
		require.NotContains(t, err.Error(), "S3CRET")
		_, err = c.Multiplier(context.Background(), 24)
		require.NotContains(t, err.Error(), "S3CRET")
		_, err = c.Stream(context.Background(), "/blocks/25", io.Discard)
		require.NotContains(t, err.Error(), "S3CRET")
		base = strings.TrimSuffix(base, "/")
		require.Equal(t, []string{base + "/blocks/25" + query,
			base + "/pallets/transaction-payment/storage/nextFeeMultiplier?at=24&" + query[1:], base + "/blocks/25" + query}, asked)
	}
}
