package ledger_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// A pooler that lends a server connection for one transaction or statement is refused by name, before anything is written
// or set. One that gives each client its own session is as good as the database.
func TestPooler(t *testing.T) {
	database := postgrestest.Start(t).Database(t)
	direct, err := pgx.Connect(ctx, database)
	require.NoError(t, err)
	t.Cleanup(func() { direct.Close(ctx) })
	_, err = direct.Exec(ctx, "CREATE SCHEMA fees")
	require.NoError(t, err)
	tables := func() (n int) {
		require.NoError(t, direct.QueryRow(ctx, "SELECT count(*) FROM pg_tables WHERE schemaname IN ('fees', 'public')").Scan(&n))
		return n
	}
	const parameter = "&search_path=fees"
	for _, mode := range []string{"transaction", "statement"} {
		pooled := postgrestest.Pooled(t, database, mode) + parameter
		var writers sync.WaitGroup
		for range 4 { // at once, so that they take each other's server connections
			writers.Go(func() {
				for range 10 {
					for _, open := range []func(context.Context, string) (*ledger.Book, error){ledger.OpenWriter, ledger.OpenShared, ledger.Open} {
						_, err := open(ctx, pooled)
						assert.ErrorIs(t, err, ledger.ErrPooler, mode)
						assert.Equal(t, failure.NotUnderstood, failure.Of(err))
					}
				}
			})
		}
		writers.Wait()
		require.Zero(t, tables(), mode)
	}

	bySession := postgrestest.Pooled(t, database, "session") + parameter
	book, err := ledger.OpenWriter(ctx, bySession)
	require.NoError(t, err)
	require.Positive(t, tables(), "in the schema of the address")
	_, err = ledger.OpenWriter(ctx, database+parameter)
	require.ErrorIs(t, err, ledger.ErrLocked, "the lock is the session's")
	require.NoError(t, book.Close())
	book, err = ledger.Open(ctx, bySession)
	require.NoError(t, err)
	require.NoError(t, book.Close())
}

// A pooler that was not recognised is named when a prepared statement is missing in another session.
func TestPoolerFoundLater(t *testing.T) {
	place := postgrestest.Start(t).Database(t)
	require.NoError(t, written(t, place, madeUpChain, madeUp(0, 3)).Close())
	book := reader(t, place+"&pool_max_conns=1")
	statusOf(t, book)
	_, err := ledger.Pool(book).Exec(ctx, "DEALLOCATE ALL")
	require.NoError(t, err)
	_, err = book.Status(ctx)
	require.ErrorIs(t, err, ledger.ErrPooler)
	require.Equal(t, failure.NotUnderstood, failure.Of(err))
}

// Of four writers that create a ledger at once, one writes it and three are refused, through a pooler in session mode as on
// the database's address.
func TestFourWritersAtOnce(t *testing.T) {
	server, entries := postgrestest.Start(t), madeUp(0, 10)
	contents := map[string]string{}
	for _, mode := range []string{"", "session"} {
		database := server.Database(t)
		place := database
		if mode != "" {
			place = postgrestest.Pooled(t, database, mode)
		}
		opened, refused := make(chan *ledger.Book, 4), make(chan error, 4)
		var writers sync.WaitGroup
		for range 4 {
			writers.Go(func() {
				if book, err := ledger.OpenWriter(ctx, place); err == nil {
					opened <- book
				} else {
					refused <- err
				}
			})
		}
		writers.Wait()
		require.Len(t, opened, 1, mode)
		for range 3 {
			require.ErrorIs(t, <-refused, ledger.ErrLocked, mode)
		}
		book := <-opened
		require.NoError(t, book.Begin(ctx, madeUpChain, 0))
		require.NoError(t, book.Write(ctx, entries))
		sealAll(t, book)
		require.NoError(t, book.Close())
		contents[mode] = content(t, openSQL(t, database))
	}
	require.Equal(t, contents[""], contents["session"])
}

// A database that responds, but refuses, is not one that does not respond.
func TestRefusedConnection(t *testing.T) {
	database := postgrestest.Start(t).Database(t)
	config, err := pgx.ParseConfig(database)
	require.NoError(t, err)
	missing := strings.Replace(database, "/"+config.Database, "/missing_"+config.Database, 1)
	_, err = ledger.Open(ctx, missing)
	require.ErrorIs(t, err, ledger.ErrRefused)
	require.NotErrorIs(t, err, ledger.ErrAway)
	_, err = ledger.Open(ctx, postgrestest.Pooled(t, database, "session")+"&options=-cjit%3Doff")
	require.ErrorIs(t, err, ledger.ErrRefused)
	require.ErrorContains(t, err, "a connection pooler does not accept a parameter of the address. Use the database's direct address")
}
