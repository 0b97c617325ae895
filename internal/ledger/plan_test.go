package ledger_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// No query scans a table that grows with the chain: both engines seek heights, days, months, accounts or hashes.
func TestNoQuestionScansWhatGrows(t *testing.T) {
	const last = 60
	entries := monthsOfBlocks(last+1, 31*time.Hour)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book, db := written(t, place, madeUpChain, entries), openSQL(t, place)
		db.SetMaxOpenConns(1)
		if db.postgres { // with so few rows it would scan, whatever the indexes are
			db.do(t, "SET enable_seqscan = off")
			db.do(t, "SET enable_bitmapscan = off")
			db.do(t, "ANALYZE")
		}
		asked := 0
		for _, q := range questions(last) {
			for _, x := range queriesOf(t, book, q.ask) {
				require.Empty(t, db.scanned(t, x.text, x.arguments), "%s: %s", q.name, x.text)
				asked++
			}
		}
		require.Greater(t, asked, 100)
		top := branch(t, last+1, 3, entries[last].Hash(), 0, false)
		for _, q := range []question{
			{"Write", func(b *ledger.Book) (string, error) { return "", b.Write(ctx, top) }},
			{"Rollback", func(b *ledger.Book) (string, error) {
				n, err := b.Rollback(ctx)
				require.EqualValues(t, len(top), n)
				return "", err
			}},
			{"Write what replaces it", func(b *ledger.Book) (string, error) {
				return "", b.Write(ctx, branch(t, last+1, 3, entries[last].Hash(), 1, true))
			}},
			{"Seal", func(b *ledger.Book) (string, error) {
				n, err := b.Seal(ctx)
				require.Zero(t, n, "they were sealed when they were written")
				return "", err
			}},
		} {
			for _, x := range queriesOf(t, book, q.ask) {
				require.Empty(t, db.scanned(t, x.text, x.arguments), "%s: %s", q.name, x.text)
			}
		}
		require.Equal(t, chain.Some(uint64(last+3)), statusOf(t, book).Sealed)
		require.Equal(t, []string{"stretches"}, db.scanned(t, "SELECT fee FROM stretches WHERE blocks = 3", nil), "which is how a scan looks")
	})
}
