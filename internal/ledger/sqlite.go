package ledger

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/feeledger/fees/chain"
	"github.com/feeledger/fees/internal/sys/disk"
)

// sqliteEngine is a ledger in a file.
type sqliteEngine struct {
	sqlQuerier
	path       string
	opened     os.FileInfo // identifies the opened file
	db         *sql.DB
	lock       *sql.DB                 // holds the lock file of the writer, nil for a reader
	writer     *sql.Conn               // the writing connection, nil for a reader
	insertions map[insertion]*sql.Stmt // statements prepared on writer
	arguments  []any                   // reused argument buffer
}

// insertion identifies a statement that inserts a number of rows.
type insertion struct {
	table string
	rows  int
}

var sqliteDialect = dialect{
	goose: goose.DialectSQLite3,
	sql: map[string]string{
		"integer": "INTEGER", "word": "ANY", "data": "BLOB", "amount": "ANY", "strict": " STRICT", "clustered": " STRICT, WITHOUT ROWID", "files": "true", // see compacted
		"by":        "",
		"hex":       "'0x' || nullif(lower(hex($1)), '')", // hex(null) is not null
		"time":      "strftime('%Y-%m-%dT%H:%M:%S', $1 / 1000, 'unixepoch') || CASE $1 % 1000 WHEN 0 THEN '' ELSE printf('.%03d', $1 % 1000) END || 'Z'",
		"day":       "date($1 * 86400, 'unixepoch')",
		"dayText":   "date($1 * 86400, 'unixepoch')",
		"monthText": "printf('%04d-%02d', 1970 + $1 / 12, 1 + $1 % 12)",
		"wei":       "CAST($1 AS TEXT)",
		"sum":       sumOfDigits("$1"),
		"wordOf":    "CASE typeof($1) WHEN 'integer' THEN (SELECT word FROM words WHERE number = $1) ELSE $1 END",
		"json":      "$1.value->>'$2'",
		"each":      "json_each($1, '$.$2')",
	},
	coin: func(c string, places int) string { // SQLite's arithmetic is not exact
		digits := "ltrim(" + c + ", '-')"
		return fmt.Sprintf("CASE WHEN %s LIKE '-%%' THEN '-' ELSE '' END || CASE WHEN length(%s) > %d THEN substr(%s, 1, length(%s) - %d) ELSE '0' END || '.' || substr('%s' || %s, -%d)",
			c, digits, places, digits, digits, places, strings.Repeat("0", places), digits, places)
	},
	hasTable: func(name string) string { return "SELECT count(*) > 0 FROM sqlite_master WHERE name = '" + name + "'" },
}

// sumOfDigits returns SQL for the exact sum of a column of amounts, as text; SQLite's own is not exact above
// 2^63. It adds nine digits of each amount at a time, from the lowest, and carries.
func sumOfDigits(column string) string {
	const billion = "1000000000"
	carried, digits := "0", ""
	for place := 9; place <= 27; place += 9 {
		carried = fmt.Sprintf("(coalesce(sum(CAST(substr('%s' || %s, -%d, 9) AS INTEGER)), 0) + %s)", strings.Repeat("0", place), column, place, carried)
		digits = fmt.Sprintf("printf('%%09d', %s %% %s)", carried, billion) + " || " + digits
		carried += " / " + billion
	}
	above := fmt.Sprintf("(coalesce(sum(CAST(substr(%s, 1, max(length(%s) - 27, 0)) AS INTEGER)), 0) + %s)", column, column, carried)
	return "coalesce(nullif(ltrim(" + above + " || " + strings.TrimSuffix(digits, " || ") + ", '0'), ''), '0')"
}

// readSQLite opens an existing file for reading.
func readSQLite(ctx context.Context, path string) (*sqliteEngine, error) {
	if err := checkExists(path); err != nil {
		return nil, err
	}
	e, err := readFile(ctx, path, "mode=ro", busyTimeout)
	if !hasCode(err, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) {
		return e, err
	}
	if isIncomplete(path) {
		return nil, fmt.Errorf("%w in this file: its creation was interrupted", ErrNone)
	}
	// The directory is not writable, but SQLite writes next to a file that may change.
	if log, missing := os.Stat(path + "-wal"); errors.Is(missing, fs.ErrNotExist) || missing == nil && log.Size() == 0 {
		return readFile(ctx, path, "mode=ro", "immutable=1")
	}
	return e, fmt.Errorf("%w: its last changes are in %s-wal, which cannot be read in a read-only directory. Copy both files to a writable directory.", err, path)
}

