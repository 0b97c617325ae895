package gateway

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/node/rpc"
	"github.com/feeledger/fees/internal/substrate/header"
)

func numbered(n int) (hash chain.Hash) {
	binary.BigEndian.PutUint64(hash[:], uint64(n))
	return hash
}

// What is remembered of blocks is bounded by their number and by its size, whatever a block
// has; the latest stay.
func TestRecentIsBounded(t *testing.T) {
	small := &rpc.Block{Extrinsics: [][]byte{{0}}}
	large := &rpc.Block{Header: rpc.Header{Header: header.Header{Logs: [][]byte{make([]byte, 1<<20)}}}, Extrinsics: [][]byte{make([]byte, 1<<20)}}
	var r recent
	for i := range 3 * maxRecent {
		r.keepBlock(small, numbered(i))
		r.keepBlock(small, numbered(i)) // which others read at the same time
		r.keepStored(numbered(i), []byte("a place"), []byte{1})
	}
	require.Len(t, r.blocks, maxRecent)
	require.Len(t, r.order, maxRecent)
	require.Nil(t, r.block(numbered(2*maxRecent-1)))
	require.NotNil(t, r.block(numbered(2*maxRecent)))
	for i := range 200 {
		r.keepBlock(large, numbered(-1-i))
		require.LessOrEqual(t, r.size, maxRecentBytes)
	}
	require.Len(t, r.blocks, 31, "of two MiB each, less than 64 together")
	require.NotNil(t, r.block(numbered(-200)))
	one := make([]byte, 1<<16)
	before := r.size
	for range 10_000 { // the same thing, which is remembered once
		r.keepStored(numbered(-200), []byte("a place"), one)
	}
	require.Less(t, r.size-before, 1<<17)
	r.keepStored(numbered(7), []byte("a place"), make([]byte, maxRecentBytes+1))
	require.Zero(t, r.size, "more than there is room for")
	require.Empty(t, r.blocks)
	_, known := r.stored(numbered(7), []byte("a place"))
	require.False(t, known)
}

// Only a few storage keys are requested with each block, and no long ones.
func TestPlacesAreBounded(t *testing.T) {
	var r recent
	for i := range byte(100) {
		r.ask([]byte{i})
		r.ask([]byte{i})
	}
	r.ask(make([]byte, widestPlace+1))
	wanted := r.wanted()
	require.Len(t, wanted, maxPlaces)
	require.Equal(t, []byte{99}, wanted[maxPlaces-1])
}

// Hashes that are remembered are bounded.
func TestHashesAreBounded(t *testing.T) {
	var h heights
	for i := range uint64(100_000) {
		h.remember(i, numbered(int(i)))
	}
	require.LessOrEqual(t, len(h.now)+len(h.older), 2*maxHashes)
	_, known := h.known(100_000 - maxHashes)
	require.True(t, known)
}
