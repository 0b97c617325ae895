package ledger_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
)

func quietly(_, _ uint64) {}

// filesOf returns the names in a folder.
func filesOf(t *testing.T, directory string) (list []string) {
	entries, err := os.ReadDir(directory)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A backup contains everything, in either engine.
func TestBackup(t *testing.T) {
	entries := append(madeUp(0, 600), branch(t, 600, 2, hashOf(599, 0), 1, false)...)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		require.NoError(t, book.Write(ctx, madeUp(700, 3)))
		require.NoError(t, book.Rejudge(ctx, "9.9", []ledger.Difference{{Height: 3, Table: "transactions", Row: 1, Column: "fee", Stored: "1", Now: "2", Judgement: true}}))
		directory := t.TempDir()
		copied := filepath.Join(directory, "copy.db")
		require.NoError(t, reader(t, place).Backup(ctx, copied, quietly))
		require.Equal(t, []string{"copy.db"}, filesOf(t, directory))
		back := reader(t, copied)
		verified(t, back)
		require.Equal(t, statusOf(t, book), statusOf(t, back))
		from, to := openSQL(t, place), openSQL(t, copied)
		if !from.postgres {
			require.Equal(t, content(t, from), content(t, to))
		}
		require.Equal(t, from.texts(t, "SELECT * FROM rejudgements"), to.texts(t, "SELECT * FROM rejudgements"))
		require.NoError(t, back.Close())

		again := writer(t, copied) // the copy is a complete ledger that can continue
		require.NoError(t, again.Write(ctx, madeUp(703, 2)))
		verified(t, again)

		require.ErrorContains(t, book.Backup(ctx, copied, quietly), "already exists")
		require.Error(t, book.Backup(ctx, filepath.Join(directory, "no", "folder.db"), quietly))
		require.ErrorContains(t, book.Backup(ctx, directory, quietly), "already exists")
	})
}

func TestBackupWhileItIsWritten(t *testing.T) {
	ledger.HoldMoments(t, 0, 0)
	entries := madeUp(0, 400)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries[:300])
		stop, done := make(chan struct{}), make(chan error)
		go func() {
			for _, e := range entries[300:] {
				select {
				case <-stop:
					done <- nil
					return
				default:
				}
				err := book.Write(ctx, []*ledger.Entry{e})
				if err == nil {
					_, err = book.Seal(ctx)
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		for i := range 3 {
			copied := filepath.Join(t.TempDir(), "copy.db")
			require.NoError(t, reader(t, place).Backup(ctx, copied, quietly), "backup %d", i)
			back := reader(t, copied)
			verified(t, back)
			s := statusOf(t, back)
			last, _ := s.Sealed.Get()
			require.GreaterOrEqual(t, last, uint64(299))
			span := chain.Heights{Last: last}
			want, err := reader(t, place).SealOf(ctx, heights(0, last), span)
			require.NoError(t, err)
			have, err := back.SealOf(ctx, heights(0, last), span)
			require.NoError(t, err)
			require.Equal(t, want, have)
		}
		close(stop)
		require.NoError(t, <-done)
	})
}

func TestABackupThatFailsLeavesNothing(t *testing.T) {
	entries := madeUp(0, 300)
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, entries)
		directory := t.TempDir()
		target := filepath.Join(directory, "copy.db")
		ended, cancel := context.WithCancel(ctx)
		cancel()
		require.Error(t, reader(t, place).Backup(ended, target, quietly))
		require.Empty(t, filesOf(t, directory))

		// Halfway.
		db := openSQL(t, place)
		if db.postgres {
			for _, table := range []string{"blocks", "parts", "rejudgements", "proved", "stretches", "trail"} {
				db.do(t, "ALTER TABLE "+table+" RENAME TO elsewhere")
				require.ErrorContains(t, book.Backup(ctx, target, quietly), table)
				db.do(t, "ALTER TABLE elsewhere RENAME TO "+table)
				require.Empty(t, filesOf(t, directory))
			}
			empty := writer(t, newPlace())
			require.ErrorIs(t, empty.Backup(ctx, target, quietly), ledger.ErrNone)
			require.Empty(t, filesOf(t, directory))
		}
		// The file was created meanwhile.
		raced := filepath.Join(directory, "raced.db")
		if db.postgres {
			err := book.Backup(ctx, raced, func(_, _ uint64) { os.WriteFile(raced, []byte("theirs"), 0o600) })
			require.ErrorIs(t, err, os.ErrExist)
			require.Equal(t, []string{"raced.db"}, filesOf(t, directory))
		}
		verified(t, book)
	})
}

// A block with a height far from the others does not slow down a backup.
func TestAHeightFarAway(t *testing.T) {
	const highest = 1 << 35 // block times end before year 10000
	far := makeBlock(highest, hashOf(highest, 0), hashOf(0, 1), "5").entry(t)
	engines(t, func(t *testing.T, newPlace func() string) {
		book := written(t, newPlace(), madeUpChain, madeUp(0, 3))
		require.NoError(t, book.Write(ctx, []*ledger.Entry{far}))
		verified(t, book)
		s := statusOf(t, book)
		require.Equal(t, []chain.Heights{{First: 3, Last: highest - 1}}, s.Gaps)
		_, next, err := book.Extent(ctx)
		require.NoError(t, err)
		require.Equal(t, uint64(highest+1), next)
		copied := newFile(t)
		require.NoError(t, book.Backup(ctx, copied, quietly))
		require.Equal(t, s, statusOf(t, reader(t, copied)))
	})
}

// A ledger remembers its last source. Its copies do so too.
func TestSource(t *testing.T) {
	engines(t, func(t *testing.T, newPlace func() string) {
		place := newPlace()
		book := written(t, place, madeUpChain, monthsOfBlocks(90, 9*time.Hour))
		source := func(place string) string {
			from, err := reader(t, place).Source(ctx)
			require.NoError(t, err)
			return from
		}
		require.Empty(t, source(place))
		for _, from := range []string{"demo", "https://gateway.example/…", "https://gateway.example/…"} {
			require.NoError(t, book.RememberSource(ctx, from))
			require.Equal(t, from, source(place))
		}
		copied, detached := newFile(t), newFile(t)
		require.NoError(t, book.Backup(ctx, copied, quietly))
		require.Equal(t, "https://gateway.example/…", source(copied))
		_, err := book.Detach(ctx, monthOf(t, "2023-12"), detached, quiet())
		require.NoError(t, err)
		require.Equal(t, "https://gateway.example/…", source(detached))
		verified(t, book)
	})
}
