//go:build unix

package queue_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/ledger/queue"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// The server is lost for good while workers fill a ledger, and its standby takes over. The workers know both addresses and
// continue by themselves. Jobs and blocks that had not reached the standby are lost and redone: the final seal is the same.
// If each commit waits for the standby, nothing confirmed is lost.
func TestFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until jobs that were under way are taken up")
	}
	const last = 900
	for name, waits := range map[string]bool{"a standby that lags": false, "commits that wait for the standby": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := postgrestest.StartOwn(t)
			begun := newShared(t, server)
			require.Equal(t, last/10, begun.enqueue(last, 10))
			standby := server.Standby(t)
			if waits {
				standby.Commits(t, server)
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			both := strings.Replace(begun.address, server.Host(), server.Host()+","+standby.Host(), 1) + "&target_session_attrs=read-write"
			book, err := ledger.OpenShared(ctx, both)
			require.NoError(t, err)
			t.Cleanup(func() { book.Close() })
			done := make(chan error, 1)
			go func() {
				done <- queue.Work(ctx, book, slow(4*time.Millisecond), queue.Options{UntilDone: true, Limit: limit})
			}()
			sealedUpTo := func() uint64 {
				height, _ := begun.status().Sealed.Get()
				return height
			}
			begun.eventually("nothing is sealed", func() bool { return sealedUpTo() >= 50 })
			before := uint64(0)
			if !waits {
				standby.CutOff(t)
				before = sealedUpTo()
				begun.eventually("no more is sealed", func() bool { return sealedUpTo() >= before+100 })
			}
			var told ledger.Status
			for until := time.Now().Add(rand.N(seconds(0.5))); told.Blocks == 0 || time.Now().Before(until); {
				told = begun.status()
			}
			server.Kill()
			standby.Promote(t)

			after := shared{t, openShared(t, standby.Address(t, begun.address)), standby.Address(t, begun.address)}
			found := after.status()
			was, _ := told.Sealed.Get()
			is, _ := found.Sealed.Get()
			t.Logf("before: %d blocks, sealed up to %d; on the standby: %d blocks, sealed up to %d", told.Blocks, was, found.Blocks, is)
			if waits {
				require.GreaterOrEqual(t, is, was)
				require.GreaterOrEqual(t, found.Blocks, told.Blocks)
			} else {
				require.Less(t, is, was)
			}
			after.requireSound()
			require.NoError(t, <-done)
			after.requireDone(last)
			require.Equal(t, chain.Some(uint64(last)), after.status().Sealed)
		})
	}
}
