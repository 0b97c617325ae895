package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/postgrestest"
	"github.com/feeledger/fees/ledger"
)

// A look-up that has lost a row makes no figure smaller: what asks by it is refused, with the
// block, and a verification names it.
func TestALookupThatLostARow(t *testing.T) {
	const last, height = 24, 6
	entries := monthsOfBlocks(last+1, 36*time.Hour)
	all := ledger.Span{Last: last}
	payer := chain.Address{19: 1}
	questions := map[string]func(b *ledger.Book, count *int) error{
		"transactions_by_payer ON transactions (payer, height)": func(b *ledger.Book, count *int) error {
			return each(b.Transactions(ctx, in(all, payer)), func(*ledger.Transaction) error { *count++; return nil })
		},
		"transactions_by_payer ON transactions (payer,  height)": func(b *ledger.Book, count *int) error {
			return each(b.Costs(ctx, in(all, payer)), func(*ledger.Cost) error { *count++; return nil })
		},
		"movements_by_account ON movements (account, height)": func(b *ledger.Book, count *int) error {
			return each(b.Movements(ctx, in(all, mover)), func(*ledger.Movement) error { *count++; return nil })
		},
		"transfers_by_sender ON transfers (sender, height)": func(b *ledger.Book, count *int) error {
			return each(b.Transfers(ctx, in(all, mover)), func(*ledger.Transfer) error { *count++; return nil })
		},
		"transfers_by_recipient ON transfers (recipient, height)": func(b *ledger.Book, count *int) error {
			return each(b.Transfers(ctx, in(all, chain.Address{19: 0xcc})), func(*ledger.Transfer) error { *count++; return nil })
		},
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		for index, ask := range questions {
			place := newPlace()
			book := written(t, place, madeUpChain, entries)
			require.NoError(t, book.BuildLookups(ctx, func(string) {}))
			require.NoError(t, book.Close())
			book = reader(t, place)
			whole, have := 0, 0
			require.NoError(t, ask(book, &whole), index)
			require.Positive(t, whole, index)
			verified(t, book)

			db := openSQL(t, place)
			name, _, _ := strings.Cut(index, " ")
			db.do(t, "DROP INDEX "+name)
			db.do(t, fmt.Sprintf("CREATE INDEX %s WHERE height <> %d", strings.ReplaceAll(index, "  ", " "), height))
			named := func(message string) {
				list := damages(t, book)
				require.True(t, slices.ContainsFunc(list, func(d ledger.Damage) bool {
					return d.Table == "indexes" && strings.Contains(d.Message, name) && strings.Contains(d.Message, message)
				}), "%v", list)
			}
			named("WHERE") // it is one of a part of the rows, and says so
			require.NoError(t, ask(book, &have), index)
			require.Equal(t, whole, have, "which no question can be answered by")

			db.forget(t, place, name)
			book = reader(t, place)
			err := ask(book, new(int))
			require.ErrorIs(t, err, ledger.ErrDamaged, index)
			require.ErrorContains(t, err, fmt.Sprintf("block %d, table ", height))
			named("")
		}
	})
}

// forget makes the database take an index of a part of the rows for one of all.
func (d database) forget(t *testing.T, place, index string) {
	t.Helper()
	if d.postgres {
		postgrestest.Start(t).Overrule(t, place, "UPDATE pg_index SET indpred = NULL WHERE indexrelid = '"+index+"'::regclass")
		d.do(t, "ALTER DATABASE "+d.texts(t, "SELECT quote_ident(current_database())")[0][0]+" SET enable_seqscan = off")
		return
	}
	d.SetMaxOpenConns(1)
	d.do(t, "PRAGMA writable_schema = ON")
	d.do(t, "UPDATE sqlite_master SET sql = substr(sql, 1, instr(sql, ' WHERE') - 1) WHERE name = '"+index+"'")
	d.do(t, "PRAGMA writable_schema = RESET")
}
