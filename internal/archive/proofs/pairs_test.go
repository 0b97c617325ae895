package proofs_test

import (
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/feeledger/fees/internal/test/tier"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/gateway"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/nodetest"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network"
)

// What five real runtimes made, kept with proofs in tries of both layouts, is answered as
// Sidecar answered it: hashes and state roots apart, for the recorded roots were a
// simulator's own. Accounts and the treasury's parameter are proved at every block.
func TestPairs(t *testing.T) {
	for layout, name := range tier.Some(2, pairs.RealRuntimes) {
		t.Run(name, func(t *testing.T) { compareWithPair(t, name, layout%2) })
	}
}

func compareWithPair(t *testing.T, name string, layout int) {
	rooted := nodetest.OpenPair(t, name)
	require.NoError(t, rooted.Root(layout))
	server := httptest.NewServer(rooted)
	defer server.Close()
	node, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	defer node.Close()
	head, err := node.Header(t.Context(), chain.Optional[chain.Hash]{})
	require.NoError(t, err)
	hash, err := node.BlockHash(t.Context(), head.Number)
	require.NoError(t, err)
	trusted := chain.Some(chain.Anchor{Height: head.Number, Hash: hash})

	o := proofs.RecordOptions{First: 0, Last: head.Number, Trusted: trusted, ParameterKey: func(r proofs.RuntimeName) string {
		return network.BuiltIn().ParameterKey(r.SpecName, r.SpecVersion)
	}}
	folders, err := filepath.Glob(pairs.Path(t, name, "gateway", "balance-info", "*"))
	require.NoError(t, err)
	for _, folder := range folders {
		account, err := chain.ParseAddress(filepath.Base(folder))
		require.NoError(t, err)
		o.Accounts = append(o.Accounts, account)
	}
	directory := filepath.Join(t.TempDir(), "archive")
	manifest, err := proofs.Record(t.Context(), proofs.FromNode(node), directory, o)
	require.NoError(t, err)
	require.Len(t, manifest.Runtimes, 1)
	require.NotNil(t, manifest.Runtimes[0].Code)
	verified, err := proofs.Verify(t.Context(), directory, trusted, nil)
	require.NoError(t, err)
	require.Equal(t, head.Number+1, verified.Proved)

	archive, err := proofs.Open(directory, trusted)
	require.NoError(t, err)
	kept, err := archive.Gateway()
	require.NoError(t, err)
	live := gateway.New(node)
	compared := map[string]int{}
	for kind, question := range map[string]string{
		"blocks": "/blocks/HEIGHT", "headers": "/blocks/HEIGHT/header", "runtime-spec": "/runtime/spec?at=HEIGHT",
		"multiplier":     "/pallets/transaction-payment/storage/nextFeeMultiplier?at=HEIGHT",
		"block-weight":   "/pallets/system/storage/blockWeight?at=HEIGHT",
		"parameters":     "/pallets/parameters/storage/parameters?keys%5B%5D=0x0004&at=HEIGHT",
		"balance-info/*": "/accounts/ACCOUNT/balance-info?at=HEIGHT",
	} {
		files, err := filepath.Glob(pairs.Path(t, name, "gateway", kind, "*.json"))
		require.NoError(t, err)
		for _, file := range files {
			height, folder := strings.TrimSuffix(filepath.Base(file), ".json"), filepath.Base(filepath.Dir(file))
			asked := strings.NewReplacer("HEIGHT", height, "ACCOUNT", folder).Replace(question)
			want, err := live.Get(t.Context(), asked) // which is Sidecar's, by a test of internal/node/gateway
			require.NoError(t, err, asked)
			have, err := kept.Get(t.Context(), asked)
			require.NoError(t, err, asked)
			require.Equal(t, want, have, asked)
			compared[kind]++
		}
	}
	t.Log(compared, manifest.Bytes()/int64(head.Number+1), "bytes a block")
	require.Greater(t, compared["balance-info/*"], 100)
	require.Greater(t, compared["blocks"], 20)

	_, err = kept.Get(t.Context(), "/blocks/"+strconv.FormatUint(head.Number+1, 10))
	require.ErrorIs(t, err, chain.ErrNotKept)
	unkept := chain.Address20([20]byte{1})
	require.False(t, slices.Contains(o.Accounts, unkept))
	_, err = kept.Get(t.Context(), "/accounts/"+unkept.String()+"/balance-info?at=5")
	require.ErrorIs(t, err, chain.ErrNotKept)
}
