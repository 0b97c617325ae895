package ledger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/feeledger/fees/chain"
)

// engine is a database that holds a book.
type engine interface {
	querier
	// shared may be asked several things at the same time, unlike the engine itself.
	shared() querier
	// begin begins a change. There is one at a time.
	begin(ctx context.Context) (transaction, error)
	// makePartitions makes the partitions that rows of a span's blocks go to, where the
	// engine has any.
	makePartitions(ctx context.Context, span chain.Heights) error
	// dropPartitions takes away those that lie below a height as a whole.
	dropPartitions(ctx context.Context, height uint64) error
	// partitionBytes is the disk that these take; not known where the engine has none.
	partitionBytes(ctx context.Context, height uint64) (chain.Optional[uint64], error)
	// snapshot is the book as it is now, whatever is written meanwhile. It is ended
	// by end.
	snapshot(ctx context.Context) (q querier, end func(), err error)
	// checkIndexes proves that the indexes find the rows that there are, and tells what is
	// wrong.
	checkIndexes(ctx context.Context, found func(message string)) error
	close() error
}

// querier runs SQL with ? in the place of each argument. Where the database itself is
// damaged, or holds what our columns do not, the error is ErrDamaged.
type querier interface {
	exec(ctx context.Context, query string, arguments ...any) error
	query(ctx context.Context, query string, arguments ...any) (rowSet, error)
}

// rowSet are the rows of a query.
type rowSet interface {
	Next() bool
	Scan(into ...any) error
	// values reads all columns, of the kinds that these have. One that holds something
	// else is left as it is: who reads it sees that it is not what the column holds.
	values(columns []column, into row) error
	Err() error
	close()
}

// transaction is a change that happens as a whole or not at all.
type transaction interface {
	querier
	insert(ctx context.Context, table string, columns []column, rows []row) error
	commit(ctx context.Context) error
	rollback() // nothing after a commit
}

// asDamage makes an error that says so one of a damaged ledger.
func asDamage(err error, damaged bool) error {
	if damaged && !errors.Is(err, ErrDamaged) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// one scans the only row of a query. Found is false where there is none.
func one(ctx context.Context, q querier, into []any, query string, arguments ...any) (found bool, err error) {
	rows, err := q.query(ctx, query, arguments...)
	if err != nil {
		return false, err
	}
	defer rows.close()
	if rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return false, err
		}
		found = true
	}
	return found, rows.Err()
}

// list delivers the rows of a query with columns of these kinds. Each row is the
// caller's own.
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

// columnList names columns as SQL does.
func columnList(columns []column) string { return strings.Join(names(columns), ", ") }

// selectFrom is the beginning of a query for columns of a table.
func selectFrom(table string, columns []column) string {
	return "SELECT " + columnList(columns) + " FROM " + table
}

// insertInto is the beginning of a statement that adds rows; placesFor follow it.
func insertInto(table string, columns []column) string {
	return "INSERT INTO " + table + " (" + columnList(columns) + ") VALUES "
}

// placesFor are the places of a row's values: (?, ?).
func placesFor(columns []column) string {
	return "(" + strings.Repeat("?, ", len(columns)-1) + "?)"
}

// putInto is a statement that adds a row, or changes the one that has its key: the first
// columns.
func putInto(table string, columns []column, key int) string {
	var set []string
	for _, name := range names(columns[key:]) {
		set = append(set, name+" = excluded."+name)
	}
	return insertInto(table, columns) + placesFor(columns) + " ON CONFLICT (" + columnList(columns[:key]) + ") DO UPDATE SET " + strings.Join(set, ", ")
}
