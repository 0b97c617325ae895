package ledger

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/test/ledgertest"
)

// secondLayout makes a file what a program of the second layout would have written.
func secondLayout(t *testing.T, place string) {
	ctx := context.Background()
	book, err := OpenWriter(ctx, place)
	require.NoError(t, err)
	defer func() { require.NoError(t, book.Close()) }()
	require.NoError(t, book.change(ctx, func(tx transaction) error {
		for u := range unitCount {
			list, err := readStretches(ctx, tx, u, "true")
			require.NoError(t, err)
			for _, s := range list {
				if s.noted = (stretchNotes{}); s.totals != nil {
					s.totals, err = leavesOfTotals(ctx, tx, 1, s)
					require.NoError(t, err)
				}
				require.NoError(t, s.keep(ctx, tx))
			}
		}
		return nil
	}))
	statements := []string{
		"DROP VIEW book_proved", "DROP TABLE proved", "DROP VIEW book_months", "DROP TABLE months", "DROP TABLE account_blocks", "DROP TABLE hash_blocks", "DROP TABLE lookups",
		"DROP TABLE unsealed", "DROP TABLE removal", "DROP TABLE words", "DELETE FROM " + layoutTable + " WHERE version_id > 1",
	}
	for _, column := range []string{"findings", "unclassified", "unanswered", "rules"} {
		statements = append(statements, "ALTER TABLE seals DROP COLUMN "+column)
	}
	for i := range totals {
		for column := range totals[i].later {
			statements = append(statements, "ALTER TABLE "+totals[i].name+" DROP COLUMN "+column)
		}
	}
	for _, s := range statements {
		require.NoError(t, book.engine.exec(ctx, s), s)
	}
}

// A ledger of an earlier layout is brought to this one by who writes it. Nothing of it changes,
// its questions have the answers that they would have in a new one, and it goes on.
func TestLedgerOfAnEarlierLayout(t *testing.T) {
	ctx := context.Background()
	var entries []*Entry
	for h := range uint64(200) { // three months and more
		entries = append(entries, laidOutEntry(t, h+1))
	}
	write := func(place string, entries []*Entry) {
		book, err := OpenWriter(ctx, place)
		require.NoError(t, err)
		require.NoError(t, book.Begin(ctx, Identity{Network: "moonbeam"}, 1))
		require.NoError(t, book.Write(ctx, entries))
		_, err = book.Seal(ctx)
		require.NoError(t, err)
		require.NoError(t, book.BuildLookups(ctx, func(_, _ uint64) {}))
		require.NoError(t, book.Close())
	}
	answers := func(place string) (list []string) {
		book, err := Open(ctx, place)
		require.NoError(t, err)
		defer book.Close()
		require.NoError(t, book.Verify(ctx, func(d Damage) { t.Error(d) }, func(_, _ uint64) {}))
		status, err := book.Status(ctx)
		require.NoError(t, err)
		list = append(list, fmt.Sprintf("%+v", status))
		for _, by := range []TotalsBy{ByQuarterHour, ByDay, ByMonth, ByContract, ByAccount} {
			sums := map[string]Sums{}
			rules, err := book.Totals(ctx, Period{Heights: status.Stored}, Span{Last: math.MaxInt64}, by, func(x *Total) error {
				key := fmt.Sprint(x.Start, x.Layer, x.Call, x.Contract, x.Account)
				sum := sums[key]
				err := sum.Add(&x.Sums)
				sum.Blocks, sum.Inherents, sum.Movements, sum.Transfers = 0, 0, 0, 0
				sums[key] = sum
				return err
			}, func(uint64) {})
			require.NoError(t, err)
			list = append(list, fmt.Sprint(rules, sums))
		}
		return list
	}
	upgraded, fresh := filepath.Join(t.TempDir(), "upgraded.db"), filepath.Join(t.TempDir(), "fresh.db")
	today := sqliteDialect
	sqliteDialect.wordOf = func(column string) string { return column }
	sqliteDialect.types = map[kind]string{integer: "INTEGER", text: "TEXT", word: "TEXT", data: "BLOB", amount: "TEXT", boolean: "INTEGER"}
	write(upgraded, entries[:75]) // in the middle of a day and a month
	sqliteDialect = today
	secondLayout(t, upgraded)
	_, err := Open(ctx, upgraded)
	require.ErrorIs(t, err, ErrOlder)

	write(fresh, entries[:75])
	write(upgraded, nil)
	require.Equal(t, answers(fresh), answers(upgraded))
	write(fresh, entries[75:])
	write(upgraded, entries[75:])
	require.Equal(t, answers(fresh), answers(upgraded))
}

