package ledger_test

import (
	"context"
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

// jobs stores entries as workers do, in batches of random order.
func jobs(t *testing.T, place string, id ledger.Identity, entries []*ledger.Entry, seed uint64) *ledger.Book {
	t.Helper()
	book, err := ledger.OpenShared(ctx, place)
	require.NoError(t, err)
	t.Cleanup(func() { book.Close() })
	require.NoError(t, book.Begin(ctx, id, entries[0].Height()))
	random := rand.New(rand.NewPCG(seed, 0))
	batches := slices.Collect(slices.Chunk(entries, 3))
	random.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	for _, p := range batches {
		require.NoError(t, ledger.WriteJob(ctx, book, p, func(context.Context, pgx.Tx) error { return nil }))
	}
	return book
}

// Blocks stored by workers in any order give the same ledger as one program: the same stretches, parts and seals.
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
		for seed := range uint64(4) {
			place := server.Database(t)
			book, db := jobs(t, place, x.id, x.entries, seed), openSQL(t, place)
			if seed%2 == 1 {
				ledger.SealAtOnce(t, 7)
			}
			require.EqualValues(t, len(x.entries), sealAll(t, book), name)
			verified(t, book)
			require.True(t, want == content(t, db), name)
			follow(t, book)
		}
	}
}

// A block that replaces one that was not final replaces all its rows.
func TestBlocksOfWorkersThatAreReplaced(t *testing.T) {
	server := postgrestest.Start(t)
	entries := madeUp(0, 6)
	place := server.Database(t)
	book, db := jobs(t, place, madeUpChain, slices.Concat(entries[:4], branch(t, 4, 2, hashOf(3, 0), 1, false)), 3), openSQL(t, place)
	require.NoError(t, ledger.WriteJob(ctx, book, entries[4:], func(context.Context, pgx.Tx) error { return nil }))
	require.EqualValues(t, 6, sealAll(t, book))
	quiet := server.Database(t)
	written(t, quiet, madeUpChain, entries)
	require.True(t, content(t, openSQL(t, quiet)) == content(t, db))

	require.NoError(t, ledger.WriteJob(ctx, book, branch(t, 6, 2, hashOf(5, 0), 1, false), func(context.Context, pgx.Tx) error { return nil }))
	removed, err := book.Rollback(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 2, removed)
	require.Equal(t, chain.Some(uint64(5)), statusOf(t, book).Sealed)
}
