package evidence_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

// anchorAt returns a checkpoint; the byte selects the chain.
func anchorAt(height uint64, first byte) chain.Anchor {
	return chain.Anchor{Height: height, Hash: chain.Hash{first}}
}

// A block is proved up to the checkpoint, and recorded above it. Its fees, findings and tallies are the same
// either way.
func TestLevels(t *testing.T) {
	h := load(t, 2100)
	const height = 25
	withoutOutcome := strings.ReplaceAll(h.blocks[height], `"ExtrinsicSuccess"`, `"Another"`)
	require.NotEqual(t, h.blocks[height], withoutOutcome)
	trusted := func(height uint64) evidence.Options {
		return evidence.Options{Trusted: chain.Some(anchorAt(height, 7))}
	}
	of := func(block string, o evidence.Options) *evidence.Report {
		r, err := h.prove(height, block, h.multipliers[height-1], o)
		require.NoError(t, err)
		return r
	}
	recorded := of(h.blocks[height], evidence.Options{})
	for name, c := range map[string]struct {
		options evidence.Options
		block   string
		level   evidence.Level
		words   string
	}{
		"no trusted block": {evidence.Options{}, "recorded", evidence.LevelRecorded, "recorded (reported by the gateway, not proved)"},
		"a higher one":     {trusted(height + 100), `"level":"proved","blocks":1,"proved":1,"trusted":[{"height":125,"hash":"0x07`, evidence.LevelProved, "proved up to block 125, hash 0x07"},
		"the block itself": {trusted(height), `"level":"proved"`, evidence.LevelProved, "proved up to block 25, hash 0x07"},
		"one below: it says nothing of what is above": {trusted(height - 1), `"level":"recorded","blocks":1,"proved":0,"trusted":[]`, evidence.LevelRecorded, "recorded (reported by the gateway, not proved)"},
	} {
		r := of(h.blocks[height], c.options)
		require.Equal(t, c.level, r.Evidence.Level, name)
		require.Contains(t, asJSON(t, r), c.block, name)
		require.True(t, strings.HasPrefix(r.Evidence.String(), c.words), "%s: %v", name, r.Evidence)
		require.NoError(t, r.Evidence.Check(), name)
		require.NotEmpty(t, r.Transactions)
		for _, x := range r.Transactions {
			require.Equal(t, chain.Some(c.level), x.Level, name)
		}
		require.Equal(t, recorded.Report, r.Report, name)
		require.Equal(t, recorded.Totals, r.Totals, name)
		require.Equal(t, recorded.Tallies, r.Tallies, name)

		// A fee that no rule gives is unknown, whatever the block's level.
		unpriced := 0
		for _, x := range of(withoutOutcome, c.options).Transactions {
			if !x.Fee.Known() {
				unpriced++
				require.Equal(t, chain.Some(evidence.LevelUnknown), x.Level, name)
			}
		}
		require.Positive(t, unpriced, name)
	}

	// So is a fee with which nothing can be compared. An inherent has none.
	r := of(strings.ReplaceAll(h.blocks[height], `"Withdraw"`, `"Another"`), trusted(height))
	r.AddInherents(decoded(t, h.blocks[height]))
	levels := map[string]int{}
	for _, x := range r.Transactions {
		verdict, _ := x.Verdict.Get()
		level, _ := x.Level.Get()
		levels[string(verdict)+" "+string(level)]++
	}
	require.Positive(t, levels[" "], "inherents")
	require.Positive(t, levels["drift proved"], "%v", levels)

	old := load(t, 1701)
	old.rules.NoWithdrawEvent = true
	without := 0
	for height := 1; height < len(old.blocks); height++ {
		bare := strings.ReplaceAll(old.blocks[height], `"Withdraw"`, `"Another"`)
		r, err := old.prove(height, bare, old.multipliers[height-1], trusted(100))
		require.NoError(t, err)
		for _, x := range r.Transactions {
			if verdict, _ := x.Verdict.Get(); verdict == evidence.NoEvidence {
				without++
				require.Equal(t, chain.Some(evidence.LevelUnknown), x.Level)
			}
		}
	}
	require.Positive(t, without)
}

// The level of a range follows from its blocks, and that of a check from the blocks it was made on.
func TestLevelsOfARange(t *testing.T) {
	h := load(t, 2100)
	summaryOf := func(o evidence.Options) *evidence.Summary {
		s := evidence.NewSummary()
		require.Equal(t, evidence.LevelUnknown, s.Evidence.Level)
		for _, r := range h.all(t, o) {
			s.Add(r)
		}
		return s
	}
	for _, c := range []struct {
		trusted chain.Optional[chain.Anchor]
		level   evidence.Level
		proved  uint64
		words   string
	}{
		{chain.Optional[chain.Anchor]{}, evidence.LevelRecorded, 0, "recorded (reported by the gateway, not proved)"},
		{chain.Some(anchorAt(9, 1)), evidence.LevelRecorded, 10, "10 of 28 blocks proved up to block 9, hash 0x01" + strings.Repeat("0", 62) + "; the rest is recorded (reported by the gateway, not proved)"},
		{chain.Some(anchorAt(1_000, 1)), evidence.LevelProved, 28, "28 of 28 blocks proved up to block 1000, hash 0x01" + strings.Repeat("0", 62)},
	} {
		s := summaryOf(evidence.Options{Trusted: c.trusted})
		require.Equal(t, c.level, s.Evidence.Level)
		require.Equal(t, c.proved, s.Evidence.Proved)
		require.Equal(t, uint64(28), s.Evidence.Blocks)
		require.Equal(t, c.words, s.Evidence.String())
		made := 0
		for i, check := range evidence.Checks() {
			if s.Checks[i].Held+s.Checks[i].Broken == 0 {
				require.Equal(t, evidence.LevelUnknown, s.Checks[i].Level(), check.ID)
				continue
			}
			made++
			require.Equal(t, c.level, s.Checks[i].Level(), check.ID)
		}
		require.Greater(t, made, 10)
	}
}

