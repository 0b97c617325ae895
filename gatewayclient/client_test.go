package gatewayclient_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/gatewaytest"
	"github.com/feeledger/fees/sidecar"
)

const recordings = "../testdata/recordings"

const hash1 = `"0x1111111111111111111111111111111111111111111111111111111111111111"`

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

func TestTemporary(t *testing.T) {
	for code, want := range map[int]bool{400: false, 401: false, 404: false, 408: true, 429: true, 500: true, 502: true, 503: true} {
		require.Equal(t, want, (&gatewayclient.StatusError{Code: code}).Temporary(), "%d", code)
	}
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
	require.Equal(t, chain.AtBlock[chain.Runtime]{At: 24, AtHash: chain.Some(b.ParentHash), Value: chain.Runtime{SpecName: "moonbeam", SpecVersion: 2100}}, r)

	n, err := c.NodeVersion(ctx)
	require.NoError(t, err)
	require.Equal(t, "moonbeam", n.ClientImplName)
}

// Each recorded error answer gives the error that the documentation promises.
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
			c := clientOf(t, answer, gatewayclient.Options{})
			_, path, _ := strings.Cut(answer.Request, " ")
			text, err := c.Answer(context.Background(), path)
			var refused *gatewayclient.StatusError
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
				if name != "bad-tx" { // its text is in another field
					require.NotEmpty(t, refused.Message)
				}
			}
			require.Empty(t, text)
			require.NotContains(t, err.Error(), "node_modules", "the stack is the gateway's own affair")
			// So is what a block is asked for with.
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
	require.ErrorIs(t, err, sidecar.ErrNotJSON)
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

// A message is one line of bounded length, whatever the gateway puts into it.
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
		}), gatewayclient.Options{})
		_, err := c.Block(context.Background(), 25)
		require.Error(t, err, name)
		require.Less(t, len(err.Error()), 600, name)
		require.False(t, strings.ContainsFunc(err.Error(), unicode.IsControl), "%s: %q", name, err)
	}
}

// The gateway's successor answers 404 with JSON where a block does not exist.
func TestSuccessorNotFound(t *testing.T) {
	c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"Block not found"}`)
	}), gatewayclient.Options{})
	_, err := c.Block(context.Background(), 25)
	require.ErrorIs(t, err, chain.ErrNoBlock)
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

// Three redirects are followed, and no fourth.
func TestRedirectLimit(t *testing.T) {
	for redirects, followed := range map[int]bool{3: true, 4: false} {
		asked := 0
		c := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked++; asked <= redirects {
				http.Redirect(w, r, fmt.Sprintf("/%d%s", asked, r.URL.Path), http.StatusFound)
				return
			}
			fmt.Fprint(w, block7)
		}), gatewayclient.Options{})
		_, err := c.Block(context.Background(), 7)
		require.Equal(t, 4, asked, "%d redirects", redirects)
		if followed {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "it redirects too often")
		}
	}
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
