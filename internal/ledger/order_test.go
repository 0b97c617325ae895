package ledger_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// A ledger that grows block by block while its writer forgets days, is reopened, stores blocks that are replaced, and seals
// late blocks of ended days and months, has the same rows and answers as one written at once.
func TestABookOfManySteps(t *testing.T) {
	entries := disorderly(t)
	if testing.Short() {
		entries = entries[:80]
	}
	asked := questions(uint64(len(entries)) - 1)
	engines(t, func(t *testing.T, newPlace func() string) {
		quiet := newPlace()
		once := written(t, quiet, madeUpChain, entries)
		learned := entryWithoutQuestions(t, 5)
		_, err := once.Relearn(ctx, []*ledger.Entry{learned})
		require.NoError(t, err)
		want := answersOf(t, once, asked)
		require.NoError(t, once.Close())
		random := rand.New(rand.NewPCG(3, 4))
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		for at := 0; at < len(entries); {
			to := min(at+1+random.IntN(9), len(entries))
			switch random.IntN(6) {
			case 0:
				book.Forget()
			case 1:
				require.NoError(t, book.Close())
				book = writer(t, place)
			case 2:
				if at > 0 {
					require.NoError(t, book.Write(ctx, branch(t, uint64(at), 3, entries[at-1].Hash(), 1, false)))
					_, err := book.Rollback(ctx)
					require.NoError(t, err)
				}
			case 3:
				sealAll(t, book)
			}
			require.NoError(t, book.Write(ctx, entries[at:to]))
			at = to
		}
		n, err := book.Relearn(ctx, []*ledger.Entry{learned})
		require.NoError(t, err)
		require.Equal(t, 1, n)
		sealAll(t, book)
		verified(t, book)
		require.Equal(t, want, answersOf(t, book, asked))
		require.NoError(t, book.Close())
		sameBook(t, rowsIn(t, quiet), place)
	})
}

// entryWithoutQuestions is a block of disorderly whose questions were answered.
func entryWithoutQuestions(t *testing.T, height uint64) *ledger.Entry {
	m := monthsMade(height+1, disorderlyPace)[height]
	m.Unanswered = nil
	return m.entry(t)
}

// Programs that seal in turn, each with outdated tallies, produce the same ledger as a single program.
func TestSealersInTurn(t *testing.T) {
	entries := disorderly(t)[:120]
	postgresOnly(t, func(t *testing.T, newPlace func() string) {
		quiet, place := newPlace(), newPlace()
		require.NoError(t, written(t, quiet, madeUpChain, entries).Close())
		var books [3]*ledger.Book
		for i := range books {
			book, err := ledger.OpenShared(ctx, place)
			require.NoError(t, err)
			defer book.Close()
			books[i] = book
		}
		require.NoError(t, books[0].Begin(ctx, madeUpChain, 0))
		random := rand.New(rand.NewPCG(5, 6))
		for at := 0; at < len(entries); {
			to, book := min(at+1+random.IntN(5), len(entries)), books[random.IntN(3)]
			if random.IntN(2) == 0 {
				require.NoError(t, book.Write(ctx, entries[at:to]))
			} else {
				require.NoError(t, ledger.WriteJob(ctx, book, entries[at:to], func(context.Context, pgx.Tx) error { return nil }))
				sealAll(t, books[random.IntN(3)])
			}
			at = to
		}
		sealAll(t, books[1])
		verified(t, books[2])
		sameBook(t, rowsIn(t, quiet), place)
	})
}

// Findings of unsealed blocks are returned above the ledger's first block, but not below it.
func TestFindingsOutsideOfTheSealedBlocks(t *testing.T) {
	entries := monthsOfBlocks(40, disorderlyPace)
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, entries[12:30])
		require.NoError(t, book.Write(ctx, entries[:7]))
		require.NoError(t, book.Write(ctx, entries[31:]))
		for _, limit := range []int{0, 1, 3, 4, 5} {
			var have []uint64
			require.NoError(t, each(book.Findings(ctx, ledger.Query{Span: chain.Heights{Last: 100}, Limit: limit}), func(f *ledger.Finding) error {
				have = append(have, f.Block)
				return nil
			}))
			want := []uint64{15, 20, 25, 35}
			if limit > 0 {
				want = want[:min(limit, len(want))]
			}
			require.Equal(t, want, have)
		}
		require.EqualValues(t, 4, statusOf(t, book).Findings)
	})
}

// A query that runs while a late block discards a day's parts returns the earlier answer.
func TestQuestionsWhileALateBlockComes(t *testing.T) {
	entries := disorderly(t)
	engines(t, func(t *testing.T, newPlace func() string) {
		span := chain.Heights{Last: 76}
		for by := ledger.ByQuarterHour; by <= ledger.ByAccountDay; by++ {
			place := newPlace()
			book := written(t, place, madeUpChain, entries[:77])
			sameMeanwhile(t, place, span, by, func() { require.NoError(t, book.Write(ctx, entries[77:78])) })
			if testing.Short() {
				break
			}
		}
	})
}
