package ledger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

func quiet() ledger.DetachProgress {
	return ledger.DetachProgress{Copied: quietly, Verified: quietly, Removed: quietly}
}

func monthOf(t testing.TB, text string) ledger.Month {
	at, err := time.Parse("2006-01", text)
	require.NoError(t, err)
	return ledger.MonthOf(at)
}

// sealsOf returns the seals of a ledger's days and months, with the leaves of their parts.
func sealsOf(t testing.TB, place string) map[string]string {
	seals := map[string]string{}
	db := openSQL(t, place)
	defer db.Close()
	for _, r := range db.texts(t, "SELECT unit, number, first, last, blocks, seal, leaves FROM stretches") {
		seals[r[0]+" "+r[1]] = strings.Join(r[2:], " ")
	}
	return seals
}

// rowsIn returns all rows of a ledger's tables of blocks and totals, by table.
func rowsIn(t testing.TB, place string) map[string][][]string {
	db := openSQL(t, place)
	defer db.Close()
	rows := map[string][][]string{}
	for _, table := range db.names(t, "table") {
		var columns []string
		for _, c := range db.columns(t, table) {
			text := "CAST(" + c.name + " AS TEXT)"
			switch strings.ToLower(c.kind) {
			case "bytea", "blob", "any":
				text = c.name
			case "boolean":
				text = "CASE WHEN " + c.name + " THEN '1' WHEN NOT " + c.name + " THEN '0' END"
			}
			columns = append(columns, text)
		}
		if table != "book_layout" && table != "words" && !strings.HasPrefix(table, "river_") {
			rows[table] = db.texts(t, "SELECT "+strings.Join(columns, ", ")+" FROM "+table+" ORDER BY "+ordinals(len(columns)))
		}
	}
	return rows
}

func ordinals(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(i+1))
	}
	return strings.Join(list, ", ")
}

