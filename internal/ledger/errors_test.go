package ledger_test

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee"
	"github.com/feeledger/fees/internal/ledger"
)

// operations are all operations of a ledger; each is applied to one with the first 40 of 50 blocks, of which 21 are sealed
// and the last two are not final.
func operations(t *testing.T, book *ledger.Book) map[string]func() error {
	final := madeUp(0, 50)
	return map[string]func() error{
		"Begin":    func() error { return book.Begin(ctx, madeUpChain, 0) },
		"Write":    func() error { return book.Write(ctx, final[35:]) },
		"replace":  func() error { return book.Write(ctx, branch(t, 38, 1, hashOf(37, 0), 1, false)) },
		"Seal":     func() error { _, err := book.Seal(ctx); return err },
		"Rollback": func() error { _, err := book.Rollback(ctx); return err },
		"Rejudge": func() error {
			return book.Rejudge(ctx, "2.0", []ledger.Difference{{Height: 1, Table: "blocks", Judgement: true}})
		},
		"Status":      func() error { _, err := book.Status(ctx); return err },
		"Missing":     func() error { _, err := book.Missing(ctx, chain.Heights{Last: 400}); return err },
		"Extent":      func() error { _, _, err := book.Extent(ctx); return err },
		"Predecessor": func() error { _, err := book.Predecessor(ctx, 1); return err },
		"Totals":      func() error { _, _, err := totalled(book, ever, ledger.ByDay); return err },
		"Contracts":   func() error { _, _, err := totalled(book, ever, ledger.ByContract); return err },
		"Compare":     func() error { _, err := book.Compare(ctx, final[:5]); return err },
		"Verify": func() error {
			var damaged error
			return cmp.Or(book.Verify(ctx, func(d ledger.Damage) { damaged = errors.New(d.String()) }, quietly), damaged)
		},
		"Backup": func() error { return book.Backup(ctx, filepath.Join(t.TempDir(), "x"), quietly) },
	}
}

func TestAClosedBook(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, madeUp(0, 5))
		require.NoError(t, book.Close())
		for name, do := range operations(t, book) {
			require.Error(t, do(), name)
		}
	})
}

// If any table cannot be read or written, an operation succeeds, or fails without changing anything.
func TestTablesThatAreNotThere(t *testing.T) {
	if testing.Short() {
		t.Skip("each question without each table")
	}
	entries := madeUp(0, 40)
	last := makeBlock(39, hashOf(39, 5), hashOf(38, 0), "1")
	last.Report.Finalized = chain.Some(false)
	entries[39] = last.entry(t)
	below := makeBlock(38, hashOf(38, 0), hashOf(37, 0), "1")
	below.Report.Finalized = chain.Some(false)
	entries[38] = below.entry(t)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		original := writer(t, place)
		require.NoError(t, original.Begin(ctx, madeUpChain, 0))
		require.NoError(t, original.Write(ctx, entries[:20]))
		sealAll(t, original)
		require.NoError(t, original.Write(ctx, entries[21:]))
		require.NoError(t, original.Write(ctx, entries[20:21]))
		require.NoError(t, original.Close())
		db := openSQL(t, place)
		failed, before := map[string]int{}, content(t, db)
		for _, table := range db.names(t, "table") {
			book := writer(t, place)
			if table == "book_layout" {
				require.NoError(t, book.Close())
				continue
			}
			names := []string{"Begin", "Status", "Missing", "Extent", "Predecessor", "Totals", "Contracts", "Compare", "Verify", "Backup", "Rejudge", "Seal", "replace", "Write", "Rollback"}
			do := operations(t, book)
			require.Len(t, do, len(names))
			for _, name := range names {
				db.do(t, "ALTER TABLE "+table+" RENAME TO elsewhere")
				err := do[name]()
				db.do(t, "ALTER TABLE elsewhere RENAME TO "+table)
				after := content(t, db)
				if err != nil {
					failed[name]++
					require.Equal(t, before, after, "%s without %s", name, table)
				}
				before = after
			}
			require.NoError(t, book.Close())
			verified(t, reader(t, place))
		}
		for _, name := range []string{"Begin", "Status", "Missing", "Extent", "Predecessor", "Totals", "Contracts", "Compare", "Verify", "Rejudge", "Seal", "replace", "Write"} {
			require.Positive(t, failed[name], "%s: %v", name, failed)
		}
	})
}

// An altered total stops anything from being added to it.
func TestTotalsThatWereAltered(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		for _, alter := range []string{"UPDATE stretches SET fee = 7 WHERE unit = 'day'", "UPDATE stretches SET fee = 7 WHERE unit = 'month'", "UPDATE stretches SET digest = seal", "UPDATE blocks SET flags = 2 WHERE height = 4"} {
			place := newPlace()
			book := written(t, place, madeUpChain, madeUp(0, 5))
			db := openSQL(t, place)
			db.do(t, alter)
			before := content(t, db)
			require.ErrorIs(t, book.Write(ctx, madeUp(5, 1)), ledger.ErrDamaged, alter)
			require.Equal(t, before, content(t, db))
		}
	})
}

// A transaction without a fee is stored with the reason, and is counted.
func TestATransactionWithoutAFee(t *testing.T) {
	m := makeBlock(0, hashOf(0, 0), chain.Hash{}, "7")
	x := m.Report.Transactions[0].Transaction
	x.Fee, x.Success, x.Outcome = chain.Optional[chain.Wei]{}, chain.Optional[bool]{}, chain.Optional[fee.Outcome]{}
	x.Error = &fee.Error{Block: 0, Extrinsic: 1, Err: errors.New("nothing\x00 is known")}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, []*ledger.Entry{m.entry(t)})
		require.Equal(t, [][]string{{"null", "null", "null"}}, openSQL(t, place).texts(t, "SELECT fee, success, outcome FROM transactions"))
		require.NoError(t, at(book, 0, 1, func(x *ledger.Transaction) error {
			require.Equal(t, "block 0, extrinsic 1: nothing\uFFFD is known", x.Error)
			require.Equal(t, []bool{false, false}, []bool{x.Fee.Known(), x.Success.Known()})
			require.Empty(t, x.Outcome)
			return nil
		}))
		totals := statusOf(t, book).Totals
		require.Equal(t, []any{uint64(1), uint64(1), fee.OutcomeCounts{OutcomeUnknown: 1}, "0"}, []any{totals.EVM, totals.Undetermined, totals.OutcomeCounts, totals.Fee.String()})
		verified(t, book)
	})
}

func TestDamageForPeople(t *testing.T) {
	require.Equal(t, "block 3, table blocks: gone", ledger.Damage{Height: chain.Some(uint64(3)), Table: "blocks", Message: "gone"}.String())
	require.Equal(t, "table parts: gone", ledger.Damage{Table: "parts", Message: "gone"}.String())
}

// Nothing is done with a context that has ended.
func TestAContextThatHasEnded(t *testing.T) {
	ended, cancel := context.WithCancel(ctx)
	cancel()
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		require.NoError(t, writer(t, place).Close())
		for _, open := range []func(context.Context, string) (*ledger.Book, error){ledger.Open, ledger.OpenWriter} {
			_, err := open(ended, place)
			require.ErrorIs(t, err, context.Canceled)
		}
		require.NoError(t, writer(t, place).Close(), "no lock was left")
	})
}
