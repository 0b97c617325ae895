//go:build unix

package queue_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/feeledger/fees/internal/test/postgrestest"
)

// A worker frozen in the middle of a message keeps its rows locked, and no limit of the server ends that.
func TestAWorkerIsFrozenWhileItSends(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until its jobs are taken up")
	}
	t.Parallel()
	s := newShared(t, postgrestest.StartOwn(t, "fsync=off")) // no database of the same server can be dropped meanwhile
	s.enqueue(1500, 20)
	between, address := overNetwork(t, s.address, 0)
	gone := shared{t, s.Book, address}.process()
	lost, frozen := make(chan struct{}), make(chan struct{})
	// The last rows of a job. The process is frozen before the server waits, so that its own time limit cannot end that.
	between.LoseAfter(regexp.MustCompile(`copy "transactions" [^;]*;\x00`), func() {
		close(lost)
		<-frozen
	})
	select {
	case <-lost:
	case <-time.After(patience):
		t.Fatal("nothing was stored")
	}
	gone.freeze()
	close(frozen)
	s.eventually("the server does not wait for rows", func() bool {
		return one[bool](s, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
			AND backend_xid IS NOT NULL AND state = 'active' AND query ILIKE 'copy%' AND wait_event = 'ClientRead')`)
	})
	s.ends(s.process())
	s.requireDone(1500)
	gone.thaw()
	s.ends(gone)
	s.requireDone(1500)
}
