package header_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/header"
)

func TestWrongHeaders(t *testing.T) {
	list := made(3)
	anchor := chain.Anchor{Height: 2, Hash: list[2].Hash()}
	_, err := header.Prove(anchor, list[1])
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.EqualError(t, err, fmt.Sprintf("block 2: %v: its header has the hash %v, want %v", chain.ErrWrongBlock, list[1].Hash(), list[2].Hash()))
	anchor.Height = 7
	_, err = header.Prove(anchor, list[2])
	require.ErrorIs(t, err, chain.ErrWrongBlock)
	require.EqualError(t, err, fmt.Sprintf("block 7: %v: the header of %v is for block 2", chain.ErrWrongBlock, list[2].Hash()))
}

// The number has the width of a chain's heights, and unknown kinds of digests are rejected.
func TestRefused(t *testing.T) {
	head := func(number ...byte) []byte {
		return append(append(make([]byte, 32), number...), make([]byte, 64)...)
	}
	for name, c := range map[string]struct {
		encoded []byte
		want    string
	}{
		"a height of 33 bits":    {append(head(7, 0, 0, 0, 0, 1), 0), "a height of 4294967296 exceeds 32 bits"},
		"a height in long form":  {append(head(1, 0), 0), "not in its shortest form"},
		"a digest of kind 7":     {append(head(0), 4, 7), "unknown kind of digest 7"},
		"fewer digests than say": {append(head(0), 8, 8), "2 elements do not fit into 1 bytes"},
		"too many digests":       {append(head(0), 3, 255, 255, 255, 255), "do not fit"},
	} {
		_, err := header.Read(c.encoded)
		require.ErrorContains(t, err, c.want, name)
	}
	h, err := header.Read(append(head(3, 255, 255, 255, 255), 0))
	require.NoError(t, err)
	require.Equal(t, uint64(1<<32-1), h.Number)
}

// An item of each kind, with its name in the source.
func TestDigests(t *testing.T) {
	for name, c := range map[string]struct {
		log  []byte
		want header.Digest
	}{
		"Other":                     {[]byte{0, 4, 9}, header.Digest{Kind: header.Other, Data: []byte{9}}},
		"Consensus":                 {[]byte{4, 'f', 'r', 'o', 'n', 4, 9}, header.Digest{Kind: header.Consensus, Engine: []byte("fron"), Data: []byte{9}}},
		"Seal":                      {[]byte{5, 'n', 'm', 'b', 's', 4, 9}, header.Digest{Kind: header.Seal, Engine: []byte("nmbs"), Data: []byte{9}}},
		"PreRuntime":                {[]byte{6, 'n', 'm', 'b', 's', 4, 9}, header.Digest{Kind: header.PreRuntime, Engine: []byte("nmbs"), Data: []byte{9}}},
		"RuntimeEnvironmentUpdated": {[]byte{8}, header.Digest{Kind: header.EnvironmentUpdated}},
	} {
		d, err := header.ReadDigest(c.log)
		require.NoError(t, err)
		require.Equal(t, c.want, d)
		require.Equal(t, name, d.Kind.String())
		_, err = header.ReadDigest(append(c.log, 0))
		require.ErrorContains(t, err, "1 bytes left over")
	}
}

// FuzzRead: bytes that decode as a header are its only encoding, and the items of its digest decode too.
func FuzzRead(f *testing.F) {
	for _, h := range made(3) {
		f.Add(h.Encode())
	}
	f.Fuzz(func(t *testing.T, encoded []byte) {
		h, err := header.Read(encoded)
		if err != nil {
			require.Equal(t, header.Header{}, h)
			return
		}
		require.True(t, bytes.Equal(encoded, h.Encode()))
		for _, log := range h.Logs {
			_, err := header.ReadDigest(log)
			require.NoError(t, err)
		}
	})
}
