//go:build unix

package queue_test

import (
	"syscall"
	"testing"

	"github.com/feeledger/fees/internal/postgrestest"
	"github.com/stretchr/testify/require"
)

// frozen stops a worker process, and waits until the server is done with what it was told.
func (s shared) frozen(p *process) {
	s.Helper()
	require.NoError(s, p.Process.Signal(syscall.SIGSTOP))
	s.eventually("the server does not come to an end", func() bool {
		return !one[bool](s, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
			AND pid <> pg_backend_pid() AND state = 'active' AND wait_event IS DISTINCT FROM 'ClientRead')`)
	})
}

// A worker that is frozen in the midst of what it sends the server keeps what it stores
// locked, and no limit of the server's own ends that.
func TestAWorkerIsFrozenWhileItSends(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until its jobs are taken up")
	}
	t.Parallel()
	s := newShared(t, postgrestest.StartOwn(t, "fsync=off")) // no database of the same server can be dropped meanwhile
	s.enqueue(1500, 20)
	gone := s.process()
	s.eventually("it stores nothing", func() bool { return one[bool](s, "SELECT EXISTS (SELECT FROM blocks)") })
	s.eventually("it sends nothing", func() bool {
		s.frozen(gone)
		if one[bool](s, "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND wait_event = 'ClientRead')") {
			return true
		}
		require.NoError(t, gone.Process.Signal(syscall.SIGCONT))
		return false
	})

	s.ends(s.process())
	s.requireDone(1500)
	require.NoError(t, gone.Process.Signal(syscall.SIGCONT))
	s.ends(gone)
	s.requireDone(1500)
}
