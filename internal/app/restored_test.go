package app_test

import (
	"context"
	"database/sql"
	"os"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/app"
	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/source"
)

// do runs statements on one connection of a database.
func do(t testing.TB, driver, place string, statements ...string) {
	t.Helper()
	db, err := sql.Open(driver, place)
	require.NoError(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range statements {
		_, err := db.Exec(s)
		require.NoError(t, err, s)
	}
}

// inFiles returns a ledger, an older one, and a function that restores the older one in its place: its rows.
func inFiles(t *testing.T) (place, old string, restore func()) {
	place, old = file(t), file(t)
	return place, old, func() {
		statements := []string{"ATTACH '" + old + "' AS old", "BEGIN IMMEDIATE"}
		for _, table := range []string{"blocks", "transactions", "book", "stretches", "parts", "proved"} {
			statements = append(statements, "DELETE FROM main."+table, "INSERT INTO main."+table+" SELECT * FROM old."+table)
		}
		do(t, "sqlite", place+"?_pragma=busy_timeout(10000)", append(statements, "COMMIT")...)
	}
}

// inSchemas is inFiles in PostgreSQL: the schema is dropped, and another takes its place.
func inSchemas(t *testing.T) (place, old string, restore func()) {
	long(t)
	database := postgrestest.Start(t).Database(t)
	do(t, "pgx", database, "CREATE SCHEMA fees", "CREATE SCHEMA old")
	return database + "&search_path=fees", database + "&search_path=old", func() {
		do(t, "pgx", database, "DROP SCHEMA fees CASCADE", "ALTER SCHEMA old RENAME TO fees")
	}
}

// following runs fees follow until the ledger has a height; before each next block, reached is called.
func following(t *testing.T, place string, reader *source.Reader, from chain.Optional[uint64], reached func(height uint64) (stop bool)) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return app.Follow(ctx, place, app.FollowOptions{
		FillOptions: app.FillOptions{Reader: reader}, Heads: source.Poll(reader.Source, time.Millisecond), From: from,
		Lag: func(height, _ uint64) {
			if reached(height) {
				cancel()
			}
		},
	})
}

// An old backup that is restored under a running writer stops it, before it leaves a gap. The next run continues where
// the backup ends, and comes to the seal of a ledger that nothing happened to.
func TestALedgerRestoredUnderItsWriter(t *testing.T) {
	for name, engine := range map[string]func(*testing.T) (place, old string, restore func()){"sqlite": inFiles, "postgres": inSchemas} {
		t.Run(name, func(t *testing.T) {
			place, old, restore := engine(t)
			c, reader := made(12, 20)
			_, err := app.Sync(t.Context(), old, blocks(t, "10..14"), app.FillOptions{Reader: reader})
			require.NoError(t, err)
			err = following(t, place, reader, chain.Some[uint64](10), func(height uint64) bool {
				if height == 20 {
					restore()
					c.SetHead(21)
				}
				return height > 20
			})
			require.ErrorIs(t, err, ledger.ErrReplaced)
			require.Equal(t, failure.Busy, app.KindOf(err))
			require.ErrorContains(t, err, "it ended at block 20 and now ends at block 14")
			s := statusOf(t, place)
			require.Equal(t, []uint64{5, 14}, []uint64{s.Blocks, must(t, s.Sealed)}, "the backup is as it was")
			require.Empty(t, s.Gaps)

			c.SetHead(22)
			err = following(t, place, reader, chain.Optional[uint64]{}, func(height uint64) bool { return height == 22 })
			require.Equal(t, failure.Stopped, app.KindOf(err), "%v", err)
			quiet := file(t)
			_, err = app.Sync(t.Context(), quiet, blocks(t, "10..22"), app.FillOptions{Reader: reader})
			require.NoError(t, err)
			require.Equal(t, sealOf(t, quiet), sealOf(t, place))
		})
	}
}

// A writer that was cut off while a backup was restored, or while the ledger was dropped, does not continue either.
func TestALedgerRestoredWhileItsWriterIsCutOff(t *testing.T) {
	long(t)
	for name, test := range map[string]struct {
		empty bool
		want  string
	}{
		"restored": {false, "block 20 is no longer there"},
		"dropped":  {true, "it is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			place, old, restore := inSchemas(t)
			c, reader := made(12, 20)
			if !test.empty {
				_, err := app.Sync(t.Context(), old, blocks(t, "10..14"), app.FillOptions{Reader: reader})
				require.NoError(t, err)
			} else {
				book, err := ledger.OpenWriter(t.Context(), old)
				require.NoError(t, err)
				require.NoError(t, book.Close())
			}
			err := following(t, place, reader, chain.Some[uint64](10), func(height uint64) bool {
				if height == 20 {
					restore()
					do(t, "pgx", place, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
					c.SetHead(21)
				}
				return height > 20
			})
			require.ErrorIs(t, err, ledger.ErrReplaced)
			require.ErrorContains(t, err, test.want)
			if !test.empty {
				require.EqualValues(t, 5, statusOf(t, place).Blocks, "the backup is as it was")
			}
		})
	}
}

