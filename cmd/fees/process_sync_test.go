//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/ledger"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/ledgertest"
	"github.com/feeledger/fees/internal/test/tier"
)

// killsWanted returns the number of kills; those of .ci/nightly take almost a minute.
func killsWanted(t *testing.T) int { return tier.Count(t, "FEES_KILLS", 8, 8) }

// A sync killed at random times and restarted gives the same ledger as an undisturbed one.
func TestProcessSyncKilled(t *testing.T) {
	t.Parallel()
	endsPrograms(t)
	const blocks, last = "1..400", 400
	_, gateway := generated(t, 11, last)
	fill := func(place string) *process {
		return start(t, "sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway)
	}
	seal := quietSync(t, blocks, gateway)
	killedAndFilled(t, last, func() string { return newLedgerFile(t) }, fill, func(place string) { requireSound(t, place, last, seal) })
}

// A ledger extended downwards, killed at random times and restarted, ends up identical to one that started with the
// lower block, row by row.
func TestProcessSyncBelowKilled(t *testing.T) {
	t.Parallel()
	endsPrograms(t)
	const last, upper = 400, "301..400"
	made := chaingen.New(chaingen.Options{Seed: 18, Head: last, Begin: time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC), Every: time.Hour})
	server := httptest.NewServer(made.Handler())
	t.Cleanup(server.Close)
	filling := func(blocks, place string) *process {
		return start(t, "sync", "--signatures=false", blocks, "--ledger", place, "--gateway", server.URL)
	}
	whole, begun := newLedgerFile(t), newLedgerFile(t)
	filling("1..400", whole).ends(t, exitOK)
	filling(upper, begun).ends(t, exitOK)
	want, seal := rowsOf(t, whole), *statusOf(t, whole).Seal
	require.Len(t, want["blocks"], last)
	require.Len(t, want["stretches"], 17+2, "days, of two months")
	text, err := os.ReadFile(begun)
	require.NoError(t, err)
	killedAndFilled(t, last, func() string {
		place := newLedgerFile(t)
		require.NoError(t, os.WriteFile(place, text, 0o600))
		return place
	}, func(place string) *process { return filling("1..400", place) }, func(place string) {
		requireSound(t, place, last, seal)
		have := rowsOf(t, place)
		for table := range want {
			require.Equal(t, want[table], have[table], table)
		}
	})
}

// rowsOf returns the rows of each table of a ledger, without creation times.
func rowsOf(t *testing.T, place string) map[string][]string {
	t.Helper()
	names := "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'book_layout' AND name NOT LIKE 'sqlite_%'"
	if ledger.Postgres(place) {
		names = "SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'book_layout'"
	}
	db := opened(t, place)
	defer db.Close()
	ask := ledgertest.Ask(t, db)
	_, tables := ask(names)
	all := map[string][]string{}
	for _, table := range tables {
		name := table[0].(string)
		_, rows := ask("SELECT * FROM " + name)
		for _, r := range rows {
			all[name] = append(all[name], fmt.Sprint(r...))
		}
		slices.Sort(all[name])
	}
	return all
}

// killedAndFilled fills ledgers with programs that are killed at random times, until the number of kills is reached.
// Each ledger is completed and checked.
func killedAndFilled(t *testing.T, last uint64, begin func() string, fill func(place string) *process, check func(place string)) {
	kills := killsWanted(t)
	begun := time.Now()
	fill(begin()).ends(t, exitOK)
	took := time.Since(begun)

	random := rand.New(rand.NewPCG(1, 2))
	// The maximum time until a kill adapts to the machine: it grows if nothing is stored, and shrinks if a ledger is
	// complete before a kill.
	within := took * 3 / 4
	killed, midway, rounds := 0, 0, 0
	for killed < kills {
		rounds++
		require.LessOrEqual(t, rounds, 2*kills, "nothing is killed")
		place := begin()
		stored, fruitless := uint64(0), 0 // tries
		if hasBlocks(place) {
			stored = statusOf(t, place).Blocks
		}
		for tries := 0; ; tries++ {
			require.Less(t, tries, 10*kills, "it gets no further")
			p := fill(place)
			most := within + within*time.Duration(fruitless)/4
			if p.endsWithin(time.Duration(random.Int64N(int64(most)))) {
				p.ends(t, exitOK)
				if tries == 0 {
					within = max(within*3/4, time.Millisecond)
				}
				break
			}
			p.kill()
			killed++
			if !hasBlocks(place) || statusOf(t, place).Blocks == stored {
				fruitless++
			} else {
				stored, fruitless = statusOf(t, place).Blocks, 0
			}
			if _, err := os.Stat(place); err == nil && stored < last {
				midway++
			}
		}
		check(place)
	}
	t.Logf("%d kills, %d of them midway, in %d ledgers; at most %v until a kill at first, %v in the end", killed, midway, rounds, took*3/4, within)
}

