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

// Standby makes one of this server as it is now.
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

// CutOff ends the streaming: what the other server commits from now on does not come.
func (s Standby) CutOff(t testing.TB) {
	t.Helper()
	require.NoError(t, s.command("ALTER SYSTEM SET primary_conninfo = ''"))
	require.NoError(t, s.command("SELECT pg_reload_conf()"))
	s.waits(t, "SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")
}

// Promote makes it a server of its own, which takes changes.
func (s Standby) Promote(t testing.TB) {
	t.Helper()
	require.NoError(t, s.command("SELECT pg_promote(true, 60)"))
	s.waits(t, "SELECT NOT pg_is_in_recovery()")
}

// Commits has each commit from now on wait until the standby has it too.
func (s Standby) Commits(t testing.TB, server *Server) {
	t.Helper()
	require.NoError(t, server.command("ALTER SYSTEM SET synchronous_standby_names = '*'"))
	require.NoError(t, server.command("SELECT pg_reload_conf()"))
	server.waits(t, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')")
}

// Address is that of the same database as another server's address has, here.
func (s Standby) Address(t testing.TB, address string) string {
	t.Helper()
	return s.addressOf(databaseOf(t, address))
}

// waits until the superuser's question is answered by true.
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
