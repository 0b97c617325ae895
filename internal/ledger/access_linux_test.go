package ledger_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// With read-only access to a file and its directory, every query works. Changes next to the file that cannot be read are
// reported.
func TestAFileThatMayNotBeWritten(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED, for that takes the right to become another user")
	}
	directory := t.TempDir()
	for d := directory; d != "/"; d = filepath.Dir(d) {
		info, err := os.Stat(d)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(d, info.Mode().Perm()|0o055))
	}
	place := filepath.Join(directory, "fees.db")
	book := written(t, place, madeUpChain, madeUp(0, 10))
	want := statusOf(t, book)
	require.NoError(t, book.Close())
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	as := func(uid int) { require.NoError(t, syscall.Setfsuid(uid)) }
	defer as(0)
	as(65534)
	_, err := os.Create(filepath.Join(directory, "x"))
	require.ErrorIs(t, err, os.ErrPermission)
	auditor := reader(t, place)
	require.Equal(t, want, statusOf(t, auditor))
	verified(t, auditor)
	require.NoError(t, auditor.Close())
	_, err = ledger.OpenWriter(ctx, place)
	require.Error(t, err)

	as(0) // a program is killed and leaves what it wrote next to the file
	db, err := sql.Open("sqlite", place+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	require.NoError(t, err)
	_, err = db.Exec("UPDATE rejudgements SET program = 'x'; CREATE TABLE left_behind (a)")
	require.NoError(t, err)
	log, err := os.ReadFile(place + "-wal")
	require.NoError(t, err)
	require.NotEmpty(t, log)
	require.NoError(t, db.Close())
	require.NoError(t, os.WriteFile(place+"-wal", log, 0o644))
	os.Remove(place + "-shm")
	as(65534)
	_, err = ledger.Open(ctx, place)
	require.ErrorContains(t, err, place+"-wal, which cannot be read in a read-only directory. Copy both files")
}

// A PostgreSQL role with only SELECT rights can query and verify.
func TestARoleThatMayOnlySelect(t *testing.T) {
	server := postgrestest.Start(t)
	r := recording2100()
	place := server.Database(t)
	book := written(t, place, r.id, r.entries)
	address, role := server.Role(t, place)
	openSQL(t, place).do(t, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO "+role)
	auditor := reader(t, address)
	require.Equal(t, statusOf(t, book), statusOf(t, auditor))
	verified(t, auditor)
	require.NoError(t, each(auditor.Transactions(ctx, in(chain.Heights{Last: 27}, chain.Address{})), func(*ledger.Transaction) error { return nil }))
	_, err := ledger.OpenWriter(ctx, address)
	require.Error(t, err)
}
