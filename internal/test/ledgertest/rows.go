// Package ledgertest queries ledgers with plain SQL, reads and changes their records with independent code, and provides
// recorded balances, for tests.
package ledgertest

import (
	"database/sql"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Rows queries a ledger with plain SQL, and returns the column names and the rows as the driver returns them, except
// that a file's compact values are expanded to texts.
type Rows func(query string, arguments ...any) (columns []string, rows [][]any)

// Ask queries an open database.
func Ask(t testing.TB, db *sql.DB) Rows {
	return func(query string, arguments ...any) (columns []string, list [][]any) {
		t.Helper()
		rows, err := db.Query(query, arguments...)
		require.NoError(t, err, query)
		defer rows.Close()
		columns, err = rows.Columns()
		require.NoError(t, err)
		types, err := rows.ColumnTypes()
		require.NoError(t, err)
		for rows.Next() {
			values, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			require.NoError(t, rows.Scan(into...))
			for i, v := range values {
				if b, ok := v.([]byte); ok && b == nil { // SQLite's driver returns nil for empty data
					values[i] = []byte{}
				}
			}
			list = append(list, values)
		}
		require.NoError(t, rows.Err())
		rows.Close()
		for i, c := range types {
			for _, r := range list {
				if c.DatabaseTypeName() != "ANY" {
					continue
				}
				if n, ok := r[i].(int64); ok {
					r[i] = textOf(t, db, columns[i], n)
				}
			}
		}
		return columns, list
	}
}

// textOf expands an integer in a file to a word or an amount.
func textOf(t testing.TB, db *sql.DB, column string, n int64) (text string) {
	if !slices.Contains(ofWords, column) {
		return strconv.FormatInt(n, 10)
	}
	require.NoError(t, db.QueryRow("SELECT word FROM words WHERE number = ?", n).Scan(&text), n)
	return text
}

// ofWords are the columns that contain words, as documented.
var ofWords = []string{"layer", "type", "call", "outcome", "verdict"}
