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
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
)

// patience exceeds any wait of a process test.
const patience = 4 * time.Minute

// process is fees in a separate process.
type process struct {
	*exec.Cmd
	stdout bytes.Buffer
	stderr *lines // which may be read while it runs
	ended  chan struct{}
}

// endsPrograms skips, in a short run, a test that stops or kills programs repeatedly.
func endsPrograms(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("programs are stopped or killed")
	}
}

// start starts fees, and kills it at the end of the test if it still runs.
func start(t testing.TB, args ...string) *process { return startWith(t, nil, args...) }

// startWith starts fees with additional environment variables.
func startWith(t testing.TB, environment []string, args ...string) *process {
	p := newProcess(args...)
	p.Env = append(os.Environ(), environment...)
	p.begin(t)
	return p
}

// served waits until a started fees serves, and returns its address.
func (p *process) served(t testing.TB) (address string) {
	t.Helper()
	eventually(t, "it does not serve", func() bool {
		_, after, ok := strings.Cut(p.stderr.String(), " at ")
		address = strings.TrimSpace(after)
		return ok && strings.HasSuffix(after, "\n")
	})
	return address
}

// startTo starts fees with a given standard output.
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

// endsWithin reports whether the process ended within a time.
func (p *process) endsWithin(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// kill ends the process like a crash.
func (p *process) kill() {
	p.Process.Kill()
	<-p.ended
}

// signal sends the process a signal to end.
func (p *process) signal(t testing.TB, s syscall.Signal) {
	require.NoError(t, p.Process.Signal(s))
}

// ends requires the process to end with a code.
func (p *process) ends(t testing.TB, code int) {
	t.Helper()
	require.True(t, p.endsWithin(patience), "it does not end: %s", p.stderr)
	require.Equal(t, code, p.ProcessState.ExitCode(), "%s", p.stderr)
}

// generated serves a generated chain up to a head.
func generated(t testing.TB, seed, head uint64) (*chaingen.Chain, string) {
	c := chaingen.New(chaingen.Options{Seed: seed, Head: head})
	server := httptest.NewServer(c.Handler())
	t.Cleanup(server.Close)
	return c, server.URL
}

// newLedgerFile returns the path for a new ledger.
func newLedgerFile(t testing.TB) string { return filepath.Join(t.TempDir(), "fees.db") }

// ledgerStatus returns the output of fees ledger status.
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

func statusOf(t testing.TB, place string) (s ledgerStatus) {
	t.Helper()
	stdout, stderr, code := fees("ledger", "status", "--ledger", place, "--format", "json")
	require.Equal(t, exitOK, code, stderr)
	require.NoError(t, json.Unmarshal([]byte(stdout), &s))
	return s
}

// hasBlocks reports whether a ledger exists and contains blocks.
func hasBlocks(place string) bool {
	var s ledgerStatus
	stdout, _, code := fees("ledger", "status", "--ledger", place, "--format", "json")
	return code == exitOK && json.Unmarshal([]byte(stdout), &s) == nil && s.Blocks > 0
}

// requireSound requires a ledger to verify, and to be sealed up to a block with a seal.
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
	stdout, stderr, code := fees("ledger", "verify", "--ledger", place)
	require.Equal(t, exitOK, code, stdout+stderr)
	require.Contains(t, stdout, "nothing was altered")
}

// quietSync fills a new ledger without interruption and returns its seal.
func quietSync(t testing.TB, blocks, gateway string) string {
	t.Helper()
	place := newLedgerFile(t)
	_, stderr, code := fees("sync", "--signatures=false", blocks, "--ledger", place, "--gateway", gateway)
	require.Equal(t, exitOK, code, stderr)
	s := statusOf(t, place)
	require.NotNil(t, s.Seal)
	return *s.Seal
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), patience, errors.New(what))
	defer cancel()
	for !holds() {
		require.NoError(t, context.Cause(ctx))
		time.Sleep(10 * time.Millisecond)
	}
}
