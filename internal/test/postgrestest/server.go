package postgrestest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Versions is the environment variable with the directory that contains PostgreSQL's versions, used instead of Debian's
// and before PATH. An empty directory simulates a machine without PostgreSQL there.
const Versions = "FEES_POSTGRES_VERSIONS"

const (
	role     = "fees"          // role of the tests
	patience = 2 * time.Minute // far longer than starting takes on a busy machine
)

// Server is a PostgreSQL server.
type Server struct {
	directory string
	port      int
	known     bool     // clients know the port
	settings  []string // such as fsync=off
	networks  []string // other networks from which the tests' role may connect
	programs  programs
	guard     *guard

	killed  bool // at least once
	mu      sync.Mutex
	process *os.Process // nil when it is not running
	ended   chan struct{}
}

// shared is the server of this test binary.
var shared struct {
	sync.Mutex
	server *Server
}

// Start returns the server shared by all tests of a test binary, and starts it on the first call; Stop or the end of the
// test binary ends it. It does not sync to disk.
//
// The test is skipped if PostgreSQL was not requested.
func Start(t testing.TB) *Server {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		server, err := start(find(t), "fsync=off", "synchronous_commit=off", "full_page_writes=off")
		require.NoError(t, err)
		shared.server = server
	}
	return shared.server
}

// StartOwn starts a server for one test, for tests that kill it. Settings are lines of postgresql.conf, such as
// "max_connections=5". It syncs to disk unless they include "fsync=off".
func StartOwn(t testing.TB, settings ...string) *Server {
	t.Helper()
	server, err := start(find(t), settings...)
	require.NoError(t, err)
	t.Cleanup(server.stop)
	return server
}

// Stop ends the shared server, if there is one, for a TestMain that checks for leftovers. The end of the test binary has
// the same effect.
func Stop() {
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.stop()
		shared.server = nil
	}
}

// StartFor is [StartOwn] for a test whose programs connect from other networks too, such as 10.1.2.0/24. The settings
// must list the addresses to listen on.
func StartFor(t testing.TB, networks []string, settings ...string) *Server {
	t.Helper()
	s := &Server{settings: settings, networks: networks, programs: find(t)}
	require.NoError(t, s.begin(s.create))
	t.Cleanup(s.stop)
	return s
}

func start(p programs, settings ...string) (*Server, error) {
	s := &Server{settings: settings, programs: p}
	return s, s.begin(s.create)
}

// begin creates the server and its directory.
func (s *Server) begin(create func() error) (err error) {
	if s.directory, err = os.MkdirTemp("", "fees-postgres-"); err != nil {
		return err
	}
	if s.guard, err = newGuard(s.directory); err != nil {
		os.RemoveAll(s.directory)
		return err
	}
	if err = s.programs.give(s.directory); err == nil {
		err = create()
	}
	if err != nil {
		s.stop()
	}
	return err
}

// create creates the cluster and the tests' role.
func (s *Server) create() error {
	if err := s.programs.initdb(s.data()); err != nil {
		return err
	}
	hba := "local all,replication postgres trust\n"
	for _, network := range append([]string{"127.0.0.1/32"}, s.networks...) {
		hba += "host all " + role + " " + network + " trust\n"
	}
	if err := os.WriteFile(filepath.Join(s.data(), "pg_hba.conf"), []byte(hba), 0o600); err != nil {
		return err
	}
	if err := s.run(); err != nil {
		return err
	}
	s.known = true
	return s.command("CREATE ROLE " + role + " LOGIN CREATEDB")
}

func (s *Server) data() string { return filepath.Join(s.directory, "data") }

// Database returns the URL of a new, empty database, which is dropped when the test ends. It contains no password.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	return s.database(t, "template1")
}

// Copy returns the URL of a new database with the contents of another one, which is given by a URL from Database and must
// have no connections.
func (s *Server) Copy(t testing.TB, address string) string {
	t.Helper()
	return s.database(t, databaseOf(t, address))
}

// Restored returns the URL of a new database, restored from a dump of another one that is given by a URL from Database.
func (s *Server) Restored(t testing.TB, address string) string {
	t.Helper()
	place := s.Database(t)
	at := []string{"-h", s.directory, "-p", strconv.Itoa(s.port), "-U", "postgres", "-d"}
	dump, err := s.programs.command("pg_dump", append(at, databaseOf(t, address))...).Output()
	require.NoError(t, err)
	restore := s.programs.command("psql", append(at, databaseOf(t, place), "-q", "-v", "ON_ERROR_STOP=1", "-o", os.DevNull)...)
	restore.Stdin = bytes.NewReader(dump)
	out, err := restore.CombinedOutput()
	require.NoError(t, err, string(out))
	return place
}

func (s *Server) database(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", serial())
	require.NoError(t, s.command("CREATE DATABASE "+name+" OWNER "+role+" TEMPLATE "+template))
	t.Cleanup(func() {
		if s.running() {
			require.NoError(t, s.command("DROP DATABASE IF EXISTS "+name+" WITH (FORCE)"))
		}
	})
	return s.addressOf(name)
}

func (s *Server) addressOf(database string) string {
	address := url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Host:     s.Host(),
		Path:     "/" + database,
		RawQuery: "sslmode=disable",
	}
	return address.String()
}

// Host returns the server's address and port.
func (s *Server) Host() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// Role creates a role without rights, and returns a database URL for connecting as that role.
func (s *Server) Role(t testing.TB, database string) (address, name string) {
	t.Helper()
	name = fmt.Sprintf("role_%d", serial())
	require.NoError(t, s.command("CREATE ROLE "+name+" ROLE "+role))
	return database + "&options=-c%20role%3D" + name, name
}

var serials struct {
	sync.Mutex
	last int
}

func serial() int {
	serials.Lock()
	defer serials.Unlock()
	serials.last++
	return serials.last
}

// command executes SQL as the superuser.
func (s *Server) command(sql string) error { return s.commandIn("postgres", sql) }

// Overrule executes SQL as the superuser in a database given by a URL from Database.
func (s *Server) Overrule(t testing.TB, address, sql string) {
	t.Helper()
	require.NoError(t, s.commandIn(databaseOf(t, address), sql), sql)
}

// databaseOf returns the database name in a URL.
func databaseOf(t testing.TB, address string) string {
	t.Helper()
	place, err := url.Parse(address)
	require.NoError(t, err)
	return strings.TrimPrefix(place.Path, "/")
}

func (s *Server) commandIn(database, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	connection, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=postgres dbname=%s", s.directory, s.port, database))
	if err != nil {
		return err
	}
	defer connection.Close(ctx)
	_, err = connection.Exec(ctx, sql)
	return err
}
