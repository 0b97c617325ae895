package ledger_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// The limit of bytes held at once does not change answers, backups, verification or seals, even if it is smaller than one
// record.
func TestFewBytesAtOnce(t *testing.T) {
	const last = 40
	entries := monthsOfBlocks(last, 16*time.Hour)
	large := makeBlock(last, hashOf(last, 0), hashOf(last-1, 0), "5").at(uint64(time.Date(2024, 1, 15, 0, 0, 0, 0, time.UTC).UnixMilli()))
	for i := range 9 {
		large.event("balances", "Deposit", fmt.Sprintf(`["0x%040x","7"]`, i))
	}
	entries = append(entries, large.entry(t))
	asked := questions(last)
	enginesInTurn(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		want, seal := answersOf(t, book, asked), statusOf(t, book).Seal
		for _, bytes := range []int{1, 700, 2000} {
			ledger.ReadAtOnce(t, bytes)
			require.Equal(t, want, answersOf(t, book, asked), "%d bytes", bytes)
			verified(t, book)

			copied := filepath.Join(t.TempDir(), "copied.db")
			require.NoError(t, reader(t, place).Backup(ctx, copied, func(_, _ uint64) {}))
			require.Equal(t, want, answersOf(t, reader(t, copied), asked), "%d bytes", bytes)

			left := writer(t, newPlace())
			require.NoError(t, left.Begin(ctx, madeUpChain, 0))
			require.NoError(t, left.Write(ctx, entries[1:]))
			require.NoError(t, left.Write(ctx, entries[:1])) // the others are read when they are sealed
			left.Forget()
			require.EqualValues(t, len(entries)-1, sealAll(t, left))
			require.Equal(t, seal, statusOf(t, left).Seal)
		}
	})
}

// Queries return all blocks, whether more of them match than are read at once, or those that match are close together, or are
// almost all.
func TestMoreBlocksThanAreReadAtOnce(t *testing.T) {
	account, often := chain.Address20([20]byte{19: 0xbb}), chain.Address20([20]byte{19: 0xbc})
	newYear := uint64(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	var entries []*ledger.Entry
	for h := range uint64(700) {
		m := makeBlock(h, hashOf(h, 0), hashOf(h-min(h, 1), 0), "7").at(newYear + 200_000*h) // the first day ends
		if h%3 == 0 {
			m.event("balances", "Deposit", `["`+account.String()+`","7"]`)
		}
		if h%20 != 0 {
			m.event("balances", "Deposit", `["`+often.String()+`","8"]`)
		}
		entries = append(entries, m.entry(t))
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		unsealed := writer(t, newPlace())
		require.NoError(t, unsealed.Begin(ctx, madeUpChain, 0))
		require.NoError(t, unsealed.Write(ctx, entries[5:300]))
		require.NoError(t, unsealed.Write(ctx, entries[310:]))
		for _, x := range []struct {
			book  *ledger.Book
			lacks func(h uint64) bool
		}{
			{written(t, newPlace(), madeUpChain, entries), func(uint64) bool { return false }},
			{unsealed, func(h uint64) bool { return h < 5 || h >= 300 && h < 310 }},
		} {
			var blocks, moved, movedOften []uint64
			require.NoError(t, each(x.book.Blocks(ctx, in(chain.Heights{Last: 1_000})), func(b *ledger.Block) error { blocks = append(blocks, b.Height); return nil }))
			require.NoError(t, each(x.book.Movements(ctx, in(chain.Heights{Last: 1_000}, account)), func(m *ledger.Movement) error { moved = append(moved, m.Height); return nil }))
			require.NoError(t, each(x.book.Movements(ctx, in(chain.Heights{Last: 1_000}, often)), func(m *ledger.Movement) error { movedOften = append(movedOften, m.Height); return nil }))
			for h := range uint64(len(entries)) {
				if x.lacks(h) {
					continue
				}
				require.Equal(t, h, blocks[0])
				blocks = blocks[1:]
				if h%3 == 0 {
					require.Equal(t, h, moved[0])
					moved = moved[1:]
				}
				if h%20 != 0 {
					require.Equal(t, h, movedOften[0])
					movedOften = movedOften[1:]
				}
			}
			require.Empty(t, blocks)
			require.Empty(t, moved)
			require.Empty(t, movedOften)
		}
	})
}
