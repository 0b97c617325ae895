package source_test

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/source"
)

// What is believed depends on who answers, not on how its address is written: a gateway is believed most, and of an
// archive that is proved the metadata only.
func TestTrustIn(t *testing.T) {
	const hashes, state, metadata = "block hashes", "state (events, fee multipliers, block weights)", "runtime metadata"
	made := chaingen.New(chaingen.Options{Seed: 3, Head: 12})
	node, gateway := httptest.NewServer(made.Node()), httptest.NewServer(made.Handler())
	defer node.Close()
	defer gateway.Close()
	of := func(place string, proved, withNode bool) source.Trust {
		src, err := source.Open(place, source.Options{Options: quick})
		require.NoError(t, err)
		if closer, is := src.(io.Closer); is {
			defer closer.Close()
		}
		_, err = src.Block(t.Context(), 10)
		require.NoError(t, err)
		return source.TrustIn(src, proved, withNode)
	}
	fromNode := source.Trust{From: "node", Kinds: []string{hashes, state, metadata}}
	require.Equal(t, fromNode, of(node.URL, false, false))
	require.Equal(t, fromNode, of(strings.Replace(node.URL, "http", "ws", 1), false, false))
	require.Equal(t, source.Trust{From: "gateway", Kinds: []string{hashes, "extrinsics", state, "runtime versions"}}, of(gateway.URL, false, false))
	require.Equal(t, source.Trust{From: "gateway", Kinds: []string{hashes, state, "runtime versions"}}, of(gateway.URL, false, true))
	require.Equal(t, "gateway", of("demo", false, false).From)
	_, archive := keptProofs(t)
	require.Equal(t, source.Trust{From: "archive", Kinds: []string{metadata}}, of(archive, true, false))
	require.Equal(t, source.Trust{From: "archive", Kinds: []string{hashes, metadata}}, of(archive, false, false))
}
