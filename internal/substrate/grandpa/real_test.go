package grandpa_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/substrate/grandpa"
	"github.com/feeledger/fees/internal/substrate/header"
	"github.com/feeledger/fees/internal/substrate/scale"
	"github.com/feeledger/fees/internal/test/tier"
)

// Blocks of Rococo are final by the sets that the headers before them announced. The figures are an independent
// reader's.
func TestRealJustifications(t *testing.T) {
	for _, c := range []struct {
		file                       string
		height                     uint64
		members, threshold, voters int
	}{
		{"rococo-1843864-para-2090.json", 1_843_864, 68, 46, 46},
		{"rococo-1855295-para-2090.json", 1_855_295, 68, 46, 48},
	} {
		var e evidence
		shared(t, c.file, &e)
		set, h := e.root(t), readHeader(t, e.Relay.Header)
		by, tally, err := grandpa.NewChain(set).Finalize(readJustification(t, e.Relay.Justification), h)
		require.NoError(t, err)
		require.Same(t, set, by)
		require.Equal(t, c.height, h.Number)
		require.Equal(t, c.members, set.Members())
		require.EqualValues(t, c.members, set.Total())
		require.EqualValues(t, c.threshold, set.Threshold())
		require.Equal(t, grandpa.Tally{Signers: c.voters, Weight: uint64(c.voters)}, tally)
	}
}

// A real set hands over to the next: by JSON, and by the encoding of warp sync.
func TestRealHandOff(t *testing.T) {
	var e evidence
	shared(t, "rococo-hop-1238286-1238699.json", &e)
	c := grandpa.NewChain(e.root(t))
	for i, want := range []struct {
		set, round uint64
		voters     int
	}{{2149, 449, 47}, {2150, 316, 50}} {
		j := readJustification(t, e.Steps[i].Justification)
		by, tally, err := c.Finalize(j, readHeader(t, e.Steps[i].Header))
		require.NoError(t, err)
		require.Equal(t, want.set, by.ID)
		require.Equal(t, want.round, j.Round)
		require.Equal(t, want.voters, tally.Signers)
		require.EqualValues(t, 47, by.Threshold())
		require.Equal(t, 69, by.Members())
	}
	warp, err := grandpa.ReadWarpProof(unhex(t, e.WarpSyncProof))
	require.NoError(t, err)
	require.NoError(t, grandpa.NewChain(e.root(t)).FollowWarp(warp))

	reordered := grandpa.NewChain(e.root(t))
	_, _, err = reordered.Finalize(readJustification(t, e.Steps[1].Justification), readHeader(t, e.Steps[1].Header))
	require.ErrorIs(t, err, grandpa.ErrNotFinal)
	warp.Fragments = warp.Fragments[1:]
	require.ErrorIs(t, grandpa.NewChain(e.root(t)).FollowWarp(warp), grandpa.ErrNotFinal)
}

// The 608 votes of a Kusama block are valid for its set's ID, 3097, and for no other near it. The set itself is not
// public; one of the voters stands in for it.
func TestRealFinalityProof(t *testing.T) {
	var f struct{ FinalityProof string }
	shared(t, "kusama-8010648-finality-proof.json", &f)
	p, err := grandpa.ReadFinalityProof(unhex(t, f.FinalityProof))
	require.NoError(t, err)
	j, err := grandpa.ReadJustification(p.Justification)
	require.NoError(t, err)
	require.Equal(t, chain.Anchor{Height: 8_010_648, Hash: p.Block}, j.Target)
	require.EqualValues(t, 5152, j.Round)
	require.Len(t, j.Votes, 608)
	for id := uint64(3094); id <= 3100; id++ {
		set, err := grandpa.NewSet(id, voters(j))
		require.NoError(t, err)
		_, err = set.Verify(j)
		require.Equal(t, id == 3097, err == nil, "set %d: %v", id, err)
	}
	next := chain.Some(j.Target)
	for i := len(p.Headers) - 1; i >= 0; i-- {
		anchor, _ := next.Get()
		next, err = header.Prove(anchor, &p.Headers[i])
		require.NoError(t, err)
	}
	change, err := grandpa.ReadChange(&p.Headers[len(p.Headers)-1])
	require.NoError(t, err)
	require.Zero(t, change.Delay)
	set, err := grandpa.NewSet(3098, change.Authorities)
	require.NoError(t, err)
	require.Equal(t, 900, set.Members())
	_, err = set.Verify(j)
	require.ErrorContains(t, err, "is not in the set")
}

// voters returns an authority list of a justification's voters.
func voters(j *grandpa.Justification) []byte {
	list := scale.AppendCompact(nil, uint64(len(j.Votes)))
	for _, v := range j.Votes {
		list = binary.LittleEndian.AppendUint64(append(list, v.Key[:]...), 1)
	}
	return list
}

