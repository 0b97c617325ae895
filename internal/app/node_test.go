package app_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/node/serve"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// A ledger that was filled straight from a node, or from a gateway that stands before it, has
// the seal of one that was filled from what Sidecar had made of that node's answers. On runtime 1701, too: there the extrinsics as they
// are encoded prove natives that are known only from the cash without them.
func TestSyncFromANode(t *testing.T) {
	for name, extent := range map[string]string{
		"moonbeam-1701": "0..27", "moonbeam-2100": "0..27", "moonbeam-2600": "0..27", "datahaven-100": "0..40", "datahaven-100m": "0..32",
	} {
		t.Run(name, func(t *testing.T) {
			node := nodetest.OpenPair(t, name)
			server := httptest.NewServer(node)
			t.Cleanup(server.Close)
			recorded, err := answers.OpenDirectory(pairs.Path(t, name, "gateway"))
			require.NoError(t, err)
			want := sealFrom(t, recorded, extent)
			ws := strings.Replace(server.URL, "http", "ws", 1)
			client, err := rpc.New(ws, httpclient.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { client.Close() })
			gateway := httptest.NewServer(serve.Handler(client, "1.0"))
			t.Cleanup(gateway.Close)
			for _, place := range []string{ws, server.URL, gateway.URL} {
				if testing.Short() && place != ws {
					continue
				}
				src, err := source.Open(place, source.Options{})
				require.NoError(t, err)
				t.Cleanup(func() { src.(io.Closer).Close() })
				require.Equal(t, want, sealFrom(t, src, extent), place)
			}
		})
	}
}

// sealFrom is the seal of a ledger that was filled from a source.
func sealFrom(t *testing.T, src source.Source, extent string) string {
	t.Helper()
	place := file(t)
	_, err := app.Sync(t.Context(), place, blocks(t, extent), app.FillOptions{Reader: &source.Reader{Source: src, Tables: network.BuiltIn()}})
	require.NoError(t, err)
	return sealOf(t, place)
}
