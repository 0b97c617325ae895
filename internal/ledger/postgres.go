package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/feeledger/fees/chain"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// postgresEngine is a book in the schema of a PostgreSQL database that the
// connection has as its current one.
type postgresEngine struct {
	pgQuerier
	pool *pgxpool.Pool
	held *pgxpool.Conn // with the lock of whoever writes, nil for a reader

	knowing    sync.Mutex      // a worker's jobs write at the same time
	partitions []chain.Heights // of all tables, that are known to be there
}

var postgresDialect = dialect{
	goose: goose.DialectPostgres,
	types: map[kind]string{integer: "BIGINT", text: "TEXT", word: "TEXT", data: "BYTEA", amount: "NUMERIC(78, 0)"},
	hex:   func(c string) string { return "'0x' || nullif(encode(" + c + ", 'hex'), '')" },
	time: func(c string) string {
		return fmt.Sprintf("to_char(timestamp 'epoch' + %s / 1000 * interval '1 second', 'YYYY-MM-DD\"T\"HH24:MI:SS') || CASE %s %% 1000 WHEN 0 THEN '' ELSE '.' || lpad((%s %% 1000)::text, 3, '0') END || 'Z'", c, c, c)
	},
	day:     func(c string) string { return "(date '1970-01-01' + " + c + "::integer)" },
	wei:     func(c string) string { return c + "::text" },
	wordOf:  func(c string) string { return c },
	coin:    func(c string) string { return "(" + c + "::numeric * 0.000000000000000001)::numeric(57, 18)" },
	dayText: func(c string) string { return "(date '1970-01-01' + " + c + "::integer)::text" },
	monthText: func(c string) string {
		return "to_char(date '1970-01-01' + make_interval(months => " + c + "::integer), 'YYYY-MM')"
	},
	laidOut: "SELECT to_regclass('" + layoutTable + "') IS NOT NULL",

	json: func(of, key string) string { return "(" + of + "->>'" + key + "')" },
	each: func(of, list string) string { return "jsonb_array_elements(" + of + "::jsonb->'" + list + "')" },
	by:   func(key string) string { return " PARTITION BY RANGE (" + key + ")" },
}

// The advisory locks, of a database and schema: who writes alone or with others,
// who seals, who makes the tables, who says what is proved, and who makes partitions.
const (
	lockWrite = 0x66656573 + iota
	lockSeal
	lockLayout
	lockProved
	lockPartitions
)

// lockKey are the two numbers of a lock.
func lockKey(lock int) string { return fmt.Sprintf("%d, hashtext(current_schema())", lock) }

// application is what our connections are called.
const application = "fees"

// maxConnections is how many connections are held at most where the address does not say
// it (pool_max_conns).
const maxConnections = 8

// openPostgres connects to a server. Its errors hold no password.
func openPostgres(ctx context.Context, address string) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the ledger's address is no PostgreSQL URL such as postgres://HOST/DATABASE") // err may hold a password
	}
	if !strings.Contains(address, "pool_max_conns") {
		config.MaxConns = maxConnections
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 20 * time.Second
	}
	config.ConnConfig.RuntimeParams["application_name"] = application
	// A machine that vanishes inside a transaction must not hold its locks for long. For
	// the midst of a message the server has no such limit: EndStalled.
	config.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = "30s"
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
	err = asAway(checkLayout(ctx, db, &postgresDialect))
	db.Close()
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// writePostgres opens a book to write it: alone, or with others that write too.
func writePostgres(ctx context.Context, address string, alone bool) (*postgresEngine, error) {
	e, err := openPostgres(ctx, address)
	if err != nil {
		return nil, err
	}
	if err = e.layOut(ctx); err == nil {
		err = e.hold(ctx, alone)
	}
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// layOut brings the tables to the newest layout, one program at a time, and while nobody
// else writes.
func (e *postgresEngine) layOut(ctx context.Context) error {
	c, err := e.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_lock("+lockKey(lockLayout)+")"); err != nil {
		return err
	}
	defer c.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock("+lockKey(lockLayout)+")")
	db := stdlib.OpenDBFromPool(e.pool)
	defer db.Close()
	version, err := layoutOf(ctx, db, &postgresDialect)
	switch {
	case err != nil || version == len(layouts):
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

// checkFree refuses a schema that has another program's tables under the names of ours.
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
	return fmt.Errorf("the schema %s has another program's table %s: give the ledger a schema of its own, by CREATE SCHEMA fees and postgres://HOST/DATABASE?search_path=fees", schema, table)
}

// hold takes the lock of those who write, and keeps it with the connection.
func (e *postgresEngine) hold(ctx context.Context, alone bool) error {
	c, err := e.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	try := "pg_try_advisory_lock_shared"
	if alone {
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
	if alone { // who loses the connection loses the lock, and then must not write
		e.pgQuerier = pgQuerier{c}
	}
	return nil
}

// lost tells whether the connection of a lone writer is gone.
func (e *postgresEngine) lost() bool {
	c, alone := e.pgQuerier.to.(*pgxpool.Conn)
	return alone && c.Conn().IsClosed()
}

func (e *postgresEngine) sql() *dialect { return &postgresDialect }

func (e *postgresEngine) shared() querier { return pgQuerier{e.pool} }

// checkIndexes reads the keys of each table twice, from the table and by the index that is asked, and
// compares. It sees each of them at a moment of its own.
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
	var fromTable, byIndex [2]string
	for _, x := range []struct {
		into  *[2]string
		plan  string
		query string
	}{
		{&fromTable, "SET LOCAL enable_seqscan = on; SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off", rows + table},
		{&byIndex, "SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = on; SET LOCAL enable_indexonlyscan = on; SET LOCAL enable_sort = off",
			rows + "(SELECT " + key + " FROM " + table + " ORDER BY " + key + ") AS ordered"},
	} {
		for _, setting := range strings.Split(x.plan, "; ") {
			if err := q.exec(ctx, setting); err != nil {
				return err
			}
		}
		var count int64
		if _, err := one(ctx, q, []any{&count, &x.into[1]}, x.query); err != nil {
			return err
		}
		x.into[0] = strconv.FormatInt(count, 10)
	}
	if fromTable != byIndex {
		found(fmt.Sprintf("the index of table %s finds %s rows, and the table has %s: REINDEX TABLE %s makes it anew", table, byIndex[0], fromTable[0], table))
	}
	return nil
}

func (e *postgresEngine) close() error {
	if e.held != nil {
		// The lock is free when close returns, not when the server sees that the
		// connection is gone.
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

// beginSnapshot locks a table against its being dropped, for a drop is seen by snapshots from
// before it: partitions of that table are dropped first.
const beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE ONLY blocks IN ACCESS SHARE MODE"

func (e *postgresEngine) snapshot(ctx context.Context) (querier, func(), error) {
	tx, err := e.pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: beginSnapshot})
	if err != nil {
		return nil, nil, asAway(asDamage(err, brokenServer(err)))
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
		values := make([]any, len(rows[i]))
		for c, v := range rows[i] {
			if text, ok := v.(string); ok && columns[c].kind == amount {
				var n pgtype.Numeric
				if err := n.Scan(text); err != nil {
					return nil, err
				}
				v = n
			}
			values[c] = v
		}
		return values, nil
	}))
	return err
}

