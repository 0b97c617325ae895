package ledger_test

import (
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// A ledger that does not end where its writer left it is not written: its last blocks are gone, others were sealed, or the
// file is another one.
func TestReplacedUnderItsWriter(t *testing.T) {
	entries := madeUp(0, 10)
	for name, c := range map[string]struct {
		change func(t *testing.T, place string)
		want   string
	}{
		"without its last block": {func(t *testing.T, place string) { openSQL(t, place).do(t, "DELETE FROM blocks WHERE height = 7") }, "it ended at block 7 and now ends at block 6"},
		"without blocks":         {func(t *testing.T, place string) { openSQL(t, place).do(t, "DELETE FROM blocks") }, "it ended at block 7 and now ends at no block"},
		"with another seal":      {func(t *testing.T, place string) { openSQL(t, place).do(t, "UPDATE book SET digest = zeroblob(32)") }, "it still ends at block 7, but its seal is another"},
		"another file": {func(t *testing.T, place string) {
			another := newFile(t)
			require.NoError(t, written(t, another, madeUpChain, entries[:5]).Close())
			require.NoError(t, os.Rename(another, place))
		}, "its file is another one"},
	} {
		t.Run(name, func(t *testing.T) {
			place := newFile(t)
			book := written(t, place, madeUpChain, entries[:6])
			require.NoError(t, book.Write(ctx, entries[6:8]))
			c.change(t, place)
			err := book.Write(ctx, entries[8:9])
			require.ErrorIs(t, err, ledger.ErrReplaced)
			require.ErrorContains(t, err, c.want)
		})
	}
}

// To read a ledger again is to read what is at its path now: later blocks are there, and a replaced file is an error.
func TestReread(t *testing.T) {
	entries := madeUp(0, 10)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		w := written(t, place, madeUpChain, entries[:5])
		book := reader(t, place)
		next := func() (next uint64, err error) {
			err = book.Reread(ctx, func(b *ledger.Book) (err error) {
				_, next, err = b.Extent(ctx)
				return err
			})
			return next, err
		}
		n, err := next()
		require.NoError(t, err)
		require.EqualValues(t, 5, n)
		require.NoError(t, w.Write(ctx, entries[5:7]))
		n, err = next()
		require.NoError(t, err)
		require.EqualValues(t, 7, n)
		errMine := errors.New("mine")
		require.ErrorIs(t, book.Reread(ctx, func(*ledger.Book) error { return errMine }), errMine)
		if ledger.Postgres(place) {
			return
		}
		require.NoError(t, os.Rename(place, place+"-old"))
		_, err = next()
		require.ErrorIs(t, err, ledger.ErrDamaged)
	})
}

// Gaps are the heights above the sealed blocks that are missing below the highest final one.
func TestGaps(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		entries := madeUp(0, 12)
		book := written(t, newPlace(), madeUpChain, entries[:3])
		gaps := func() []chain.Heights {
			list, err := book.Gaps(ctx)
			require.NoError(t, err)
			return list
		}
		require.Empty(t, gaps())
		require.NoError(t, book.Write(ctx, entries[5:6]))
		require.NoError(t, book.Write(ctx, entries[8:10]))
		sealAll(t, book)
		require.Equal(t, []chain.Heights{{First: 3, Last: 4}, {First: 6, Last: 7}}, gaps())
		require.NoError(t, book.Write(ctx, entries[3:5]))
		require.Equal(t, []chain.Heights{{First: 6, Last: 7}}, gaps())
		require.NoError(t, book.Write(ctx, entries[6:8]))
		require.Empty(t, gaps())
		open := makeBlock(11, hashOf(11, 0), hashOf(10, 0), "1")
		open.Report.Finalized = chain.Some(false)
		require.NoError(t, book.Write(ctx, []*ledger.Entry{open.entry(t)}))
		require.Empty(t, gaps(), "a block that is not final does not open a gap")
	})
}
