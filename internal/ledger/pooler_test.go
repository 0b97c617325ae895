package ledger_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/failure"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// A pooler that lends a session for one transaction only is refused by name, before anything is written or set. One that
// gives each client its own session is as good as the database.
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
	parameter := "?"
	if strings.Contains(database, "?") {
		parameter = "&"
	}
	parameter += "search_path=fees"

	byTransaction := postgrestest.PoolerAddress(t, database, true) + parameter
	for range 3 {
		_, err = ledger.OpenWriter(ctx, byTransaction)
		require.ErrorIs(t, err, ledger.ErrPooler)
		require.Equal(t, failure.NotUnderstood, failure.Of(err))
		_, err = ledger.OpenShared(ctx, byTransaction)
		require.ErrorIs(t, err, ledger.ErrPooler)
		_, err = ledger.Open(ctx, byTransaction)
		require.ErrorIs(t, err, ledger.ErrPooler)
	}
	require.Zero(t, tables())

	bySession := postgrestest.PoolerAddress(t, database, false) + parameter
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

// A database that responds, but refuses, is not one that does not respond.
func TestRefusedConnection(t *testing.T) {
	database := postgrestest.Start(t).Database(t)
	config, err := pgx.ParseConfig(database)
	require.NoError(t, err)
	missing := strings.Replace(database, "/"+config.Database, "/missing_"+config.Database, 1)
	_, err = ledger.Open(ctx, missing)
	require.ErrorIs(t, err, ledger.ErrRefused)
	require.NotErrorIs(t, err, ledger.ErrAway)
	parameter := "?options=-cjit%3Doff"
	if strings.Contains(database, "?") {
		parameter = "&" + parameter[1:]
	}
	_, err = ledger.Open(ctx, postgrestest.PoolerAddress(t, database, false)+parameter)
	require.ErrorIs(t, err, ledger.ErrRefused)
	require.ErrorContains(t, err, "a connection pooler does not accept a parameter of the address. Use the database's direct address")
}
