package postgrestest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/feeledger/fees/internal/test/program"
)

const asWitness = "FEES_POSTGRESTEST_WITNESS"

func TestMain(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

func connect(t testing.TB, address string) *pgx.Conn {
	connection, err := pgx.Connect(context.Background(), address)
	require.NoError(t, err)
	t.Cleanup(func() { connection.Close(context.Background()) })
	return connection
}

func do(t testing.TB, connection *pgx.Conn, sql string) {
	_, err := connection.Exec(context.Background(), sql)
	require.NoError(t, err)
}

func one[T any](t testing.TB, connection *pgx.Conn, sql string) (value T) {
	require.NoError(t, connection.QueryRow(context.Background(), sql).Scan(&value))
	return value
}

func TestEveryTestHasAnEmptyDatabaseOfOneServer(t *testing.T) {
	require.Same(t, Start(t), Start(t))
	first, second := Start(t).Database(t), Start(t).Database(t)
	require.NotEqual(t, first, second)
	do(t, connect(t, first), "CREATE TABLE only_here (height bigint)")
	const tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
	require.Equal(t, 1, one[int](t, connect(t, first), tables))
	require.Equal(t, 0, one[int](t, connect(t, second), tables))
}

func TestADatabaseGoesWithItsTest(t *testing.T) {
	server := Start(t)
	var address string
	t.Run("the test", func(t *testing.T) { address = server.Database(t) })
	_, err := pgx.Connect(context.Background(), address)
	require.ErrorContains(t, err, "does not exist")
}

func TestTheTestsAreNoSuperuser(t *testing.T) {
	address := Start(t).Database(t)
	require.Equal(t, "off", one[string](t, connect(t, address), "SHOW is_superuser"))
	config, err := pgx.ParseConfig(address)
	require.NoError(t, err)
	config.User = "postgres"
	_, err = pgx.ConnectConfig(context.Background(), config)
	require.ErrorContains(t, err, "no pg_hba.conf entry")
}

func TestWhatWasCommittedOutlivesKill(t *testing.T) {
	server := StartOwn(t)
	address := server.Database(t)
	connection := connect(t, address)
	require.Equal(t, "on", one[string](t, connection, "SHOW fsync"))
	do(t, connection, "CREATE TABLE blocks (height bigint); INSERT INTO blocks VALUES (1)")
	do(t, connection, "BEGIN; INSERT INTO blocks VALUES (2)")

	children := childrenOf(server.process.Pid)
	require.NotEmpty(t, children)
	server.Kill()
	for _, child := range children {
		require.False(t, alive(child))
	}
	_, err := pgx.Connect(context.Background(), address)
	require.ErrorContains(t, err, "refused")

	server.Restart()
	require.Equal(t, 1, one[int](t, connect(t, address), "SELECT count(*) FROM blocks"))
}

func TestNothingIsLeftOfAServer(t *testing.T) {
	find(t)
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed before: %t", killed), func(t *testing.T) {
			var server *Server
			var pid int
			t.Run("the test", func(t *testing.T) {
				server = StartOwn(t, "fsync=off")
				pid = server.process.Pid
				if killed {
					server.Kill()
				}
			})
			require.False(t, alive(pid))
			require.NoDirExists(t, server.directory)
		})
	}
}

// The witness is this test binary, started again; it is killed without a chance to clean up.
func TestNothingIsLeftWhenTheTestsAreKilled(t *testing.T) {
	if os.Getenv(asWitness) != "" {
		server := StartOwn(t)
		fmt.Printf("\n%s %d\n", server.directory, server.process.Pid)
		time.Sleep(time.Minute)
		return
	}
	find(t)
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), asWitness+"=1")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var directory string
	var pid int
	for lines := bufio.NewScanner(out); pid == 0 && lines.Scan(); {
		fmt.Sscanf(lines.Text(), "%s %d", &directory, &pid)
	}
	require.DirExists(t, directory)
	require.True(t, alive(pid))

	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	require.Eventually(t, func() bool {
		_, err := os.Stat(directory)
		return os.IsNotExist(err) && !alive(pid)
	}, time.Minute, 10*time.Millisecond)
}

// recorder records how a test would have ended.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper() {}
func (r *recorder) Skipf(format string, a ...any) {
	r.skipped = fmt.Sprintf(format, a...)
	panic(r)
}
func (r *recorder) Fatalf(format string, a ...any) {
	r.failed = fmt.Sprintf(format, a...)
	panic(r)
}
func (r *recorder) run(f func()) *recorder {
	defer func() { recover() }()
	f()
	return r
}

func TestWithoutPostgreSQL(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv(Versions, t.TempDir())

	t.Setenv(program.Wanted, "browser")
	r := &recorder{}
	r.run(func() { find(r) })
	require.Equal(t, "NOT ASKED FOR: postgres", r.skipped)
	t.Setenv(program.Wanted, "browser installed")
	r = &recorder{}
	r.run(func() { find(r) })
	require.Contains(t, r.skipped, "install")
	t.Setenv(program.Wanted, "installed postgres")
	r = &recorder{}
	r.run(func() { find(r) })
	require.Contains(t, r.failed, "install")
	require.Empty(t, r.skipped)
}

func TestTheNewestVersionIsTaken(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{"9/bin/initdb", "9/bin/postgres", "15/bin/initdb", "15/bin/postgres", "16/bin/postgres"} {
		path := filepath.Join(root, file)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, nil, 0o755))
	}
	require.Equal(t, filepath.Join(root, "15/bin"), programsIn(root))
}
