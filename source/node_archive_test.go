package source_test

import (
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/proofs"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/test/blocktest"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/source"
)

// keptProofs is an archive of blocks 5 to 40 of a chain, which upgrades at 20, with the balances
// of its treasury.
func keptProofs(t *testing.T) (made *chaingen.Chain, directory string) {
	t.Helper()
	made = chaingen.New(chaingen.Options{Seed: 9, Rooted: true, Upgrade: 20, Head: 50})
	server := httptest.NewServer(made.Node())
	defer server.Close()
	node, err := rpc.New(server.URL, httpclient.Options{})
	require.NoError(t, err)
	defer node.Close()
	directory = filepath.Join(t.TempDir(), "archive")
	_, err = proofs.Record(t.Context(), proofs.FromNode(node), directory,
		proofs.RecordOptions{First: 5, Last: 40, Accounts: made.Accounts()[:1]})
	require.NoError(t, err)
	return made, directory
}

func trusting(made *chaingen.Chain, height uint64) chain.Optional[chain.Anchor] {
	return chain.Some(chain.Anchor{Height: height, Hash: made.Hash(height)})
}

// An archive of a node says of its blocks what the chain's gateway does.
func TestNodeArchive(t *testing.T) {
	made, directory := keptProofs(t)
	src, err := source.Open(directory, source.Options{Trusted: trusting(made, 40)})
	require.NoError(t, err)
	require.Equal(t, trusting(made, 40), as[source.Proofs](t, src).Proved())
	heights, err := source.Kept(src)
	require.NoError(t, err)
	require.Equal(t, chain.Some(chain.Heights{First: 5, Last: 40}), heights)
	ctx, live, account := t.Context(), made.Source(), made.Accounts()[0]
	for height := uint64(4); height <= 40; height++ {
		want, err := live.Multiplier(ctx, height)
		require.NoError(t, err)
		have, err := src.Multiplier(ctx, height)
		require.NoError(t, err)
		require.Equal(t, want, have)
		runtime, err := live.Runtime(ctx, height)
		require.NoError(t, err)
		kept, err := src.Runtime(ctx, height)
		require.NoError(t, err)
		require.Equal(t, runtime, kept)
		balance, err := live.Balance(ctx, account, chain.Some(height))
		require.NoError(t, err)
		proved, err := as[source.Balances](t, src).Balance(ctx, account, chain.Some(height))
		require.NoError(t, err)
		require.Equal(t, balance, proved)
		if height == 4 { // the base is there for what it left behind
			continue
		}
		b, err := live.Block(ctx, height)
		require.NoError(t, err)
		same, err := src.Block(ctx, height)
		require.NoError(t, err)
		require.Equal(t, b.Extrinsics, same.Extrinsics)
		require.Equal(t, b.Hash, same.Hash)
		byHash, err := src.BlockByHash(ctx, b.Hash)
		require.NoError(t, err)
		blocktest.RequireSame(t, same, byHash)
		encoded, err := as[source.Extrinsics](t, src).Extrinsics(ctx, b.Hash)
		require.NoError(t, err)
		require.Len(t, encoded, len(b.Extrinsics))
	}
	for _, unfinalized := range []bool{false, true} {
		head, err := src.Head(ctx, unfinalized)
		require.NoError(t, err)
		require.EqualValues(t, 40, head.Number)
	}
}

// What an archive does not have, it says by its range.
func TestNodeArchiveLacks(t *testing.T) {
	made, directory := keptProofs(t)
	src, err := source.Open(directory, source.Options{})
	require.NoError(t, err)
	require.False(t, as[source.Proofs](t, src).Proved().Known())
	ctx := t.Context()
	for _, height := range []uint64{0, 3, 4, 41, 4_000_000_000} {
		_, err := src.Block(ctx, height)
		require.ErrorIs(t, err, chain.ErrNotKept)
		require.ErrorContains(t, err, "the archive contains blocks 5 to 40")
	}
	for _, height := range []uint64{0, 3} {
		_, err := src.Multiplier(ctx, height)
		require.ErrorIs(t, err, chain.ErrNotKept)
	}
	_, err = src.BlockByHash(ctx, made.Hash(41))
	require.ErrorIs(t, err, chain.ErrNotKept)
	_, err = as[source.Balances](t, src).Balance(ctx, chain.Address20([20]byte{1}), chain.Some(uint64(9)))
	require.ErrorIs(t, err, chain.ErrNotKept)
	_, err = as[source.TreasuryProportions](t, src).FeesTreasuryProportion(ctx, "0x0004", 9)
	require.ErrorIs(t, err, chain.ErrUnsupported, "the chain has none")
	_, err = src.Block(ctx, 9) // all the same
	require.NoError(t, err)
}

// What is known of a chain from elsewhere proves an archive that has it, and a trusted block is
// for archives with proofs alone.
func TestTrust(t *testing.T) {
	made, directory := keptProofs(t)
	known := func(heights ...uint64) func(string) []chain.Anchor {
		return func(specName string) (list []chain.Anchor) {
			require.Equal(t, "moonbeam", specName)
			for _, height := range heights {
				list = append(list, chain.Anchor{Height: height, Hash: made.Hash(height)})
			}
			return list
		}
	}
	for _, c := range []struct {
		known []uint64
		want  chain.Optional[chain.Anchor]
	}{{nil, chain.Optional[chain.Anchor]{}}, {[]uint64{3, 41}, chain.Optional[chain.Anchor]{}}, {[]uint64{3, 7, 30, 50}, trusting(made, 30)}} {
		src, err := source.Open(directory, source.Options{Known: known(c.known...)})
		require.NoError(t, err)
		require.Equal(t, c.want, as[source.Proofs](t, src).Proved())
	}
	src, err := source.Open(directory, source.Options{Trusted: trusting(made, 20), Known: known(30)})
	require.NoError(t, err)
	require.Equal(t, trusting(made, 20), as[source.Proofs](t, src).Proved(), "what the user trusts")

	wrong := chain.Some(chain.Anchor{Height: 30, Hash: made.Hash(29)})
	_, err = source.Open(directory, source.Options{Trusted: wrong})
	require.ErrorIs(t, err, proofs.ErrDamaged)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "block 30: header: its hash is "+made.Hash(30).String())
	_, err = source.Open(directory, source.Options{Known: func(string) []chain.Anchor { return []chain.Anchor{{Height: 30, Hash: made.Hash(29)}} }})
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	_, err = source.Open(directory, source.Options{Trusted: trusting(made, 41)})
	require.ErrorContains(t, err, "checkpoint block 41 is not in the archive. Take one of blocks 5 to 40")
	for _, place := range []string{"demo", "http://127.0.0.1:1", "ws://127.0.0.1:1", t.TempDir()} {
		_, err := source.Open(place, source.Options{Trusted: trusting(made, 30)})
		require.ErrorIs(t, err, source.ErrNoProofs, place)
	}
}
