package grandpa_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
)

// again encodes a justification as it was read.
func again(j *grandpa.Justification) []byte {
	target := func(out []byte, hash [32]byte, height uint64) []byte {
		return binary.LittleEndian.AppendUint32(append(out, hash[:]...), uint32(height))
	}
	out := target(binary.LittleEndian.AppendUint64(nil, j.Round), j.Target.Hash, j.Target.Height)
	out = scale.AppendCompact(out, uint64(len(j.Votes)))
	for _, v := range j.Votes {
		out = append(append(target(out, v.Target.Hash, v.Target.Height), v.Signature...), v.Key[:]...)
	}
	out = scale.AppendCompact(out, uint64(len(j.Ancestries)))
	for i := range j.Ancestries {
		out = append(out, j.Ancestries[i].Encode()...)
	}
	return out
}

// What decodes has only one encoding, and is final only by votes.
func FuzzJustification(f *testing.F) {
	for n := range 20 {
		f.Add(draw(rand.New(rand.NewPCG(1, uint64(n))), 4).encode())
	}
	p := &plan{weights: []uint64{1, 1, 1, 1}}
	set, err := grandpa.NewSet(1, p.authorities())
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, encoded []byte) {
		j, err := grandpa.ReadJustification(encoded)
		if err != nil {
			require.Nil(t, j)
			return
		}
		require.Equal(t, encoded, again(j))
		if tally, err := set.Verify(j); err != nil {
			require.ErrorIs(t, err, grandpa.ErrNotFinal)
			require.Zero(t, tally)
		}
	})
}

// The other decoders take any bytes without panic, and nothing beside an error.
func FuzzOthers(f *testing.F) {
	p := draw(rand.New(rand.NewPCG(2, 2)), 4)
	f.Add(p.encode())
	f.Add(p.authorities())
	f.Add(append(append(append([]byte{4}, p.blocks[0].header...), p.encode()...), 1))
	f.Add(append(append(p.authorities(), little(8, 9)...), 0, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0))
	f.Add(append(append(make([]byte, 32+1+64), 4), change(1, 3, 0)...))
	f.Add(append(append(make([]byte, 32+1+64), 4), change(2, 3, 8)...))
	f.Fuzz(func(t *testing.T, encoded []byte) {
		if set, table, err := grandpa.ReadAuthoritySet(encoded); err != nil {
			require.Nil(t, set)
			require.LessOrEqual(t, len(table), len(encoded)/12)
		} else {
			require.Positive(t, set.Threshold())
		}
		if set, err := grandpa.NewSet(3, encoded); err == nil {
			require.LessOrEqual(t, set.Threshold(), set.Total())
			require.Greater(t, set.Threshold(), set.Total()/3*2)
		}
		if _, j, err := grandpa.ReadCommit(encoded); err != nil {
			require.Nil(t, j)
		}
		if p, err := grandpa.ReadFinalityProof(encoded); err != nil {
			require.Zero(t, p)
		}
		if p, err := grandpa.ReadWarpProof(encoded); err != nil {
			require.Zero(t, p)
		}
		if h, err := header.Read(encoded); err == nil {
			if c, err := grandpa.ReadChange(&h); err != nil {
				require.Nil(t, c)
			}
		}
	})
}
