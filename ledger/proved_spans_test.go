package ledger

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/evidence"
	"github.com/feeledger/fees/internal/postgrestest"
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
			span := Span{first, first + dice.Uint64N(heights-first)}
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
			added = append(added, provedSpan{Span{first, first + dice.Uint64N(9)}, chain.Anchor{Height: 40 + dice.Uint64N(2), Hash: chain.Hash{byte(dice.IntN(2))}}})
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
		return provedSpan{Span{first, last}, chain.Anchor{Height: trusted, Hash: chain.Hash{7}}}
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
		_, err = book.Evidence(ctx, Span{1, 9})
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

// A ledger of the first layout, which has no such table, is read as it is: its blocks are
// recorded. Whoever writes it brings it to the later layout, with the same seal.
func TestEvidenceOfTheFirstLayout(t *testing.T) {
	ctx := context.Background()
	for name, newPlace := range map[string]func(t *testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "fees.db") },
		"postgres": func(t *testing.T) string { return postgrestest.Start(t).Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			place := newPlace(t)
			book, err := OpenWriter(ctx, place)
			require.NoError(t, err)
			entries := []*Entry{laidOutEntry(t, 1), laidOutEntry(t, 2)}
			require.NoError(t, book.Begin(ctx, Identity{Network: "moonbeam"}, 1))
			require.NoError(t, book.Write(ctx, proved(entries)))
			_, err = book.Seal(ctx)
			require.NoError(t, err)
			now, err := book.Status(ctx)
			require.NoError(t, err)
			require.Equal(t, evidence.LevelProved, now.Evidence.Level)
			for _, statement := range []string{"DROP VIEW book_proved", "DROP TABLE proved", "DELETE FROM " + layoutTable + " WHERE version_id = 2"} {
				require.NoError(t, book.engine.exec(ctx, statement))
			}
			require.NoError(t, book.Close())

			book, err = Open(ctx, place)
			require.NoError(t, err)
			before, err := book.Status(ctx)
			require.NoError(t, err)
			require.Equal(t, evidence.Recorded(2), before.Evidence)
			require.Equal(t, now.Seal, before.Seal)
			require.NoError(t, book.Verify(ctx, func(d Damage) { t.Error(d) }, func(_, _ uint64) {}))
			require.NoError(t, book.Backup(ctx, filepath.Join(t.TempDir(), "copy.db"), func(_, _ uint64) {}))
			require.NoError(t, book.Close())

			book, err = OpenWriter(ctx, place)
			require.NoError(t, err)
			defer book.Close()
			require.NoError(t, book.Prove(ctx, proved(entries)))
			after, err := book.Status(ctx)
			require.NoError(t, err)
			require.Equal(t, now, after)
		})
	}
}
