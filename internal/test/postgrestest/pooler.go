package postgrestest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/port"
	"github.com/feeledger/fees/internal/test/program"
)

// Pooled starts PgBouncer before a database given by a URL from Database, and returns the database's URL through it. The
// mode is PgBouncer's pool_mode: session, transaction or statement. It ends with its test.
//
// The test is skipped if PgBouncer was not requested.
func Pooled(t testing.TB, database, mode string) string {
	t.Helper()
	path := program.Path(t, program.PgBouncer, "pgbouncer")
	u, err := unprivileged()
	require.NoError(t, err)
	directory, err := os.MkdirTemp("", "fees-pgbouncer-")
	require.NoError(t, err)
	guard, err := newGuard(directory)
	require.NoError(t, err)
	t.Cleanup(guard.release)

	address, err := url.Parse(database)
	require.NoError(t, err)
	listening, err := port.Free()
	require.NoError(t, err)
	config := filepath.Join(directory, "pgbouncer.ini")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `[databases]
* = host=%s port=%s user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = %s
default_pool_size = 40
`, address.Hostname(), address.Port(), address.User.Username(), listening, mode), 0o600))
	require.NoError(t, u.own(directory))
	require.NoError(t, u.own(config))
	logs, err := os.Create(filepath.Join(directory, "log"))
	require.NoError(t, err)
	defer logs.Close()
	cmd := programs{filepath.Dir(path), u}.command(filepath.Base(path), config)
	cmd.Stdout, cmd.Stderr = logs, logs
	require.NoError(t, cmd.Start())
	guard.of(cmd.Process.Pid)
	go func() {
		cmd.Wait()
		guard.of(0) // before the process ID can be reused
	}()

	address.Host = net.JoinHostPort("127.0.0.1", fmt.Sprint(listening))
	require.Eventually(t, func() bool {
		c, err := pgx.Connect(context.Background(), address.String())
		if err == nil {
			c.Close(context.Background())
		}
		return err == nil
	}, patience, 20*time.Millisecond, "PgBouncer is not responding: %s", logs.Name())
	return address.String()
}
