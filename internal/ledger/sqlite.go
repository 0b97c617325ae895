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
)

// sqliteEngine is a book in a file.
type sqliteEngine struct {
	sqlQuerier
	path       string
	opened     os.FileInfo // the file that it was
	db         *sql.DB
	lock       *sql.DB                 // holds the file that says who writes, nil for a reader
	writer     *sql.Conn               // the one connection that writes, nil for a reader
	statements map[string]*sql.Stmt    // prepared on it
	insertions map[insertion]*sql.Stmt // of these, without their text
	arguments  []any                   // of the statement that runs, to be used again
}

// insertion is a statement that inserts so many rows.
type insertion struct {
	table string
	rows  int
}

var sqliteDialect = dialect{
	goose:     goose.DialectSQLite3,
	types:     map[kind]string{integer: "INTEGER", text: "TEXT", data: "BLOB", word: "ANY", amount: "ANY"}, // see compacted
	strict:    " STRICT",
	clustered: " STRICT, WITHOUT ROWID",
	hex:       func(c string) string { return "'0x' || nullif(lower(hex(" + c + ")), '')" }, // hex(null) is no null
	time: func(c string) string {
		return fmt.Sprintf("strftime('%%Y-%%m-%%dT%%H:%%M:%%S', %s / 1000, 'unixepoch') || CASE %s %% 1000 WHEN 0 THEN '' ELSE printf('.%%03d', %s %% 1000) END || 'Z'", c, c, c)
	},
	day:       func(c string) string { return "date(" + c + " * 86400, 'unixepoch')" },
	dayText:   func(c string) string { return "date(" + c + " * 86400, 'unixepoch')" },
	monthText: func(c string) string { return "printf('%04d-%02d', 1970 + " + c + " / 12, 1 + " + c + " % 12)" },
	wei:       func(c string) string { return "CAST(" + c + " AS TEXT)" },
	sum:       sumOfDigits,
	wordOf: func(c string) string {
		return "CASE typeof(" + c + ") WHEN 'integer' THEN (SELECT word FROM words WHERE number = " + c + ") ELSE " + c + " END"
	},
	coin: func(c string) string { // no arithmetic: SQLite's is not exact
		digits := "ltrim(" + c + ", '-')"
		return fmt.Sprintf("CASE WHEN %s LIKE '-%%' THEN '-' ELSE '' END || CASE WHEN length(%s) > 18 THEN substr(%s, 1, length(%s) - 18) ELSE '0' END || '.' || substr('000000000000000000' || %s, -18)",
			c, digits, digits, digits, digits)
	},
	laidOut: "SELECT count(*) > 0 FROM sqlite_master WHERE name = '" + layoutTable + "'",
	json:    func(of, key string) string { return of + ".value->>'" + key + "'" },
	each:    func(of, list string) string { return "json_each(" + of + ", '$." + list + "')" },
	by:      func(string) string { return "" },
	files:   true,
}

// sumOfDigits is the exact sum of a column of amounts, as text: SQLite's own is not exact above 2^63. It
// adds up nine digits of each amount at a time, from the lowest on, and carries.
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

// readSQLite opens a file that is there.
func readSQLite(ctx context.Context, path string) (*sqliteEngine, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	} else if err != nil {
		return nil, err
	}
	e, err := readFile(ctx, path, "mode=ro", busyTimeout)
	if !hasCode(err, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) {
		return e, err
	}
	if neverWhole(path) {
		return nil, fmt.Errorf("%w in this file: who made it was stopped before anything was in it", ErrNone)
	}
	// Where it lies nothing may be written, as SQLite does beside a file that may change.
	if log, missing := os.Stat(path + "-wal"); errors.Is(missing, fs.ErrNotExist) || missing == nil && log.Size() == 0 {
		return readFile(ctx, path, "mode=ro", "immutable=1")
	}
	return e, fmt.Errorf("%w: its last changes are in %s-wal, and cannot be read where nothing may be written: copy both files elsewhere, and read them there", err, path)
}

