package gateway_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
)

// An answer of 100 MB, in one frame or without a length, is broken off at the limit: no more
// memory is taken for it than some times that.
func TestHugeAnswer(t *testing.T) {
	const limit = 1 << 20
	write := func(w io.Writer) {
		piece := bytes.Repeat([]byte("0"), 1<<16)
		_, err := io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":"0x`)
		for sent := 0; sent < 100<<20 && err == nil; sent += len(piece) {
			_, err = w.Write(piece)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			write(w)
			return
		}
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		if _, _, err := c.Read(r.Context()); err != nil {
			return
		}
		if m, err := c.Writer(r.Context(), websocket.MessageText); err == nil {
			write(m)
		}
	}))
	defer server.Close()
	for _, scheme := range []string{"http", "ws"} {
		address := strings.Replace(server.URL, "http", scheme, 1)
		client, err := rpc.New(address, httpclient.Options{MaxAnswer: limit})
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = gateway.New(client).Get(t.Context(), "/blocks/head")
		runtime.ReadMemStats(&after)
		require.EqualError(t, err, fmt.Sprintf("chain_getFinalizedHead: no answer from the node at %s: the answer is larger than any block should be", address))
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16*limit), scheme)
		require.NoError(t, client.Close())
	}
}
