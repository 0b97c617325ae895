package source_test

import (
	"context"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/httpclient"
	"github.com/feeledger/fees/network"
)

// checkUpgrades reads a range of a chain with upgrades: each block has the
// runtime that its parent left behind, and few heights were asked for theirs.
func checkUpgrades(t *testing.T, blocks chain.Heights, upgrades []uint64) {
	src := &synthetic{upgrades: upgrades}
	items, err := readRange(context.Background(), src, src.reader(), blocks, 4)
	require.NoError(t, err)
	require.Len(t, items, int(blocks.Last-blocks.First)+1)
	for _, item := range items {
		version, _ := item.Rules.Runtime.Get()
		require.Equal(t, versionAt(max(item.Block.Number, 1)-1, upgrades), version, "block %d of %v with %v", item.Block.Number, blocks, upgrades)
	}
	largest := 2
	for _, upgrade := range upgrades {
		if blocks.First <= upgrade && upgrade < blocks.Last {
			largest += bits.Len64(blocks.Last-blocks.First) + 1 // log2 + 2
		}
	}
	require.LessOrEqual(t, src.others, largest, "%v with %v", blocks, upgrades)
	require.Empty(t, src.twice())
}

// One upgrade and two, at every place in and around a small range.
func TestUpgrades(t *testing.T) {
	for _, blocks := range []chain.Heights{{First: 0, Last: 9}, {First: 1, Last: 9}, {First: 2, Last: 2}, {First: 2, Last: 10}} {
		checkUpgrades(t, blocks, nil)
		for first := range blocks.Last + 3 {
			checkUpgrades(t, blocks, []uint64{first})
			for second := first; second < blocks.Last+3; second++ {
				checkUpgrades(t, blocks, []uint64{first, second})
			}
		}
	}
}

// Many upgrades anywhere in a long range, neighbouring ones among them.
func TestManyUpgrades(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		var upgrades []uint64
		for range random.IntN(12) {
			at := random.Uint64N(lastBlock)
			upgrades = append(upgrades, at, at+random.Uint64N(3))
		}
		slices.Sort(upgrades)
		first := random.Uint64N(500)
		checkUpgrades(t, chain.Heights{First: first, Last: first + random.Uint64N(1500)}, upgrades)
	}
}

// A gateway that cannot report the runtime is asked once, and so is its node.
func TestRangeOfUnknownRuntime(t *testing.T) {
	src := &synthetic{runtime: func(*chain.AtBlock[chain.Runtime]) error { return chain.ErrNotOffered }}
	items, err := readRange(context.Background(), src, src.reader(), chain.Heights{First: 3, Last: 40}, 4)
	require.NoError(t, err)
	require.Len(t, items, 38)
	require.Equal(t, 2, src.others)
	require.Empty(t, src.twice())
	for _, item := range items {
		require.Equal(t, "spec/mainnet", item.Rules.Name)
		require.Len(t, item.Rules.Notes, 1)
		m, _ := item.Multiplier.Get()
		require.Equal(t, item.Block.Number, m.At)
	}
}

// Blocks are delivered as far as their runtimes are known.
func TestRuntimeErrors(t *testing.T) {
	down := &httpclient.StatusError{Path: "/runtime/spec", Code: 500}
	failFrom := func(height uint64, err error) func(*chain.AtBlock[chain.Runtime]) error {
		return func(r *chain.AtBlock[chain.Runtime]) error {
			if r.At >= height {
				return err
			}
			return nil
		}
	}
	replaced := func(height uint64) func(*chain.AtBlock[chain.Runtime]) error {
		return func(r *chain.AtBlock[chain.Runtime]) error {
			if r.At == height {
				r.AtHash = chain.Some(hashOf(height + 1000))
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		runtime func(*chain.AtBlock[chain.Runtime]) error
		blocks  int // that are delivered before the error
		want    error
	}{
		"gone at once":                   {failFrom(0, down), 0, down},
		"gone at the end":                {failFrom(109, down), 1, down},
		"no longer there at the end":     {failFrom(109, chain.ErrNotOffered), 1, chain.ErrNotOffered},
		"no block at the end":            {failFrom(109, chain.ErrNoBlock), 10, chain.ErrNoBlock},
		"no block in the middle":         {failFrom(104, chain.ErrNoBlock), 5, chain.ErrNoBlock},
		"no block from the beginning":    {failFrom(99, chain.ErrNoBlock), 0, chain.ErrNoBlock},
		"replaced before the first":      {replaced(99), 0, chain.ErrWrongBlock},
		"replaced at the last":           {replaced(109), 10, chain.ErrWrongBlock},
		"replaced where it is not asked": {replaced(108), 11, nil},
	} {
		src := &synthetic{runtime: c.runtime}
		items, err := readRange(context.Background(), src, src.reader(), chain.Heights{First: 100, Last: 110}, 3)
		require.Len(t, items, c.blocks, name)
		require.ErrorIs(t, err, c.want, name)
		require.Empty(t, src.twice(), name)
		if c.want != nil && c.want != chain.ErrWrongBlock { // nothing after it is asked for
			require.Equal(t, c.blocks+1, src.blocks, name)
		}
	}
	// Where it is asked for because of an upgrade, it is checked too.
	src := &synthetic{upgrades: []uint64{105}, runtime: replaced(105)}
	items, err := readRange(context.Background(), src, src.reader(), chain.Heights{First: 100, Last: 110}, 3)
	require.Len(t, items, 6)
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.ErrorContains(t, err, "runtime at block 105")
}

func TestRangeUnknownNetwork(t *testing.T) {
	failed := errors.New("the node is gone")
	src := &synthetic{runtime: func(*chain.AtBlock[chain.Runtime]) error { return chain.ErrNotOffered }}
	reader := src.reader()
	reader.Source = failing{Source: src, node: failed}
	items, err := readRange(context.Background(), src, reader, chain.Heights{First: 1, Last: 9}, 1)
	require.Empty(t, items)
	require.ErrorIs(t, err, failed)

	src = &synthetic{}
	reader = src.reader()
	reader.Network = "moonriver"
	items, err = readRange(context.Background(), src, reader, chain.Heights{First: 1, Last: 9}, 4)
	require.Empty(t, items)
	require.ErrorIs(t, err, network.ErrConflict)
}
