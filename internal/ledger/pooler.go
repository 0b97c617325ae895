package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/feeledger/fees/internal/failure"
)

// ErrPooler reports that the ledger's address is a connection pooler that does not give each client its own session. Locks
// that exclude other writers, settings and prepared statements would then apply to another client's session.
var ErrPooler = failure.New(failure.NotUnderstood, `the ledger's address is a connection pooler in transaction or statement mode, such as PgBouncer's. Use the database's direct address, or a pooler in session mode`)

// ErrRefused reports that a ledger's database responds, but refuses the connection.
var ErrRefused = failure.New(failure.NotUnderstood, "the ledger's database refuses the connection")

// startup are the parameters that poolers accept at the start of a connection. PgBouncer refuses all others; they are set
// later instead.
//
// Source: pgbouncer.org, config.html, ignore_startup_parameters.
var startup = []string{"client_encoding", "datestyle", "timezone", "standard_conforming_strings", "application_name", "intervalstyle", "options", "replication"}

// sessions prepares new connections: it checks that each has its own session, and sets its parameters.
type sessions struct {
	settings map[string]string
	mu       sync.Mutex
	own      bool // a pooler was found to give each client its own session
}

// sessionsOf moves the parameters that poolers refuse from a connection's start to the session's settings.
func sessionsOf(config *pgx.ConnConfig) *sessions {
	s := &sessions{settings: maps.Clone(config.RuntimeParams)}
	maps.DeleteFunc(s.settings, func(name, _ string) bool { return slices.Contains(startup, name) })
	maps.DeleteFunc(config.RuntimeParams, func(name, _ string) bool { return !slices.Contains(startup, name) })
	return s
}

// prepare checks a new connection, and sets its parameters.
func (s *sessions) prepare(ctx context.Context, c *pgx.Conn) error {
	pid, err := backend(ctx, c)
	if err != nil {
		return err
	}
	if pid != c.PgConn().PID() { // a pooler is in between: it names itself at the start
		if err := s.check(ctx, c); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.settings)) {
		if _, err := c.Exec(ctx, "SELECT set_config($1, $2, false)", pgx.QueryExecModeSimpleProtocol, name, s.settings[name]); err != nil {
			return fmt.Errorf("parameter %s of the ledger's address: %w", name, err)
		}
	}
	return nil
}

// check rejects a pooler that lends one server connection to several clients, once for all connections. It repeatedly begins
// a transaction on another one: a pooler in transaction mode gives it the server connection that c just used, or gives c
// another one. Other clients may hide that for a moment, and a second connection may reach another process of the pooler.
func (s *sessions) check(ctx context.Context, c *pgx.Conn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, poolerPatience)
	defer cancel()
	first, err := backend(ctx, c)
	var others [2]*pgx.Conn
	for round := 0; round < 8 && err == nil; round++ {
		other := &others[round%len(others)]
		if *other == nil {
			if *other, err = pgx.ConnectConfig(ctx, c.Config()); err != nil {
				break
			}
			defer (*other).Close(context.WithoutCancel(ctx))
		} else if _, err = (*other).Exec(ctx, "ROLLBACK"); err != nil {
			break
		}
		if _, err = (*other).Exec(ctx, "BEGIN"); isRefusal(err) { // in statement mode
			return ErrPooler
		}
		var its, again uint32
		if err == nil {
			its, err = backend(ctx, *other)
		}
		if err == nil {
			again, err = backend(ctx, c)
		}
		if err == nil && (its == first || again != first) {
			return ErrPooler
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the connection pooler does not supply three connections within %v. Use the database's direct address: %w", poolerPatience, err)
	}
	s.own = err == nil
	return err
}

// poolerPatience is how long a pooler may take to supply the connections of [sessions.check].
const poolerPatience = 10 * time.Second

// backend returns the process ID of the server's session.
func backend(ctx context.Context, c *pgx.Conn) (pid uint32, err error) {
	err = c.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid, err
}

// refusedBy returns the error of a connection that the server, or a pooler, refused for good; nil for any other.
func refusedBy(err error) error {
	var said *pgconn.PgError
	switch {
	case !isRefusal(err):
		return nil
	case errors.As(err, &said) && said.Code == "08P01": // a start-up parameter that a pooler does not accept
		return fmt.Errorf("%w: a connection pooler does not accept a parameter of the address. Use the database's direct address: %w", ErrRefused, err)
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}

// isRefusal reports whether the server, or a pooler, responded with an error that a retry does not change.
func isRefusal(err error) bool { return errors.As(err, new(*pgconn.PgError)) && !IsTransient(err) }