// A commit as Westend's nodes send it names its set.
func TestRealCommit(t *testing.T) {
	var f struct{ Commit string }
	shared(t, "westend-5105457-compact-commit.json", &f)
	id, j, err := grandpa.ReadCommit(unhex(t, f.Commit))
	require.NoError(t, err)
	require.EqualValues(t, 3490, id)
	require.EqualValues(t, 5_105_457, j.Target.Height)
	require.EqualValues(t, 3669, j.Round)
	for _, id := range []uint64{3489, 3490, 3491} {
		set, err := grandpa.NewSet(id, voters(j))
		require.NoError(t, err)
		tally, err := set.Verify(j)
		require.Equal(t, id == 3490, err == nil, "set %d: %v", id, err)
		if err == nil {
			require.Equal(t, grandpa.Tally{Signers: 7, Weight: 7}, tally)
		}
	}
}

// Checkpoints of chain specifications decode to the last byte.
func TestRealCheckpoints(t *testing.T) {
	for _, c := range []struct {
		file       string
		id, height uint64
		members    int
	}{
		{"polkadot-32191275-light-sync-state.json", 3533, 32_190_212, 600},
		{"paseo-7047414-light-sync-state.json", 2081, 7_045_330, 150},
	} {
		var f struct{ GrandpaAuthoritySet string }
		shared(t, c.file, &f)
		set, table, err := grandpa.ReadAuthoritySet(unhex(t, f.GrandpaAuthoritySet))
		require.NoError(t, err)
		require.Equal(t, c.id, set.ID)
		require.Equal(t, c.members, set.Members())
		require.EqualValues(t, c.members, set.Total())
		require.Equal(t, c.height+1, set.First)
		require.Len(t, table, int(c.id), "each set before has its last block")
		require.Equal(t, grandpa.LastBlock{SetID: c.id - 1, Height: c.height}, table[len(table)-1])
	}
}

// Each single bit of a real justification, set ID and header counts, and each bit of the list of validators changes the
// set's hash.
func TestEachBit(t *testing.T) {
	var e evidence
	shared(t, "rococo-hop-1238286-1238699.json", &e)
	cases := e.Steps
	for _, file := range []string{"rococo-1843864-para-2090.json", "rococo-1855295-para-2090.json"} {
		var e evidence
		shared(t, file, &e)
		cases = append(cases, e.Relay.step)
	}
	roots := []*grandpa.Set{e.root(t)}
	next, err := grandpa.ReadChange(readHeader(t, e.Steps[0].Header))
	require.NoError(t, err)
	set, err := grandpa.NewSet(2150, next.Authorities)
	require.NoError(t, err)
	roots = append(roots, set)
	for _, file := range []string{"rococo-1843864-para-2090.json", "rococo-1855295-para-2090.json"} {
		var e evidence
		shared(t, file, &e)
		roots = append(roots, e.root(t))
	}
	changes := 0
	for i, s := range tier.Some(1, cases) {
		changes += everyBit(t, roots[i], s)
	}
	t.Log(changes, "changes refused")
}

func everyBit(t *testing.T, set *grandpa.Set, s step) (changes int) {
	verify := grandpa.Verifier()
	original := unhex(t, s.Justification)
	j := readJustification(t, s.Justification)
	_, err := verify(set, j)
	require.NoError(t, err)
	each(original, func(changed []byte) {
		if j, err := grandpa.ReadJustification(changed); err == nil {
			_, err = verify(set, j)
			require.ErrorIs(t, err, grandpa.ErrNotFinal)
		}
		changes++
	})
	each(binary.LittleEndian.AppendUint64(nil, set.ID), func(id []byte) {
		other := *set
		other.ID = binary.LittleEndian.Uint64(id)
		_, err = verify(&other, j)
		require.ErrorIs(t, err, grandpa.ErrNotFinal)
		changes++
	})
	each(unhex(t, s.Header), func(changed []byte) {
		if h, err := header.Read(changed); err == nil {
			_, _, err := grandpa.NewChain(set).Finalize(j, &h)
			require.ErrorContains(t, err, "the header is that of")
		}
		changes++
	})
	return changes
}

// sparse is the step through bits: 7 visits each position in a byte.
func sparse() int { return tier.Sparse(7, 7) }

// each calls visit with each change of a single bit; a run that is not nightly takes some of them.
func each(original []byte, visit func(changed []byte)) {
	changed := bytes.Clone(original)
	for bit := 0; bit < 8*len(original); bit += sparse() {
		changed[bit/8] ^= 1 << (bit % 8)
		visit(bytes.Clone(changed))
		changed[bit/8] ^= 1 << (bit % 8)
	}
}

// Each bit of a list of validators changes the hash that names the set, and each bit of a voter's key makes its vote a
// stranger's.
func TestEachBitOfASet(t *testing.T) {
	var e evidence
	shared(t, "rococo-1843864-para-2090.json", &e)
	change, err := grandpa.ReadChange(readHeader(t, e.Root.AuthoritiesFromScheduledChangeOf))
	require.NoError(t, err)
	set, j, verify, refused := e.root(t), readJustification(t, e.Relay.Justification), grandpa.Verifier(), 0
	each(change.Authorities, func(changed []byte) {
		other, err := grandpa.NewSet(set.ID, changed)
		if err != nil {
			return
		}
		require.NotEqual(t, set.Hash, other.Hash)
		if _, err = verify(other, j); err != nil {
			refused++
		}
	})
	t.Log(refused, "of", 8*len(change.Authorities), "do not verify")
	require.GreaterOrEqual(t, refused, 46*256/sparse()-46, "the keys of all voters count")
}
