//go:build unix

package main

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// The database server fails while fees follow writes, and its standby takes over. Follow ends with an error;
// restarted with the same addresses, it continues and stores again what the standby lacks. The ledger ends up
// identical to that of an undisturbed run, row by row.
func TestProcessFollowFailover(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts two servers, twice")
	}
	const first, last = 100, 320
	for name, waits := range map[string]bool{"a standby that lags": false, "commits that wait for the standby": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := chaingen.New(chaingen.Options{Seed: 32, Head: first, Signed: true})
			gateway := newRestartable(t, made.Handler())
			at := []string{"--gateway", "http://" + gateway.address, "--quiet"}
			server := postgrestest.StartOwn(t, "fsync=off") // it is not restarted
			place := server.Database(t)
			standby := server.Standby(t)
			if waits {
				standby.Commits(t, server)
			}
			both := strings.Replace(place, server.Host(), server.Host()+","+standby.Host(), 1) + "&target_session_attrs=read-write"
			follow := func() *process {
				return start(t, append([]string{"follow", "--ledger", both, "--poll", "20ms"}, at...)...)
			}
			sealedOn := func(place string, height uint64) func() bool {
				return func() bool {
					if !hasBlocks(place) {
						return false
					}
					s := statusOf(t, place)
					return s.Sealed != nil && *s.Sealed >= height
				}
			}
			grows := func(to uint64) {
				for head := made.Head(); head < to; {
					head = min(to, head+1+rand.Uint64N(4))
					made.SetHead(head)
					pause := 5 * time.Millisecond
					if rand.N(10) == 0 { // what came is written
						pause = 300 * time.Millisecond
					}
					time.Sleep(pause)
				}
			}

			p := follow()
			eventually(t, "the first block is not there", sealedOn(place, first))
			grows(150)
			if !waits {
				eventually(t, "block 150 is not on the standby", sealedOn(standby.Address(t, place), 150))
				standby.CutOff(t)
			}
			grows(200)
			eventually(t, "block 200 is not there", sealedOn(place, 200))
			growing := make(chan struct{})
			go func() {
				defer close(growing)
				grows(280)
			}()
			var told ledgerStatus
			for until := time.Now().Add(rand.N(time.Second)); told.Blocks == 0 || time.Now().Before(until); {
				told = statusOf(t, place)
			}
			server.Kill()
			<-growing
			grows(made.Head() + 1) // for one that waits for the next block writes nothing, and no more blocks come
			p.ends(t, exitLedger)
			require.Contains(t, p.stderr.String(), ": the database connection was lost: ")
			require.Contains(t, p.stderr.String(), ". Run it again when the database is back; it continues where it stopped.\n")
			early := follow() // the standby takes no changes yet
			early.ends(t, exitLedger)
			require.Contains(t, early.stderr.String(), "connection refused")
			require.Contains(t, early.stderr.String(), "read only connection")

			standby.Promote(t)
			place = standby.Address(t, place)
			found := statusOf(t, place)
			requireVerified(t, place)
			t.Logf("before: %d blocks, sealed up to %d; on the standby: %d blocks, sealed up to %d", told.Blocks, *told.Sealed, found.Blocks, *found.Sealed)
			if waits {
				require.GreaterOrEqual(t, *found.Sealed, *told.Sealed)
				require.GreaterOrEqual(t, found.Blocks, told.Blocks)
			} else {
				require.EqualValues(t, 150, *found.Sealed)
				require.GreaterOrEqual(t, *told.Sealed, uint64(200))
			}
			p = follow()
			grows(last)
			eventually(t, "the last block is not there", sealedOn(place, last))
			p.signal(t, syscall.SIGINT)
			p.ends(t, exitInterrupted)

			quiet := standby.Database(t)
			_, stderr, code := fees(append([]string{"sync", "100..320", "--ledger", quiet}, at...)...)
			require.Equal(t, exitOK, code, stderr)
			requireSound(t, place, last, *statusOf(t, quiet).Seal)
			want, have := rowsOf(t, quiet), rowsOf(t, place)
			require.Len(t, want["blocks"], last-first+1)
			for table := range want {
				require.Equal(t, want[table], have[table], table)
			}
		})
	}
}
