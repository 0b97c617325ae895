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

// A table that was altered is noticed.
func TestTokenDecimalsThatWereAltered(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, ledger.Identity{Network: "made up", Decimals: 9}, []*ledger.Entry{makeBlock(0, hashOf(0, 0), chain.Hash{}, "1").entry(t)})
		for _, alter := range []string{"UPDATE book_unit SET decimals = 19", "DELETE FROM book_unit"} {
			openSQL(t, place).do(t, alter)
			_, err := book.Identity(ctx)
			require.ErrorIs(t, err, ledger.ErrDamaged)
			require.ErrorContains(t, err, "table book_unit: a token has 1 to 18 decimals")
		}
	})
}