func readFile(ctx context.Context, path string, parameters ...string) (*sqliteEngine, error) {
	db, err := openFile(path, parameters...)
	if err != nil {
		return nil, err
	}
	e := &sqliteEngine{sqlQuerier: sqlQuerier{db}, path: path, db: db}
	if err := checkSchema(ctx, db, &sqliteDialect); err != nil {
		return nil, errors.Join(explainFile(path, err), e.close())
	}
	if e.opened, err = os.Stat(path); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// trailSQLite opens a file to write short transactions between those of its writer.
func trailSQLite(ctx context.Context, path string) (*sqliteEngine, error) {
	if err := checkExists(path); err != nil {
		return nil, err
	}
	e, err := readFile(ctx, path, "mode=rw", "_pragma=busy_timeout(5000)") // less than requests may take
	if err != nil {
		return nil, err
	}
	if err := e.openConnection(ctx); err != nil {
		return nil, errors.Join(explainFile(path, err), e.close())
	}
	return e, nil
}

// openConnection opens the connection for transactions.
func (e *sqliteEngine) openConnection(ctx context.Context) (err error) {
	e.insertions = map[insertion]*sql.Stmt{}
	e.writer, err = e.db.Conn(ctx)
	return err
}

// checkExists returns ErrNone for a missing file.
func checkExists(path string) error {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: %w", ErrNone, err)
	}
	return err
}

// hasCode reports whether an error is an SQLite error with one of these codes.
func hasCode(err error, codes ...int) bool {
	var failed *sqlite.Error
	return errors.As(err, &failed) && slices.Contains(codes, failed.Code()&0xff)
}

// writeSQLite opens or creates a file as its only writer.
func writeSQLite(ctx context.Context, path string) (*sqliteEngine, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // links to one file share its lock
	}
	if err := checkOwned(ctx, path); err != nil {
		return nil, err
	}
	lock, err := lockFile(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := beginFile(ctx, path); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	db, err := openFile(path, "mode=rwc", busyTimeout, "_pragma=journal_mode(WAL)", "_pragma=synchronous(NORMAL)",
		"_pragma=cache_size(-32768)", "_pragma=wal_autocheckpoint(4000)", "_pragma=journal_size_limit(67108864)")
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	e := &sqliteEngine{sqlQuerier: sqlQuerier{db}, path: path, db: db, lock: lock}
	if err = migrate(ctx, db, &sqliteDialect); err == nil {
		err = e.openConnection(ctx)
	}
	if err == nil {
		e.opened, err = os.Stat(path)
	}
	if err != nil {
		return nil, errors.Join(explainFile(path, err), e.close())
	}
	return e, nil
}

// beginFile creates the first page of a new file, which sets the page size: records and parts are long.
func beginFile(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return nil
	}
	db, err := openFile(path, "mode=rwc", busyTimeout)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA page_size = 16384", "BEGIN IMMEDIATE", "CREATE TABLE first (page INTEGER)", "DROP TABLE first", "COMMIT"} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
		}
	}
	return db.Close()
}

// busyTimeout is how long a statement waits for another program's lock on the file, such as a backup's.
const busyTimeout = "_pragma=busy_timeout(10000)"

func openFile(path string, parameters ...string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	place := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: strings.Join(parameters, "&")}
	db, err := sql.Open("sqlite", place.String())
	if err == nil {
		db.SetMaxIdleConns(maxReaders + 1) // each new connection reads the whole schema
	}
	return db, err
}

