package source_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/gatewayclient"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// A node returns the signers of a block's native extrinsics; a plain block source does not.
func TestNativeSigners(t *testing.T) {
	made := chaingen.New(chaingen.Options{Seed: 5, Rooted: true, Signed: true, Head: 40})
	server := httptest.NewServer(made.Node())
	t.Cleanup(server.Close)
	client, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	direct := &source.Reader{Source: source.Of(gateway.New(client)), Tables: network.BuiltIn()}
	opened := &source.Reader{Source: open(t, server.URL, gatewayclient.Options{}), Tables: network.BuiltIn()}
	unsaid := &source.Reader{Source: &synthetic{}, Tables: network.BuiltIn()}
	signed := 0
	for height := uint64(20); height < 40; height++ {
		block, err := direct.Source.Block(t.Context(), height)
		require.NoError(t, err)
		item := source.Item{Block: block}
		item.Rules.Network = "moonbeam"
		for _, r := range []*source.Reader{direct, opened} {
			_, err := r.Source.Block(t.Context(), height) // identifies it as a node
			require.NoError(t, err)
			list, err := r.NativeSigners(t.Context(), item)
			require.NoError(t, err)
			signers, told := list.Get()
			require.True(t, told)
			for _, s := range signers {
				x := block.Extrinsics[s.Extrinsic]
				signer, known := s.Signer.Get()
				require.True(t, known)
				named, err := x.Signed.Signer.Account()
				require.NoError(t, err)
				require.Equal(t, named, signer)
				signed++
			}
		}
		list, err := unsaid.NativeSigners(t.Context(), item)
		require.NoError(t, err)
		require.False(t, list.Known())
	}
	require.Positive(t, signed)
	item := source.Item{Block: &chain.Block{Hash: chain.Hash{9}}}
	list, err := direct.NativeSigners(t.Context(), item)
	require.Error(t, err, "a block that the node does not have")
	require.False(t, list.Known())
	require.True(t, source.IsMissing(chain.ErrNoBlock))
	require.True(t, source.IsMissing(chain.ErrNotKept))
	require.False(t, source.IsMissing(&httpclient.StatusError{Code: 502}))
}