// A part of a ledger becomes a separate ledger, and the ledger is as if it had been created after it.
func TestDetach(t *testing.T) {
	const count, pace = 700, 4 * time.Hour // from 2023-11-24 22:00 to 2024-03-20
	entries := monthsOfBlocks(count, pace)
	firstOf := func(month string) (height int) {
		for i, m := range monthsMade(count, pace) {
			if at, _ := m.Report.Time.Get(); !at.Std().Before(monthOf(t, month).Start()) {
				return i
			}
		}
		return count
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		whole, most := newPlace(), newPlace()
		require.NoError(t, written(t, whole, madeUpChain, entries).Close())
		require.NoError(t, written(t, most, madeUpChain, entries[:count-3]).Close())
		seals, rows := sealsOf(t, whole), rowsIn(t, whole)
		for _, month := range []string{"2023-12", "2024-02", "2024-03"} {
			if testing.Short() && month != "2024-02" {
				continue
			}
			height := firstOf(month)
			place := copied(t, most)
			book := writer(t, place)
			require.NoError(t, book.Write(ctx, entries[count-3:count-1]))
			require.NoError(t, book.Rejudge(ctx, "9.9", []ledger.Difference{
				{Height: 3, Table: "transactions", Row: 1, Column: "fee", Stored: "1", Now: "2", Judgement: true},
				{Height: 650, Table: "transactions", Row: 1, Column: "fee", Stored: "1", Now: "2", Judgement: true},
			}))
			before := statusOf(t, book)
			planned, err := reader(t, place).Detachable(ctx, monthOf(t, month))
			require.NoError(t, err)
			require.Equal(t, chain.Heights{Last: uint64(height) - 1}, planned.Span)
			require.EqualValues(t, height, planned.Begins)
			require.Equal(t, before, statusOf(t, book), "nothing was done")

			directory := t.TempDir()
			file := filepath.Join(directory, "earlier.db")
			done, removed := uint64(0), uint64(0)
			d, err := book.Detach(ctx, monthOf(t, month), file, ledger.DetachProgress{
				Copied:   func(n, total uint64) { done = n; require.LessOrEqual(t, n, total) },
				Verified: quietly,
				Removed:  func(n, total uint64) { removed = n; require.LessOrEqual(t, n, total) },
			})
			require.NoError(t, err)
			require.Equal(t, planned, d)
			require.EqualValues(t, height, done)
			require.EqualValues(t, height, removed)
			require.Equal(t, []string{"earlier.db"}, filesOf(t, directory))
			earlier := reader(t, file)
			verified(t, earlier)
			verified(t, book)

			// The seals are those of the whole ledger. The rest is sealed.
			require.NoError(t, book.Write(ctx, entries[count-3:]))
			sealAll(t, book)
			both := sealsOf(t, file)
			for name, seal := range sealsOf(t, place) {
				require.NotContains(t, both, name)
				both[name] = seal
			}
			require.Equal(t, seals, both)

			// Each part equals a ledger with the same first and last block.
			begun := newPlace()
			later := written(t, begun, madeUpChain, entries[height:])
			require.NoError(t, later.Rejudge(ctx, "9.9", []ledger.Difference{{Height: 650, Table: "transactions", Row: 1, Column: "fee", Stored: "1", Now: "2", Judgement: true}}))
			want, have := rowsIn(t, begun), rowsIn(t, place)
			require.Equal(t, len(want), len(have))
			for table := range want {
				require.Equal(t, want[table], have[table], table)
			}
			have = rowsIn(t, file)
			for _, table := range []string{"blocks", "transactions", "stretches", "parts"} {
				require.NotEmpty(t, have[table])
				require.Subset(t, rows[table], have[table], table)
			}
			require.Len(t, have["rejudgements"], 1)
			require.Len(t, have["blocks"], height)

			// Queries of the detached part report it, and those of the rest are answered.
			cover, err := book.Cover(ctx, ledger.Period{From: chainTime(t, monthOf(t, month)-1), To: chainTime(t, monthOf(t, month)+1)})
			require.NoError(t, err)
			require.Contains(t, strings.Join(cover.Lacks, "\n"), fmt.Sprintf("its beginning: the ledger starts at block %d (", height))
			s := statusOf(t, book)
			require.EqualValues(t, height, s.First)
			require.EqualValues(t, count-height, s.Blocks)
			require.EqualValues(t, height, statusOf(t, earlier).Blocks)
			require.Equal(t, chain.Some(uint64(height)-1), statusOf(t, earlier).Sealed)
			rows := 0
			require.NoError(t, each(book.Movements(ctx, in(chain.Heights{First: uint64(height), Last: count - 1}, mover)), func(*ledger.Movement) error { rows++; return nil }))
			require.Positive(t, rows)

			_, err = book.Detach(ctx, monthOf(t, month), filepath.Join(directory, "again.db"), quiet())
			require.ErrorIs(t, err, ledger.ErrNoCut)
			require.ErrorContains(t, err, fmt.Sprintf("the ledger starts at block %d and has no blocks before %s", height, month))
		}
	})
}

func chainTime(t testing.TB, m ledger.Month) chain.Time {
	at, err := chain.TimeAt(uint64(m.Start().UnixMilli()))
	require.NoError(t, err)
	return at
}