// The combined evidence of blocks does not depend on the order, and counts each block once.
func TestEvidenceOfParts(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 4))
	for range 200 {
		var parts []evidence.Evidence
		counts, blocks := map[chain.Anchor]uint64{}, uint64(0)
		for range dice.IntN(6) {
			e := evidence.Recorded(0)
			for range dice.IntN(4) {
				n := dice.Uint64N(5)
				one := evidence.Recorded(n)
				blocks += n
				if dice.IntN(3) > 0 {
					a := anchorAt(dice.Uint64N(3), byte(dice.IntN(2)))
					one = one.By(a, n)
					counts[a] += n
				}
				e = e.And(one)
			}
			require.NoError(t, e.Check())
			parts = append(parts, e)
		}
		forth, back := evidence.Recorded(0), evidence.Recorded(0)
		for i := range parts {
			forth, back = forth.And(parts[i]), back.And(parts[len(parts)-1-i])
		}
		require.Equal(t, forth, back)
		require.NoError(t, forth.Check())
		require.Equal(t, blocks, forth.Blocks)
		proved := uint64(0)
		for i, x := range forth.Trusted {
			require.Equal(t, counts[x.Anchor], x.Blocks)
			proved += x.Blocks
			require.True(t, i == 0 || x.Height <= forth.Trusted[i-1].Height, "the highest first")
		}
		require.Equal(t, proved, forth.Proved)
		sum := uint64(0)
		for _, n := range counts {
			sum += n
		}
		require.Equal(t, sum, proved)
		require.True(t, forth.Supports(forth))
	}
}

func TestEvidenceInWords(t *testing.T) {
	hash := "0x01" + strings.Repeat("0", 62)
	e := evidence.Recorded(9).By(anchorAt(5, 3), 2).By(anchorAt(90, 1), 3)
	require.Equal(t, "5 of 9 blocks proved up to block 90, hash "+hash+", and by 1 lower checkpoint; the rest is recorded (reported by the gateway, not proved)", e.String())
	e = e.By(anchorAt(50, 3), 4)
	require.Equal(t, "9 of 9 blocks proved up to block 90, hash "+hash+", and by 2 lower checkpoints", e.String())
	require.Equal(t, "unknown (no blocks)", evidence.Recorded(0).String())
	require.Equal(t, e, e.By(anchorAt(7, 1), 0), "no block, no trusted block")
}

// A statement is supported only by the same or better evidence.
func TestSupports(t *testing.T) {
	said := evidence.Recorded(10).By(anchorAt(50, 1), 6)
	for name, c := range map[string]struct {
		now  evidence.Evidence
		well bool
	}{
		"the same":                     {evidence.Recorded(10).By(anchorAt(50, 1), 6), true},
		"more of them":                 {evidence.Recorded(10).By(anchorAt(50, 1), 10), true},
		"by a higher block":            {evidence.Recorded(10).By(anchorAt(70, 2), 6), true},
		"by it and a higher one":       {evidence.Recorded(10).By(anchorAt(70, 2), 6).By(anchorAt(50, 1), 2), true},
		"fewer":                        {evidence.Recorded(10).By(anchorAt(50, 1), 5), false},
		"none":                         {evidence.Recorded(10), false},
		"by a lower block":             {evidence.Recorded(10).By(anchorAt(49, 1), 10), false},
		"by another block at a height": {evidence.Recorded(10).By(anchorAt(50, 2), 10), false},
		"other blocks":                 {evidence.Recorded(11).By(anchorAt(50, 1), 11), false},
	} {
		require.Equal(t, c.well, c.now.Supports(said), name)
	}
	require.True(t, said.Supports(evidence.Recorded(10)), "nothing was said to be proved")
}

// Evidence with inconsistent counts is rejected.
func TestEvidenceThatCannotBe(t *testing.T) {
	for name, spoil := range map[string]func(*evidence.Evidence){
		"a higher level":   func(e *evidence.Evidence) { e.Level = evidence.LevelProved },
		"no level":         func(e *evidence.Evidence) { e.Level = "" },
		"more proved":      func(e *evidence.Evidence) { e.Proved++ },
		"more by a block":  func(e *evidence.Evidence) { e.Trusted[0].Blocks++ },
		"more than all":    func(e *evidence.Evidence) { e.Blocks = 5; e.Level = evidence.LevelProved },
		"no trusted block": func(e *evidence.Evidence) { e.Trusted = nil },
		"another order":    func(e *evidence.Evidence) { e.Trusted[0], e.Trusted[1] = e.Trusted[1], e.Trusted[0] },
		"one twice":        func(e *evidence.Evidence) { e.Trusted[1] = e.Trusted[0] },
	} {
		e := evidence.Recorded(9).By(anchorAt(5, 3), 3).By(anchorAt(90, 1), 3)
		require.NoError(t, e.Check())
		spoil(&e)
		require.Error(t, e.Check(), name)
	}
}

func asJSON(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
