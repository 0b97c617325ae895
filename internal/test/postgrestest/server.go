package postgrestest

import (
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

// Versions is the environment variable that names a directory to look for
// PostgreSQL's versions in, instead of Debian's, before PATH. An empty directory
// stands for a machine that has none there.
const Versions = "FEES_POSTGRES_VERSIONS"

const (
	role     = "fees"          // of the tests
	patience = 2 * time.Minute // far more than a start takes, also on a busy machine
)

// Server is a PostgreSQL server.
type Server struct {
	directory string
	port      int
	known     bool     // its port, to who has its address
	settings  []string // such as fsync=off
	networks  []string // that the role of the tests comes from, besides this machine
	programs  programs
	guard     *guard

	killed  bool // at least once
	mu      sync.Mutex
	process *os.Process // nil when it does not run
	ended   chan struct{}
}

// shared is the server of this test binary.
var shared struct {
	sync.Mutex
	server *Server
}

// Start is the server that all tests of a test binary share. The first one to ask
// starts it; Stop or the end of the test binary ends it. It does not sync to disk.
//
// Where nobody asks for PostgreSQL the test is skipped.
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

// StartOwn is a server for one test, which ends with it, for tests that kill it.
// Settings are those of postgresql.conf, such as "max_connections=5". It syncs to
// disk unless they have "fsync=off".
func StartOwn(t testing.TB, settings ...string) *Server {
	t.Helper()
	server, err := start(find(t), settings...)
	require.NoError(t, err)
	t.Cleanup(server.stop)
	return server
}

// Stop ends the shared server, if there is one. The end of the test binary does the
// same: it is for a TestMain that looks for what was left behind.
func Stop() {
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.stop()
		shared.server = nil
	}
}

// StartFor is [StartOwn] for a test whose programs come from other networks too, such as
// 10.1.2.0/24. The settings say on which addresses the server listens.
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

// begin makes the server's directory, and the server in it.
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

// create makes the cluster and the role of the tests.
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

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (s *Server) data() string { return filepath.Join(s.directory, "data") }

// Database is the URL of a new, empty database, which goes when the test ends.
// It holds no password.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	return s.database(t, "template1")
}

// Copy is the URL of a new database with all that another one has, of an address that Database
// gave, to which nobody is connected.
func (s *Server) Copy(t testing.TB, address string) string {
	t.Helper()
	return s.database(t, databaseOf(t, address))
}

func (s *Server) database(t testing.TB, template string) string {
	t.Helper()
	name := fmt.Sprintf("test_%d", serial())
	require.NoError(t, s.command("CREATE DATABASE "+name+" OWNER "+role+" TEMPLATE "+template))
	t.Cleanup(func() {
		if s.running() {
			require.NoError(t, s.command("DROP DATABASE "+name+" WITH (FORCE)"))
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

// Host is where the server listens, with its port.
func (s *Server) Host() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// Role makes a role that has no rights, and is the address of a database for who acts as
// that role.
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

// command does something as the superuser.
func (s *Server) command(sql string) error { return s.commandIn("postgres", sql) }

// Overrule does in a database, of an address that Database gave, what only a superuser may.
func (s *Server) Overrule(t testing.TB, address, sql string) {
	t.Helper()
	require.NoError(t, s.commandIn(databaseOf(t, address), sql), sql)
}

// databaseOf is the name in an address.
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
