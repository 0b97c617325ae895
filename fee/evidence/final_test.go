package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// A statement that blocks are final, such as a close package's, is not supported by blocks that are only proved.
func TestFinalIsSupported(t *testing.T) {
	by := evidence.Finality{Set: "9", Root: "7", RootHash: chain.Hash{5}}
	of := func(trusted ...evidence.Trusted) evidence.Evidence {
		e := evidence.Recorded(10)
		for _, x := range trusted {
			e = e.Add(x)
		}
		require.NoError(t, e.Check())
		return e
	}
	at := func(height, blocks uint64, final evidence.Finality) evidence.Trusted {
		return evidence.Trusted{Checkpoint: evidence.Checkpoint{Anchor: anchorAt(height, 1), Final: final}, Blocks: blocks}
	}
	no := evidence.Finality{}
	said := of(at(50, 10, by))
	for name, c := range map[string]struct {
		now  evidence.Evidence
		well bool
	}{
		"the same":                             {of(at(50, 10, by)), true},
		"by a higher final block":              {of(at(70, 10, by)), true},
		"only proved":                          {of(at(50, 10, no)), false},
		"only proved by a higher block":        {of(at(70, 10, no)), false},
		"fewer are final":                      {of(at(70, 1, by), at(50, 9, no)), false},
		"only a lower one is final":            {of(at(50, 9, no), at(40, 1, by)), false},
		"it is final, and a higher one is not": {of(at(70, 1, no), at(50, 9, by)), false},
		"it is recorded":                       {of(), false},
	} {
		require.Equal(t, c.well, c.now.Supports(said), name)
	}
	require.Regexp(t, "^10 of 10 blocks final up to block 50, hash 0x[0-9a-f]+ \\(set 9 signed; set 7 is trusted, list 0x05", said.String())
	require.Regexp(t, "^10 of 10 blocks proved up to block 70, hash 0x[0-9a-f]+, and by 1 lower checkpoint; 4 of them are final$", of(at(70, 4, by), at(50, 6, no)).String())
	require.True(t, said.Supports(of(at(50, 10, no))))
	require.True(t, said.Supports(of(at(70, 10, no))), "a lower one that is final proves more than a higher one that is trusted")
	require.False(t, of(at(50, 5, no), at(40, 5, by)).Supports(of(at(50, 5, by), at(40, 5, no))), "as many, but not that one")
}

// A block is final up to a checkpoint that is proved final. Its figures are the same as of a recorded one.
func TestFinal(t *testing.T) {
	h := load(t, 2100)
	const height = 25
	by := evidence.Finality{Set: "9", Root: "7", RootHash: chain.Hash{5}}
	of := func(top uint64, final evidence.Finality) *evidence.Report {
		r, err := h.prove(height, h.blocks[height], h.multipliers[height-1], evidence.Options{Trusted: chain.Some(anchorAt(top, 7)), Final: final})
		require.NoError(t, err)
		return r
	}
	final, proved, above := of(30, by), of(30, evidence.Finality{}), of(24, by)
	require.Equal(t, evidence.LevelFinal, final.Evidence.Level)
	require.Equal(t, evidence.LevelProved, proved.Evidence.Level)
	require.Equal(t, evidence.LevelRecorded, above.Evidence.Level)
	require.NotContains(t, asJSON(t, proved), `"final"`)
	require.Contains(t, asJSON(t, final), `"final":{"set":"9","root":"7","root_hash":"0x05`)
	require.Contains(t, final.Evidence.String(), "final up to block 30, hash 0x07")
	require.Contains(t, final.Evidence.String(), "(set 9 signed; set 7 is trusted, list 0x05")
	require.Equal(t, proved.Totals, final.Totals)
	require.Equal(t, proved.Tallies, final.Tallies)
	for _, x := range final.Transactions {
		require.Equal(t, chain.Some(evidence.LevelFinal), x.Level)
	}
	require.True(t, final.Evidence.Supports(proved.Evidence))
	require.True(t, final.Evidence.Supports(final.Evidence))
	require.NotContains(t, final.Evidence.String(), "parachain")
	require.NotContains(t, asJSON(t, final), `"para"`)

	by.Para = "2004"
	require.Contains(t, of(30, by).Evidence.String(), "00; parachain 2004)")
	require.Contains(t, asJSON(t, of(30, by)), `"para":"2004"`)

	// A range is final if all its blocks are.
	s := evidence.NewSummary()
	s.Add(final)
	s.Add(final)
	require.Equal(t, evidence.LevelFinal, s.Evidence.Level)
	require.NoError(t, s.Evidence.Check())
	for _, c := range s.Checks {
		require.Contains(t, []evidence.Level{evidence.LevelFinal, evidence.LevelUnknown}, c.Level())
	}
	other, err := h.prove(height, h.blocks[height], h.multipliers[height-1], evidence.Options{Trusted: chain.Some(anchorAt(29, 7))})
	require.NoError(t, err)
	s.Add(other)
	require.Equal(t, evidence.LevelProved, s.Evidence.Level)
	require.NoError(t, s.Evidence.Check())
	s.Add(above)
	require.Equal(t, evidence.LevelRecorded, s.Evidence.Level)

	// The checkpoint's finality does not depend on which block stated it.
	s = evidence.NewSummary()
	s.Add(proved)
	s.Add(final)
	require.Equal(t, evidence.LevelFinal, s.Evidence.Level)
	forged := final.Evidence
	forged.Level = evidence.LevelProved
	require.Error(t, forged.Check())
}
