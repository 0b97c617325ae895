package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/feeledger/fees/internal/failure"
)

// postgresEngine is a ledger in the connection's current schema of a PostgreSQL database.
type postgresEngine struct {
	pgQuerier
	pool *pgxpool.Pool
	held *pgxpool.Conn // holds the writer's lock, nil for a reader

	partitions sync.Map // the first heights of those known to exist, for all tables; a worker's jobs write concurrently
}

var postgresDialect = dialect{
	goose: goose.DialectPostgres,
	sql: map[string]string{
		"integer": "BIGINT", "word": "TEXT", "data": "BYTEA", "amount": "NUMERIC(78, 0)", "strict": "", "clustered": "", "files": "", // not in files
		"by":        " PARTITION BY RANGE ($1)",
		"hex":       "'0x' || nullif(encode($1, 'hex'), '')",
		"time":      `to_char(timestamp 'epoch' + $1 / 1000 * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS') || CASE $1 % 1000 WHEN 0 THEN '' ELSE '.' || lpad(($1 % 1000)::text, 3, '0') END || 'Z'`,
		"day":       "(date '1970-01-01' + $1::integer)",
		"dayText":   "(date '1970-01-01' + $1::integer)::text",
		"monthText": "to_char(date '1970-01-01' + make_interval(months => $1::integer), 'YYYY-MM')",
		"wei":       "$1::text",
		"sum":       "coalesce(sum($1), 0)::text", // exact
		"wordOf":    "$1",
		"json":      "($1->>'$2')",                           // the text at a key of an object
		"each":      "jsonb_array_elements($1::jsonb->'$2')", // the elements of a list in an object
	},
	coin: func(c string, places int) string {
		return fmt.Sprintf("(%s::numeric * 0.%s1)::numeric(%d, %d)", c, strings.Repeat("0", places-1), 39+places, places)
	},
	hasTable: func(name string) string { return "SELECT to_regclass('" + name + "') IS NOT NULL" },
}

// The advisory locks of a database and schema: for writers (exclusive or shared), sealing, migrations,
// the table proved, creating partitions, and the audit trail.
const (
	lockWrite = 0x66656573 + iota
	lockSeal
	lockSchema
	lockProved
	lockPartitions
	lockTrail
)

// lockKey returns the two numbers of a lock.
func lockKey(lock int) string { return fmt.Sprintf("%d, hashtext(current_schema())", lock) }

// application is the application_name of our connections.
const application = "fees"

// maxConnections limits the connections unless the address does (pool_max_conns).
const maxConnections = 8

// openPostgres connects to a server. Its errors contain no password.
func openPostgres(ctx context.Context, address string) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the ledger's address is not a PostgreSQL URL such as postgres://HOST/DATABASE") // err may contain a password
	}
	if !strings.Contains(address, "pool_max_conns") {
		config.MaxConns = maxConnections
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 20 * time.Second
	}
	config.ConnConfig.RuntimeParams["application_name"] = application
	// A machine that vanishes inside a transaction must not hold its locks for long. The server has
	// no such limit in the middle of a message; see EndStalled.
	config.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = "30s"
	config.AfterConnect = sessionsOf(config.ConnConfig).prepare
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &postgresEngine{pgQuerier: pgQuerier{pool}, pool: pool}, nil
}

