package ledger_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