// lockFile locks the writer's file next to a ledger. The lock belongs to the operating system and ends
// with the process. SQLite takes it in two steps. Of two programs that start together, each can find the other's first
// step; so that not both are refused, they wait briefly, and the lock is a transaction's: in SQLite's exclusive locking
// mode, neither would let go of its first step.
func lockFile(ctx context.Context, path string) (*sql.DB, error) {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, disk.Uncreated(path, err)
	}
	db, err := openFile(path+"-writer", "mode=rwc", "_pragma=busy_timeout(250)", "_pragma=journal_mode(OFF)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(ctx, "BEGIN EXCLUSIVE")
	if hasCode(err, sqlite3.SQLITE_BUSY) {
		err = fmt.Errorf("%s: %w", path, ErrLocked)
	} else if err != nil {
		err = fmt.Errorf("%s-writer: %w", path, err)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// checkOwned rejects a file of another program before anything is written to it or next to it.
func checkOwned(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	others, ours, err := tablesIn(ctx, path, "mode=ro", busyTimeout)
	if code := new(sqlite.Error); errors.As(err, &code) && code.Code() == sqlite3.SQLITE_READONLY_ROLLBACK {
		// Its writer was killed, possibly while creating a ledger. Opening the file for writing undoes the
		// unfinished change.
		if isIncomplete(path) {
			return nil
		}
		others, ours, err = tablesIn(ctx, path, "mode=ro", "immutable=1")
	}
	switch {
	case err != nil:
		return explainFile(path, err)
	case others > 0 && ours == 0:
		return fmt.Errorf("%s: %w: the file belongs to another program", path, ErrNone)
	}
	return nil
}

// isIncomplete reports whether the creation of a file was interrupted, as by a crash of the machine, before its
// first page was complete: SQLite's journal next to it records that there was no page before. Opening the file
// for writing empties it.
func isIncomplete(path string) bool {
	journal, err := os.Open(path + "-journal")
	if err != nil {
		return false
	}
	defer journal.Close()
	var header [20]byte // the magic number of a complete journal, a count, a salt, and the number of pages before
	_, err = io.ReadFull(journal, header[:])
	return err == nil && string(header[:8]) == "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" && binary.BigEndian.Uint32(header[16:]) == 0
}

// tablesIn counts what a file defines, and whether our schema version table is included.
func tablesIn(ctx context.Context, path string, parameters ...string) (others, ours int, err error) {
	db, err := openFile(path, parameters...)
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT count(*), count(*) FILTER (WHERE name = '"+versionTable+"') FROM sqlite_master").Scan(&others, &ours)
	return others, ours, err
}

// explainFile distinguishes a damaged file from other errors.
func explainFile(path string, err error) error {
	if hasCode(err, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT) {
		return fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func (e *sqliteEngine) shared() querier { return e.sqlQuerier }

// checkIndexes uses SQLite's own check, which reads every page.
func (e *sqliteEngine) checkIndexes(ctx context.Context, found func(message string)) error {
	columns := []column{{"integrity_check", text}}
	return list(ctx, e.shared(), columns, func(r row) error {
		if r[0] != "ok" {
			found(fmt.Sprint(r[0]))
		}
		return nil
	}, "PRAGMA integrity_check(100)")
}

func (e *sqliteEngine) close() error {
	var err error
	for _, s := range e.insertions {
		err = errors.Join(err, s.Close())
	}
	if e.writer != nil {
		// SQLite checkpoints only when the last connection closes. With other readers, what was written would
		// not be in the database file yet.
		_, synced := e.writer.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
		err = errors.Join(err, synced, e.writer.Close())
	}
	err = errors.Join(err, e.db.Close())
	if e.lock != nil {
		err = errors.Join(err, e.lock.Close())
	}
	return err
}

func (e *sqliteEngine) begin(ctx context.Context) (transaction, error) {
	if _, err := e.writer.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		e.writer.ExecContext(context.Background(), "ROLLBACK") // it may have begun although ctx ended
		if hasCode(err, sqlite3.SQLITE_BUSY) {
			err = fmt.Errorf("%s: %w", e.path, ErrLocked)
		}
		return nil, err
	}
	return &sqliteTransaction{sqlQuerier: sqlQuerier{e.writer}, engine: e}, nil
}

// makePartitions does nothing: a file has no partitions.
func (e *sqliteEngine) makePartitions(context.Context, chain.Heights) error { return nil }

func (e *sqliteEngine) dropPartitions(context.Context, uint64) error { return nil }

func (e *sqliteEngine) partitionBytes(context.Context, uint64) (none chain.Optional[uint64], err error) {
	return none, nil
}

func (e *sqliteEngine) snapshot(ctx context.Context) (querier, func(), error) {
	tx, err := e.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, nil, err
	}
	return sqlQuerier{tx}, func() { tx.Rollback() }, nil
}

type sqliteTransaction struct {
	sqlQuerier
	engine *sqliteEngine
	ended  bool
}

// rowsAtOnce is the number of rows of an insert statement; more are not faster.
const rowsAtOnce = 16

func (t *sqliteTransaction) insert(ctx context.Context, table string, columns []column, rows []row) error {
	for len(rows) > 0 {
		n := rowsAtOnce
		if len(rows) < n {
			n = 1
		}
		s, err := t.inserting(ctx, table, columns, n)
		if err != nil {
			return err
		}
		arguments := t.engine.arguments[:0]
		for _, r := range rows[:n] {
			for i, v := range r {
				arguments = append(arguments, compacted(columns[i].kind, v))
			}
		}
		t.engine.arguments = arguments
		if _, err := s.ExecContext(ctx, arguments...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// inserting returns the statement that inserts a number of rows at once.
func (t *sqliteTransaction) inserting(ctx context.Context, table string, columns []column, rows int) (s *sql.Stmt, err error) {
	key := insertion{table, rows}
	if s = t.engine.insertions[key]; s == nil {
		places := placesFor(len(columns))
		if s, err = t.engine.writer.PrepareContext(ctx, insertInto(table, columns)+strings.Repeat(places+", ", rows-1)+places); err == nil {
			t.engine.insertions[key] = s
		}
	}
	return s, err
}

// lock does nothing: a file has one transaction at a time.
func (t *sqliteTransaction) lock(context.Context, int) error { return nil }

func (t *sqliteTransaction) tryLock(context.Context, int) (bool, error) { return true, nil }

func (t *sqliteTransaction) commit(ctx context.Context) error {
	_, err := t.engine.writer.ExecContext(ctx, "COMMIT")
	t.ended = err == nil
	return err
}

func (t *sqliteTransaction) rollback() {
	if !t.ended {
		t.engine.writer.ExecContext(context.Background(), "ROLLBACK") // fails if an error has already rolled back
		t.ended = true
	}
}

// sqlQuerier runs SQL through the standard library's interface.
type sqlQuerier struct {
	to interface {
		ExecContext(ctx context.Context, query string, arguments ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, arguments ...any) (*sql.Rows, error)
	}
}

func (q sqlQuerier) exec(ctx context.Context, query string, arguments ...any) error {
	_, err := q.to.ExecContext(ctx, query, arguments...)
	return wrapDamage(err, broken(err))
}

// broken reports whether SQLite considers the file damaged.
func broken(err error) bool {
	var failed *sqlite.Error
	return hasCode(err, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT) ||
		errors.As(err, &failed) && failed.Code() == sqlite3.SQLITE_IOERR_SHORT_READ
}

// unanswerable reports whether a query known to be correct cannot run because a table or a column is missing.
func unanswerable(err error) bool { return broken(err) || hasCode(err, sqlite3.SQLITE_ERROR) }

func (q sqlQuerier) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	rows, err := q.to.QueryContext(ctx, query, arguments...)
	if err != nil {
		return nil, wrapDamage(err, unanswerable(err))
	}
	return &sqlRows{Rows: rows}, nil
}

type sqlRows struct {
	*sql.Rows
	cells  []cell // of a row
	places []any  // pointers to them
}

// cell takes a value as the driver returns it. The driver allocates each value; the standard library would copy it.
type cell struct{ value }

// Scan implements [sql.Scanner].
func (c *cell) Scan(v any) error {
	c.value = v
	return nil
}

func (r *sqlRows) close() { r.Rows.Close() }

func (r *sqlRows) Err() error {
	err := r.Rows.Err()
	return wrapDamage(err, unanswerable(err))
}

// Scan returns damage if a value has an unexpected type or there is no row.
func (r *sqlRows) Scan(into ...any) error {
	err := r.Rows.Scan(into...)
	return wrapDamage(err, err != nil && r.Rows.Err() == nil)
}

// values expands compact amounts and words. The driver returns nil for empty data, which would be written
// back as null.
func (r *sqlRows) values(columns []column, into row) error {
	if r.cells == nil {
		r.cells = make([]cell, len(into))
		for i := range r.cells {
			r.places = append(r.places, &r.cells[i])
		}
	}
	if err := r.Scan(r.places...); err != nil {
		return err
	}
	for i, c := range columns {
		into[i] = expanded(c.kind, r.cells[i].value)
		if b, ok := into[i].([]byte); ok && b == nil {
			into[i] = []byte{}
		}
	}
	return nil
}

func (sqlQuerier) dialect() *dialect { return &sqliteDialect }

// Reread calls with with the ledger as it is on disk now. An open file stays readable in memory after it was
// destroyed or replaced, so a file is opened again.
func (b *Book) Reread(ctx context.Context, with func(*Book) error) error {
	e, ok := b.engine.(*sqliteEngine)
	if !ok {
		return with(b)
	}
	if !e.inPlace() {
		return fmt.Errorf("%w: its file was replaced", ErrDamaged)
	}
	again, err := Open(ctx, e.path)
	if err != nil {
		return err
	}
	return errors.Join(with(again), again.Close())
}
