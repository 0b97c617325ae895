package gatewayclient_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/ask"
	"github.com/feeledger/fees/chain"
)

const block7 = `{"number":"7","hash":` + hash1 + `,"parentHash":` + hash1 +
	`,"extrinsics":[{"method":{"pallet":"timestamp","method":"set"},"signature":null,"hash":` + hash1 + `,"events":[]}]}`

// sequence answers with one handler after the other, then with the block.
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

// What the gateway says tells whether to ask again: a node that it has lost comes back.
func TestRetries(t *testing.T) {
	for name, c := range map[string]struct {
		step   http.HandlerFunc
		asked  int // questions until the answer, or the error
		passes bool
	}{
		"unavailable":           {status(503, ""), 6, true},
		"node lost":             {said(500, "WebSocket is not connected"), 6, true},
		"node lost, no head":    {said(500, "Failed while trying to get the latest header."), 6, true},
		"not there yet":         {said(500, "Unable to retrieve header and parent from supplied hash"), 1, false},
		"cannot tell":           {said(500, "Unable to decode storage system.account"), 1, false},
		"another server error":  {said(500, "cannot read properties of undefined"), 1, false},
		"said with another":     {said(400, "WebSocket is not connected"), 1, false},
		"malformed":             {said(400, "Cannot get block hash for abc."), 1, false},
		"no such block, JSON":   {status(404, `{"error":"Block not found"}`), 1, false},
		"no such endpoint":      {status(404, `<html>`), 2, false}, // the second asks with /v1
		"half a body, complete": {status(200, block7[:50]), 1, false},
		"nothing":               {status(204, ""), 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := &sequence{steps: []http.HandlerFunc{c.step, c.step, c.step, c.step, c.step}}
			b, err := clientOf(t, s, ask.Options{}).Block(context.Background(), 7)
			require.Equal(t, c.asked, int(s.asked.Load()), "questions")
			if !c.passes {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, uint64(7), b.Number)
		})
	}
}

// The successor's paths begin with /v1. It is found out once.
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
	c := clientOf(t, versioned, ask.Options{})
	for range 2 {
		_, err := c.Block(context.Background(), 7)
		require.NoError(t, err)
	}
	require.Equal(t, []string{"/blocks/7", "/v1/blocks/7", "/v1/blocks/7"}, paths)

	// What answers, and not as a gateway does, tells nothing about the paths.
	s := &sequence{steps: []http.HandlerFunc{status(404, "<html>"), status(200, "")}}
	c = clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		s.ServeHTTP(w, r)
	}), ask.Options{})
	paths = nil
	_, err := c.Block(context.Background(), 7)
	require.ErrorContains(t, err, "ends too early")
	_, err = c.Block(context.Background(), 7)
	require.NoError(t, err)
	require.Equal(t, []string{"/blocks/7", "/v1/blocks/7", "/blocks/7"}, paths)

	// A gateway that has answered without is not asked with it.
	var old []string
	c = clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		old = append(old, r.URL.Path)
		if r.URL.Path != "/blocks/7" {
			status(404, "<html>Cannot GET</html>")(w, r)
			return
		}
		fmt.Fprint(w, block7)
	}), ask.Options{})
	_, err = c.Block(context.Background(), 7)
	require.NoError(t, err)
	_, err = c.Runtime(context.Background(), 7)
	require.ErrorIs(t, err, chain.ErrNotOffered)
	require.Equal(t, []string{"/blocks/7", "/runtime/spec"}, old)
}
