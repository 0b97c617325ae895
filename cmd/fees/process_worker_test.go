//go:build unix

package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/postgrestest"
)

// Three workers share a range, one of them is killed at a random time, and the others complete the same ledger as an
// undisturbed run.
func TestProcessWorkers(t *testing.T) {
	t.Parallel()
	const blocks, last = "1..1000", 1000
	_, gateway := generated(t, 21, last)
	place := postgrestest.Start(t).Database(t)
	at := []string{"--ledger", place, "--gateway", gateway}

	stdout, stderr, code := fees(append([]string{"sync", "--signatures=false", blocks, "--enqueue"}, at...)...)
	require.Equal(t, exitOK, code, stderr)
	require.Regexp(t, `^postgres://127\.0\.0\.1:\d+/test_\d+: blocks 1\.\.1000: 1000 missing; created 5 jobs for fees worker\n$`, stdout)
	stdout, _, code = fees(append([]string{"sync", "--signatures=false", blocks, "--enqueue"}, at...)...)
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "1000 missing; created 0 jobs")
	require.Equal(t, uint64(5), statusOf(t, place).Waiting)

	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	// Slowed down, so that there is time for the kill.
	slow := func() *process {
		return start(t, append([]string{"worker", "--signatures=false", "--until-done", "--jobs", "1", "--rps", "300"}, at...)...)
	}
	workers := []*process{slow(), slow(), slow()}
	eventually(t, "no job is worked", func() bool { return statusOf(t, place).Running > 0 })
	time.Sleep(time.Duration(random.Int64N(int64(time.Second))))
	dead := random.IntN(len(workers))
	workers[dead].kill()
	for i, w := range workers {
		if i != dead {
			w.ends(t, exitOK)
		}
	}
	requireSound(t, place, last, quietSync(t, blocks, gateway))
	s := statusOf(t, place)
	require.Zero(t, s.Waiting+s.Running+s.Retrying+s.Failed)
	require.GreaterOrEqual(t, s.Done, uint64(5))
	require.Empty(t, s.Failures)

	stdout, _, code = fees(append([]string{"sync", "--signatures=false", blocks}, at...)...)
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "0 stored, 1000 already there")
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
