package source_test

import (
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/archive/answers"
	"github.com/feeledger/fees/network"
	"github.com/feeledger/fees/source"
)

// offered lists what a source offers beyond blocks.
func offered(s source.Source) (list []string) {
	add := func(name string, err error) {
		if err == nil {
			list = append(list, name)
		}
	}
	_, err := source.As[source.Part](s)
	add("part", err)
	_, err = source.As[source.Proofs](s)
	add("proofs", err)
	_, err = source.As[source.Batches](s)
	add("batches", err)
	_, err = source.As[source.NodeVersions](s)
	add("node version", err)
	_, err = source.As[source.BaseFees](s)
	add("base fee", err)
	_, err = source.As[source.Balances](s)
	add("balance", err)
	_, err = source.As[source.TreasuryProportions](s)
	add("proportion", err)
	_, err = source.As[source.BlockWeights](s)
	add("block weight", err)
	_, err = source.As[source.Extrinsics](s)
	add("extrinsics", err)
	_, err = source.As[source.NativeSigners](s)
	add("signers", err)
	return list
}

// wrapper passes on what its source offers; opaque does not.
type (
	wrapper struct{ source.Source }
	opaque  struct{ source.Source }
)

func (w wrapper) Unwrap() source.Source { return w.Source }

// A source offers what its kind has, also through a wrapper. One at an http URL offers what a node does once its first
// response reveals a node.
func TestOffers(t *testing.T) {
	_, directory := keptProofs(t)
	recorded, err := answers.OpenDirectory("../testdata/recordings/moonbeam-2100")
	require.NoError(t, err)
	gateway := httptest.NewServer(answers.Handler(recorded))
	t.Cleanup(gateway.Close)
	_, node := startNode(t, noGET)
	stored := []string{"node version", "base fee", "balance", "proportion", "block weight"}
	of := func(before, after []string) []string { return slices.Concat(before, stored, after) }
	for place, c := range map[string]struct {
		want             []string
		blocks, requests uint64
	}{
		"demo":                                 {of([]string{"part"}, nil), 1, 2},
		gateway.URL:                            {stored, 1, 2},
		node:                                   {of([]string{"batches"}, []string{"extrinsics", "signers"}), 16, 33},
		strings.Replace(node, "http", "ws", 1): {of([]string{"batches"}, []string{"extrinsics", "signers"}), 16, 33},
		directory:                              {of([]string{"part", "proofs"}, []string{"extrinsics", "signers"}), 1, 2},
	} {
		src, err := source.Open(place, source.Options{})
		require.NoError(t, err)
		if c, ok := src.(io.Closer); ok {
			t.Cleanup(func() { require.NoError(t, c.Close()) })
		}
		if place == node {
			require.Equal(t, stored, offered(src), "before the first response")
		}
		_, err = src.FinalHead(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.want, offered(src), place)
		require.Equal(t, c.want, offered(wrapper{wrapper{src}}), place)
		require.Empty(t, offered(opaque{src}), place)
		blocks, requests := source.BatchSize(wrapper{src})
		require.Equal(t, []uint64{c.blocks, c.requests}, []uint64{blocks, requests}, place)
		kept, err := source.Kept(src)
		require.NoError(t, err)
		require.Equal(t, slices.Contains(c.want, "part"), kept.Known(), place)
	}
}

// Blocks of a source that offers nothing else are priced, and a base fee that it does not offer is an error.
func TestSourceOfBlocks(t *testing.T) {
	demo, err := source.Open("demo", source.Options{})
	require.NoError(t, err)
	reader := source.Reader{Source: opaque{demo}, Tables: network.BuiltIn()}
	item, err := reader.Read(t.Context(), source.Height(25))
	require.NoError(t, err)
	require.True(t, item.Multiplier.Known())
	require.False(t, reader.Proved().Known())
	encoded, err := reader.Extrinsics(t.Context(), item)
	require.NoError(t, err)
	require.False(t, encoded.Known())

	moonbeam, _ := network.BuiltIn().Named("moonbeam")
	item.Rules, err = moonbeam.Rules(3702) // its table asks for the parameter
	require.NoError(t, err)
	_, err = reader.FeesTreasuryProportion(t.Context(), item)
	require.EqualError(t, err, "FeesTreasuryProportion: the source does not support this request")
	require.True(t, source.IsUnsupported(err))

	weights, err := reader.BlockWeight(t.Context(), item)
	require.NoError(t, err)
	require.True(t, item.Rules.NeedsBlockWeight())
	require.False(t, weights.Known())

	reader.Tables, reader.Network = storedBaseFee(t, "parent"), "own"
	_, err = reader.Read(t.Context(), source.Height(25))
	require.ErrorIs(t, err, chain.ErrNotOffered)
	require.ErrorContains(t, err, "base fee: ")
}
