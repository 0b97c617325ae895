package ledger_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// toldBy returns the sample blocks of a span from a source that proves them with a checkpoint, or from one that does not.
// Blocks from notFinal on can still be replaced.
func toldBy(t *testing.T, first, last, notFinal uint64, by chain.Optional[chain.Anchor]) (list []*ledger.Entry) {
	for h := first; h <= last; h++ {
		m := makeBlock(h, hashOf(h, 0), hashOf(h-1, 0), "100")
		m.Report.Finalized = chain.Some(h < notFinal)
		m.Report.Evidence = evidence.Recorded(1)
		if a, ok := by.Get(); ok {
			m.Report.Evidence = m.Report.Evidence.By(a, 1)
		}
		list = append(list, m.entry(t))
	}
	return list
}

// The ledger stores which blocks were proved by a source, whenever that happened, until they are replaced. Seals do not
// depend on it.
func TestWhatIsProved(t *testing.T) {
	const final = 30
	word := chain.Optional[chain.Anchor]{}
	low, high, higher := chain.Anchor{Height: 100, Hash: chain.Hash{1}}, chain.Anchor{Height: 200, Hash: chain.Hash{2}}, chain.Anchor{Height: 300, Hash: chain.Hash{3}}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		db := openSQL(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 1))
		rows := func(want ...[]string) {
			t.Helper()
			require.Equal(t, append([][]string(nil), want...), db.texts(t, "SELECT first, last, trusted_height FROM book_proved ORDER BY first"))
			verified(t, book)
		}
		write := func(entries []*ledger.Entry) {
			t.Helper()
			require.NoError(t, book.Write(ctx, entries))
		}
		write(toldBy(t, 1, 9, final, word))
		rows()
		require.Equal(t, evidence.Recorded(9), statusOf(t, book).Evidence)

		// One span, even after several changes.
		write(toldBy(t, 10, 14, final, chain.Some(low)))
		write(toldBy(t, 15, 15, final, chain.Some(low)))
		write(toldBy(t, 16, 29, final, chain.Some(low)))
		rows([]string{"10", "29", "100"})
		require.Equal(t, evidence.Recorded(29).By(low, 20), statusOf(t, book).Evidence)
		part, err := book.Evidence(ctx, chain.Heights{First: 8, Last: 12})
		require.NoError(t, err)
		require.Equal(t, evidence.Recorded(5).By(low, 3), part)
		sealAll(t, book)
		sealed := statusOf(t, book)

		// Stored blocks stay, and become proved when a source that proves them provides them again.
		write(toldBy(t, 5, 12, final, chain.Some(high)))
		rows([]string{"5", "12", "200"}, []string{"13", "29", "100"})
		write(toldBy(t, 1, 29, final, word))
		write(toldBy(t, 9, 20, final, chain.Some(low)))
		rows([]string{"5", "12", "200"}, []string{"13", "29", "100"})

		// A verification proves blocks too, but not other blocks or other content.
		other := makeBlock(3, hashOf(3, 0), hashOf(2, 0), "99")
		other.Report.Evidence = evidence.Recorded(1).By(higher, 1)
		proved := toldBy(t, 1, 40, final, chain.Some(higher))
		require.NoError(t, book.Prove(ctx, append([]*ledger.Entry{proved[0], proved[1], other.entry(t)}, proved[3:]...)))
		rows([]string{"1", "2", "300"}, []string{"4", "29", "300"})
		require.NoError(t, book.Prove(ctx, toldBy(t, 1, 29, final, word)))
		rows([]string{"1", "2", "300"}, []string{"4", "29", "300"})

		// Removed blocks are no longer proved, nor are their replacements.
		write(toldBy(t, 30, 35, final, chain.Some(higher)))
		rows([]string{"1", "2", "300"}, []string{"4", "35", "300"})
		write(branch(t, 32, 2, hashOf(31, 0), 1, false))
		rows([]string{"1", "2", "300"}, []string{"4", "31", "300"}, []string{"32", "33", "1048576"})
		removed, err := book.Rollback(ctx)
		require.NoError(t, err)
		require.Equal(t, uint64(4), removed)
		rows([]string{"1", "2", "300"}, []string{"4", "29", "300"})

		now := statusOf(t, book)
		require.Equal(t, sealed.Seal, now.Seal, "no seal depends on it")
		plain := written(t, newPlace(), madeUpChain, toldBy(t, 1, 29, final, word))
		require.Equal(t, statusOf(t, plain).Seal, now.Seal)

		// A copy contains the same.
		target := filepath.Join(t.TempDir(), "copy.db")
		require.NoError(t, reader(t, place).Backup(ctx, target, quietly))
		require.Equal(t, now.Evidence, statusOf(t, reader(t, target)).Evidence)
		verified(t, reader(t, target))
	})
}

