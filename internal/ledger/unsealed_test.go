package ledger_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// jobs stores entries as workers do, in portions of no order.
func jobs(t *testing.T, place string, id ledger.Identity, entries []*ledger.Entry, seed uint64) *ledger.Book {
	t.Helper()
	book, err := ledger.OpenShared(ctx, place)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	require.NoError(t, book.Begin(ctx, id, entries[0].Height()))
	random := rand.New(rand.NewPCG(seed, 0))
	portions := slices.Collect(slices.Chunk(entries, 3))
	random.Shuffle(len(portions), func(i, j int) { portions[i], portions[j] = portions[j], portions[i] })
	for _, p := range portions {
		require.NoError(t, book.WriteJob(ctx, p, func(context.Context, pgx.Tx) error { return nil }))
	}
	return book
}

// What workers store is sealed by what they say that each block adds, without its rows: it
// gives the same totals, look-ups and seals as one program's book. Where that is not there, or
// was altered, the rows are read.
func TestSealingWhatWorkersStored(t *testing.T) {
	server := postgrestest.Start(t)
	for name, x := range map[string]struct {
		id      ledger.Identity
		entries []*ledger.Entry
	}{
		"months":    {madeUpChain, monthsOfBlocks(90, 9*time.Hour)},
		"recording": {recording2100().id, full(t, recording2100())},
	} {
		quiet := server.Database(t)
		written(t, quiet, x.id, x.entries)
		want := content(t, openSQL(t, quiet))
		for seed, change := range []string{
			"",
			"DELETE FROM unsealed",
			"DELETE FROM unsealed WHERE height IN (3, 4, 11)",
			"UPDATE unsealed SET additions = additions || '\\x0000000000000000'",
			"UPDATE unsealed SET digest = '\\x00' WHERE height % 5 = 0",
			"UPDATE unsealed SET additions = (SELECT additions FROM unsealed WHERE height = 7) WHERE height = 8",
		} {
			what := name + ": " + change
			place := server.Database(t)
			book, db := jobs(t, place, x.id, x.entries, uint64(seed)), openSQL(t, place)
			require.Equal(t, fmt.Sprint(len(x.entries)), db.texts(t, "SELECT count(*) FROM unsealed")[0][0])
			if change != "" {
				db.do(t, change)
			}
			if seed%2 == 1 {
				ledger.SealAtOnce(t, 7)
			}
			require.EqualValues(t, len(x.entries), sealAll(t, book), what)
			verified(t, book)
			require.True(t, want == content(t, db), what) // and nothing is left in the table unsealed
			follow(t, db)
		}
	}
}

// Who seals needs none of a block's rows but its own.
func TestSealingReadsNoRows(t *testing.T) {
	server := postgrestest.Start(t)
	entries := monthsOfBlocks(30, 9*time.Hour)
	quiet := server.Database(t)
	written(t, quiet, madeUpChain, entries)
	place := server.Database(t)
	book, db := jobs(t, place, madeUpChain, entries, 1), openSQL(t, place)
	for _, table := range []string{"transactions", "movements", "transfers", "unclassified"} {
		db.do(t, "ALTER TABLE "+table+" RENAME TO away_"+table)
	}
	require.EqualValues(t, 30, sealAll(t, book))
	for _, table := range []string{"transactions", "movements", "transfers", "unclassified"} {
		db.do(t, "ALTER TABLE away_"+table+" RENAME TO "+table)
	}
	require.True(t, content(t, openSQL(t, quiet)) == content(t, db))
	verified(t, book)
}

// A block that is wrong stops the sealing before it, and those below it are sealed.
func TestSealingUpToABlockThatIsWrong(t *testing.T) {
	server := postgrestest.Start(t)
	entries := monthsOfBlocks(30, 9*time.Hour)
	for change, says := range map[string]string{
		"UPDATE blocks SET costs = '\\x01' WHERE height = 20":                                     "block 20, table blocks: its costs",
		"UPDATE blocks SET inherents = 77 WHERE height = 20":                                      "block 20, table blocks: rows of this block were altered",
		"UPDATE unsealed SET digest = '\\x00'; UPDATE movements SET amount = 9 WHERE height = 20": "block 20, table movements",
	} {
		place := server.Database(t)
		book, db := jobs(t, place, madeUpChain, entries, 2), openSQL(t, place)
		db.do(t, change)
		_, err := book.Seal(ctx)
		require.ErrorIs(t, err, ledger.ErrDamaged, change)
		require.ErrorContains(t, err, says)
		require.Equal(t, [][]string{{"20"}}, db.texts(t, "SELECT sealed FROM book"), change)
		require.Equal(t, [][]string{{"10"}}, db.texts(t, "SELECT count(*) FROM unsealed"), change)
	}
}

// A block that takes the place of one that was not final takes what that one added, too.
func TestUnsealedBlocksThatAreReplaced(t *testing.T) {
	server := postgrestest.Start(t)
	entries := madeUp(0, 6)
	place := server.Database(t)
	book, db := jobs(t, place, madeUpChain, slices.Concat(entries[:4], branch(t, 4, 2, hashOf(3, 0), 1, false)), 3), openSQL(t, place)
	require.NoError(t, book.WriteJob(ctx, entries[4:], func(context.Context, pgx.Tx) error { return nil }))
	require.EqualValues(t, 6, sealAll(t, book))
	quiet := server.Database(t)
	written(t, quiet, madeUpChain, entries)
	require.True(t, content(t, openSQL(t, quiet)) == content(t, db))

	require.NoError(t, book.WriteJob(ctx, branch(t, 6, 2, hashOf(5, 0), 1, false), func(context.Context, pgx.Tx) error { return nil }))
	require.Equal(t, [][]string{{"2"}}, db.texts(t, "SELECT count(*) FROM unsealed"))
	removed, err := book.Rollback(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 2, removed)
	require.Equal(t, [][]string{{"0"}}, db.texts(t, "SELECT count(*) FROM unsealed"))
	require.Equal(t, chain.Some(uint64(5)), statusOf(t, book).Sealed)
}
