package postgrestest

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Standby is a server that follows another by streaming replication. It ends with its test.
type Standby struct{ *Server }

// Standby creates a standby of the server's current state.
func (s *Server) Standby(t testing.TB) Standby {
	t.Helper()
	other := &Server{settings: s.settings, programs: s.programs}
	require.NoError(t, other.begin(func() error {
		out, err := s.programs.command("pg_basebackup", "-D", other.data(), "-h", s.directory, "-p", strconv.Itoa(s.port),
			"-U", "postgres", "-X", "stream", "-c", "fast", "-R").CombinedOutput()
		if err != nil {
			return fmt.Errorf("pg_basebackup: %w: %s", err, out)
		}
		if err := other.run(); err != nil {
			return err
		}
		other.known = true
		return nil
	}))
	t.Cleanup(other.stop)
	other.waits(t, "SELECT EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')")
	return Standby{other}
}

// CutOff ends the streaming: later commits of the other server do not arrive.
func (s Standby) CutOff(t testing.TB) {
	t.Helper()
	require.NoError(t, s.command("ALTER SYSTEM SET primary_conninfo = ''"))
	require.NoError(t, s.command("SELECT pg_reload_conf()"))
	s.waits(t, "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")
}

// Promote makes it a primary server that accepts changes.
func (s Standby) Promote(t testing.TB) {
	t.Helper()
	require.NoError(t, s.command("SELECT pg_promote(true, 60)"))
	s.waits(t, "SELECT NOT pg_is_in_recovery()")
}

// Commits makes each later commit wait until the standby has it too.
func (s Standby) Commits(t testing.TB, server *Server) {
	t.Helper()
	require.NoError(t, server.command("ALTER SYSTEM SET synchronous_standby_names = '*'"))
	require.NoError(t, server.command("SELECT pg_reload_conf()"))
	server.waits(t, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')")
}

// Address returns the URL on this server of the same database as a URL of another server.
func (s Standby) Address(t testing.TB, address string) string {
	t.Helper()
	return s.addressOf(databaseOf(t, address))
}

// waits waits until a query of the superuser returns true.
func (s *Server) waits(t testing.TB, question string) {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres", s.directory, s.port))
	require.NoError(t, err)
	defer connection.Close(t.Context())
	require.Eventually(t, func() bool {
		var holds bool
		require.NoError(t, connection.QueryRow(t.Context(), question).Scan(&holds))
		return holds
	}, patience, 20*time.Millisecond, question)
}