// A block that validators' signatures prove final stays final, whatever else proves it, and is final by the checkpoint
// that says so, also in a copy.
func TestFinalBlocks(t *testing.T) {
	signed := evidence.Finality{Set: "9", Root: "7", RootHash: chain.Hash{5}, Para: "2004"}
	low, high := chain.Anchor{Height: 100, Hash: chain.Hash{1}}, chain.Anchor{Height: 200, Hash: chain.Hash{2}}
	final := func(first, last uint64, by chain.Anchor) (list []*ledger.Entry) {
		for h := first; h <= last; h++ {
			m := makeBlock(h, hashOf(h, 0), hashOf(h-1, 0), "100")
			m.Report.Finalized = chain.Some(true)
			m.Report.Evidence = evidence.Recorded(1).Add(evidence.Trusted{Checkpoint: evidence.Checkpoint{Anchor: by, Final: signed}, Blocks: 1})
			list = append(list, m.entry(t))
		}
		return list
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 1))
		of := func(first, last uint64) evidence.Evidence {
			e, err := book.Evidence(ctx, chain.Heights{First: first, Last: last})
			require.NoError(t, err)
			require.NoError(t, e.Check())
			return e
		}
		require.NoError(t, book.Write(ctx, append(final(1, 6, low), toldBy(t, 7, 9, 30, chain.Some(high))...)))
		require.Equal(t, evidence.LevelFinal, of(1, 6).Level)
		require.Equal(t, signed, of(1, 6).Trusted[0].Final)
		require.Equal(t, evidence.LevelProved, of(6, 7).Level)
		require.NoError(t, book.Prove(ctx, toldBy(t, 1, 9, 30, chain.Some(high))))
		require.NoError(t, book.Prove(ctx, toldBy(t, 1, 9, 30, chain.Some(low))))
		require.Equal(t, evidence.LevelFinal, of(1, 6).Level)
		require.Equal(t, evidence.LevelProved, of(7, 9).Level)
		require.NoError(t, book.Prove(ctx, final(1, 9, low)))
		require.NoError(t, book.Prove(ctx, final(9, 9, high)))
		require.Equal(t, evidence.LevelFinal, of(1, 9).Level)
		require.Equal(t, [][]string{{"1", "8", "100", "9", "7", signed.RootHash.String(), "2004"}, {"9", "9", "200", "9", "7", signed.RootHash.String(), "2004"}},
			openSQL(t, place).texts(t, "SELECT first, last, trusted_height, final_set, final_root, final_root_hash, final_para FROM book_proved ORDER BY first"))
		verified(t, book)
		sealAll(t, book)
		plain := written(t, newPlace(), madeUpChain, toldBy(t, 1, 9, 30, chain.Optional[chain.Anchor]{}))
		require.Equal(t, statusOf(t, plain).Seal, statusOf(t, book).Seal, "no seal depends on it")
		target := filepath.Join(t.TempDir(), "copy.db")
		require.NoError(t, reader(t, place).Backup(ctx, target, quietly))
		require.Equal(t, statusOf(t, book).Evidence, statusOf(t, reader(t, target)).Evidence)
	})
}

// A lost block that is fetched again from a source without proofs is not proved.
func TestALostBlockIsNotProved(t *testing.T) {
	trusted := chain.Some(chain.Anchor{Height: 100, Hash: chain.Hash{1}})
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 0)) // without it, nothing can be sealed
		require.NoError(t, book.Write(ctx, toldBy(t, 1, 9, 10, trusted)))
		db := openSQL(t, place)
		db.loseBlock(t, 5)
		require.Equal(t, []ledger.Damage{{Table: "proved", Message: "blocks 1..9 are marked as proved, but only 8 of them are stored"}}, damages(t, book))
		require.NoError(t, book.Write(ctx, toldBy(t, 5, 5, 10, chain.Optional[chain.Anchor]{})))
		verified(t, book)
		require.Equal(t, [][]string{{"1", "4"}, {"6", "9"}}, db.texts(t, "SELECT first, last FROM proved ORDER BY first"))
	})
}

// If anything fails, the table proved still matches the blocks: both change together.
func TestNothingIsProvedOfAChangeThatFails(t *testing.T) {
	trusted := chain.Some(chain.Anchor{Height: 100, Hash: chain.Hash{1}})
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 1))
		require.NoError(t, book.Write(ctx, toldBy(t, 1, 4, 10, trusted)))
		db := openSQL(t, place)
		before := content(t, db)
		db.do(t, "ALTER TABLE proved RENAME TO elsewhere")
		require.ErrorContains(t, book.Write(ctx, toldBy(t, 5, 9, 10, trusted)), "proved")
		require.ErrorContains(t, book.Prove(ctx, toldBy(t, 1, 4, 10, trusted)), "proved")
		_, err := book.Status(ctx)
		require.ErrorIs(t, err, ledger.ErrDamaged)
		db.do(t, "ALTER TABLE elsewhere RENAME TO proved")
		require.Equal(t, before, content(t, db))
	})
}

// Workers that store adjacent blocks concurrently merge their proved spans.
func TestProvedByManyAtOnce(t *testing.T) {
	const jobs, size = 40, 5
	trusted := chain.Some(chain.Anchor{Height: 1000, Hash: chain.Hash{1}})
	place := postgrestest.Start(t).Database(t)
	single, err := ledger.OpenWriter(ctx, place)
	require.NoError(t, err)
	require.NoError(t, single.Begin(ctx, madeUpChain, 1))
	require.NoError(t, single.Close())
	var books []*ledger.Book
	order := rand.New(rand.NewPCG(1, 2)).Perm(jobs)
	for range 4 {
		book, err := ledger.OpenShared(ctx, place)
		require.NoError(t, err)
		t.Cleanup(func() { book.Close() })
		books = append(books, book)
	}
	var working sync.WaitGroup
	errs := make([]error, len(books))
	for i, book := range books {
		working.Go(func() {
			for _, job := range order[i*jobs/len(books) : (i+1)*jobs/len(books)] {
				first := uint64(1 + job*size)
				errs[i] = ledger.WriteJob(ctx, book, toldBy(t, first, first+size-1, 10_000, trusted), func(context.Context, pgx.Tx) error { return nil })
				if errs[i] != nil {
					return
				}
			}
		})
	}
	working.Wait()
	require.Equal(t, make([]error, len(books)), errs)
	require.Equal(t, [][]string{{"1", "200"}}, openSQL(t, place).texts(t, "SELECT first, last FROM proved"))
}