func TestWhatCannotBeDetached(t *testing.T) {
	entries := monthsOfBlocks(40, 24*time.Hour) // to 2024-01-02
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := writer(t, place)
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		directory := t.TempDir()
		file := filepath.Join(directory, "earlier.db")
		refused := func(month, message string) error {
			t.Helper()
			_, err := book.Detach(ctx, monthOf(t, month), file, quiet())
			require.ErrorContains(t, err, message)
			_, planned := book.Detachable(ctx, monthOf(t, month))
			require.Equal(t, err, planned)
			require.Empty(t, filesOf(t, directory))
			return err
		}
		require.ErrorIs(t, refused("2023-12", "no block is sealed"), ledger.ErrNoCut)
		require.NoError(t, book.Write(ctx, entries[:30]))
		sealAll(t, book)
		require.ErrorIs(t, refused("2023-11", "the ledger starts at block 0 and has no blocks before 2023-11"), ledger.ErrNoCut)
		require.ErrorIs(t, refused("2024-01", "the ledger is sealed up to block 29, which is before 2024-01, so 2023-12 may be incomplete"), ledger.ErrNoCut)
		require.NoError(t, book.Write(ctx, entries[30:]))
		sealAll(t, book)

		// Another file exists.
		require.NoError(t, os.WriteFile(file, []byte("theirs"), 0o600))
		_, err := book.Detach(ctx, monthOf(t, "2023-12"), file, quiet())
		require.ErrorContains(t, err, "already exists and does not contain exactly blocks 0..6 of this ledger")
		require.NoError(t, os.Remove(file))
		require.NoError(t, reader(t, place).Backup(ctx, file, quietly))
		_, err = book.Detach(ctx, monthOf(t, "2023-12"), file, quiet())
		require.ErrorContains(t, err, "already exists and does not contain exactly blocks 0..6 of this ledger")
		directory = t.TempDir()
		file = filepath.Join(directory, "earlier.db")

		// A block with an earlier time is above.
		m := makeBlock(40, hashOf(40, 0), entries[39].Hash(), "7").at(uint64(time.Date(2023, 12, 31, 23, 0, 0, 0, time.UTC).UnixMilli()))
		require.NoError(t, book.Write(ctx, []*ledger.Entry{m.entry(t)}))
		sealAll(t, book)
		err = refused("2024-01", "the ledger cannot be cut before 2024-01: block 40 has the time 2023-12-31T23:00:00Z, but is above block 38, which belongs to that month or a later one")
		var disorder *ledger.DisorderError
		require.ErrorAs(t, err, &disorder)
		require.EqualValues(t, 40, disorder.Height)

		// Damaged blocks are not detached.
		db := openSQL(t, place)
		db.do(t, "UPDATE blocks SET known = '{}' WHERE height = 2")
		_, err = book.Detach(ctx, monthOf(t, "2023-12"), file, quiet())
		require.ErrorIs(t, err, ledger.ErrDamaged)
		require.ErrorContains(t, err, "block 2, table blocks")
		require.Empty(t, filesOf(t, directory))
		require.EqualValues(t, 0, statusOf(t, book).First)
	})
}

// If a detachment fails at any step, the ledger is intact or starts later, and the next detachment or write finishes it.
func TestADetachmentThatIsStopped(t *testing.T) {
	const count, pace = 30, 36 * time.Hour
	entries := monthsOfBlocks(count, pace)
	month := monthOf(t, "2023-12")
	stride := 7
	if testing.Short() {
		stride = 31
	}
	engines(t, func(t *testing.T, newPlace func() string) {
		original := newPlace()
		require.NoError(t, written(t, original, madeUpChain, entries).Close())
		whole := rowsIn(t, original)
		var done map[string][][]string
		stages := map[string]bool{}
		for n := 1; done == nil && !t.Failed(); n += stride {
			t.Run(fmt.Sprint("step ", n), func(t *testing.T) {
				place := copied(t, original)
				book := writer(t, place)
				file := filepath.Join(t.TempDir(), "earlier.db")
				mend := book.FailAt(n)
				_, err := book.Detach(ctx, month, file, quiet())
				if !mend() {
					require.NoError(t, err)
					done = rowsIn(t, place)
					return
				}
				require.ErrorIs(t, err, ledger.ErrFault)
				require.NoError(t, book.Close())
				read := reader(t, place)
				verified(t, read)
				s := statusOf(t, read)
				if s.First == 0 {
					require.Equal(t, whole, rowsIn(t, place))
				} else {
					require.EqualValues(t, 5, s.First)
					require.EqualValues(t, count-5, s.Blocks)
					require.FileExists(t, file)
				}
				stages[fmt.Sprint(s.First > 0, fileIs(file))] = true

				book = writer(t, place)
				if s.First > 0 && n%2 == 0 {
					require.NoError(t, book.Begin(ctx, madeUpChain, 5))
				} else {
					_, err = book.Detach(ctx, month, file, quiet())
					require.NoError(t, err)
				}
				verified(t, reader(t, file))
				verified(t, book)
				require.Len(t, rowsIn(t, place)["blocks"], count-5)
				require.Empty(t, openSQL(t, place).texts(t, "SELECT 1 FROM book WHERE removing IS NOT NULL"))
			})
		}
		if testing.Short() {
			return
		}
		require.Equal(t, map[string]bool{"false false": true, "false true": true, "true true": true}, stages)
	})
}

func fileIs(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
