package ledger

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// laidOutEntry is a block with one transaction; there are two blocks a day.
func laidOutEntry(t *testing.T, height uint64) *Entry {
	t.Helper()
	return entryAt(t, height, 1_700_000_000_000+height*40_000_000)
}

// entryAt returns a block with one transaction at a time, in milliseconds since 1970.
func entryAt(t *testing.T, height, ms uint64) *Entry {
	t.Helper()
	hash := func(n uint64) chain.Hash { return chain.Hash{1, 31: byte(n)} }
	at, err := chain.TimeAt(ms)
	require.NoError(t, err)
	r := &evidence.Report{Report: &fee.Report{Network: "moonbeam", Rules: "made up", Number: height, Hash: hash(height), ParentHash: hash(height - 1),
		Time: chain.Some(at), Finalized: chain.Some(true)}}
	payer := chain.Address20([20]byte{19: byte(height % 3)})
	r.Transactions = []evidence.Transaction{{Transaction: &fee.Transaction{
		Index: 1, Layer: fee.Native, Call: "a.b", Hash: hash(height), From: chain.Some(payer), Payer: chain.Some(payer), Fee: chain.Some(chain.NewWei(height)),
	}}}
	e, err := NewEntry(&chain.Block{Number: height, Hash: hash(height), ParentHash: hash(height - 1)}, r)
	require.NoError(t, err)
	return e
}

// withLaterLayout adds a second schema version with another column, until the returned function is called.
func withLaterLayout(t *testing.T) (without func()) {
	kept := migrations
	t.Cleanup(func() { migrations = kept })
	migrations = append(slices.Clone(migrations), "ALTER TABLE transactions ADD COLUMN memo TEXT")
	return func() { migrations = kept }
}

// A later reader rejects a ledger of the first schema version; a later writer migrates it, and keeps its blocks, digests
// and seals. A program with the first version then refuses it.
func TestALaterLayout(t *testing.T) {
	ctx := context.Background()
	for name, newPlace := range map[string]func(*testing.T) string{
		"file":     func(t *testing.T) string { return filepath.Join(t.TempDir(), "fees.db") },
		"postgres": func(t *testing.T) string { return postgrestest.Start(t).Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			place := newPlace(t)
			write := func(heights ...uint64) Status {
				book, err := OpenWriter(ctx, place)
				require.NoError(t, err)
				defer func() { require.NoError(t, book.Close()) }()
				require.NoError(t, book.Begin(ctx, Identity{Network: "moonbeam"}, 1))
				for _, h := range heights {
					require.NoError(t, book.Write(ctx, []*Entry{laidOutEntry(t, h)}))
				}
				_, err = book.Seal(ctx)
				require.NoError(t, err)
				require.NoError(t, book.Verify(ctx, func(d Damage) { t.Error(d) }, func(_, _ uint64) {}))
				s, err := book.Status(ctx)
				require.NoError(t, err)
				return s
			}
			before := write(1, 2, 3, 4, 5, 6, 7)
			without := withLaterLayout(t)
			_, err := Open(ctx, place)
			require.ErrorIs(t, err, ErrOlder)
			require.ErrorContains(t, err, "(schema version 1, this program's is 2)")
			require.Equal(t, before, write())
			require.NotEqual(t, before, write(8, 9))
			book, err := Open(ctx, place)
			require.NoError(t, err)
			var memo *string
			found, err := one(ctx, book.engine, []any{&memo}, "SELECT memo FROM transactions WHERE id = ?", 9<<extrinsicBits+1)
			require.NoError(t, err)
			require.True(t, found)
			require.NoError(t, book.Close())
			without()
			for _, open := range []func(context.Context, string) (*Book, error){Open, OpenWriter} {
				_, err = open(ctx, place)
				require.ErrorIs(t, err, ErrNewer)
			}
		})
	}
}

// If creating the tables of a new ledger was interrupted, there are none, and the next program creates them.
func TestTablesThatAreNotAllThere(t *testing.T) {
	ctx := context.Background()
	place := filepath.Join(t.TempDir(), "fees.db")
	book, err := OpenWriter(ctx, place)
	require.NoError(t, err)
	require.NoError(t, book.Close())
	withLaterLayout(t)
	_, err = Open(ctx, place)
	require.ErrorIs(t, err, ErrNone)
	book, err = OpenWriter(ctx, place)
	require.NoError(t, err)
	require.NoError(t, book.Begin(ctx, Identity{Network: "moonbeam"}, 1))
	require.NoError(t, book.Close())
}

// A file whose tables do not match its schema version is damaged: a disk can leave one that lost confirmed writes.
func TestTablesOfAnotherLayout(t *testing.T) {
	ctx := context.Background()
	place := filepath.Join(t.TempDir(), "fees.db")
	book, err := OpenWriter(ctx, place)
	require.NoError(t, err)
	require.NoError(t, book.engine.exec(ctx, "ALTER TABLE transactions ADD COLUMN memo TEXT"))
	require.NoError(t, book.Close())
	withLaterLayout(t)
	_, err = OpenWriter(ctx, place)
	require.ErrorIs(t, err, ErrDamaged)
}