func readPostgres(ctx context.Context, address string) (*postgresEngine, error) {
	e, err := openPostgres(ctx, address)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDBFromPool(e.pool)
	err = wrapAway(checkSchema(ctx, db, &postgresDialect))
	db.Close()
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// writePostgres opens a ledger for writing, as the only writer or with others.
func writePostgres(ctx context.Context, address string, exclusive bool) (*postgresEngine, error) {
	e, err := openPostgres(ctx, address)
	if err != nil {
		return nil, err
	}
	if err = e.ensureSchema(ctx); err == nil {
		err = e.hold(ctx, exclusive)
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// ensureSchema migrates the tables to the newest schema version, one program at a time and without other writers.
func (e *postgresEngine) ensureSchema(ctx context.Context) error {
	c, err := e.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock("+lockKey(lockSchema)+")"); err != nil {
		return err
	}
	defer c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock("+lockKey(lockSchema)+")")
	db := stdlib.OpenDBFromPool(e.pool)
	defer db.Close()
	version, err := schemaVersion(ctx, db, &postgresDialect)
	switch {
	case err != nil || version == len(migrations):
		return err
	case version == 0:
		if err := e.checkFree(ctx, c); err != nil {
			return err
		}
	}
	var mine bool
	if err := c.QueryRow(ctx, "SELECT pg_try_advisory_lock("+lockKey(lockWrite)+")").Scan(&mine); err != nil || !mine {
		return cmp.Or(err, ErrLocked)
	}
	defer c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock("+lockKey(lockWrite)+")")
	return migrate(ctx, db, &postgresDialect)
}

// checkFree rejects a schema that contains another program's tables with the same names.
func (e *postgresEngine) checkFree(ctx context.Context, c *pgxpool.Conn) error {
	names := []string{"blocks", "book", "parts", "proved", "rejudgements", "stretches", "transactions"}
	var schema, table string
	err := c.QueryRow(ctx, "SELECT schemaname::text, tablename::text FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY($1) ORDER BY 2 LIMIT 1", names).Scan(&schema, &table)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("schema %s already contains another program's table %s. Give the ledger its own schema: CREATE SCHEMA fees, then postgres://HOST/DATABASE?search_path=fees", schema, table)
}

// hold takes the writer's lock and keeps it with the connection.
func (e *postgresEngine) hold(ctx context.Context, exclusive bool) error {
	c, err := e.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	try := "pg_try_advisory_lock_shared"
	if exclusive {
		try = "pg_try_advisory_lock"
	}
	var held bool
	if err = c.QueryRow(ctx, "SELECT "+try+"("+lockKey(lockWrite)+")").Scan(&held); err == nil && !held {
		err = ErrLocked
	}
	if err != nil {
		c.Release()
		return err
	}
	e.held = c
	if exclusive { // losing the connection loses the lock, so write through this one only
		e.pgQuerier = pgQuerier{c}
	}
	return nil
}

// lost reports whether a sole writer has lost its connection.
func (e *postgresEngine) lost() bool {
	c, exclusive := e.pgQuerier.to.(*pgxpool.Conn)
	return exclusive && c.Conn().IsClosed()
}

func (e *postgresEngine) shared() querier { return pgQuerier{e.pool} }

// checkIndexes reads the keys of each table twice, by a table scan and by the index that queries use, and
// compares them. Each table is read in a separate snapshot.
func (e *postgresEngine) checkIndexes(ctx context.Context, found func(message string)) error {
	for table, key := range map[string]string{"blocks": "height", "parts": "unit, number, kind, part", "stretches": "unit, number", "transactions": "id"} {
		if err := e.checkIndex(ctx, table, key, found); err != nil {
			return err
		}
	}
	return nil
}

func (e *postgresEngine) checkIndex(ctx context.Context, table, key string, found func(message string)) error {
	q, end, err := e.snapshot(ctx)
	if err != nil {
		return err
	}
	defer end()
	rows := "SELECT count(*), coalesce(sum(hashtextextended(concat_ws(' ', " + key + "), 0)), 0)::text FROM "
	var inTable, byIndex struct {
		count int64
		sum   string
	}
	if err := execAll(ctx, q, "SET LOCAL enable_seqscan = on", "SET LOCAL enable_indexscan = off", "SET LOCAL enable_indexonlyscan = off", "SET LOCAL enable_bitmapscan = off"); err != nil {
		return err
	}
	if _, err := one(ctx, q, []any{&inTable.count, &inTable.sum}, rows+table); err != nil {
		return err
	}
	if err := execAll(ctx, q, "SET LOCAL enable_seqscan = off", "SET LOCAL enable_indexscan = on", "SET LOCAL enable_indexonlyscan = on", "SET LOCAL enable_sort = off"); err != nil {
		return err
	}
	if _, err := one(ctx, q, []any{&byIndex.count, &byIndex.sum}, rows+"(SELECT "+key+" FROM "+table+" ORDER BY "+key+") AS ordered"); err != nil {
		return err
	}
	if inTable != byIndex {
		found(fmt.Sprintf("the index of table %s finds %d rows, but the table contains %d. Rebuild it with REINDEX TABLE %s.", table, byIndex.count, inTable.count, table))
	}
	return nil
}

func (e *postgresEngine) close() error {
	if e.held != nil {
		// Release the lock before close returns, not when the server notices the closed connection.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		e.held.Exec(ctx, "SELECT pg_advisory_unlock_all()")
		cancel()
		e.held.Conn().Close(context.Background())
		e.held.Release()
		e.held, e.pgQuerier = nil, pgQuerier{e.pool} // which is closed
	}
	e.pool.Close()
	return nil
}

func (e *postgresEngine) begin(ctx context.Context) (transaction, error) {
	begin := e.pool.Begin
	if c, ok := e.pgQuerier.to.(*pgxpool.Conn); ok {
		begin = c.Begin
	}
	tx, err := begin(ctx)
	if err != nil {
		return nil, err
	}
	return &postgresTransaction{pgQuerier{tx}, tx}, nil
}

// beginSnapshot locks a table against being dropped, because snapshots see later drops. Partitions of that
// table are dropped first.
const beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE ONLY blocks IN ACCESS SHARE MODE"

func (e *postgresEngine) snapshot(ctx context.Context) (querier, func(), error) {
	tx, err := e.pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: beginSnapshot})
	if err != nil {
		return nil, nil, ofServer(err)
	}
	return pgQuerier{tx}, func() { tx.Rollback(context.WithoutCancel(ctx)) }, nil
}

