//go:build unix

package main

import (
	"context"
	"database/sql"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/chaingen"
	"github.com/feeledger/fees/internal/test/gatewaytest"
	"github.com/feeledger/fees/internal/test/postgrestest"
)

// soon is the time within which commands end after a signal: two seconds, plus eight on a busy machine. Timeouts
// are longer.
const soon = 10 * time.Second

// askedGateway serves the recordings and reports whether it received a request.
func askedGateway(t testing.TB) (address string, asked func() bool) {
	var count atomic.Int64
	recorded := gatewaytest.Handler(filepath.Join(recordings(t), "moonbeam-2100"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorded.ServeHTTP(w, r)
		count.Add(1)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() bool { return count.Load() > 2 }
}

// silent accepts connections but never responds.
func silent(t testing.TB) (address string, asked func() bool) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	var count atomic.Int64
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			count.Add(1)
		}
	}()
	return listener.Addr().String(), func() bool { return count.Load() > 0 }
}

// fifo creates a named pipe.
func fifo(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// clogged fills a pipe, so that writers block.
func clogged(t testing.TB, pipe *os.File) {
	for {
		require.NoError(t, pipe.SetWriteDeadline(time.Now().Add(300*time.Millisecond)))
		if _, err := pipe.Write(make([]byte, 1<<12)); err != nil {
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			return
		}
	}
}

// A signal ends a command, whatever it waits for.
func TestProcessEndsWithASignal(t *testing.T) {
	endsPrograms(t)
	for name, begin := range map[string]func(t *testing.T) (p *process, waits func() bool){
		"a pipe without a reader": func(t *testing.T) (*process, func() bool) {
			gateway, asked := askedGateway(t)
			return start(t, "block", "25", "--gateway", gateway, "-o", fifo(t)), asked
		},
		"a named pipe whose reader sleeps": func(t *testing.T) (*process, func() bool) {
			gateway, asked := askedGateway(t)
			path := fifo(t)
			pipe, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
			require.NoError(t, err)
			t.Cleanup(func() { pipe.Close() })
			clogged(t, pipe)
			return start(t, "block", "25", "--gateway", gateway, "-o", path), asked
		},
		"standard output whose reader sleeps": func(t *testing.T) (*process, func() bool) {
			gateway, asked := askedGateway(t)
			reader, writer, err := os.Pipe()
			require.NoError(t, err)
			t.Cleanup(func() { reader.Close(); writer.Close() })
			clogged(t, writer)
			return startTo(t, writer, "block", "25", "--gateway", gateway), asked
		},
		"a ledger that another program changes": func(t *testing.T) (*process, func() bool) {
			gateway, asked := askedGateway(t)
			place := filled(t, newLedgerFile(t))
			db, err := sql.Open("sqlite", place)
			require.NoError(t, err)
			t.Cleanup(func() { db.Close() })
			other, err := db.Conn(context.Background())
			require.NoError(t, err)
			_, err = other.ExecContext(context.Background(), "BEGIN IMMEDIATE")
			require.NoError(t, err)
			return start(t, "sync", "--signatures=false", "0..27", "--gateway", gateway, "--ledger", place), asked
		},
		"tables that another program holds": func(t *testing.T) (*process, func() bool) {
			_, gateway := generated(t, 3, 30)
			place := postgrestest.Start(t).Database(t)
			_, stderr, code := fees("sync", "--signatures=false", "1..10", "--gateway", gateway, "--ledger", place)
			require.Equal(t, exitOK, code, stderr)
			db := opened(t, place)
			tx, err := db.Begin()
			require.NoError(t, err)
			t.Cleanup(func() { tx.Rollback() })
			_, err = tx.Exec("LOCK TABLE blocks IN ACCESS EXCLUSIVE MODE")
			require.NoError(t, err)
			return start(t, "sync", "--signatures=false", "1..20", "--gateway", gateway, "--ledger", place), func() bool {
				var waiting int
				require.NoError(t, db.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'").Scan(&waiting))
				return waiting > 0
			}
		},
		"a gateway that does not answer": func(t *testing.T) (*process, func() bool) {
			address, asked := silent(t)
			return start(t, "sync", "--signatures=false", "0..27", "--gateway", "http://"+address, "--ledger", newLedgerFile(t)), asked
		},
		"a database that does not answer": func(t *testing.T) (*process, func() bool) {
			address, asked := silent(t)
			return start(t, "report", "--month", "2026-01", "--ledger", "postgres://"+address+"/fees"), asked
		},
		"a node that does not answer": func(t *testing.T) (*process, func() bool) {
			address, asked := silent(t)
			return start(t, "node", "header", "--node", "ws://"+address), asked
		},
		"a node that does not tell": func(t *testing.T) (*process, func() bool) {
			address, asked := silent(t)
			gateway, _ := askedGateway(t)
			return start(t, "follow", "--node", "ws://"+address, "--gateway", gateway, "--ledger", newLedgerFile(t)), asked
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, waits := begin(t)
			eventually(t, "it does not begin to wait", waits)
			require.False(t, p.endsWithin(500*time.Millisecond), "%s", p.stderr)
			p.signal(t, syscall.SIGTERM)
			signalled := time.Now()
			require.True(t, p.endsWithin(soon), "it does not end")
			t.Logf("%.2f s", time.Since(signalled).Seconds())
			require.Equal(t, exitInterrupted, p.ProcessState.ExitCode(), "%s", p.stderr)
		})
	}
}

// A pipe gets the same output as a file once it has a reader.
func TestProcessWritesToAPipe(t *testing.T) {
	t.Parallel()
	path := fifo(t)
	p := start(t, "block", "25", "--gateway", "demo", "--format", "json", "-o", path)
	require.False(t, p.endsWithin(time.Second))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	p.ends(t, exitOK)
	stdout, _, _ := fees("block", "25", "--gateway", "demo", "--format", "json")
	require.Equal(t, stdout, string(text))
}

// Files left by a killed backup are removed by the next one.
func TestProcessBackupKilled(t *testing.T) {
	t.Parallel()
	endsPrograms(t)
	place := newLedgerFile(t)
	gateway := httptest.NewServer(chaingen.New(chaingen.Options{Seed: 31, Head: 1500}).Handler())
	t.Cleanup(gateway.Close)
	_, stderr, code := fees("sync", "--signatures=false", "1..1500", "--ledger", place, "--gateway", gateway.URL)
	require.Equal(t, exitOK, code, stderr)
	directory := t.TempDir()
	target := filepath.Join(directory, "copy.db")
	for tries := 0; ; tries++ {
		require.Less(t, tries, 50, "it is never killed half way")
		p := start(t, "ledger", "backup", target, "--ledger", place)
		eventually(t, "no backup is made", func() bool {
			left, err := os.ReadDir(directory)
			require.NoError(t, err)
			return len(left) > 0
		})
		p.kill()
		if _, err := os.Stat(target); err != nil {
			break
		}
		require.NoError(t, os.RemoveAll(target))
		require.NoError(t, os.RemoveAll(target+".backup"))
	}
	left, err := os.ReadDir(directory)
	require.NoError(t, err)
	require.NotEmpty(t, left, "nothing was left")
	start(t, "ledger", "backup", target, "--ledger", place).ends(t, exitOK)
	left, err = os.ReadDir(directory)
	require.NoError(t, err)
	require.Len(t, left, 1)
	requireVerified(t, target)
}

// A full disk is neither a usage error nor a failed check.
func TestProcessFullDisk(t *testing.T) {
	endsPrograms(t)
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer device.Close()
	filled(t, newLedgerFile(t))
	at := func(format string, args ...string) []string {
		return append(args, "--format", format)
	}
	for _, args := range [][]string{
		at("table", "block", "25", "--gateway", "demo"), at("json", "block", "25", "--gateway", "demo"), at("csv", "block", "25", "--gateway", "demo"),
		at("table", "verify", "3..27", "--gateway", "demo"), at("json", "verify", "3..27", "--gateway", "demo"),
		at("text", "explain", "25-7", "--gateway", "demo"),
		at("table", "report", "3..27"), at("csv", "report", "3..27"), at("xlsx", "report", "3..27"), at("parquet", "report", "3..27"), at("html", "report", "3..27"),
		at("table", "statement", alith, "3..27", "--no-balances"), at("json", "statement", alith, "3..27", "--no-balances"),
		{"export", "3..27", "--accounts", alith, "--as", "hledger"}, {"export", "3..27", "--accounts", alith, "--as", "xlsx"},
		at("table", "ledger", "status"), at("json", "ledger", "verify"), at("json", "networks"), {"suggest", "--gateway", "demo"},
		{"watch", "--gateway", "demo", "--from", "20"}, {"sync", "0..27", "--gateway", "demo"}, {"version"},
	} {
		p := startTo(t, device, args...)
		p.ends(t, exitLedger)
		require.Contains(t, p.stderr.String(), "no space left on device", "%v", args)
		if slices.Contains([]string{"watch", "sync", "version"}, args[0]) {
			continue
		}
		p = start(t, append(args, "-o", "/dev/full")...)
		p.ends(t, exitLedger)
		require.Contains(t, p.stderr.String(), "-o /dev/full: ", "%v", args)
	}
}
