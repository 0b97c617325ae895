//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
)

// patience is far more than anything takes that a process test waits for.
const patience = 4 * time.Minute

// process is fees in a process of its own.
type process struct {
	*exec.Cmd
	stdout bytes.Buffer
	stderr *lines // which may be read while it runs
	ended  chan struct{}
}

// endsPrograms skips a test in a short run: it stops or kills programs, again and again.
func endsPrograms(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("programs are stopped or killed")
	}
}

// start starts fees. It is killed at the end of the test, if it still runs.
func start(t testing.TB, args ...string) *process { return startWith(t, nil, args...) }

// startWith starts it with more in its environment.
func startWith(t testing.TB, environment []string, args ...string) *process {
	p := newProcess(args...)
	p.Env = append(os.Environ(), environment...)
	p.begin(t)
	return p
}

// startTo starts it with a standard output of its own.
func startTo(t testing.TB, stdout *os.File, args ...string) *process {
	p := newProcess(args...)
	p.Stdout = stdout
	p.begin(t)
	return p
}

func newProcess(args ...string) *process {
	p := &process{Cmd: exec.Command("fees", args...), stderr: newLines(), ended: make(chan struct{})}
	p.Stdout, p.Stderr = &p.stdout, p.stderr
	return p
}

func (p *process) begin(t testing.TB) {
	require.NoError(t, p.Start())
	go func() {
		p.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.Process.Kill()
		<-p.ended
	})
}

// endsWithin tells whether it ended within a time.
func (p *process) endsWithin(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// kill ends it as a crash does.
func (p *process) kill() {
	p.Process.Kill()
	<-p.ended
}

// signal asks it to end.
func (p *process) signal(t testing.TB, s syscall.Signal) {
	require.NoError(t, p.Process.Signal(s))
}

// ends wants it to end with a code.
func (p *process) ends(t testing.TB, code int) {
	t.Helper()
	require.True(t, p.endsWithin(patience), "it goes on for ever: %s", p.stderr)
	require.Equal(t, code, p.ProcessState.ExitCode(), "%s", p.stderr)
}

// generated serves a chain that is made up, up to a head.
func generated(t testing.TB, seed, head uint64) (*chaingen.Chain, string) {
	c := chaingen.New(chaingen.Options{Seed: seed, Head: head})
	server := httptest.NewServer(c.Handler())
	t.Cleanup(server.Close)
	return c, server.URL
}

// newLedgerFile is the place for a new ledger in a file.
func newLedgerFile(t testing.TB) string { return filepath.Join(t.TempDir(), "fees.db") }

// ledgerStatus is what fees ledger status says of a ledger.
type ledgerStatus struct {
	Blocks   uint64
	NotFinal uint64 `json:"not_final"`
	Gaps     []string
	Sealed   *uint64
	Seal     *string
	Waiting  uint64 `json:"jobs_waiting"`
	Running  uint64 `json:"jobs_running"`
	Retrying uint64 `json:"jobs_retrying"`
	Failed   uint64 `json:"jobs_failed"`
	Done     uint64 `json:"jobs_done"`
	Failures []any  `json:"job_failures"`
}

// ran runs the program in this process, as fees does, but beside other tests.
func ran(args ...string) (stdout, stderr string, code int) {
	var out, errors bytes.Buffer
	code = run(context.Background(), args, &out, &errors)
	return out.String(), errors.String(), code
}

func statusOf(t testing.TB, place string) (s ledgerStatus) {
	t.Helper()
	stdout, stderr, code := ran("ledger", "status", "--ledger", place, "--format", "json")
	require.Equal(t, exitOK, code, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &s))
	return s
}

// hasBlocks tells whether there is a ledger with blocks in it.
func hasBlocks(place string) bool {
	var s ledgerStatus
	stdout, _, code := ran("ledger", "status", "--ledger", place, "--format", "json")
	return code == exitOK && json.Unmarshal([]byte(stdout), &s) == nil && s.Blocks > 0
}

// requireSound wants a ledger in which a verification finds nothing, sealed up to a
// block with a seal.
func requireSound(t testing.TB, place string, sealed uint64, seal string) {
	t.Helper()
	s := statusOf(t, place)
	require.NotNil(t, s.Sealed)
	require.Equal(t, sealed, *s.Sealed)
	require.Equal(t, seal, *s.Seal)
	requireVerified(t, place)
}

func requireVerified(t testing.TB, place string) {
	t.Helper()
	stdout, stderr, code := ran("ledger", "verify", "--ledger", place)
	require.Equal(t, exitOK, code, stdout+stderr)
	require.Contains(t, stdout, "nothing was altered")
}

// quietSync fills a new ledger in one go, and returns its seal.
func quietSync(t testing.TB, blocks, gateway string) string {
	t.Helper()
	place := newLedgerFile(t)
	_, stderr, code := ran("sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway)
	require.Equal(t, exitOK, code, stderr)
	s := statusOf(t, place)
	require.NotNil(t, s.Seal)
	return *s.Seal
}

// eventually waits until something holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errors.New(what))
	defer cancel()
	for !holds() {
		require.NoError(t, context.Cause(ctx))
		time.Sleep(10 * time.Millisecond)
	}
}
