package chaingen_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/gatewayclient/sidecar"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/source"
)

// governed returns a chain that uses FeesTreasuryProportion, which is set at some heights.
func governed(head uint64) *chaingen.Chain {
	n := chaingen.Moonbeam()
	n.SpecName, n.ParameterKey, n.EVMBase = "governed", "0x0107", chaingen.ByParameter
	n.Proportions = []chaingen.Proportion{{From: 3, Perbill: 333_333_333}, {From: 7, Perbill: 0}}
	return chaingen.New(chaingen.Options{Seed: 1, Head: head, Network: &n})
}

// A parameter is the same from the chain, a gateway and a directory of recordings, and only under its own key.
func TestParameter(t *testing.T) {
	const head = 9
	c := governed(head)
	server := httptest.NewServer(c.Handler())
	defer server.Close()
	client, err := gatewayclient.New(server.URL, gatewayclient.Options{})
	require.NoError(t, err)
	directory := t.TempDir()
	require.NoError(t, c.WriteDirectory(directory, 0, head))
	recorded, err := answers.OpenDirectory(directory)
	require.NoError(t, err)
	for name, s := range map[string]source.TreasuryProportions{"chain": c.Source(), "gateway": client, "directory": recorded} {
		for at := uint64(0); at <= head; at++ {
			p, err := s.FeesTreasuryProportion(context.Background(), "0x0107", at)
			require.NoError(t, err, name)
			require.Equal(t, chain.Some(c.Hash(at)), p.AtHash, name)
			value, set := p.Value.Get()
			require.Equal(t, at >= 3, set, "%s at %d", name, at)
			want := map[bool]string{true: "333333333", false: "0"}[at >= 3 && at < 7]
			require.Equal(t, want, value.String(), "%s at %d", name, at)
		}
	}
	p, err := client.FeesTreasuryProportion(context.Background(), "0x0000", 5)
	require.NoError(t, err)
	require.False(t, p.Value.Known(), "no other parameter is set")
	for path, code := range map[string]int{
		sidecar.ProportionPath("0x0107", head):             http.StatusOK,
		sidecar.ProportionPath("0x0107", head+1):           http.StatusInternalServerError,
		sidecar.ProportionPath(`{"RuntimeConfig":"x"}`, 5): http.StatusInternalServerError,
	} {
		require.Equal(t, code, answerTo(c.Handler(), http.MethodGet, path).Code, path)
	}
	require.Equal(t, http.StatusNotFound, answerTo(chaingen.New(chaingen.Options{Head: head}).Handler(), http.MethodGet, sidecar.ProportionPath("0x0107", 5)).Code)
	_, err = chaingen.New(chaingen.Options{Head: head}).Source().FeesTreasuryProportion(context.Background(), "0x0107", 5)
	require.ErrorIs(t, err, chain.ErrNotOffered)
	_, err = c.Source().FeesTreasuryProportion(context.Background(), "0x0107", head+1)
	require.ErrorIs(t, err, chain.ErrNoBlock)
}
