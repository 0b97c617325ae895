package ledger_test

import (
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// The months of a book have its blocks by their own time, and what each block holds is what
// was written and what the month's seal is over. Block 1 was made after the others.
func TestMonths(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		r := recording2100()
		book := written(t, newPlace(), r.id, r.entries)
		months, timeless, err := book.Months(ctx)
		require.NoError(t, err)
		require.EqualValues(t, 1, timeless, "block 0")
		require.Len(t, months, 2)
		require.Equal(t, "2026-01", months[0].String())
		require.Equal(t, "2026-11", months[1].String())
		require.Equal(t, chain.Heights{First: 2, Last: r.last}, months[0].Span)
		require.Equal(t, chain.Heights{First: 1, Last: 1}, months[1].Span)
		require.Equal(t, r.last-1, months[0].Blocks)

		for _, m := range months {
			period, err := m.Period()
			require.NoError(t, err)
			require.Equal(t, m.Start(), period.From.Std())
			require.Equal(t, m.Start().AddDate(0, 1, 0), period.To.Std())
			want, err := book.SealOf(ctx, period, m.Span)
			require.NoError(t, err)
			require.Equal(t, want, m.Seal)
			var seal ledger.Seal
			for c, err := range book.Contents(ctx, m.Span) {
				require.NoError(t, err)
				seal = seal.After(c.Digest)
				q := ledger.Query{Span: chain.Heights{First: c.Height, Last: c.Height}}
				for b, err := range book.Blocks(ctx, q) {
					require.NoError(t, err)
					require.Equal(t, b, c.Block)
				}
				require.Equal(t, listOf(t, book.Transactions(ctx, q)), c.Transactions)
				require.Equal(t, listOf(t, book.Movements(ctx, q)), c.Movements)
				require.Equal(t, listOf(t, book.Transfers(ctx, q)), c.Transfers)
				require.Equal(t, listOf(t, book.Unclassified(ctx, q)), c.Unclassified)
			}
			require.Equal(t, want, seal)
		}
		require.Equal(t, time.UTC, months[0].Start().Location())
	})
}

// A row that was altered is in no content.
func TestContentsOfADamagedBook(t *testing.T) {
	place := newFile(t)
	book := written(t, place, recording2100().id, recording2100().entries)
	require.NoError(t, book.Close())
	openSQL(t, place).do(t, "UPDATE transfers SET position = 77 WHERE height = (SELECT max(height) FROM transfers)")
	var err error
	for _, err = range reader(t, place).Contents(ctx, chain.Heights{First: 0, Last: 27}) {
		if err != nil {
			break
		}
	}
	require.ErrorIs(t, err, ledger.ErrDamaged)
}

// listOf is all that comes.
func listOf[T any](t testing.TB, rows iter.Seq2[T, error]) []T {
	list := []T{}
	require.NoError(t, each(rows, func(x T) error {
		list = append(list, x)
		return nil
	}))
	return list
}
