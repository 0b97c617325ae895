package source_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/pairs"
	"github.com/feeledger/fees/network/rule"
	"github.com/feeledger/fees/source"
)

// aNode asks runtimes, and has the encoded extrinsics of blocks.
type aNode struct {
	source.Source
	asked  [][]byte
	refuse bool // it refuses every question
	err    error
}

func (n *aNode) QueryInfos(_ context.Context, extrinsics [][]byte, block chain.Hash) ([]chain.Optional[chain.QueryInfo], error) {
	n.asked = extrinsics
	list := make([]chain.Optional[chain.QueryInfo], len(extrinsics))
	for i := range list {
		if !n.refuse {
			list[i] = chain.Some(chain.QueryInfo{PartialFee: chain.NewWei(uint64(len(extrinsics[i])) + uint64(block[0]))})
		}
	}
	return list, n.err
}

func (n *aNode) EthReceipts(_ context.Context, block chain.Hash) (none chain.Optional[[]chain.Receipt], err error) {
	if n.refuse || n.err != nil {
		return none, n.err
	}
	return chain.Some([]chain.Receipt{{GasUsed: chain.NewGas(uint64(block[0]))}}), nil
}

func (n *aNode) Extrinsics(_ context.Context, block chain.Hash) ([][]byte, error) {
	return [][]byte{block[:1]}, n.err
}

// What runtimes answer is asked of the source, or of the node beside it: about the parent's state, and within limits. What is
// refused for good is unknown, and what fails for now is an error.
func TestRuntimeFunctions(t *testing.T) {
	ctx := t.Context()
	item := source.Item{Block: &chain.Block{Number: 9, Hash: chain.Hash{9}, ParentHash: chain.Hash{8}}, Rules: pairs.HubRules(t, "passet-1019002")}
	gateway, node := struct{ source.Source }{}, &aNode{}
	encoded := [][]byte{{1}, {1, 2}, {1, 2, 3}}

	for what, r := range map[string]*source.Reader{"the source": {Source: node}, "beside": {Source: gateway, Beside: node}} {
		infos, err := r.QueryInfos(ctx, item, encoded, []int{0, 2, 3})
		require.NoError(t, err)
		require.Equal(t, map[int]chain.QueryInfo{0: {PartialFee: chain.NewWei(9)}, 2: {PartialFee: chain.NewWei(11)}}, infos, what)
		receipts, err := r.EthReceipts(ctx, item)
		require.NoError(t, err)
		require.Equal(t, chain.Some([]chain.Receipt{{GasUsed: chain.NewGas(9)}}), receipts, what)
		list, err := r.Extrinsics(ctx, item)
		require.NoError(t, err)
		require.Equal(t, chain.Some([][]byte{{9}}), list, what)
	}

	beside := &source.Reader{Source: gateway, Beside: node}
	for _, err := range []error{chain.ErrNotOffered, fmt.Errorf("x: %w", chain.ErrUnsupported)} {
		node.err = err
		infos, err := beside.QueryInfos(ctx, item, encoded, []int{0})
		require.NoError(t, err)
		require.Empty(t, infos)
		receipts, err := beside.EthReceipts(ctx, item)
		require.NoError(t, err)
		require.False(t, receipts.Known())
		list, err := beside.Extrinsics(ctx, item)
		require.NoError(t, err)
		require.False(t, list.Known())
	}
	node.err = errors.New("busy")
	_, err := beside.QueryInfos(ctx, item, encoded, []int{0})
	require.ErrorIs(t, err, node.err)
	_, err = beside.EthReceipts(ctx, item)
	require.ErrorIs(t, err, node.err)
	_, err = beside.Extrinsics(ctx, item)
	require.ErrorIs(t, err, node.err)
	node.err = chain.ErrNoBlock // the node is behind
	list, err := beside.Extrinsics(ctx, item)
	require.NoError(t, err)
	require.False(t, list.Known())

	node.err, node.refuse = nil, true
	infos, err := beside.QueryInfos(ctx, item, encoded, []int{0, 1})
	require.NoError(t, err)
	require.Empty(t, infos)
	receipts, err := beside.EthReceipts(ctx, item)
	require.NoError(t, err)
	require.False(t, receipts.Known())

	long := make([][]byte, 300)
	indexes := make([]int, len(long))
	for i := range long {
		long[i], indexes[i] = make([]byte, 10), i
	}
	_, err = beside.QueryInfos(ctx, item, long, indexes)
	require.NoError(t, err)
	require.Len(t, node.asked, 256)
	_, err = beside.QueryInfos(ctx, item, [][]byte{make([]byte, 3<<20), make([]byte, 2<<20)}, []int{0, 1})
	require.NoError(t, err)
	require.Len(t, node.asked, 1)

	alone := &source.Reader{Source: gateway}
	infos, err = alone.QueryInfos(ctx, item, encoded, []int{0})
	require.NoError(t, err)
	require.Nil(t, infos)
	receipts, err = alone.EthReceipts(ctx, item)
	require.NoError(t, err)
	require.False(t, receipts.Known())
	list, err = alone.Extrinsics(ctx, item)
	require.NoError(t, err)
	require.False(t, list.Known())
	item.Rules.NativeFee = chain.Optional[rule.NativeFee]{}
	list, err = beside.Extrinsics(ctx, item)
	require.NoError(t, err)
	require.False(t, list.Known(), "the formula needs no more than the gateway has")
}