// A signal ends a sync soon; stored blocks stay, and the next program can write.
func TestProcessSyncStopped(t *testing.T) {
	t.Parallel()
	endsPrograms(t)
	const blocks, last = "1..1500", 1500
	made, gateway := generated(t, 12, last)
	seal := ""
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			place := newLedgerFile(t)
			p := start(t, "sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway)
			eventually(t, "no block is stored", func() bool { return hasBlocks(place) })
			p.signal(t, signal)
			asked := time.Now()
			p.ends(t, exitInterrupted)
			require.Less(t, time.Since(asked), 20*time.Second)
			require.Regexp(t, "^fees: stopped after [0-9]+ of 1500 blocks; run it again to continue\n$", p.stderr.String())
			require.Empty(t, p.stdout.String())

			s := statusOf(t, place)
			require.NotZero(t, s.Blocks)
			require.Less(t, s.Blocks, uint64(last))
			require.Equal(t, s.Blocks, *s.Sealed, "all that is stored is sealed")
			requireVerified(t, place)

			next := start(t, "sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway)
			next.ends(t, exitOK)
			require.NotContains(t, next.stdout.String(), " 0 were there")
			if seal == "" {
				seal = quietSync(t, blocks, gateway)
			}
			requireSound(t, place, last, seal)
		})
	}
	require.Equal(t, uint64(last), made.Head())
}

// Of two concurrent syncs, one writes and the other fails at once.
func TestProcessSyncTwice(t *testing.T) {
	t.Parallel()
	endsPrograms(t)
	const blocks, last = "1..600", 600
	made := chaingen.New(chaingen.Options{Seed: 13, Head: last})
	gate := make(chan struct{})
	open := sync.OnceFunc(func() { close(gate) })
	t.Cleanup(open)
	server := newRestartable(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/300") { // hold the first sync until the second one has failed
			select {
			case <-gate:
			case <-r.Context().Done():
				return
			}
		}
		made.Handler().ServeHTTP(w, r)
	}))
	gateway := "http://" + server.address
	place := newLedgerFile(t)
	begun := time.Now()
	start(t, "version").ends(t, exitOK)
	usual := time.Since(begun) // of a process that does nothing
	both := []*process{
		start(t, "sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway),
		start(t, "sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway),
	}
	var refused, writer *process
	select {
	case <-both[0].ended:
		refused, writer = both[0], both[1]
	case <-both[1].ended:
		refused, writer = both[1], both[0]
	case <-time.After(8*time.Second + 20*usual): // less than a lock of SQLite's is waited for, unless the machine is busy
		t.Fatal("both go on")
	}
	refused.ends(t, exitLedger)
	require.Regexp(t, `^fees: ledger .*another program is writing this ledger\. Wait until the other program ends\.\n$`, refused.stderr.String())
	open()
	writer.ends(t, exitOK)
	requireSound(t, place, last, quietSync(t, blocks, gateway))
}

// A gateway that is down briefly, and one that is down too long.
func TestProcessSyncGatewayRestarts(t *testing.T) {
	t.Parallel()
	endsPrograms(t)
	const blocks, last = "1..700", 700
	made := chaingen.New(chaingen.Options{Seed: 14, Head: last})
	var away atomic.Bool // now or before
	server := newRestartable(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/700") && !away.Load() { // hold the sync until the gateway is down
			<-r.Context().Done()
			return
		}
		made.Handler().ServeHTTP(w, r)
	}))
	gateway := "http://" + server.address
	place := newLedgerFile(t)
	stored := func() bool { return hasBlocks(place) }
	p := start(t, "sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway)
	eventually(t, "no block is stored", stored)
	away.Store(true)
	server.stop()
	time.Sleep(time.Second)
	server.start(t)
	p.ends(t, exitOK)
	seal := quietSync(t, blocks, gateway)
	requireSound(t, place, last, seal)

	away.Store(false)
	place = newLedgerFile(t)
	p = start(t, "sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway, "--timeout", "3s")
	eventually(t, "no block is stored", stored)
	away.Store(true)
	server.stop()
	p.ends(t, exitGateway)
	require.Contains(t, p.stderr.String(), "no answer from the gateway")
	requireVerified(t, place)
	server.start(t)
	start(t, "sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway).ends(t, exitOK)
	requireSound(t, place, last, seal)
}