// One that was stopped while it made the tables of a new ledger has made none: the next one goes on.
func TestTablesThatAreNotAllThere(t *testing.T) {
	ctx := context.Background()
	kept := layouts
	t.Cleanup(func() { layouts = kept })
	for n := range len(kept) {
		place := filepath.Join(t.TempDir(), "fees.db")
		layouts = kept[:n+1]
		book, err := OpenWriter(ctx, place)
		require.NoError(t, err)
		require.NoError(t, book.Close())
		layouts = kept
		if n+1 < len(kept) {
			_, err = Open(ctx, place)
			require.ErrorIs(t, err, ErrNone)
		}
		book, err = OpenWriter(ctx, place)
		require.NoError(t, err)
		require.NoError(t, book.Begin(ctx, Identity{Network: "moonbeam"}, 1))
		require.NoError(t, book.Close())
	}
}

// A ledger that the program of the second layout wrote, of the recordings: its seals are what they
// were, and all is as in a new one.
func TestLedgerOfTheSecondLayout(t *testing.T) {
	ctx := context.Background()
	place := filepath.Join(t.TempDir(), "fees.db")
	ledgertest.Unzip(t, "testdata/layout-2.db.gz", place)
	_, err := Open(ctx, place)
	require.ErrorIs(t, err, ErrOlder)
	book, err := OpenWriter(ctx, place)
	require.NoError(t, err)
	defer book.Close()
	before, err := readStretches(ctx, book.engine, monthly, "true")
	require.NoError(t, err)
	require.NoError(t, book.BuildLookups(ctx, func(_, _ uint64) {}))
	require.NoError(t, book.Verify(ctx, func(d Damage) { t.Error(d) }, func(_, _ uint64) {}))
	status, err := book.Status(ctx)
	require.NoError(t, err)
	require.Equal(t, "1786951749384991759", status.Totals.Fee.String(), "as the recording's blocks were charged")
	require.Equal(t, chain.Some(uint64(27)), status.Lookups)
	after, err := readStretches(ctx, book.engine, monthly, "true")
	require.NoError(t, err)
	require.Equal(t, before, after)
	for _, m := range after {
		span := Span{m.first, m.last}
		seal, err := book.SealOf(ctx, Period{Heights: chain.Some(span)}, span)
		require.NoError(t, err)
		require.Equal(t, m.seal, seal)
	}
}

// A file whose tables are not those of the layout that it says it has is damaged: a disk can leave
// one so that lost what it had said was written.
func TestTablesOfAnotherLayout(t *testing.T) {
	ctx := context.Background()
	place := filepath.Join(t.TempDir(), "fees.db")
	ledgertest.Unzip(t, "testdata/layout-2.db.gz", place)
	db, err := openFile(place)
	require.NoError(t, err)
	_, err = db.Exec("ALTER TABLE quarter_hours ADD COLUMN drifts INTEGER")
	if err == nil {
		err = db.Close()
	}
	require.NoError(t, err)
	_, err = OpenWriter(ctx, place)
	require.ErrorIs(t, err, ErrDamaged)
	require.ErrorContains(t, err, "its tables are not those of layout 2: ")
	require.ErrorContains(t, err, "duplicate column name")
}
