package ledger

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
)

// Spans that are added and cut in any order have of each height what a list of heights has,
// and are as few as can be.
func TestProvedSpans(t *testing.T) {
	const heights = 40
	dice := rand.New(rand.NewPCG(14, 4))
	anchors := []chain.Anchor{{Height: 50, Hash: chain.Hash{1}}, {Height: 50, Hash: chain.Hash{2}}, {Height: 60}, {Height: 1000}}
	for range 2000 {
		var spans provedSpans
		naive := map[uint64]chain.Anchor{}
		for range 1 + dice.IntN(12) {
			first := dice.Uint64N(heights)
			span := chain.Heights{First: first, Last: first + dice.Uint64N(heights-first)}
			if dice.IntN(4) == 0 {
				spans = spans.without(span)
				for h := span.First; h <= span.Last; h++ {
					delete(naive, h)
				}
			} else {
				add := provedSpan{span, anchors[dice.IntN(len(anchors))]}
				spans = spans.with(add)
				for h := span.First; h <= span.Last; h++ {
					if have, ok := naive[h]; !ok || have.Height < add.trusted.Height || have.Height == add.trusted.Height && have.Hash[0] < add.trusted.Hash[0] {
						naive[h] = add.trusted
					}
				}
			}
			have := map[uint64]chain.Anchor{}
			for i, s := range spans {
				require.LessOrEqual(t, s.First, s.Last)
				require.True(t, i == 0 || spans[i-1].Last < s.First, "%v", spans)
				require.False(t, i > 0 && spans[i-1].Last+1 == s.First && spans[i-1].trusted == s.trusted, "they touch: %v", spans)
				for h := s.First; h <= s.Last; h++ {
					have[h] = s.trusted
				}
			}
			require.Equal(t, naive, have)
		}
	}
}

// In which order it is learned what is proved does not matter.
func TestProvedInAnyOrder(t *testing.T) {
	dice := rand.New(rand.NewPCG(4, 14))
	for range 500 {
		var added, forth, back provedSpans
		for range 1 + dice.IntN(8) {
			first := dice.Uint64N(30)
			added = append(added, provedSpan{chain.Heights{First: first, Last: first + dice.Uint64N(9)}, chain.Anchor{Height: 40 + dice.Uint64N(2), Hash: chain.Hash{byte(dice.IntN(2))}}})
		}
		for i := range added {
			forth, back = forth.with(added[i]), back.with(added[len(added)-1-i])
		}
		require.Equal(t, forth, back)
	}
}

// What cannot be in the table is found, also where its digests were made anew, and nothing is
// answered by it.
func TestSpansThatCannotBe(t *testing.T) {
	ctx := context.Background()
	by := func(first, last, trusted uint64) provedSpan {
		return provedSpan{chain.Heights{First: first, Last: last}, chain.Anchor{Height: trusted, Hash: chain.Hash{7}}}
	}
	for message, c := range map[string]struct {
		rows provedSpans
		read bool // it is known without a look at the blocks
	}{
		"blocks 4..6 cannot be, by block 40":               {provedSpans{by(2, 4, 40), by(4, 6, 40)}, true},
		"blocks 2..4 cannot be, by block 3":                {provedSpans{by(2, 4, 3)}, true},
		"blocks 5..4 cannot be, by block 40":               {provedSpans{by(5, 4, 40)}, true},
		"blocks 7..12 are proved, and 3 of them are there": {provedSpans{by(7, 12, 40)}, false},
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
				if err := tx.exec(ctx, insertInto("proved", provedColumns)+placesFor(provedColumns), signedRow(provedFields, &s)...); err != nil {
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

// proved are the entries as a source has them that proves them.
func proved(entries []*Entry) (list []*Entry) {
	for _, e := range entries {
		p := *e
		p.trusted = chain.Some(chain.Anchor{Height: 40, Hash: chain.Hash{9}})
		list = append(list, &p)
	}
	return list
}