type postgresTransaction struct {
	pgQuerier
	tx pgx.Tx
}

func (t *postgresTransaction) insert(ctx context.Context, table string, columns []column, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := t.tx.CopyFrom(ctx, pgx.Identifier{table}, names(columns), pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
		values := slices.Clone(rows[i])
		for c, v := range values {
			if text, ok := v.(string); ok && columns[c].kind == amount {
				var n pgtype.Numeric
				if err := n.Scan(text); err != nil {
					return nil, err
				}
				values[c] = n
			}
		}
		return values, nil
	}))
	return err
}

func (t *postgresTransaction) lock(ctx context.Context, lock int) error {
	_, err := t.tx.Exec(ctx, "SELECT pg_advisory_xact_lock("+lockKey(lock)+")")
	return err
}

// tryLock lets the others not wait long if this machine vanishes meanwhile.
func (t *postgresTransaction) tryLock(ctx context.Context, lock int) (mine bool, err error) {
	if _, err := t.tx.Exec(ctx, "SET LOCAL idle_in_transaction_session_timeout = '10s'"); err != nil {
		return false, err
	}
	err = t.tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock("+lockKey(lock)+")").Scan(&mine)
	return mine, err
}

func (t *postgresTransaction) commit(ctx context.Context) error { return t.tx.Commit(ctx) }

func (t *postgresTransaction) rollback() { t.tx.Rollback(context.Background()) }

// pgQuerier runs SQL through pgx.
type pgQuerier struct {
	to interface {
		Exec(ctx context.Context, query string, arguments ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, query string, arguments ...any) (pgx.Rows, error)
	}
}

func (q pgQuerier) exec(ctx context.Context, query string, arguments ...any) error {
	_, err := q.to.Exec(ctx, numbered(query), arguments...)
	return ofServer(err)
}

// ofServer wraps a server's error in ErrDamaged or ErrAway where it means that.
func ofServer(err error) error { return wrapAway(wrapDamage(err, brokenServer(err))) }

