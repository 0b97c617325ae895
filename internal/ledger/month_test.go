package ledger_test

import (
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// A ledger's months contain blocks by their own time, each block has the written contents, and the month's seal covers the
// seals of its days. Block 1 has a later time than the others.
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
			var days []documentedDay
			for c, err := range book.Contents(ctx, m.Span) {
				require.NoError(t, err)
				days = afterBlock(days, c)
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
			require.Equal(t, sealOfDays(days), m.Seal)
			require.Equal(t, m.Seal, want)
		}
		require.Equal(t, time.UTC, months[0].Start().Location())
	})
}

// documentedDay is a day's contribution to the seal of a month.
type documentedDay struct {
	number, blocks uint64
	seal           ledger.Seal
}

// afterBlock adds a block to the last day, or starts a new day.
func afterBlock(days []documentedDay, c *ledger.Content) []documentedDay {
	at, _ := c.Time.Get()
	number := uint64(at.Std().Unix() / 86_400)
	if len(days) == 0 || days[len(days)-1].number != number {
		days = append(days, documentedDay{number: number})
	}
	day := &days[len(days)-1]
	day.blocks, day.seal = day.blocks+1, day.seal.After(c.Digest)
	return days
}

// sealOfDays computes the seal of a month as documented.
func sealOfDays(days []documentedDay) (seal ledger.Seal) {
	for _, d := range days {
		seal = seal.After(documentedLine(d.number, d.blocks, d.seal))
	}
	return seal
}

// An altered row is never returned.
func TestContentsOfADamagedBook(t *testing.T) {
	place := newFile(t)
	require.NoError(t, written(t, place, recording2100().id, recording2100().entries).Close())
	openSQL(t, place).do(t, "UPDATE blocks SET flags = 2 WHERE height = 20")
	err := each(reader(t, place).Contents(ctx, chain.Heights{Last: 27}), func(*ledger.Content) error { return nil })
	require.ErrorIs(t, err, ledger.ErrDamaged)
	require.ErrorContains(t, err, "block 20, ")
}

// listOf collects all values.
func listOf[T any](t testing.TB, rows iter.Seq2[*T, error]) (list []T) {
	require.NoError(t, each(rows, func(x *T) error {
		list = append(list, *x)
		return nil
	}))
	return list
}
