package gatewayclient_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/gatewaytest"
)

// clientOf is a client of a gateway on loopback. It does not wait long before it
// tries again.
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

	m, err := c.Multiplier(ctx, 24)
	require.NoError(t, err)
	require.Equal(t, "999854223988196835", m.Value.String())
	hash, _ := m.AtHash.Get()
	require.Equal(t, b.ParentHash, hash)

	r, err := c.Runtime(ctx, 24)
	require.NoError(t, err)
	require.Equal(t, gatewayclient.Runtime{At: 24, AtHash: chain.Some(b.ParentHash), SpecName: "moonbeam", SpecVersion: 2100}, r)

	n, err := c.NodeVersion(ctx)
	require.NoError(t, err)
	require.Equal(t, "moonbeam", n.ClientImplName)
}

// recordedError is an answer of the real gateway to a question that it refused.
type recordedError struct {
	Request string            `json:"request"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

func replay(t *testing.T, name string) http.Handler {
	text, err := os.ReadFile(filepath.Join(recordings, "moonbeam-2100/errors", name+".json"))
	require.NoError(t, err)
	var e recordedError
	require.NoError(t, json.Unmarshal(text, &e))
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", e.Headers["content-type"])
		w.WriteHeader(e.Status)
		fmt.Fprint(w, e.Body)
	})
}

func TestRecordedErrors(t *testing.T) {
	const status = "status error"
	for name, want := range map[string]any{
		"future-block":             gatewayclient.ErrNoBlock,
		"future-by-one":            gatewayclient.ErrNoBlock,
		"unknown-hash":             gatewayclient.ErrNoBlock,
		"huge-number":              gatewayclient.ErrNoBlock,
		"over-u32":                 gatewayclient.ErrNoBlock,
		"future-block-multiplier":  gatewayclient.ErrNoBlock,
		"spec-future":              gatewayclient.ErrNoBlock,
		"unknown-route":            gatewayclient.ErrNoEndpoint,
		"unknown-v1":               gatewayclient.ErrNoEndpoint,
		"node-down-head":           status,
		"node-down-block-cached":   status,
		"node-down-block-uncached": status,
		"node-down-version":        status,
		"node-hung-block":          status,
		"malformed-block":          status,
		"malformed-hash":           status,
	} {
		t.Run(name, func(t *testing.T) {
			c := clientOf(t, replay(t, name), gatewayclient.Options{})
			b, err := c.Block(context.Background(), 25)
			require.Nil(t, b)
			if want != status {
				require.ErrorIs(t, err, want.(error))
				return
			}
			var refused *gatewayclient.StatusError
			require.ErrorAs(t, err, &refused)
			require.NotEmpty(t, refused.Message)
			require.NotContains(t, err.Error(), "node_modules", "the stack is the gateway's own affair")
			require.NotErrorIs(t, err, gatewayclient.ErrNoBlock)
			require.NotErrorIs(t, err, gatewayclient.ErrNoEndpoint)
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
	require.ErrorIs(t, err, gatewayclient.ErrWrongBlock)
	_, err = answer(block).BlockByHash(ctx, chain.Hash{})
	require.ErrorIs(t, err, gatewayclient.ErrWrongBlock)
	_, err = answer(`{"at":{"height":"25"},"value":"1"}`).Multiplier(ctx, 24)
	require.ErrorIs(t, err, gatewayclient.ErrWrongBlock)
	_, err = answer(`{"at":{"height":"25"},"specName":"moonbeam","specVersion":"1"}`).Runtime(ctx, 24)
	require.ErrorIs(t, err, gatewayclient.ErrWrongBlock)
	_, err = answer(`{"at":{"height":"24"},"value":"x"}`).Multiplier(ctx, 24)
	require.EqualError(t, err, `multiplier at block 24: malformed multiplier: value: "x" is not a non-negative integer`)
	_, err = answer(" \n<html>").Block(ctx, 25)
	require.ErrorIs(t, err, gatewayclient.ErrNotJSON)
	_, err = answer("").Block(ctx, 25)
	require.ErrorContains(t, err, "the text ends too early")
}

func TestNoAnswer(t *testing.T) {
	ctx := context.Background()
	requireUnreachable := func(t *testing.T, err error, says string) {
		var unreachable *gatewayclient.UnreachableError
		require.ErrorAs(t, err, &unreachable)
		require.ErrorContains(t, err, says)
	}
	t.Run("nobody listens", func(t *testing.T) {
		c, err := gatewayclient.New("http://127.0.0.1:1", gatewayclient.Options{RetryWait: time.Millisecond})
		require.NoError(t, err)
		_, err = c.Block(ctx, 25)
		requireUnreachable(t, err, "connection refused")
	})
	t.Run("it hangs", func(t *testing.T) {
		c := clientOf(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
			gatewayclient.Options{Timeout: 20 * time.Millisecond})
		_, err := c.Block(ctx, 25)
		requireUnreachable(t, err, "timed out")
	})
	t.Run("it breaks off", func(t *testing.T) {
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "{")
		}), gatewayclient.Options{})
		_, err := c.Block(ctx, 25)
		requireUnreachable(t, err, "unexpected EOF")
	})
	t.Run("it never ends", func(t *testing.T) {
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range 100 {
				fmt.Fprint(w, strings.Repeat(" ", 1000))
			}
		}), gatewayclient.Options{MaxBody: 10_000})
		_, err := c.Block(ctx, 25)
		requireUnreachable(t, err, "larger than any block should be")
	})
	t.Run("it is a gzip bomb", func(t *testing.T) {
		var bomb bytes.Buffer
		z := gzip.NewWriter(&bomb)
		_, err := z.Write(make([]byte, 1<<20))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		}), gatewayclient.Options{MaxBody: 10_000})
		_, err = c.Block(ctx, 25)
		requireUnreachable(t, err, "larger than any block should be")
	})
	t.Run("it redirects for ever", func(t *testing.T) {
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/blocks/25", http.StatusFound)
		}), gatewayclient.Options{})
		_, err := c.Block(ctx, 25)
		requireUnreachable(t, err, "it redirects too often")
	})
	t.Run("the caller gives up", func(t *testing.T) {
		c := clientOf(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), gatewayclient.Options{})
		ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		_, err := c.Block(ctx, 25)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// The gateway's successor answers 404 with JSON where a block does not exist.
func TestSuccessorNotFound(t *testing.T) {
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"Block not found"}`)
	}), gatewayclient.Options{})
	_, err := c.Block(context.Background(), 25)
	require.ErrorIs(t, err, gatewayclient.ErrNoBlock)
}

