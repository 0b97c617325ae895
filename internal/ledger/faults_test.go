package ledger_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/fee/evidence"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/tier"
)

// failing repeats an operation on a ledger while the engine fails at its first step, then its second and so on, until it
// succeeds; all but a nightly run skip more and more steps. Each failure must be reported as such, not as damage. left is called
// after each.
func failing(t *testing.T, book *ledger.Book, name string, do func() error, left func(what string)) {
	t.Helper()
	for n := 1; ; n++ {
		mend := book.FailAt(n)
		err := do()
		failed := mend()
		what := fmt.Sprintf("%s, failure at step %d", name, n)
		if !failed {
			require.NoError(t, err, what)
			require.Greater(t, n, 1, name)
			return
		}
		require.ErrorIs(t, err, ledger.ErrFault, what)
		require.NotErrorIs(t, err, ledger.ErrDamaged, what)
		left(what)
		if !tier.Nightly() {
			n += n / tier.Sparse(4, 12)
		}
	}
}

// A query fails if the engine does, and succeeds afterwards.
func TestQuestionsToAnEngineThatFails(t *testing.T) {
	const last = 4
	entries := monthsOfBlocks(last+1, 8*24*time.Hour) // until the end of December
	asked := questions(last)
	for name, do := range map[string]func(b *ledger.Book) error{
		"Compare":  func(b *ledger.Book) error { _, err := b.Compare(ctx, entries); return err },
		"Extent":   func(b *ledger.Book) error { _, _, err := b.Extent(ctx); return err },
		"Missing":  func(b *ledger.Book) error { _, err := b.Missing(ctx, chain.Heights{Last: 2 * last}); return err },
		"Unsealed": func(b *ledger.Book) error { _, err := b.Unsealed(ctx); return err },
		"Verify": func(b *ledger.Book) error {
			return b.Verify(ctx, func(d ledger.Damage) { t.Error(d) }, quietly) // it is not damaged
		},
	} {
		asked = append(asked, question{name, func(b *ledger.Book) (string, error) { return "done", do(b) }})
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		require.NoError(t, written(t, place, madeUpChain, entries).Close())
		book := reader(t, place)
		for _, q := range asked {
			if ledger.Postgres(place) && q.name != "Verify" { // only Verify sends each engine different queries
				continue
			}
			whole, err := q.ask(book)
			require.NoError(t, err)
			var answer string
			failing(t, book, q.name, func() (err error) {
				answer, err = q.ask(book)
				return err
			}, func(string) {})
			require.Equal(t, whole, answer, q.name)
		}
	})
}

// A change during which the engine fails is not applied, not even partly, and can be retried.
func TestChangesByAnEngineThatFails(t *testing.T) {
	entries := monthsOfBlocks(4, 8*24*time.Hour)
	known := makeBlock(4, hashOf(4, 0), hashOf(3, 0), "7")
	asked := makeBlock(4, hashOf(4, 0), hashOf(3, 0), "7")
	asked.Report.Unanswered = []evidence.FailedRequest{{About: evidence.AboutProportion, At: 3, Why: "timed out"}}
	known.Report.Findings = []evidence.Finding{{Check: "evm.split", Block: 4, Message: "made up"}}
	judged := []ledger.Difference{{Height: 2, Table: "blocks", Row: -1, Column: "fee", Stored: "1", Now: "2", Judgement: true}}
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		db := openSQL(t, place)
		for _, x := range []struct {
			name string
			do   func() error
		}{
			{"Begin", func() error { return book.Begin(ctx, ledger.Identity{Network: "moonbeam"}, 0) }},
			{"Begin with a genesis", func() error { return book.Begin(ctx, madeUpChain, 0) }},
			{"Write", func() error { return book.Write(ctx, entries[:1]) }},
			{"Write what is above a gap", func() error { return book.Write(ctx, entries[2:]) }},
			{"Write what is asked", func() error { return book.Write(ctx, []*ledger.Entry{asked.entry(t)}) }},
			{"Relearn", func() error { _, err := book.Relearn(ctx, []*ledger.Entry{known.entry(t)}); return err }},
			{"Rejudge", func() error { return book.Rejudge(ctx, "2.0", judged) }},
			{"Write what is not final", func() error { return book.Write(ctx, branch(t, 5, 4, hashOf(4, 0), 1, false)) }},
			{"replace it", func() error { return book.Write(ctx, branch(t, 5, 2, hashOf(4, 0), 2, false)) }},
			{"Rollback", func() error { _, err := book.Rollback(ctx); return err }},
		} {
			before := content(t, db)
			failing(t, book, x.name, x.do, func(what string) {
				require.True(t, content(t, db) == before, what)
			})
			require.False(t, content(t, db) == before, x.name)
		}
		// An operation in several changes is consistent after each: ended days are summed up separately.
		for _, x := range []struct {
			name string
			do   func() error
		}{
			{"Write what ends days", func() error { return book.Write(ctx, entries[1:2]) }},
			{"Seal", func() error { _, err := book.Seal(ctx); return err }},
		} {
			failing(t, book, x.name, x.do, func(string) {
				verified(t, book)
				if s := statusOf(t, book); s.Blocks > 4 {
					require.Contains(t, []uint64{1, 2, 5}, s.Totals.Blocks)
				}
			})
		}
		require.Equal(t, chain.Some(uint64(4)), statusOf(t, book).Sealed)
		same := newPlace()
		require.NoError(t, written(t, same, madeUpChain, append(slices.Clone(entries), known.entry(t))).Close())
		require.NoError(t, book.Close())
		want := rowsIn(t, same)
		want["rejudgements"] = rowsIn(t, place)["rejudgements"]
		sameBook(t, want, place)
	})
}

// A failed backup leaves no file behind. The failing engine is not SQLite's own, so that the rows are copied as from
// PostgreSQL.
func TestABackupByAnEngineThatFails(t *testing.T) {
	book := written(t, newFile(t), madeUpChain, monthsOfBlocks(2, 8*24*time.Hour))
	directory := t.TempDir()
	failing(t, book, "Backup", func() error { return book.Backup(ctx, filepath.Join(directory, "copy.db"), quietly) }, func(what string) {
		require.Empty(t, filesOf(t, directory), what)
	})
	copied := reader(t, filepath.Join(directory, "copy.db"))
	verified(t, copied)
	require.Equal(t, statusOf(t, book).Seal, statusOf(t, copied).Seal)
}
