package ledger_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

// Views show amounts in the token, with its decimals, which a ledger and its copy keep.
func TestTokenDecimals(t *testing.T) {
	id := ledger.Identity{Network: "made up", Decimals: 9}
	engines(t, func(t *testing.T, newPlace func() string) {
		for _, amount := range []struct{ units, tokens string }{{"1", "0.000000001"}, {"123456789012", "123.456789012"}, {"1000000000", "1.000000000"}} {
			place := newPlace()
			entry := makeBlock(0, hashOf(0, 0), chain.Hash{}, amount.units).at(1_709_164_800_000).entry(t)
			book := written(t, place, id, []*ledger.Entry{entry})
			have, err := book.Identity(ctx)
			require.NoError(t, err)
			require.Equal(t, id, have)
			usual := id
			usual.Decimals = 18
			require.ErrorIs(t, book.Begin(ctx, usual, 0), ledger.ErrOtherChain)
			require.ErrorContains(t, book.Begin(ctx, usual, 0), "its token has 9 decimals, not 18")
			require.NoError(t, book.Begin(ctx, id, 0))
			copied := filepath.Join(t.TempDir(), "copy.db")
			require.NoError(t, book.Backup(ctx, copied, quietly))
			for _, place := range []string{place, copied} {
				db := openSQL(t, place)
				for _, view := range []string{"book_transactions", "book_days", "book_months", "book_account_days", "book_contract_months"} {
					rows := shown(t, db, view)
					require.Len(t, rows, 1, view)
					require.Equal(t, amount.tokens, rows[0]["fee_token"], view)
				}
			}
		}
	})
}

// Decimals that were altered are noticed: the digest of the table book covers them.
func TestTokenDecimalsThatWereAltered(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, ledger.Identity{Network: "made up", Decimals: 9}, []*ledger.Entry{makeBlock(0, hashOf(0, 0), chain.Hash{}, "1").entry(t)})
		for _, c := range []struct{ alter, message string }{
			{"UPDATE book_unit SET decimals = 8", "the table book or book_unit was altered"},
			{"UPDATE book_unit SET decimals = 18", "the table book or book_unit was altered"},
			{"UPDATE book_unit SET decimals = 19", "table book_unit: a token has 1 to 18 decimals"},
			{"DELETE FROM book_unit", "table book_unit: a token has 1 to 18 decimals"},
			{"DROP TABLE book_unit", "the table book or book_unit was altered"},
		} {
			openSQL(t, place).do(t, c.alter)
			_, err := book.Identity(ctx)
			require.ErrorIs(t, err, ledger.ErrDamaged, c.alter)
			require.ErrorContains(t, err, c.message)
			var found []ledger.Damage
			require.NoError(t, book.Verify(ctx, func(d ledger.Damage) { found = append(found, d) }, func(_, _ uint64) {}))
			require.Len(t, found, 1, c.alter)
			require.Contains(t, found[0].Message, c.message)
		}
	})
}

// The digest of a ledger whose token has 18 decimals does not depend on how they are stated, nor on a table that it lacks.
func TestUsualTokenDecimals(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		var rows []any
		for _, decimals := range []int{0, 18, 9} {
			place := newPlace()
			book := written(t, place, ledger.Identity{Network: "made up", Decimals: decimals}, []*ledger.Entry{makeBlock(0, hashOf(0, 0), chain.Hash{}, "1").entry(t)})
			db := openSQL(t, place)
			rows = append(rows, shown(t, db, "book"))
			if decimals != 9 {
				db.do(t, "CREATE TABLE book_unit (decimals INTEGER NOT NULL)")
				id, err := book.Identity(ctx)
				require.NoError(t, err)
				require.Zero(t, id.Decimals)
			}
		}
		require.Equal(t, rows[0], rows[1])
		require.NotEqual(t, rows[0], rows[2])
	})
}