// brokenServer reports class XX errors (damaged server files), missing tables or columns, and columns
// of another type.
func brokenServer(err error) bool {
	var failed *pgconn.PgError
	var scan pgx.ScanArgError
	return errors.As(err, &scan) ||
		errors.As(err, &failed) && (strings.HasPrefix(failed.Code, "XX") || failed.Code == "42P01" || failed.Code == "42703")
}

func (q pgQuerier) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	rows, err := q.to.Query(ctx, numbered(query), arguments...)
	if err != nil {
		return nil, ofServer(err)
	}
	return &pgRows{rows}, nil
}

type pgRows struct{ pgx.Rows }

func (r *pgRows) close() { r.Rows.Close() }

func (r *pgRows) Err() error { return ofServer(r.Rows.Err()) }

func (r *pgRows) Scan(into ...any) error { return ofServer(r.Rows.Scan(into...)) }

func (r *pgRows) values(_ []column, into row) error {
	list, err := r.Rows.Values()
	copy(into, list)
	for i, v := range list {
		if n, ok := v.(pgtype.Numeric); ok && err == nil {
			into[i], err = n.Value() // its digits
		}
	}
	return ofServer(err)
}

// numbered replaces the question marks of a statement with $1, $2 and so on. No text in our statements
// contains one.
func numbered(query string) string {
	var out strings.Builder
	for i := 1; ; i++ {
		before, after, found := strings.Cut(query, "?")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString("$" + strconv.Itoa(i))
		query = after
	}
}

// passing are PostgreSQL's temporary errors, by class or code: transaction conflicts, too many
// connections, lock timeouts, a server that starts, stops or recovers, one that is read-only for now, and sessions that
// it ended because the client was silent.
var passing = []string{"40", "53300", "55P03", "57P01", "57P02", "57P03", "57P05", "25006", "25P03"}

// IsTransient reports whether a database error is temporary, so that a retry may succeed: the database refused for now, or
// a connection broke.
func IsTransient(err error) bool {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return slices.ContainsFunc(passing, func(code string) bool { return strings.HasPrefix(refused.Code, code) })
	}
	broken := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
	return errors.Is(err, ErrAway) && (broken || !errors.As(err, new(*pgconn.ConnectError)))
}

func (pgQuerier) dialect() *dialect { return &postgresDialect }

// EndStalled terminates connections of other instances that changed something in a transaction and then
// stopped in the middle of a message, if the server has waited longer than after for the rest. The server would
// wait forever and keep the changed rows locked; between messages its limit is 30 s. It returns the number of
// terminated connections. It requires PostgreSQL.
func (b *Book) EndStalled(ctx context.Context, after time.Duration) (ended int, err error) {
	err = Pool(b).QueryRow(ctx, `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE application_name = $1 AND datname = current_database() AND usename = current_user
			AND backend_xid IS NOT NULL AND state = 'active' AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - $2::interval`,
		application, after).Scan(&ended)
	if err != nil {
		return 0, fmt.Errorf("ending stalled connections: %w", err)
	}
	return ended, nil
}

// ErrAway reports that a ledger's database is not responding.
var ErrAway = failure.New(failure.Busy, "the ledger's database is not responding")

// wrapAway wraps an error of a PostgreSQL connection in ErrAway.
func wrapAway(err error) error {
	var refused *pgconn.ConnectError
	var network net.Error
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, ErrAway), errors.Is(err, ErrRefused), errors.Is(err, ErrPooler):
		return err
	case errors.As(err, &refused) && refusedBy(err) != nil:
		return refusedBy(err)
	case errors.As(err, &refused), errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	var said *pgconn.PgError
	switch isServers := errors.As(err, &said); {
	case !isServers && pgconn.SafeToRetry(err): // the connection was already broken
		return fmt.Errorf("%w: %w", ErrAway, err)
	case isServers && (said.Code == "26000" || said.Code == "42P05"): // a prepared statement is missing, or another client's
		return fmt.Errorf("%w: %w", ErrPooler, err)
	}
	return err
}
