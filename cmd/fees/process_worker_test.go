//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/badnetwork"
	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/postgrestest"
	"github.com/feeledger/fees/internal/test/tier"
)

// Workers share a range, and the ledger equals that of one fees sync, although they are killed or frozen, their connections
// or their network cut, their server killed, or its disk is full. No other worker ends, except one that cannot connect when
// it starts.
func TestProcessWorkers(t *testing.T) {
	t.Parallel()
	deaths := tier.Count(t, "FEES_WORKER_DEATHS", 6, 8)
	_, gateway := generated(t, 21, 1_000_000)
	server := postgrestest.StartOwn(t)
	place := server.Database(t)
	full := server.SmallDisk(t, place, "600m")
	network, err := badnetwork.New(server.Host(), 0)
	require.NoError(t, err)
	t.Cleanup(func() { network.Close() })
	last := 0
	enqueue := func() {
		args := []string{"sync", "--signatures=false", fmt.Sprintf("%d..%d", last+1, last+1000), "--enqueue", "--ledger", place, "--gateway", gateway}
		stdout, stderr, code := fees(args...)
		require.Equal(t, exitOK, code, stderr)
		require.Regexp(t, `^postgres://127\.0\.0\.1:\d+/test_\d+: blocks \d+\.\.\d+: 1000 missing; created 5 jobs for fees worker\n$`, stdout)
		last += 1000
	}
	enqueue()
	work := func(args ...string) *process {
		over := strings.Replace(place, server.Host(), network.Address(), 1)
		return start(t, append([]string{"worker", "--signatures=false", "--ledger", over, "--gateway", gateway, "--quiet"}, args...)...)
	}
	slow := func() *process { return work("--rps", "50") }
	workers := []*process{slow(), slow(), slow(), slow(), slow(), slow()}
	eventually(t, "no job is worked", func() bool { return statusOf(t, place).Running > 0 })

	began, count, total := time.Now(), map[string]int{}, 0
	happens := func(what string) {
		count[what]++
		t.Logf("%v: %s", time.Since(began).Round(time.Second), what)
	}
	for total < deaths {
		time.Sleep(rand.N(8 * time.Second))
		for statusOf(t, place).Waiting < 10 {
			enqueue()
		}
		for i, p := range workers {
			if p.endsWithin(time.Millisecond) {
				happens("did not start")
				p.ends(t, exitLedger)
				require.Contains(t, p.stderr.String(), "failed to connect")
				workers[i] = slow()
			}
		}
		total++
		switch i := rand.N(len(workers)); rand.N(8) {
		case 0:
			happens("cut backends")
			server.Overrule(t, place, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'fees' AND random() < 0.5")
		case 1:
			happens("cut network")
			network.Stall(rand.N(20 * time.Second))
			network.Reset(network.Connected())
		case 2, 3, 4:
			happens("frozen")
			p := workers[i]
			p.signal(t, syscall.SIGSTOP)
			time.AfterFunc(rand.N(time.Minute), func() { p.Process.Signal(syscall.SIGCONT) })
		default:
			happens("killed")
			workers[i].kill()
			workers[i] = slow()
		}
		if total%10 == 5 {
			happens("server killed")
			server.Kill()
			time.Sleep(rand.N(2 * time.Second))
			server.Restart()
		}
		if total%100 == 7 && full != nil {
			happens("full tablespace")
			free := full()
			time.Sleep(10 * time.Second)
			free()
		}
	}
	work("--until-done").ends(t, exitOK)
	t.Logf("%d worker deaths, %d server deaths: %v; %d blocks in %v", total, count["server killed"], count, last, time.Since(began).Round(time.Second))
	requireSound(t, place, uint64(last), quietSync(t, fmt.Sprintf("1..%d", last), gateway))
	s := statusOf(t, place)
	require.Zero(t, s.Waiting+s.Running+s.Retrying+s.Failed)
	require.Empty(t, s.Failures)
}

// A program that is frozen while the server cuts its connections continues.
func TestProcessFrozen(t *testing.T) {
	t.Parallel()
	const first, last = 100, 400
	for name, args := range map[string][]string{
		"worker": {"worker", "--rps", "100"},
		"follow": {"follow", "--poll", "20ms", "--from", "100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := chaingen.New(chaingen.Options{Seed: 33, Head: first, Signed: true})
			server := httptest.NewServer(made.Handler())
			t.Cleanup(server.Close)
			database := postgrestest.Start(t)
			place := database.Database(t)
			at := []string{"--ledger", place, "--gateway", server.URL}
			if name == "worker" {
				made.SetHead(last)
				_, stderr, code := fees(append([]string{"sync", "100..400", "--enqueue"}, at...)...)
				require.Equal(t, exitOK, code, stderr)
			}
			p := start(t, append(args, at...)...)
			for cuts, stored := 0, uint64(0); cuts < 5 || stored <= last-first; {
				made.SetHead(min(last, made.Head()+50))
				time.Sleep(rand.N(500 * time.Millisecond))
				if cuts++; cuts <= 5 {
					p.signal(t, syscall.SIGSTOP)
					time.Sleep(100 * time.Millisecond)
					database.Overrule(t, place, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename = 'fees'")
					p.signal(t, syscall.SIGCONT)
				}
				require.False(t, p.endsWithin(time.Second), "%v: %s", p.ProcessState, p.stderr)
				if hasBlocks(place) {
					stored = statusOf(t, place).Blocks
				}
			}
			eventually(t, "the last block is not sealed", func() bool { return *statusOf(t, place).Sealed == last })
			requireSound(t, place, last, quietSync(t, "100..400", server.URL))
		})
	}
}

// A failed job is retried, and shown without secrets meanwhile.
func TestProcessWorkerWithoutGateway(t *testing.T) {
	t.Parallel()
	const blocks, last = "1..40", 40
	made, gateway := generated(t, 22, last)
	server := newRestartable(t, made.Handler())
	place := postgrestest.Start(t).Database(t)
	_, stderr, code := fees("sync", "--signatures=false", blocks, "--enqueue", "--ledger", place, "--gateway", gateway)
	require.Equal(t, exitOK, code, stderr)

	// Slow, so that the gateway can go down during a job.
	p := startWith(t, []string{"FEES_GATEWAY=http://me:sesame@" + server.address}, "worker", "--signatures=false", "--ledger", place, "--timeout", "1s", "--rps", "2")
	eventually(t, "no job is worked", func() bool { return statusOf(t, place).Running > 0 })
	server.stop()
	stdout := ""
	eventually(t, "no job failed of that", func() bool { // on a slow machine one fails of its time first
		stdout, _, _ = fees("ledger", "status", "--ledger", place)
		return strings.Contains(stdout, "no answer from the gateway")
	})
	require.NotEmpty(t, statusOf(t, place).Failures)
	require.NotContains(t, stdout, "sesame")
	server.start(t)
	p.kill()
	start(t, "worker", "--signatures=false", "--until-done", "--ledger", place, "--gateway", gateway).ends(t, exitOK)
	requireSound(t, place, last, quietSync(t, blocks, gateway))
}

// A temporary error of the database is waited for.
func TestProcessWorkerWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	const blocks, last = "1..40", 40
	_, gateway := generated(t, 23, last)
	for name, refuse := range map[string]func(t *testing.T, place string) (address string, end func()){
		"a lock that is not to be had": func(t *testing.T, place string) (string, func()) {
			tx, err := opened(t, place).Begin()
			require.NoError(t, err)
			_, err = tx.Exec("LOCK TABLE book IN ACCESS EXCLUSIVE MODE")
			require.NoError(t, err)
			return place + "&lock_timeout=200", func() { require.NoError(t, tx.Rollback()) }
		},
		"no changes for now": func(t *testing.T, place string) (string, func()) {
			db := opened(t, place)
			set := func(mode string) {
				_, err := db.Exec("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = " + mode + "', current_database()); END $$")
				require.NoError(t, err)
			}
			set("on")
			return place, func() {
				_, err := db.Exec("SET default_transaction_read_only = off")
				require.NoError(t, err)
				set("off")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			place := postgrestest.Start(t).Database(t)
			_, stderr, code := fees("sync", "--signatures=false", blocks, "--enqueue", "--ledger", place, "--gateway", gateway)
			require.Equal(t, exitOK, code, stderr)
			address, end := refuse(t, place)
			p := start(t, "worker", "--signatures=false", "--until-done", "--ledger", address, "--gateway", gateway, "--quiet")
			p.stderr.until(t, "it does not wait", func(text string) bool {
				return strings.Contains(text, "fees: waiting: ledger postgres://")
			})
			require.False(t, p.endsWithin(time.Second), "%s", p.stderr)
			end()
			p.ends(t, exitOK)
			requireSound(t, place, last, quietSync(t, blocks, gateway))
		})
	}
}

// A failed check is reported by the worker and stored; the worker continues.
func TestProcessWorkerSaysWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	place := postgrestest.Start(t).Database(t)
	_, stderr, code := fees("sync", "--signatures=false", "0..27", "--enqueue", "--ledger", place, "--gateway", "demo")
	require.Equal(t, exitOK, code, stderr)
	p := start(t, "worker", "--signatures=false", "--until-done", "--ledger", place, "--gateway", "demo", "--quiet")
	p.ends(t, exitOK)
	require.Contains(t, p.stderr.String(), "fees: check failed: block 2: block.time: its time 2026-01-01T00:00:12Z is not after the time of block 1")
	stdout, _, code := fees("sync", "--signatures=false", "0..27", "--ledger", place, "--gateway", "demo")
	require.Equal(t, exitFinding, code)
	require.Contains(t, stdout, "failed checks in blocks 0..27: 1 block.time (")
}
