package rpc_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
)

// received counts bytes.
type received struct{ bytes, attempts atomic.Int64 }

func (r *received) Attempted(string, int, time.Duration, error) { r.attempts.Add(1) }

func (r *received) Received(what string, bytes int64) {
	if what == httpclient.Node {
		r.bytes.Add(bytes)
	}
}

// What comes over a WebSocket is counted to the byte, as what comes over HTTP is.
func TestReceived(t *testing.T) {
	var seen received
	o := quick
	o.Observer = &seen
	sent := 0
	c := misbehaving(t, o, func(q question) []byte {
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"Moonbeam"}`, q.ID)
		sent = len(text)
		return frame(textFrame, text)
	})
	_, err := c.Chain(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, sent, seen.bytes.Load())
	require.EqualValues(t, 1, seen.attempts.Load())
}
