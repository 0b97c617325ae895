package ledger

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
)

func checkpoint(height uint64, hash byte) evidence.Checkpoint {
	return evidence.Checkpoint{Anchor: chain.Anchor{Height: height, Hash: chain.Hash{hash}}}
}

// Spans added and cut in any order match a list of single heights, and are as few as possible.
func TestProvedSpans(t *testing.T) {
	const heights = 40
	dice := rand.New(rand.NewPCG(14, 4))
	at := func(height uint64, hash byte, set string) evidence.Checkpoint {
		c := evidence.Checkpoint{Anchor: chain.Anchor{Height: height, Hash: chain.Hash{hash}}}
		c.Final.Set = set
		return c
	}
	rising := []evidence.Checkpoint{at(50, 1, ""), at(50, 2, ""), at(60, 0, ""), at(1000, 0, ""), at(45, 3, "7"), at(50, 1, "7"), at(50, 1, "8"), at(60, 0, "7")} // the greater one proves
	for range 2000 {
		var spans provedSpans
		naive := map[uint64]evidence.Checkpoint{}
		for range 1 + dice.IntN(12) {
			first := dice.Uint64N(heights)
			span := chain.Heights{First: first, Last: first + dice.Uint64N(heights-first)}
			if dice.IntN(4) == 0 {
				spans = spans.without(span)
				for h := span.First; h <= span.Last; h++ {
					delete(naive, h)
				}
			} else {
				add := provedSpan{span, rising[dice.IntN(len(rising))]}
				spans = spans.with(add)
				for h := span.First; h <= span.Last; h++ {
					if have, ok := naive[h]; !ok || slices.Index(rising, have) < slices.Index(rising, add.by) {
						naive[h] = add.by
					}
				}
			}
			have := map[uint64]evidence.Checkpoint{}
			for i, s := range spans {
				require.LessOrEqual(t, s.First, s.Last)
				require.True(t, i == 0 || spans[i-1].Last < s.First, "%v", spans)
				require.False(t, i > 0 && spans[i-1].Last+1 == s.First && spans[i-1].by == s.by, "they touch: %v", spans)
				for h := s.First; h <= s.Last; h++ {
					have[h] = s.by
				}
			}
			require.Equal(t, naive, have)
		}
	}
}

// The order in which blocks are proved does not matter.
func TestProvedInAnyOrder(t *testing.T) {
	dice := rand.New(rand.NewPCG(4, 14))
	for range 500 {
		var added, forth, back provedSpans
		for range 1 + dice.IntN(8) {
			first := dice.Uint64N(30)
			added = append(added, provedSpan{chain.Heights{First: first, Last: first + dice.Uint64N(9)}, checkpoint(40+dice.Uint64N(2), byte(dice.IntN(2)))})
		}
		for i := range added {
			forth, back = forth.with(added[i]), back.with(added[len(added)-1-i])
		}
		require.Equal(t, forth, back)
	}
}

// Impossible rows of the table are found, even with recomputed digests, and no query uses them.
func TestSpansThatCannotBe(t *testing.T) {
	ctx := context.Background()
	by := func(first, last, trusted uint64) provedSpan {
		return provedSpan{chain.Heights{First: first, Last: last}, checkpoint(trusted, 7)}
	}
	for message, c := range map[string]struct {
		rows provedSpans
		read bool // found without reading the blocks
	}{
		"blocks 4..6 cannot be proved by block 40":                         {provedSpans{by(2, 4, 40), by(4, 6, 40)}, true},
		"blocks 2..4 cannot be proved by block 3":                          {provedSpans{by(2, 4, 3)}, true},
		"blocks 5..4 cannot be proved by block 40":                         {provedSpans{by(5, 4, 40)}, true},
		"blocks 7..12 are marked as proved, but only 3 of them are stored": {provedSpans{by(7, 12, 40)}, false},
	} {
		book, err := OpenWriter(ctx, filepath.Join(t.TempDir(), "fees.db"))
		require.NoError(t, err)
		require.NoError(t, book.Begin(ctx, Identity{Network: "moonbeam"}, 1))
		var entries []*Entry
		for h := range uint64(9) {
			entries = append(entries, laidOutEntry(t, h+1))
		}
		require.NoError(t, book.Write(ctx, entries))
		require.NoError(t, book.change(ctx, func(tx transaction) error {
			for _, s := range c.rows {
				if err := tx.exec(ctx, insertInto("proved", provedColumns)+placesFor(len(provedColumns)), signedRow(provedFields, &s)...); err != nil {
					return err
				}
			}
			return nil
		}))
		var found []Damage
		require.NoError(t, book.Verify(ctx, func(d Damage) { found = append(found, d) }, func(_, _ uint64) {}))
		require.Len(t, found, 1, message)
		require.Equal(t, "proved", found[0].Table)
		require.Contains(t, found[0].Message, message)
		_, err = book.Evidence(ctx, chain.Heights{First: 1, Last: 9})
		if c.read {
			require.ErrorIs(t, err, ErrDamaged)
			require.ErrorContains(t, err, message)
			require.ErrorIs(t, book.Prove(ctx, proved(entries)), ErrDamaged)
		} else {
			require.NoError(t, err)
		}
		require.NoError(t, book.Close())
	}
}

// proved returns the entries as a source that proves them.
func proved(entries []*Entry) (list []*Entry) {
	for _, e := range entries {
		p := *e
		p.provedBy = chain.Some(checkpoint(40, 9))
		list = append(list, &p)
	}
	return list
}
