package gatewayclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
)

const block7 = `{"number":"7","hash":` + hash1 + `,"parentHash":` + hash1 +
	`,"extrinsics":[{"method":{"pallet":"timestamp","method":"set"},"signature":null,"hash":` + hash1 + `,"events":[]}]}`

// sequence responds with one handler after another, then with the block.
type sequence struct {
	steps []http.HandlerFunc
	asked atomic.Int32
}

func (s *sequence) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := int(s.asked.Add(1)) - 1
	if n < len(s.steps) {
		s.steps[n](w, r)
		return
	}
	fmt.Fprint(w, block7)
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

func said(code int, message string) http.HandlerFunc {
	return status(code, fmt.Sprintf(`{"code":%d,"message":%q}`, code, message))
}

// The gateway's message decides whether to retry: a lost node comes back. A response that is not a gateway's
// is retried if a valid one came before.
func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		step   http.HandlerFunc
		asked  int  // requests until the response, or the error
		passes bool // also at the first request
		known  bool // after a first answer
	}{
		"unavailable":            {status(503, ""), 6, true, true},
		"node lost":              {said(500, "WebSocket is not connected"), 6, true, true},
		"node lost, no head":     {said(500, "Failed while trying to get the latest header."), 6, true, true},
		"node hangs":             {said(500, "No response received from RPC endpoint in 60s"), 6, true, true},
		"node's limit":           {said(500, "-32005: Too many requests, please apply for an API key"), 6, true, true},
		"node's internal error":  {said(500, "-32603: Internal error"), 6, true, true},
		"another server error":   {said(500, "cannot read properties of undefined"), 6, true, true},
		"not there yet":          {said(500, "Unable to retrieve header and parent from supplied hash"), 1, false, false},
		"cannot tell":            {said(500, "Unable to decode storage system.account"), 1, false, false},
		"pruned":                 {said(500, "4003: Client error: Api called for an unknown Block: State already discarded for 0x12"), 1, false, false},
		"pruned, older node":     {said(500, "-32000: Client error: UnknownBlock: State already discarded for BlockId::Hash(0x12)"), 1, false, false},
		"said with another":      {said(400, "WebSocket is not connected"), 1, false, false},
		"malformed":              {said(400, "Cannot get block hash for abc."), 1, false, false},
		"no such block, JSON":    {status(404, `{"error":"Block not found"}`), 1, false, false},
		"half a body, complete":  {status(200, block7[:50]), 1, false, true},
		"an error, with success": {status(200, `{"error":"upstream timed out"}`), 1, false, true},
		"another block":          {status(200, strings.Replace(block7, `"7"`, `"8"`, 1)), 1, false, true},
		"nothing":                {status(204, ""), 1, false, true},
		"web page":               {status(200, "<html><title>Just a moment...</title>"), 1, false, true},
		"forbidden":              {status(403, "<html>"), 1, false, true},
	} {
		for _, known := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, answered before: %v", name, known), func(t *testing.T) {
				s := &sequence{}
				client := clientOf(t, s, gatewayclient.Options{})
				if known {
					_, err := client.Block(context.Background(), 7)
					require.NoError(t, err)
					s.asked.Store(0)
				}
				s.steps = []http.HandlerFunc{c.step, c.step, c.step, c.step, c.step}
				b, err := client.Block(context.Background(), 7)
				if !c.passes && !(known && c.known) {
					require.Error(t, err)
					require.Equal(t, c.asked, int(s.asked.Load()), "requests")
					require.Equal(t, strings.HasPrefix(name, "pruned"), errors.Is(err, chain.ErrPruned), err)
					return
				}
				require.NoError(t, err)
				require.Equal(t, 6, int(s.asked.Load()), "requests")
				require.Equal(t, uint64(7), b.Number)
			})
		}
	}
	t.Run("the gateway does not have this endpoint", func(t *testing.T) {
		s := &sequence{steps: []http.HandlerFunc{status(404, "<html>"), status(404, "<html>")}}
		_, err := clientOf(t, s, gatewayclient.Options{}).Block(context.Background(), 7)
		require.ErrorIs(t, err, chain.ErrNotOffered)
		require.Equal(t, 2, int(s.asked.Load()), "the second asks with /v1")
	})
}

// The successor's paths start with /v1. The client finds out once.
func TestVersion(t *testing.T) {
	var paths []string
	versioned := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		if r.URL.Path != "/v1/blocks/7" {
			status(404, "<html>Cannot GET</html>")(w, r)
			return
		}
		fmt.Fprint(w, block7)
	})
	c := clientOf(t, versioned, gatewayclient.Options{})
	for range 2 {
		_, err := c.Block(context.Background(), 7)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"/blocks/7", "/v1/blocks/7", "/v1/blocks/7"}, paths)

	// Responses that are not a gateway's reveal nothing about the paths.
	s := &sequence{steps: []http.HandlerFunc{status(404, "<html>"), status(200, "")}}
	c = clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		s.ServeHTTP(w, r)
	}), gatewayclient.Options{})
	paths = nil
	_, err := c.Block(context.Background(), 7)
	require.ErrorContains(t, err, "ends too early")
	_, err = c.Block(context.Background(), 7)
	require.NoError(t, err)
	require.Equal(t, []string{"/blocks/7", "/v1/blocks/7", "/blocks/7"}, paths)

	// A gateway that has responded without the prefix is not asked with it.
	var old []string
	c = clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		old = append(old, r.URL.Path)
		if r.URL.Path != "/blocks/7" {
			status(404, "<html>Cannot GET</html>")(w, r)
			return
		}
		fmt.Fprint(w, block7)
	}), gatewayclient.Options{})
	_, err = c.Block(context.Background(), 7)
	require.NoError(t, err)
	_, err = c.Runtime(context.Background(), 7)
	require.ErrorIs(t, err, chain.ErrNotOffered)
	require.Equal(t, []string{"/blocks/7", "/runtime/spec"}, old)
}