// A file that another one replaced is not written: what is written there would be lost.
func TestAFileReplacedUnderItsWriter(t *testing.T) {
	place, old := file(t), file(t)
	c, reader := made(12, 20)
	_, err := app.Sync(t.Context(), old, blocks(t, "10..14"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	err = following(t, place, reader, chain.Some[uint64](10), func(height uint64) bool {
		if height == 20 {
			require.NoError(t, os.Rename(old, place))
			c.SetHead(21)
		}
		return height > 20
	})
	require.ErrorIs(t, err, ledger.ErrReplaced)
	require.ErrorContains(t, err, "its file is another one")
}

// A gap under the newest blocks is filled before anything is added above, and named where it cannot be; a
// verification finds it.
func TestAGapIsFilled(t *testing.T) {
	c, reader := made(13, 20)
	o := app.FillOptions{Reader: reader}
	withGap := func() string {
		place := file(t)
		for _, part := range []string{"10..14", "18..20"} {
			_, err := app.Sync(t.Context(), place, blocks(t, part), o)
			require.NoError(t, err)
		}
		return place
	}
	quiet := file(t)
	_, err := app.Sync(t.Context(), quiet, blocks(t, "10..20"), o)
	require.NoError(t, err)

	place := withGap()
	require.Equal(t, uint64(3), statusOf(t, place).Unsealed)
	v, err := app.Verify(t.Context(), app.VerifyOptions{Place: place})
	require.NoError(t, err)
	require.Equal(t, []string{"15..17"}, v.Gaps)
	require.NoError(t, v.Err(), "nothing was altered")
	lacking := &source.Reader{Tables: reader.Tables, Source: otherwise{Source: reader.Source, block: func(b *chain.Block) error {
		if b.Number == 16 {
			return chain.ErrNotKept
		}
		return nil
	}}}
	err = following(t, place, lacking, chain.Optional[uint64]{}, func(uint64) bool { return false })
	require.ErrorIs(t, err, chain.ErrNotKept)
	require.ErrorContains(t, err, "filling the ledger's gap, blocks 15..17, failed")

	done, err := app.Sync(t.Context(), place, app.Wanted{}, o)
	require.NoError(t, err)
	require.LessOrEqual(t, done.Blocks.First, uint64(17))
	require.Equal(t, sealOf(t, quiet), sealOf(t, place))
	v, err = app.Verify(t.Context(), app.VerifyOptions{Place: place})
	require.NoError(t, err)
	require.Empty(t, v.Gaps)

	place = withGap()
	c.SetHead(21)
	err = following(t, place, reader, chain.Optional[uint64]{}, func(height uint64) bool { return height == 21 })
	require.Equal(t, failure.Stopped, app.KindOf(err), "%v", err)
	require.Equal(t, uint64(21), must(t, statusOf(t, place).Sealed))
}

// A writer whose connection the server ended opens the ledger again, and leaves it to a program that opened it meanwhile.
func TestAWriterLosesItsConnection(t *testing.T) {
	long(t)
	place := postgrestest.Start(t).Database(t)
	c, reader := made(14, 20)
	cut := func() {
		do(t, "pgx", place, "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		c.SetHead(c.Head() + 1)
	}
	err := following(t, place, reader, chain.Some[uint64](10), func(height uint64) bool {
		if height >= 20 && height < 23 {
			cut()
		}
		return height == 23
	})
	require.Equal(t, failure.Stopped, app.KindOf(err), "%v", err)
	quiet := file(t)
	_, err = app.Sync(t.Context(), quiet, blocks(t, "10..23"), app.FillOptions{Reader: reader})
	require.NoError(t, err)
	require.Equal(t, sealOf(t, quiet), sealOf(t, place))

	c.SetHead(24)
	err = following(t, place, reader, chain.Optional[uint64]{}, func(uint64) bool {
		cut()
		other, err := ledger.OpenWriter(t.Context(), place)
		require.NoError(t, err)
		t.Cleanup(func() { other.Close() })
		return false
	})
	require.ErrorIs(t, err, ledger.ErrLocked)
}
