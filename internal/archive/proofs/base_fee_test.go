package proofs_test

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/nodetest"
)

// A stored base fee is proved at each block, also in an archive made from others, and answered as
// the node's gateway answers it. An archive without it does not have it.
func TestBaseFees(t *testing.T) {
	rooted := nodetest.OpenPair(t, "moonbeam-2600")
	require.NoError(t, rooted.Root(1))
	server := httptest.NewServer(rooted)
	defer server.Close()
	node, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	defer node.Close()
	hash, err := node.BlockHash(t.Context(), 20)
	require.NoError(t, err)
	trusted := chain.Some(chain.Anchor{Height: 20, Hash: hash})
	record := func(item string, first, last uint64) string {
		directory := filepath.Join(t.TempDir(), "archive")
		_, err := proofs.Record(t.Context(), proofs.FromNode(node), directory, proofs.RecordOptions{First: first, Last: last,
			BaseFeeItem: func(proofs.RuntimeName) string { return item }})
		require.NoError(t, err)
		return directory
	}
	// Any item serves: this runtime stores no base fee.
	const item, question = "System.Number", "/pallets/system/storage/number?at=%d"
	low, high, without := record(item, 1, 9), record(item, 10, 20), record("", 1, 9)
	joined := filepath.Join(t.TempDir(), "joined")
	_, err = proofs.Join(t.Context(), []string{low, high}, joined, proofs.JoinOptions{Trusted: trusted})
	require.NoError(t, err)
	_, err = proofs.Verify(t.Context(), joined, trusted, nil)
	require.NoError(t, err)
	archive, err := proofs.Open(joined, trusted)
	require.NoError(t, err)
	kept, err := archive.Gateway()
	require.NoError(t, err)
	live := gateway.New(node)
	for height := 0; height <= 20; height++ {
		want, err := live.Get(t.Context(), fmt.Sprintf(question, height))
		require.NoError(t, err)
		have, err := kept.Get(t.Context(), fmt.Sprintf(question, height))
		require.NoError(t, err)
		require.Equal(t, want, have)
	}
	_, err = proofs.Join(t.Context(), []string{without, high}, filepath.Join(t.TempDir(), "other"), proofs.JoinOptions{})
	require.ErrorContains(t, err, `has the base fee's item ""`)

	plain, err := proofs.Open(without, chain.Optional[chain.Anchor]{})
	require.NoError(t, err)
	kept, err = plain.Gateway()
	require.NoError(t, err)
	_, err = kept.Get(t.Context(), fmt.Sprintf(question, 5))
	require.ErrorIs(t, err, chain.ErrNotKept)

	_, err = proofs.Record(t.Context(), proofs.FromNode(node), filepath.Join(t.TempDir(), "none"), proofs.RecordOptions{First: 1, Last: 2,
		BaseFeeItem: func(proofs.RuntimeName) string { return "Other.Item" }})
	require.ErrorContains(t, err, "they lack Other.Item")
}