func TestAddress(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:8080", "ftp://host", "http://", "http://host?x=1", "http://host#x", "http://a b"} {
		_, err := gatewayclient.New(address, gatewayclient.Options{})
		require.Error(t, err, address)
	}
	_, err := gatewayclient.New("ftp://me:secret@host", gatewayclient.Options{})
	require.ErrorContains(t, err, "want http")
	require.NotContains(t, err.Error(), "secret")
}

// Credentials do not follow a redirect to another address, be it another port.
func TestCredentialsStay(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked++ }))
	t.Cleanup(other.Close)
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
	}), gatewayclient.Options{})
	_, err := c.Block(context.Background(), 25)
	require.ErrorContains(t, err, "it redirects to another address")
	require.Zero(t, asked)
}

// A redirect to the same address is followed.
func TestRedirect(t *testing.T) {
	recorded := gatewaytest.Handler(filepath.Join(recordings, "moonbeam-2100"))
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, old := strings.CutPrefix(r.URL.Path, "/old"); old {
			http.Redirect(w, r, rest, http.StatusFound)
			return
		}
		recorded.ServeHTTP(w, r)
	}), gatewayclient.Options{})
	_, err := c.Block(context.Background(), 25)
	require.NoError(t, err)
}

// Credentials in the address are sent, and shown nowhere.
func TestCredentials(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "me" || password != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(server.Close)
	c, err := gatewayclient.New(strings.Replace(server.URL, "http://", "http://me:secret@", 1), gatewayclient.Options{RetryWait: time.Millisecond})
	require.NoError(t, err)
	_, err = c.Block(context.Background(), 25)
	var refused *gatewayclient.StatusError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusTeapot, refused.Code)
	require.NotContains(t, err.Error(), "secret")
	server.Close()
	_, err = c.Block(context.Background(), 25)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
}
