package ledger_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// stalling are rows whose first does not arrive until they are released.
type stalling struct{ begun, release chan struct{} }

func (s *stalling) Next() bool {
	close(s.begun)
	<-s.release
	return false
}

func (s *stalling) Values() ([]any, error) { return nil, nil }
func (s *stalling) Err() error             { return nil }

// Locks of a program that stopped in the middle of a message are released; a program that waits between two messages is
// not affected.
func TestEndStalled(t *testing.T) {
	place := postgrestest.Start(t).Database(t)
	open := func() *ledger.Book {
		book, err := ledger.OpenShared(ctx, place)
		require.NoError(t, err)
		t.Cleanup(func() { book.Close() })
		return book
	}
	mine, theirs := open(), open()
	_, err := ledger.Pool(mine).Exec(ctx, "CREATE TABLE notes (note text)")
	require.NoError(t, err)
	noting := func(note string) pgx.Tx {
		tx, err := ledger.Pool(theirs).Begin(ctx)
		require.NoError(t, err)
		t.Cleanup(func() { tx.Rollback(ctx) })
		_, err = tx.Exec(ctx, "INSERT INTO notes VALUES ($1)", note)
		require.NoError(t, err)
		return tx
	}
	between, amid := noting("of one who waits"), noting("of one who stopped")
	s := &stalling{make(chan struct{}), make(chan struct{})}
	sent := make(chan error, 1)
	go func() {
		_, err := amid.CopyFrom(ctx, pgx.Identifier{"notes"}, []string{"note"}, s)
		sent <- err
	}()
	<-s.begun
	ended, err := mine.EndStalled(ctx, time.Hour)
	require.NoError(t, err)
	require.Zero(t, ended, "it may go on yet")
	require.Eventually(t, func() bool { // until the server has what came before
		ended, err = mine.EndStalled(ctx, 0)
		return err != nil || ended > 0
	}, time.Minute, 5*time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, 1, ended)
	close(s.release)
	require.Error(t, <-sent)
	require.NoError(t, between.Commit(ctx))
	var notes int
	require.NoError(t, ledger.Pool(mine).QueryRow(ctx, "SELECT count(*) FROM notes").Scan(&notes))
	require.Equal(t, 1, notes)

	given, up := context.WithCancel(ctx)
	up()
	_, err = mine.EndStalled(given, 0)
	require.ErrorIs(t, err, context.Canceled)
}