func readFile(ctx context.Context, path string, parameters ...string) (*sqliteEngine, error) {
	db, err := openFile(path, parameters...)
	if err != nil {
		return nil, err
	}
	e := &sqliteEngine{sqlQuerier: sqlQuerier{db}, path: path, db: db}
	if err := checkLayout(ctx, db, &sqliteDialect); err != nil {
		return nil, errors.Join(explainFile(path, err), e.close())
	}
	if e.opened, err = os.Stat(path); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// hasCode tells whether an error is SQLite's of one of these kinds.
func hasCode(err error, codes ...int) bool {
	var failed *sqlite.Error
	return errors.As(err, &failed) && slices.Contains(codes, failed.Code()&0xff)
}

// writeSQLite opens or makes a file, as its only writer.
func writeSQLite(ctx context.Context, path string) (*sqliteEngine, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // or the lock would be another's
	}
	if err := checkOurs(ctx, path); err != nil {
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
	e := &sqliteEngine{sqlQuerier: sqlQuerier{db}, path: path, db: db, lock: lock, statements: map[string]*sql.Stmt{}, insertions: map[insertion]*sql.Stmt{}}
	if err = migrate(ctx, db, &sqliteDialect); err == nil {
		e.writer, err = db.Conn(ctx)
	}
	if err == nil {
		e.opened, err = os.Stat(path)
	}
	if err != nil {
		return nil, errors.Join(explainFile(path, err), e.close())
	}
	return e, nil
}

// beginFile makes the first page of a new file, whose size is that of all that follow: records and
// parts are long.
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

// busyTimeout is how long a statement waits for another program's lock on the
// file, such as that of a backup.
const busyTimeout = "_pragma=busy_timeout(10000)"

func openFile(path string, parameters ...string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	place := url.URL{Scheme: "file", Path: filepath.ToSlash(absolute), RawQuery: strings.Join(parameters, "&")}
	db, err := sql.Open("sqlite", place.String())
	if err == nil {
		db.SetMaxIdleConns(maxReaders + 1) // each that is opened anew reads all of the layout
	}
	return db, err
}

// lockFile holds the file beside a ledger that says who writes it. The lock is
// the system's, and goes with the process.
func lockFile(ctx context.Context, path string) (*sql.DB, error) {
	db, err := openFile(path+"-writer", "mode=rwc", "_pragma=busy_timeout(0)", "_pragma=locking_mode(EXCLUSIVE)", "_pragma=journal_mode(OFF)")
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

// checkOurs refuses a file that is somebody else's, before anything is written to it
// or beside it.
func checkOurs(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	others, ours, err := tablesIn(ctx, path, "mode=ro", busyTimeout)
	if code := new(sqlite.Error); errors.As(err, &code) && code.Code() == sqlite3.SQLITE_READONLY_ROLLBACK {
		// Its writer was killed, as one may be that makes a ledger. What it changed is undone
		// by whoever opens the file to write.
		if neverWhole(path) {
			return nil
		}
		others, ours, err = tablesIn(ctx, path, "mode=ro", "immutable=1")
	}
	switch {
	case err != nil:
		return explainFile(path, err)
	case others > 0 && ours == 0:
		return fmt.Errorf("%s: %w: it holds other tables", path, ErrNone)
	}
	return nil
}

// neverWhole tells whether the program that made a file was stopped, as by a crash of the machine,
// before its first page was whole: SQLite's journal beside it says that there was no page before.
// SQLite makes the file empty again for whoever opens it to write.
func neverWhole(path string) bool {
	journal, err := os.Open(path + "-journal")
	if err != nil {
		return false
	}
	defer journal.Close()
	var header [20]byte // the mark of a journal that is whole, a count, a salt, and the pages before
	_, err = io.ReadFull(journal, header[:])
	return err == nil && string(header[:8]) == "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" && binary.BigEndian.Uint32(header[16:]) == 0
}

// tablesIn counts what a file defines, and whether our table of the layout is among it.
func tablesIn(ctx context.Context, path string, parameters ...string) (others, ours int, err error) {
	db, err := openFile(path, parameters...)
	if err != nil {
		return 0, 0, err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "SELECT count(*), count(*) FILTER (WHERE name = '"+layoutTable+"') FROM sqlite_master").Scan(&others, &ours)
	return others, ours, err
}

// explainFile tells apart what can be wrong with a file.
func explainFile(path string, err error) error {
	if hasCode(err, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT) {
		return fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

func (e *sqliteEngine) shared() querier { return e.sqlQuerier }

// checkIndexes asks SQLite itself, which looks at each table's pages.
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
	for _, s := range e.statements {
		err = errors.Join(err, s.Close())
	}
	if e.writer != nil {
		// SQLite does it for the last one who closes the file: where others read it, what was
		// written would not be on the disk yet.
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
		e.writer.ExecContext(context.Background(), "ROLLBACK") // it may have begun, where ctx ended meanwhile
		return nil, err
	}
	return &sqliteTransaction{sqlQuerier: sqlQuerier{e.writer}, engine: e}, nil
}

// makePartitions makes none: a file has no partitions.
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

// rowsAtOnce is how many rows a statement inserts: with more, it gets no faster.
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

// inserting is the statement that inserts so many rows at once.
func (t *sqliteTransaction) inserting(ctx context.Context, table string, columns []column, rows int) (*sql.Stmt, error) {
	key := insertion{table, rows}
	s := t.engine.insertions[key]
	if s == nil {
		var err error
		places := placesFor(columns)
		if s, err = t.prepared(ctx, insertInto(table, columns)+strings.Repeat(places+", ", rows-1)+places); err != nil {
			return nil, err
		}
		t.engine.insertions[key] = s
	}
	return s, nil
}

// prepared is a statement that is kept for the next time.
func (t *sqliteTransaction) prepared(ctx context.Context, query string) (*sql.Stmt, error) {
	s := t.engine.statements[query]
	if s == nil {
		var err error
		if s, err = t.engine.writer.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
		t.engine.statements[query] = s
	}
	return s, nil
}

func (t *sqliteTransaction) commit(ctx context.Context) error {
	_, err := t.engine.writer.ExecContext(ctx, "COMMIT")
	t.ended = err == nil
	return err
}

func (t *sqliteTransaction) rollback() {
	if !t.ended {
		t.engine.writer.ExecContext(context.Background(), "ROLLBACK") // fails where an error has done it already
		t.ended = true
	}
}

// sqlQuerier runs SQL by the standard library's interface.
type sqlQuerier struct {
	to interface {
		ExecContext(ctx context.Context, query string, arguments ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, arguments ...any) (*sql.Rows, error)
	}
}

func (q sqlQuerier) exec(ctx context.Context, query string, arguments ...any) error {
	_, err := q.to.ExecContext(ctx, query, arguments...)
	return asDamage(err, broken(err))
}

// broken tells whether SQLite says that the file is damaged.
func broken(err error) bool {
	var failed *sqlite.Error
	return hasCode(err, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT) ||
		errors.As(err, &failed) && failed.Code() == sqlite3.SQLITE_IOERR_SHORT_READ
}

// unanswerable tells whether a question, of which we know that it is right, cannot be
// answered: a table or a column is not there.
func unanswerable(err error) bool { return broken(err) || hasCode(err, sqlite3.SQLITE_ERROR) }

func (q sqlQuerier) query(ctx context.Context, query string, arguments ...any) (rowSet, error) {
	rows, err := q.to.QueryContext(ctx, query, arguments...)
	if err != nil {
		return nil, asDamage(err, unanswerable(err))
	}
	return &sqlRows{Rows: rows}, nil
}

type sqlRows struct {
	*sql.Rows
	places []any // of the values of a row
}

func (r *sqlRows) close() { r.Rows.Close() }

func (r *sqlRows) Err() error {
	err := r.Rows.Err()
	return asDamage(err, unanswerable(err))
}

// Scan fails where a value is of another kind than ours, or where the rows have ended.
func (r *sqlRows) Scan(into ...any) error {
	err := r.Rows.Scan(into...)
	return asDamage(err, err != nil && r.Rows.Err() == nil)
}

// values takes what SQLite has, and makes it ours: amounts and words may be compact. The driver has
// nil for data without a byte, which it would write as null.
func (r *sqlRows) values(columns []column, into row) error {
	r.places = r.places[:0]
	for i := range into {
		r.places = append(r.places, &into[i])
	}
	if err := r.Scan(r.places...); err != nil {
		return err
	}
	for i, c := range columns {
		if b, ok := into[i].([]byte); ok && b == nil {
			into[i] = []byte{}
		}
		into[i] = expanded(c.kind, into[i])
	}
	return nil
}
