package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
)

// engine is a database that stores a ledger.
type engine interface {
	querier
	// shared returns a querier for concurrent use, unlike the engine itself.
	shared() querier
	// begin starts a transaction. There is one at a time.
	begin(ctx context.Context) (transaction, error)
	// makePartitions creates the partitions for a span's blocks, if the engine has partitions.
	makePartitions(ctx context.Context, span chain.Heights) error
	// dropPartitions drops the partitions that are entirely below a height.
	dropPartitions(ctx context.Context, height uint64) error
	// partitionBytes returns the disk space of those; unknown if the engine has none.
	partitionBytes(ctx context.Context, height uint64) (chain.Optional[uint64], error)
	// snapshot returns the current state of the ledger, unaffected by later writes, until end is called.
	snapshot(ctx context.Context) (q querier, end func(), err error)
	// checkIndexes checks that the indexes find the existing rows, and reports errors to found.
	checkIndexes(ctx context.Context, found func(message string)) error
	// schema describes the database's tables and views; version is that of the engine.
	schema(ctx context.Context) (s schema, version string, err error)
	// intendedSchema describes those that this program creates, for a token with that many decimals.
	intendedSchema(ctx context.Context, decimals int) (schema, error)
	close() error
}

// querier runs SQL with ? for each argument. If the database itself is damaged, or its columns contain
// invalid values, the error is ErrDamaged.
type querier interface {
	exec(ctx context.Context, query string, arguments ...any) error
	query(ctx context.Context, query string, arguments ...any) (rowSet, error)
	dialect() *dialect
}

// rowSet iterates over the rows of a query.
type rowSet interface {
	Next() bool
	Scan(into ...any) error
	// values reads all columns with these types. A value of another type is returned as it is, so that
	// the caller can reject it.
	values(columns []column, into row) error
	Err() error
	close()
}

// transaction is an atomic change.
type transaction interface {
	querier
	insert(ctx context.Context, table string, columns []column, rows []row) error
	// lock takes a lock until the transaction ends; tryLock does if it is free.
	lock(ctx context.Context, lock int) error
	tryLock(ctx context.Context, lock int) (mine bool, err error)
	commit(ctx context.Context) error
	rollback() // does nothing after a commit
}

// inTransaction runs a change in one transaction.
func inTransaction(ctx context.Context, e engine, what func(transaction) error) error {
	tx, err := e.begin(ctx)
	if err != nil {
		return err
	}
	defer tx.rollback()
	if err := what(tx); err != nil {
		return err
	}
	return tx.commit(ctx)
}

// execAll runs statements without arguments, up to the first that fails.
func execAll(ctx context.Context, q querier, statements ...string) error {
	for _, statement := range statements {
		if err := q.exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// wrapDamage wraps an error in ErrDamaged if damaged is true.
func wrapDamage(err error, damaged bool) error {
	if damaged && !errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// one scans the single row of a query, and reports whether there was one.
func one(ctx context.Context, q querier, into []any, query string, arguments ...any) (found bool, err error) {
	rows, err := q.query(ctx, query, arguments...)
	if err != nil {
		return false, err
	}
	defer rows.close()
	if found = rows.Next(); found {
		err = rows.Scan(into...)
	}
	return found, cmp.Or(err, rows.Err())
}

// list calls each for every row of a query with these columns. Each row is newly allocated.
func list(ctx context.Context, q querier, columns []column, each func(row) error, query string, arguments ...any) error {
	rows, err := q.query(ctx, query, arguments...)
	if err != nil {
		return err
	}
	defer rows.close()
	for rows.Next() {
		r := make(row, len(columns))
		if err := rows.values(columns, r); err != nil {
			return err
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// columnList returns the columns as an SQL list.
func columnList(columns []column) string { return strings.Join(names(columns), ", ") }

// selectFrom returns the beginning of a query for columns of a table.
func selectFrom(table string, columns []column) string {
	return "SELECT " + columnList(columns) + " FROM " + table
}

// insertInto returns the beginning of an insert statement; placesFor follows.
func insertInto(table string, columns []column) string {
	return "INSERT INTO " + table + " (" + columnList(columns) + ") VALUES "
}

// placesFor returns n placeholders: (?, ?).
func placesFor(n int) string { return "(" + strings.Repeat("?, ", n-1) + "?)" }

// putInto returns a statement that inserts a row, or updates the row with the same key: the first key
// columns.
func putInto(table string, columns []column, key int) string {
	var set []string
	for _, name := range names(columns[key:]) {
		set = append(set, name+" = excluded."+name)
	}
	return insertInto(table, columns) + placesFor(len(columns)) + " ON CONFLICT (" + columnList(columns[:key]) + ") DO UPDATE SET " + strings.Join(set, ", ")
}

// DamageError reports that requested data is not what was written; [Book.Verify] lists all damage.
// It is an [ErrDamaged].
type DamageError struct{ What string }

func (e *DamageError) Error() string { return ErrDamaged.Error() + ": " + e.What }

// Unwrap returns ErrDamaged.
func (e *DamageError) Unwrap() error { return ErrDamaged }

func damaged(format string, args ...any) error { return &DamageError{fmt.Sprintf(format, args...)} }