// lock takes a lock until the transaction ends.
func (t *postgresTransaction) lock(ctx context.Context, lock int) error {
	_, err := t.tx.Exec(ctx, "SELECT pg_advisory_xact_lock("+lockKey(lock)+")")
	return err
}

// tryLock takes a lock until the transaction ends, if nobody has it. Should this
// machine vanish meanwhile, the others do not wait long for it.
func (t *postgresTransaction) tryLock(ctx context.Context, lock int) (mine bool, err error) {
	if _, err := t.tx.Exec(ctx, "SET LOCAL idle_in_transaction_session_timeout = '10s'"); err != nil {
		return false, err
	}
	err = t.tx.QueryRow(ctx, "SELECT pg_try_advisory_xact_lock("+lockKey(lock)+")").Scan(&mine)
	return mine, err
}

func (t *postgresTransaction) commit(ctx context.Context) error { return t.tx.Commit(ctx) }

func (t *postgresTransaction) rollback() { t.tx.Rollback(context.Background()) }

// pgQuerier runs SQL by pgx.
type pgQuerier struct {
	to interface {
		Exec(ctx context.Context, query string, arguments ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, query string, arguments ...any) (pgx.Rows, error)
	}
}

func (q pgQuerier) exec(ctx context.Context, query string, arguments ...any) error {
	_, err := q.to.Exec(ctx, numbered(query), arguments...)
	return asAway(asDamage(err, brokenServer(err)))
}

// brokenServer tells the classes XX, what the server says of its own files, and of tables
// and columns that are not there, or hold other kinds of values.
func brokenServer(err error) bool {
	var failed *pgconn.PgError
	var scan pgx.ScanArgError
	return errors.As(err, &scan) ||
		errors.As(err, &failed) && (strings.HasPrefix(failed.Code, "XX") || failed.Code == "42P01" || failed.Code == "42703")
}

func (q pgQuerier) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	rows, err := q.to.Query(ctx, numbered(query), arguments...)
	if err != nil {
		return nil, asAway(asDamage(err, brokenServer(err)))
	}
	return &pgRows{Rows: rows}, nil
}

type pgRows struct {
	pgx.Rows
	scanners []any // one for each column
}

func (r *pgRows) close() { r.Rows.Close() }

func (r *pgRows) Err() error {
	err := r.Rows.Err()
	return asAway(asDamage(err, brokenServer(err)))
}

func (r *pgRows) Scan(into ...any) error {
	err := r.Rows.Scan(into...)
	return asAway(asDamage(err, brokenServer(err)))
}

func (r *pgRows) values(columns []column, into row) error {
	if r.scanners == nil {
		for _, c := range columns {
			r.scanners = append(r.scanners, c.kind.scanner())
		}
	}
	if err := r.Scan(r.scanners...); err != nil {
		return err
	}
	for i, s := range r.scanners {
		into[i] = s.(scanner).value()
	}
	return nil
}

// numbered writes $1, $2 for the question marks of a statement. No text in our
// statements has one.
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

// passing are what PostgreSQL says of a moment that passes, by class or code: conflicts
// of transactions, no room for a connection, a lock that was not to be had in time, a
// server that starts, ends or recovers, and one that takes no changes for now.
var passing = []string{"40", "53300", "55P03", "57P01", "57P02", "57P03", "25006"}

// Passes tells whether a database refused something for a moment, so that the same may
// go well later.
func Passes(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && slices.ContainsFunc(passing, func(code string) bool { return strings.HasPrefix(refused.Code, code) })
}

// scanner takes a value of a kind from the driver, which has its own types for some.
type scanner interface{ value() value }

func (k kind) scanner() scanner {
	switch k {
	case integer:
		return new(scanned[int64])
	case text, word, amount:
		return new(scanned[string])
	case data:
		return new(scanned[[]byte])
	}
	panic(fmt.Sprint("no such kind of column: ", int(k)))
}

type scanned[T any] struct{ sql.Null[T] }

func (s *scanned[T]) value() value {
	if !s.Valid {
		return nil
	}
	return s.V
}
